//! Files that are cut while they are mapped and a loader reads them: an error or fewer records, and never a signal.

use std::fs;
use std::path::Path;

use recask::{Code, Codec, DType, DenseStore, Native, OpenOptions, RaggedStore, Sampler, Table};
use recask_core::format::zrecord::Geometry;
use recask_core::loader::{Batch, Feed, OnLoss, Stream};
use recask_core::storage::StorageFile as _;
use recask_core::table::ColumnInput;

/// Far more than a page, so that whole pages of the map are gone.
const RECORDS: u64 = 64;
const WIDTH: u64 = 16 << 10;

fn cut(path: &Path, len: u64) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

/// Bytes that no codec makes small, told by their record.
fn bytes(record: u64, len: u64) -> Vec<u8> {
    let mut state = record + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56).to_le_bytes()[0]
    };
    (0..len).map(|_| next()).collect()
}

fn feed(stream: impl Into<Stream<Native>>, batch: u64) -> Feed<Native> {
    let stream = stream.into();
    let sampler = Sampler::sequential(stream.len(), batch).build().unwrap();
    Feed::new([("images", stream)], sampler).unwrap()
}

fn dense(path: &Path, codec: Codec) -> DenseStore {
    let mut store = DenseStore::builder(DType::U8, [WIDTH]).codec(codec).create(path).unwrap();
    for record in 0..RECORDS {
        store.append(&bytes(record, WIDTH)).unwrap();
    }
    store.close().unwrap();
    DenseStore::open(path).unwrap()
}

/// The record that every policy finds to be the first lost, after a cut that loses all behind it.
fn check(
    feed: &Feed<Native>,
    first_lost: u64,
    values: impl Fn(&Batch, usize) -> Vec<u8>,
    expected: impl Fn(u64) -> Vec<u8>,
) {
    let mut batch = feed.new_batch();
    let size = feed.sampler().at(0).unwrap().len() as u64;
    for step in 0..RECORDS / size {
        let mut losses = Vec::new();
        let indices = step * size..(step + 1) * size;

        feed.draw(step, None, &mut batch).unwrap();
        let error = feed.fill_surviving(step, OnLoss::Fail, &mut batch, &mut losses).unwrap_err();
        assert_eq!(error.code(), Code::TruncatedFile, "{error}");
        assert_eq!((error.stream(), error.step()), (Some("images"), Some(step)), "{error}");
        assert_eq!(error.record(), Some(first_lost.max(indices.start)), "{error}");

        feed.draw(step, None, &mut batch).unwrap();
        let filled = feed.fill_surviving(step, OnLoss::SkipRecords, &mut batch, &mut losses).unwrap();
        let left: Vec<u64> = indices.clone().filter(|&record| record < first_lost).collect();
        let lost: Vec<u64> = indices.clone().filter(|&record| record >= first_lost).collect();
        assert_eq!(filled, !left.is_empty(), "step {step}");
        assert_eq!(losses.iter().map(|loss| loss.record).collect::<Vec<_>>(), lost);
        if filled {
            assert_eq!(batch.indices(), left);
            for (position, &record) in left.iter().enumerate() {
                assert!(values(&batch, position) == expected(record), "record {record}");
            }
        }

        feed.draw(step, None, &mut batch).unwrap();
        let filled = feed.fill_surviving(step, OnLoss::SkipSteps, &mut batch, &mut losses).unwrap();
        assert_eq!((filled, losses.len()), (lost.is_empty(), 2 * lost.len()), "step {step}");
    }
}

/// Where the records of a store that was written in order end: the fields offset and stored of their table entries.
fn ends(path: &Path, entries_per_record: usize) -> Vec<u64> {
    let table = fs::read(path.join("0.loc")).unwrap();
    let field =
        |entry: &[u8], at: usize| u64::from(u32::from_le_bytes(entry[at..at + 4].try_into().unwrap()));
    let end = |entry: &[u8]| field(entry, 0) + field(entry, 4);
    table.chunks(16 * entries_per_record).map(|entries| end(&entries[entries.len() - 16..])).collect()
}

#[test]
fn a_dense_store_whose_chunk_is_cut_under_its_map() {
    for codec in [Codec::raw(), Codec::zstd()] {
        for first_lost in [0, 21, 63] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("images");
            let store = dense(&path, codec.clone());
            assert!(store.store().len() == RECORDS && store.gather([0]).is_ok());
            cut(&path.join("0.chunk"), ends(&path, 1)[usize::try_from(first_lost).unwrap()] - 1);
            let value =
                |batch: &Batch, position| batch.dense("images").unwrap().record(position).unwrap().to_vec();
            check(&feed(store, 8), first_lost, value, |record| bytes(record, WIDTH));
        }
    }
}

