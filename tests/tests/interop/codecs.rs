//! Every codec in both kinds, from both sides.

use recask::{Codec, DType, StoreKind};

use crate::dictionaries::{raw_content, trained};
use crate::peer::{Peer, PeerCodec};
use crate::random::Random;
use crate::records::{Record, random_records, swap_remove};
use crate::store::{self, KINDS};

const DTYPE: &str = "<i4";
const ITEM_SHAPE: &[u64] = &[4, 5];

fn codecs() -> [Codec; 5] {
    [
        Codec::raw(),
        Codec::zstd(),
        Codec::zstd().level(-5),
        Codec::zstd_dict(trained()),
        Codec::zstd_dict(raw_content()),
    ]
}

#[test]
fn loaderx_reads_and_continues_what_recask_wrote() {
    let mut peer = Peer::start();
    let mut random = Random::new(2);
    for codec in codecs() {
        for kind in KINDS {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("store");
            let mut model = some_records(&mut random, kind, 40);
            let dtype = DType::parse(DTYPE).expect("a type");
            let mut store = store::create(&path, kind, dtype, ITEM_SHAPE, codec.clone());
            store::append(&mut store, &model);
            store.close().expect("closed");

            peer.open(&path, kind);
            assert_eq!(peer.read(), model, "{codec:?}");
            let more = some_records(&mut random, kind, 20);
            peer.append(kind, &more);
            model.extend(more);
            assert_eq!(peer.read(), model);
            peer.close();

            let store = store::open(&path);
            assert_eq!(store::read(&store), model, "{codec:?}");
            store::assert_sound(&store);
        }
    }
}

#[test]
fn recask_appends_deletes_and_compacts_what_loaderx_wrote() {
    let mut peer = Peer::start();
    let mut random = Random::new(3);
    for codec in codecs() {
        for kind in KINDS {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("store");
            let mut model = some_records(&mut random, kind, 40);
            match kind {
                StoreKind::Dense => peer.create_dense(&path, DTYPE, ITEM_SHAPE, &PeerCodec::from(&codec)),
                StoreKind::Ragged => peer.create_ragged(&path, DTYPE, &PeerCodec::from(&codec)),
            }
            peer.append(kind, &model);
            peer.close();

            let mut store = store::open_for_writing(&path);
            let more = some_records(&mut random, kind, 20);
            store::append(&mut store, &more);
            model.extend(more);
            let targets = [59, 0, 17, 17, 58, 3];
            store.delete(targets).expect("deleted");
            swap_remove(&mut model, &targets);
            store.close().expect("closed");
            peer.open(&path, kind);
            assert_eq!(peer.read(), model, "{codec:?}, deleted");
            peer.close();

            let mut store = store::open_for_writing(&path);
            store.compact(&()).expect("compacted");
            let stats = store.stats().expect("stats");
            assert_eq!(stats.reclaimable, 0);
            store.close().expect("closed");
            peer.open(&path, kind);
            assert_eq!(peer.read(), model, "{codec:?}, compacted");
            let theirs = peer.ask("stats", serde_json::json!({}));
            assert_eq!(theirs["records"], stats.records);
            assert_eq!(theirs["live_bytes"], stats.live_bytes);
            assert_eq!(theirs["chunk_bytes"], stats.chunk_bytes);
            assert_eq!(theirs["reclaimable"], stats.reclaimable);
            peer.close();
        }
    }
}

fn some_records(random: &mut Random, kind: StoreKind, count: u64) -> Vec<Record> {
    random_records(random, kind, ITEM_SHAPE, 4, count)
}
