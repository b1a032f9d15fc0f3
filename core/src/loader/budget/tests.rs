use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::loader::{Claim, Cursor, Delivery, Order, Schedule};
use crate::storage::memory::MemoryStorage;
use crate::storage::memory::{MemoryEnvironment, MemoryPlace};
use crate::table::{ColumnInput, Table};
use crate::{DType, DenseStore, RaggedStore};

type Memory = MemoryEnvironment;

/// The shapes of ragged records of 3-byte elements; the product of the extents is small.
fn shapes() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let shape = prop_oneof![
        prop::collection::vec(1u64..4, 0..4),
        (0u64..40).prop_map(|len| Vec::from([len + 1])),
        Just(Vec::from([1; 64])),
    ];
    prop::collection::vec(shape, 1..40)
}

fn ragged(shapes: &[Vec<u64>]) -> RaggedStore<Memory> {
    let mut store = RaggedStore::builder(DType::void(3).unwrap()).create(MemoryPlace::new()).unwrap();
    for shape in shapes {
        let bytes = alloc::vec![7; usize::try_from(3 * shape.iter().product::<u64>()).unwrap()];
        store.append_bytes(&[(shape, &bytes)]).unwrap();
    }
    store
}

fn dense(records: usize) -> DenseStore<Memory> {
    let mut store = DenseStore::builder(DType::U8, [5]).create(MemoryPlace::new()).unwrap();
    store.append_bytes(&alloc::vec![1; 5 * records]).unwrap();
    store
}

fn table(rows: usize) -> Table<Memory> {
    let place = MemoryPlace::new();
    let (id, flag) = (alloc::vec![1u32; rows], alloc::vec![0u8; rows]);
    let columns = [ColumnInput::of("id", &id), ColumnInput::of("flag", &flag)];
    Table::<Memory>::create(place.clone(), &columns).unwrap();
    Table::open(place).unwrap()
}

fn sampler(mode: Mode, length: usize, batch: u64, rank: u64, world: u64, seed: u64) -> Sampler {
    Sampler::builder(mode, length as u64, batch).seed(seed).shard(rank, world).build().unwrap()
}

fn word(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}

/// The most that `count` records can take when each may come `most` times.
fn most(sizes: impl Iterator<Item = u64>, most: usize, count: usize) -> u64 {
    let mut sizes: Vec<u64> = sizes.flat_map(|size| core::iter::repeat_n(size, most)).collect();
    sizes.sort_unstable_by_key(|size| core::cmp::Reverse(*size));
    sizes.iter().take(count).sum()
}

fn ragged_bytes(bytes: u64, extents: u64, records: u64) -> u64 {
    word(bytes) + 8 * extents + 2 * 8 * (records + 1)
}

proptest! {
    #[test]
    fn without_repetition_the_largest_records_come_together(
        shapes in shapes(), batch in 1u64..50, rank in 0u64..3, seed: u64,
    ) {
        let sampler = sampler(Mode::Cyclic, shapes.len(), batch, rank, 3, seed);
        let records = sampler.slice().count();
        let feed = Feed::new([("r", ragged(&shapes).into())], sampler).unwrap();
        let bytes = most(shapes.iter().map(|shape| 3 * shape.iter().product::<u64>()), 1, records);
        let extents = most(shapes.iter().map(|shape| shape.len() as u64), 1, records);
        let records = records as u64;
        let expected = ragged_bytes(bytes, extents, records) + 8 * records;
        prop_assert_eq!(feed.budget(0, 1).unwrap().batch_bytes(), expected);
    }

    #[test]
    fn with_replacement_the_largest_record_may_be_all(shapes in shapes(), batch in 1u64..50, seed: u64) {
        for mode in [Mode::Iid, Mode::IidSeek] {
            let sampler = sampler(mode, shapes.len(), batch, 0, 1, seed);
            let feed = Feed::new([("r", ragged(&shapes).into())], sampler).unwrap();
            let bytes = shapes.iter().map(|shape| 3 * shape.iter().product::<u64>()).max().unwrap();
            let extents = shapes.iter().map(|shape| shape.len() as u64).max().unwrap();
            let expected = ragged_bytes(batch * bytes, batch * extents, batch) + 8 * batch;
            prop_assert_eq!(feed.budget(0, 1).unwrap().batch_bytes(), expected);
        }
    }

    #[test]
    fn a_sequential_batch_repeats_as_often_as_it_passes(shapes in shapes(), batch in 1u64..130, rank in 0u64..2) {
        let sampler = sampler(Mode::Sequential, shapes.len(), batch, rank, 2, 0);
        let records = sampler.slice().end - sampler.slice().start;
        let length = shapes.len() as u64;
        // Every record in each whole pass, and the largest ones in the rest.
        let (passes, rest) = (records / length, usize::try_from(records % length).unwrap());
        let sizes = || shapes.iter().map(|shape| 3 * shape.iter().product::<u64>());
        let ranks = || shapes.iter().map(|shape| shape.len() as u64);
        let bytes = passes * sizes().sum::<u64>() + most(sizes(), 1, rest);
        let extents = passes * ranks().sum::<u64>() + most(ranks(), 1, rest);
        let feed = Feed::new([("r", ragged(&shapes).into())], sampler).unwrap();
        let expected = ragged_bytes(bytes, extents, records) + 8 * records;
        prop_assert_eq!(feed.budget(0, 1).unwrap().batch_bytes(), expected);
    }

    #[test]
    fn a_batch_that_is_used_again_keeps_to_it(
        shapes in shapes(), batch in 1u64..100, rank in 0u64..2, seed: u64,
        steps in prop::collection::vec(0u64..1000, 1..40),
    ) {
        for &mode in Mode::ALL {
            let sampler = sampler(mode, shapes.len(), batch, rank, 2, seed);
            let streams = [
                ("ragged", ragged(&shapes).into()),
                ("dense", dense(shapes.len()).into()),
                ("table", table(shapes.len()).into()),
            ];
            let feed = Feed::new::<&str>(streams, sampler).unwrap();
            let most = feed.budget(3, 2).unwrap().batch_bytes();
            let mut memory = feed.new_batch();
            for step in &steps {
                feed.fill(*step, &mut memory).unwrap();
                prop_assert!(memory.memory_bytes() <= most, "{} of {most} at {step}, {mode}", memory.memory_bytes());
            }
        }
    }

    #[test]
    fn the_largest_are_found_in_any_order(lengths in prop::collection::vec(1u64..1000, 1..200), count in 0usize..250) {
        let shapes: Vec<_> = lengths.iter().map(|len| Vec::from([*len])).collect();
        let extremes = ragged(&shapes).extremes(count as u64).unwrap();
        let sizes = || lengths.iter().map(|len| 3 * len);
        let records = lengths.len();
        prop_assert_eq!(extremes.all, Room { bytes: sizes().sum(), extents: records as u64 });
        let largest = Room { bytes: most(sizes(), 1, count), extents: count.min(records) as u64 };
        prop_assert_eq!(extremes.largest, largest);
    }
}

