//! A Recask process dies in the middle of its work, loaderx goes on, and then Recask again.

use crate::numbered::{ITEM_SHAPE, numbered};
use crate::peer::Peer;
use crate::records::Record;
use crate::store::{self, KINDS};
use crate::victim::append_and_die;
use recask::{Codec, DType, StoreKind};

#[test]
fn nothing_that_either_side_committed_is_lost() {
    let mut peer = Peer::start();
    for codec in [Codec::raw(), Codec::zstd()] {
        for kind in KINDS {
            for lines in [0, 1, 7, 40] {
                die_and_go_on(&mut peer, kind, &codec, lines);
            }
        }
    }
}

fn die_and_go_on(peer: &mut Peer, kind: StoreKind, codec: &Codec, lines: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    store::create(&path, kind, DType::U16, ITEM_SHAPE, codec.clone()).close().expect("closed");
    let mut committed = 0;
    // The second victim continues what the first and loaderx left.
    for _ in 0..2 {
        let announced =
            append_and_die(env!("CARGO_BIN_EXE_append_without_end"), &path, lines).unwrap_or(committed);
        let found = peer.open(&path, kind);
        assert!(found >= announced, "{found} records are left of {announced} committed ones");
        assert_eq!(peer.read(), expected(kind, found));
        peer.append(kind, &expected(kind, found + 3)[usize::try_from(found).expect("small")..]);
        peer.close();
        committed = found + 3;

        let reader = store::open(&path);
        assert_eq!(store::read(&reader), expected(kind, committed), "read only");
        drop(reader);
        let writer = store::open_for_writing(&path);
        assert_eq!(store::read(&writer), expected(kind, committed), "for writing");
        store::assert_sound(&writer);
        writer.close().expect("closed");
    }
}

fn expected(kind: StoreKind, records: u64) -> Vec<Record> {
    (0..records).map(|index| numbered(kind, index)).map(|(shape, bytes)| Record { shape, bytes }).collect()
}
