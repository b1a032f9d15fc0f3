//! Both sides change the same store by turns, for many rounds, beside a plain list.

use std::path::Path;

use recask::{Codec, DType, StoreKind};

use crate::dictionaries::trained;
use crate::peer::Peer;
use crate::random::Random;
use crate::records::{Record, random_records, swap_remove};
use crate::store;

const ROUNDS: u64 = 60;
const DTYPE: DType = DType::U16;
const ITEM_SHAPE: &[u64] = &[5];

#[test]
fn dense_raw() {
    take_turns(StoreKind::Dense, Codec::raw(), 10);
}

#[test]
fn dense_zstd() {
    take_turns(StoreKind::Dense, Codec::zstd(), 11);
}

#[test]
fn dense_zstd_dict() {
    take_turns(StoreKind::Dense, Codec::zstd_dict(trained()), 12);
}

#[test]
fn ragged_raw() {
    take_turns(StoreKind::Ragged, Codec::raw(), 13);
}

#[test]
fn ragged_zstd() {
    take_turns(StoreKind::Ragged, Codec::zstd(), 14);
}

#[test]
fn ragged_zstd_dict() {
    take_turns(StoreKind::Ragged, Codec::zstd_dict(trained()), 15);
}

fn take_turns(kind: StoreKind, codec: Codec, seed: u64) {
    let mut peer = Peer::start();
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut model = Vec::new();
    store::create(&path, kind, DTYPE, ITEM_SHAPE, codec).close().expect("closed");
    for round in 0..ROUNDS {
        let steps: Vec<Step> =
            (0..1 + random.below(4)).map(|_| Step::random(&mut random, kind, &mut model)).collect();
        let found = if random.below(2) == 0 {
            recask_takes_a_turn(&path, &steps)
        } else {
            loaderx_takes_a_turn(&mut peer, &path, kind, &steps)
        };
        assert_eq!(found, model, "round {round}, seed {seed}");
    }
    peer.open(&path, kind);
    assert_eq!(peer.read(), model, "at the end, seed {seed}");
    peer.close();
    let store = store::open(&path);
    assert_eq!(store::read(&store), model, "at the end, seed {seed}");
    store::assert_sound(&store);
}

/// One change of a store.
enum Step {
    Append(Vec<Record>),
    Delete(Vec<u64>),
    Compact,
    Sync,
}

impl Step {
    /// Chooses one, and does it to the list.
    fn random(random: &mut Random, kind: StoreKind, model: &mut Vec<Record>) -> Self {
        let len = model.len() as u64;
        match random.below(8) {
            0 => Step::Compact,
            1 => Step::Sync,
            2..=4 if len > 0 => {
                let most = if random.below(10) == 0 { len } else { len.min(6) };
                let targets: Vec<u64> = (0..=random.below(most)).map(|_| random.below(len)).collect();
                swap_remove(model, &targets);
                Step::Delete(targets)
            }
            _ => {
                let count = 1 + random.below(12);
                let records = random_records(random, kind, ITEM_SHAPE, DTYPE.itemsize(), count);
                model.extend(records.iter().cloned());
                Step::Append(records)
            }
        }
    }
}

fn recask_takes_a_turn(path: &Path, steps: &[Step]) -> Vec<Record> {
    let mut store = store::open_for_writing(path);
    for step in steps {
        match step {
            Step::Append(records) => store::append(&mut store, records),
            Step::Delete(targets) => store.delete(targets).expect("deleted"),
            Step::Compact => store.compact(&()).expect("compacted"),
            // Dropping a store and opening it again syncs it, too.
            Step::Sync => {
                drop(store);
                store = store::open_for_writing(path);
            }
        }
    }
    let found = store::read(&store);
    store.close().expect("closed");
    found
}

fn loaderx_takes_a_turn(peer: &mut Peer, path: &Path, kind: StoreKind, steps: &[Step]) -> Vec<Record> {
    peer.open(path, kind);
    for step in steps {
        match step {
            Step::Append(records) => peer.append(kind, records),
            Step::Delete(targets) => peer.delete(targets),
            Step::Compact => peer.compact(),
            Step::Sync => drop(peer.ask("sync", serde_json::json!({}))),
        }
    }
    let found = peer.read();
    peer.close();
    found
}
