//! While one side has a store open, the other gets its own error, and nobody is disturbed.

use std::path::Path;

use recask::{AnyStore, Code, Codec, DType, OpenOptions, StoreKind};

use crate::peer::{Peer, open_arguments};
use crate::random::Random;
use crate::records::random_records;
use crate::store::{self, KINDS};

const ITEM_SHAPE: &[u64] = &[8];
const BUSY: Option<i64> = Some(-14);

#[test]
fn recask_is_told_that_loaderx_has_the_store() {
    let mut peer = Peer::start();
    for kind in KINDS {
        let (_folder, path) = new_store(kind);
        peer.open(&path, kind);
        for write in [false, true] {
            let options = OpenOptions { write, ..OpenOptions::default() };
            let error = AnyStore::open_with(path.as_path(), &options).expect_err("loaderx has it");
            assert_eq!(error.code(), Code::StoreBusy);
            assert!(error.message().contains("loaderx"), "{error}");
        }
        let records = random_records(&mut Random::new(20), kind, ITEM_SHAPE, 1, 3);
        peer.append(kind, &records);
        peer.close();
        assert_eq!(store::read(&store::open(&path)), records);
    }
}

#[test]
fn loaderx_is_told_that_recask_has_the_store() {
    let mut peer = Peer::start();
    for kind in KINDS {
        let (_folder, path) = new_store(kind);
        let refused = |peer: &mut Peer| peer.refusal("open", open_arguments(&path, kind)).code;

        let (one, other) = (store::open(&path), store::open(&path));
        assert_eq!(refused(&mut peer), BUSY, "two readers");
        drop(one);
        assert_eq!(refused(&mut peer), BUSY, "one reader");
        drop(other);

        let mut writer = store::open_for_writing(&path);
        assert_eq!(refused(&mut peer), BUSY, "a writer");
        let records = random_records(&mut Random::new(21), kind, ITEM_SHAPE, 1, 5);
        store::append(&mut writer, &records);
        writer.delete([0u64]).expect("nobody else has it");
        assert_eq!(refused(&mut peer), BUSY, "a writer that deleted");
        writer.compact(&()).expect("nobody else has it");
        assert_eq!(refused(&mut peer), BUSY, "a writer that compacted");
        writer.close().expect("closed");

        assert_eq!(peer.open(&path, kind), 4);
        peer.close();
    }
}

fn new_store(kind: StoreKind) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = Path::join(folder.path(), "store");
    store::create(&path, kind, DType::U8, ITEM_SHAPE, Codec::zstd()).close().expect("closed");
    (folder, path)
}