#[test]
fn it_is_reached() {
    // One cycle is one batch, so all records come together.
    let shapes = [Vec::from([5]), Vec::from([1, 9]), Vec::new()];
    let sampler = sampler(Mode::Cyclic, 3, 3, 0, 1, 1);
    let streams =
        [("ragged", ragged(&shapes).into()), ("dense", dense(3).into()), ("table", table(3).into())];
    let feed = Feed::new::<&str>(streams, sampler).unwrap();
    let mut batch = feed.new_batch();
    feed.fill(0, &mut batch).unwrap();
    let budget = feed.budget(0, 0).unwrap();
    // Ragged: 45 bytes, 3 extents, 2 times 4 offsets. Dense: 15 bytes. Table: 12 and 3 bytes. 3 indices.
    assert_eq!(budget.batch_bytes(), 48 + 24 + 64 + 16 + 16 + 8 + 24);
    assert_eq!(batch.memory_bytes(), budget.batch_bytes());
}

#[test]
fn batches_are_counted_as_they_are_leased() {
    let feed = Feed::new([("d", dense(4).into())], sampler(Mode::Sequential, 4, 2, 0, 1, 0)).unwrap();
    let one = 16 + 16;
    for (depth, workers, batches) in [(4, 2, 7), (0, 1, 2), (0, 0, 2), (3, 0, 5)] {
        let budget = feed.budget(depth, workers).unwrap();
        assert_eq!((budget.batch_bytes(), budget.batches(), budget.bytes()), (one, batches, batches * one));
        let mut schedule = Schedule::<()>::new(depth, workers, Order::ByStep, Cursor::default());
        let mut leases = 0;
        // A caller that keeps all.
        loop {
            match schedule.claim() {
                Claim::Start(ticket) => drop(schedule.complete(ticket, Ok(()))),
                _ => match schedule.deliver() {
                    Delivery::Ready(..) => {}
                    _ => break,
                },
            }
            leases = leases.max(schedule.leases());
        }
        assert_eq!(leases as u64, batches);
    }
}

#[test]
fn what_exceeds_64_bits_is_too_large() {
    for (batch, depth) in [(u64::MAX, 1), (1 << 60, 1), (1 << 50, usize::MAX), (1 << 50, usize::MAX >> 8)] {
        let feed = Feed::new([("d", dense(4).into())], sampler(Mode::Iid, 4, batch, 0, 1, 0)).unwrap();
        assert_eq!(feed.budget(depth, 1).unwrap_err().code(), Code::TooLarge, "{batch} {depth}");
    }
    // Of many ranks each takes little.
    let feed =
        Feed::new([("d", dense(4).into())], sampler(Mode::Sequential, 4, u64::MAX, 7, u64::MAX, 0)).unwrap();
    assert_eq!(feed.budget(0, 1).unwrap().batch_bytes(), 16);
}

#[test]
fn records_that_no_batch_has_room_for_do_not_count() {
    let place = MemoryPlace::new();
    let mut store = RaggedStore::<Memory>::builder(DType::U8).create(place.clone()).unwrap();
    store.append(&["a", "bcd"]).unwrap();
    drop(store);
    let storage = place.storage().unwrap();
    let mut files: BTreeMap<_, _> = storage.files().into_iter().collect();
    let (_, loc) = files.iter_mut().find(|(name, _)| name.ends_with(".loc")).unwrap();
    // Decoded bytes of the second payload: 0x40000003, behind the end of the chunk.
    loc[2 * 16 + 8 + 3] = 0x40;
    let damaged = MemoryPlace::holding(&MemoryStorage::from_files(files));
    let store = RaggedStore::<Memory>::open(damaged).unwrap();
    assert_eq!(store.extremes(1).unwrap().largest, Room { bytes: 1, extents: 1 });
}
