//! What Rust users expect of the types themselves.

use recask::{AnyStore, Codec, DType, DenseStore, Error, RaggedBatch, RaggedStore};

#[test]
fn handles_results_and_errors_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<DenseStore>();
    crosses::<RaggedStore>();
    crosses::<AnyStore>();
    crosses::<RaggedBatch>();
    crosses::<Error>();
}

#[test]
fn records_of_a_mapped_raw_store_are_borrowed_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    for (codec, borrowed) in [(Codec::raw(), true), (Codec::zstd(), false)] {
        let dense = folder.path().join(format!("dense-{borrowed}"));
        let mut store = DenseStore::builder(DType::U8, [3]).codec(codec.clone()).create(&dense).unwrap();
        store.append(&[1u8, 2, 3, 4, 5, 6]).unwrap();
        store.close().unwrap();
        let store = DenseStore::open(&dense).unwrap();
        let record = store.record(-1).unwrap();
        assert_eq!(*record, [4, 5, 6]);
        assert_eq!(matches!(record, std::borrow::Cow::Borrowed(_)), borrowed);

        let ragged = folder.path().join(format!("ragged-{borrowed}"));
        let mut store = RaggedStore::builder(DType::U8).codec(codec).create(&ragged).unwrap();
        store.append_shaped(&[(&[2, 2], &[1u8, 2, 3, 4]), (&[], &[9])]).unwrap();
        store.close().unwrap();
        let store = RaggedStore::open(&ragged).unwrap();
        let view = store.view(0).unwrap();
        assert_eq!((view.shape.as_slice(), &*view.bytes), (&[2, 2][..], &[1, 2, 3, 4][..]));
        assert_eq!(matches!(view.bytes, std::borrow::Cow::Borrowed(_)), borrowed);
        assert!(store.view(-1).unwrap().shape.is_empty());
    }
}
