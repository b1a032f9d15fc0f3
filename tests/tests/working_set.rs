//! Appending and gathering need a fixed working set beyond their input and their result.
//!
//! A counting allocator sees every allocation that Rust code makes in this process. The contexts of the C library of
//! zstd are not seen; there is one for each thread.

mod memory;

use memory::{ALONE, peak_of};
use recask::{Codec, DType, DenseStore, RaggedBatch, RaggedStore};

const MIB: usize = 1 << 20;

/// Windows of 2 MiB a thread, encoded with some room, their entries, and what tasks need.
fn working_set() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    (3 * MIB + MIB / 2) * threads + 4 * MIB
}

#[test]
fn an_append_needs_the_same_however_much_is_appended() {
    let _alone = ALONE.lock().unwrap();
    for codec in [Codec::raw(), Codec::zstd().level(1)] {
        for (width, bytes) in [(64u64, 64 * MIB), (1 << 16, 96 * MIB)] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = DenseStore::builder(DType::U8, [width])
                .codec(codec.clone())
                .create(folder.path().join("s"))
                .unwrap();
            let values = vec![7u8; bytes];
            let peak = peak_of(|| {
                store.append(&values).unwrap();
            });
            assert!(peak < working_set(), "{codec:?}, records of {width} bytes: {peak} bytes");
        }
    }
}

#[test]
fn a_ragged_append_needs_the_same_however_much_is_appended() {
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut store = RaggedStore::builder(DType::U8).create(folder.path().join("s")).unwrap();
    let values = vec![3u8; 64 * MIB];
    let records: Vec<&[u8]> = values.chunks(1000).collect();
    let peak = peak_of(|| {
        store.append(&records).unwrap();
    });
    assert!(peak < working_set(), "{peak} bytes");
}

#[test]
fn a_ragged_gather_allocates_its_result_and_little_more() {
    let _alone = ALONE.lock().unwrap();
    for codec in [Codec::raw(), Codec::zstd().level(1)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut store = RaggedStore::builder(DType::U8).codec(codec.clone()).create(&path).unwrap();
        let values = vec![3u8; 32 * MIB];
        store.append(&values.chunks(700).collect::<Vec<_>>()).unwrap();
        store.close().unwrap();

        let store = RaggedStore::open(&path).unwrap();
        let records: Vec<u64> = (0..store.len()).rev().collect();
        let mut batch = RaggedBatch::new(DType::U8);
        let first = peak_of(|| store.gather_batch(&records, &mut batch).unwrap());
        let lists = (batch.offsets().len() + batch.shape_offsets().len() + batch.shapes().len()) * 8;
        let result = batch.as_bytes().len() + lists;
        assert!(first < result + MIB / 4, "{codec:?}: {first} bytes for a result of {result}");

        let again = peak_of(|| store.gather_batch(&records, &mut batch).unwrap());
        assert!(again < MIB / 4, "{codec:?}: {again} bytes into a batch that was there");
    }
}

#[test]
fn a_dense_gather_into_a_buffer_allocates_nearly_nothing() {
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let mut store = DenseStore::builder(DType::U8, [1 << 12]).create(&path).unwrap();
    store.append(&vec![1u8; 32 * MIB]).unwrap();
    store.close().unwrap();
    let store = DenseStore::open(&path).unwrap();
    let records: Vec<u64> = (0..store.len()).rev().collect();
    let mut out = vec![0; 32 * MIB];
    let peak = peak_of(|| store.gather_into(&records, &mut out).unwrap());
    assert!(peak < MIB / 8, "{peak} bytes");
}