#[test]
fn a_dense_store_whose_table_is_cut_under_its_map() {
    // Entries that fill several pages, for records of one byte.
    let count = 4096u64;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels");
    let mut store = DenseStore::builder(DType::U8, ()).create(&path).unwrap();
    store.append(&bytes(0, count)).unwrap();
    store.close().unwrap();
    let store = DenseStore::open(&path).unwrap();
    cut(&path.join("0.loc"), 16 * 100 + 5);
    let feed = feed(store, count);
    let mut batch = feed.new_batch();
    let mut losses = Vec::new();
    feed.draw(0, None, &mut batch).unwrap();
    let error = feed.fill_surviving(0, OnLoss::Fail, &mut batch, &mut losses).unwrap_err();
    assert_eq!(
        (error.code(), error.stream(), error.record()),
        (Code::TruncatedFile, Some("images"), Some(100))
    );
    assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut losses).unwrap());
    assert_eq!(batch.dense("images").unwrap().as_bytes(), &bytes(0, count)[..100]);
    assert_eq!((losses.len() as u64, losses[0].record), (count - 100, 100));
}

#[test]
fn a_ragged_store_whose_chunk_is_cut_under_its_map() {
    for codec in [Codec::raw(), Codec::zstd()] {
        for first_lost in [0, 21, 63] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tokens");
            let mut store = RaggedStore::builder(DType::U8).codec(codec.clone()).create(&path).unwrap();
            let records: Vec<_> = (0..RECORDS).map(|record| bytes(record, WIDTH / 2 + 97 * record)).collect();
            store.append::<u8, _>(&records).unwrap();
            store.close().unwrap();
            let store = RaggedStore::open(&path).unwrap();
            cut(&path.join("0.chunk"), ends(&path, 2)[usize::try_from(first_lost).unwrap()] - 1);
            let value = |batch: &Batch, position| {
                batch.ragged("images").unwrap().record(position).unwrap().bytes.to_vec()
            };
            check(&feed(store, 8), first_lost, value, |record| {
                records[usize::try_from(record).unwrap()].clone()
            });
        }
    }
}

#[test]
fn a_table_that_is_cut_under_its_map() {
    const TEXT: u64 = 1 << 10;
    for first_lost in [1, 30, 63] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.cstore");
        let ids: Vec<u64> = (0..RECORDS).collect();
        let texts: Vec<u8> = ids.iter().flat_map(|&record| bytes(record, TEXT)).collect();
        let dtype = DType::parse(&format!("|S{TEXT}")).unwrap();
        let columns = [ColumnInput::of("id", &ids), ColumnInput::new("text", dtype, &texts)];
        let table = Table::create(path.as_path(), &columns).unwrap();
        drop(table);
        let table = Table::open(path.as_path()).unwrap();
        // The last column ends where the record does, which has no padding.
        assert_eq!(table.file().len().unwrap(), table.committed_end());
        cut(&path, table.committed_end() - (RECORDS - first_lost) * TEXT);
        let value = |batch: &Batch, position: usize| {
            let columns = batch.table("images").unwrap();
            let width = usize::try_from(TEXT).unwrap();
            assert_eq!(
                columns.column("id").unwrap().values::<u64>().unwrap()[position],
                batch.indices()[position]
            );
            columns.column("text").unwrap().as_bytes()[position * width..][..width].to_vec()
        };
        check(&feed(table, 8), first_lost, value, |record| bytes(record, TEXT));
    }
}

/// Stores of small chunks and segments: what is cut is compared with no header.
#[test]
fn files_that_are_not_the_last_of_their_kind() {
    let geometry = Geometry {
        chunk_bytes: 8 * WIDTH,
        segment_entries: 1 << 10,
        record_bytes: WIDTH,
        ..Geometry::FORMAT
    };
    let options = || OpenOptions { geometry, ..OpenOptions::default() };
    let folder = tempfile::tempdir().unwrap();

    let path = folder.path().join("chunks");
    let mut store =
        DenseStore::builder(DType::U8, [WIDTH]).geometry(geometry).create(path.as_path()).unwrap();
    for record in 0..RECORDS {
        store.append(&bytes(record, WIDTH)).unwrap();
    }
    store.close().unwrap();
    let store = DenseStore::open_with(path.as_path(), &options()).unwrap();
    // Seven records have room in a chunk that is not quite full.
    cut(&path.join("1.chunk"), 2 * WIDTH);
    for record in [9, 13] {
        let error = store.gather([record]).unwrap_err();
        assert_eq!((error.code(), error.record()), (Code::TruncatedFile, Some(record)), "{error}");
    }
    for record in [0, 8, 14, RECORDS - 1] {
        assert!(store.gather([record]).unwrap().as_bytes() == bytes(record, WIDTH), "record {record}");
    }
    assert_eq!(store.record(9).unwrap_err().code(), Code::TruncatedFile);

    let path = folder.path().join("segments");
    let mut store = DenseStore::builder(DType::U8, ()).geometry(geometry).create(path.as_path()).unwrap();
    let values = bytes(7, 4 << 10);
    store.append(&values).unwrap();
    store.close().unwrap();
    let store = DenseStore::open_with(path.as_path(), &options()).unwrap();
    cut(&path.join("1.loc"), 100 * 16);
    for record in [1124, 2047] {
        let error = store.gather([record]).unwrap_err();
        assert_eq!((error.code(), error.record()), (Code::TruncatedFile, Some(record)), "{error}");
    }
    for record in [0, 1123, 2048, 4095] {
        let value = store.gather([record]).unwrap();
        assert_eq!(value.as_bytes(), &values[usize::try_from(record).unwrap()..][..1]);
    }
}
