//! Recask's two kinds of stores behind one set of calls.

use std::path::Path;

use recask::{AnyStore, Codec, DType, DenseStore, OpenOptions, RaggedStore, StoreKind};

use crate::records::Record;

pub(crate) const KINDS: [StoreKind; 2] = [StoreKind::Dense, StoreKind::Ragged];

pub(crate) fn create(
    path: &Path,
    kind: StoreKind,
    dtype: DType,
    item_shape: &[u64],
    codec: Codec,
) -> AnyStore {
    match kind {
        StoreKind::Dense => {
            let store =
                DenseStore::builder(dtype, item_shape).codec(codec).create(path).expect("a new store");
            AnyStore::Dense(store)
        }
        StoreKind::Ragged => {
            let store = RaggedStore::builder(dtype).codec(codec).create(path).expect("a new store");
            AnyStore::Ragged(store)
        }
    }
}

pub(crate) fn open(path: &Path) -> AnyStore {
    AnyStore::open(path).expect("the store opens for reading")
}

pub(crate) fn open_for_writing(path: &Path) -> AnyStore {
    let options = OpenOptions { write: true, ..OpenOptions::default() };
    AnyStore::open_with(path, &options).expect("the store opens for writing")
}

pub(crate) fn append(store: &mut AnyStore, records: &[Record]) {
    match store {
        AnyStore::Dense(store) => {
            let bytes: Vec<u8> = records.iter().flat_map(|record| record.bytes.iter().copied()).collect();
            store.append_bytes(&bytes).expect("appended");
        }
        AnyStore::Ragged(store) => {
            let records: Vec<_> =
                records.iter().map(|record| (&record.shape[..], &record.bytes[..])).collect();
            store.append_bytes(&records).expect("appended");
        }
    }
}

/// All records.
pub(crate) fn read(store: &AnyStore) -> Vec<Record> {
    match store {
        AnyStore::Dense(store) => {
            let shape = store.item_shape().dims().to_vec();
            let width = usize::try_from(store.record_bytes()).expect("small");
            let batch = store.gather(..).expect("readable");
            let records = batch.as_bytes().chunks_exact(width);
            records.map(|bytes| Record { shape: shape.clone(), bytes: bytes.to_vec() }).collect()
        }
        AnyStore::Ragged(store) => {
            let batch = store.gather(..).expect("readable");
            let record = |record: recask::RaggedRecord<'_>| Record {
                shape: record.shape.to_vec(),
                bytes: record.bytes.to_vec(),
            };
            batch.records().map(record).collect()
        }
    }
}

/// Fails where a check of the whole store finds a fault.
pub(crate) fn assert_sound(store: &AnyStore) {
    let verification = store.verify(&()).expect("a whole check");
    assert!(verification.is_ok(), "{:?}", verification.problems);
}
