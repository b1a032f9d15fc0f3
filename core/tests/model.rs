//! Random sequences of operations on a store in memory, against a plain list of records.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;

use std::sync::LazyLock;

use engine::loaderx::Loaderx;
use engine::random::Random;
use engine::{Handle, Kind, Record, Setup, TINY, delete_from, slow};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use recask_core::codec::Codec;
use recask_core::codec::dictionary::{Samples, Tier};
use recask_core::format::zrecord::Geometry;
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::{Code, Index, RaggedBatch};

type Store = Handle<MemoryEnvironment>;

#[derive(Clone, Debug)]
enum Operation {
    Append { count: u64, seed: u64 },
    Gather(Wanted),
    Delete(Wanted),
    Compact,
    Sync,
    Reopen,
    Copy(usize),
}

/// Which records, before the length of the store is known.
#[derive(Clone, Debug)]
enum Wanted {
    One(i64),
    Range(Option<i64>, Option<i64>, i64),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Mask(u64),
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let bound = || prop::option::of(-30i64..30);
    let step = select(vec![-3, -1, 1, 1, 2, 7]);
    prop_oneof![
        (-30i64..30).prop_map(Wanted::One),
        (bound(), bound(), step).prop_map(|(start, stop, step)| Wanted::Range(start, stop, step)),
        vec(-30i64..30, 0..12).prop_map(Wanted::Signed),
        vec(0u64..30, 0..12).prop_map(Wanted::Unsigned),
        any::<u64>().prop_map(Wanted::Mask),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        5 => (1u64..8, any::<u64>()).prop_map(|(count, seed)| Operation::Append { count, seed }),
        1 => (40u64..90, any::<u64>()).prop_map(|(count, seed)| Operation::Append { count, seed }),
        4 => wanted().prop_map(Operation::Gather),
        3 => wanted().prop_map(Operation::Delete),
        2 => Just(Operation::Compact),
        1 => Just(Operation::Sync),
        2 => Just(Operation::Reopen),
        1 => (0..CODECS.len()).prop_map(Operation::Copy),
    ]
}

static CODECS: LazyLock<Vec<Codec>> = LazyLock::new(|| {
    let mut random = Random::new(8);
    let samples: Vec<Vec<u8>> = (0..400).map(|_| random.bytes(64)).collect();
    let trained = Samples::from_records(&samples, Tier::Fast).train(Tier::Fast).unwrap();
    // The level of the format for dictionaries takes long without optimization.
    let quickly = |dictionary: Vec<u8>| Codec::zstd_dict(dictionary).level(3);
    vec![Codec::raw(), Codec::zstd(), quickly(random.bytes(100)), quickly(trained)]
});

fn setup() -> impl Strategy<Value = Setup> {
    let kind = prop_oneof![(1u64..50).prop_map(Kind::Dense), Just(Kind::Ragged)];
    let tiny = (110u64..300, 2u64..6, 1u64..200).prop_map(|(chunk_bytes, segment_entries, move_bytes)| {
        Geometry { chunk_bytes, segment_entries, move_bytes, ..TINY }
    });
    let geometry = prop_oneof![Just(Geometry::FORMAT), tiny];
    (kind, select(CODECS.clone()), geometry).prop_map(|(kind, codec, geometry)| Setup {
        kind,
        codec,
        geometry,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if slow() { 4000 } else { 300 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_store_is_a_list_of_records(setup in setup(), operations in vec(operation(), 1..20)) {
        let place = MemoryPlace::new();
        let mut store: Store = setup.create(place.clone()).unwrap();
        let mut model: Vec<Record> = Vec::new();
        for operation in &operations {
            match operation {
                Operation::Append { count, seed } => {
                    let records = setup.records(&mut Random::new(*seed), *count);
                    assert_eq!(store.append(&records).unwrap(), model.len() as u64);
                    model.extend(records);
                }
                Operation::Gather(wanted) => {
                    check_gather(&store, &model, wanted);
                    continue;
                }
                Operation::Delete(wanted) => match wanted.resolve(model.len()) {
                    Some(targets) => {
                        store.delete(wanted.index(model.len())).unwrap();
                        delete_from(&mut model, &targets);
                    }
                    None => {
                        let error = store.delete(wanted.index(model.len())).unwrap_err();
                        assert_eq!(error.code(), Code::IndexOutOfRange);
                    }
                },
                Operation::Compact => {
                    store.compact().unwrap();
                    check_compact(&setup, &place);
                }
                Operation::Sync => store.sync().unwrap(),
                Operation::Reopen => {
                    store.close().unwrap();
                    check(&setup.open(place.clone()).unwrap(), &model, &setup, &place);
                    store = setup.open_for_writing(place.clone()).unwrap();
                }
                Operation::Copy(codec) => check_copy(&setup, &store, &model, &CODECS[*codec]),
            }
            check(&store, &model, &setup, &place);
        }
    }
}

/// Everything that can be seen from outside.
fn check(store: &Store, model: &[Record], setup: &Setup, place: &MemoryPlace) {
    assert_eq!(store.len(), model.len() as u64);
    assert!(store.all().unwrap() == model, "other records than the model");
    let verified = store.verify().unwrap();
    assert!(verified.is_ok(), "{:?}", verified.problems);
    assert_eq!(verified.records, model.len() as u64);
    let files = place.storage().unwrap().files();
    let read = Loaderx::open(files, &setup.geometry).unwrap();
    assert!(read.records() == model, "loaderx sees other records");
    let stats = store.stats().unwrap();
    let live = read.entries.iter().map(|&[_, stored, ..]| u64::from(stored)).sum::<u64>();
    let all = u64::from(read.tail_chunk) * setup.geometry.chunk_bytes + u64::from(read.tail_offset);
    assert_eq!(
        (stats.records, stats.live_bytes, stats.chunk_bytes, stats.reclaimable),
        (model.len() as u64, live, all, all - live)
    );
}

/// After compaction, entries in physical order lie where the format's placement puts them from the start.
fn check_compact(setup: &Setup, place: &MemoryPlace) {
    let files = place.storage().unwrap().files();
    let chunk_files = files.iter().filter(|(name, _)| name.ends_with(".chunk")).count();
    let table_bytes: usize =
        files.iter().filter(|(name, _)| name.ends_with(".loc")).map(|(_, bytes)| bytes.len()).sum();
    let store = Loaderx::open(files, &setup.geometry).unwrap();
    let mut entries = store.entries.clone();
    entries.sort_unstable_by_key(|&[offset, _, _, chunk]| (chunk, offset));
    let (mut chunk, mut at) = (0, 0);
    for [offset, stored, _, found] in entries {
        if u64::from(at) + u64::from(stored) >= setup.geometry.chunk_bytes {
            (chunk, at) = (chunk + 1, 0);
        }
        assert_eq!((found, offset), (chunk, at), "a hole is left");
        at += stored;
    }
    assert_eq!((store.tail_chunk, store.tail_offset), (chunk, at));
    assert_eq!(chunk_files, usize::try_from(chunk).unwrap() + 1, "chunks");
    assert_eq!(table_bytes as u64, store.length * 16, "table");
}

fn check_gather(store: &Store, model: &[Record], wanted: &Wanted) {
    let index = || wanted.index(model.len());
    let Some(positions) = wanted.resolve(model.len()) else {
        assert_eq!(store.gather(index()).unwrap_err().code(), Code::IndexOutOfRange);
        return;
    };
    let expected: Vec<&Record> = positions.iter().map(|&at| &model[usize::try_from(at).unwrap()]).collect();
    assert!(store.gather(index()).unwrap().iter().eq(expected.iter().copied()), "gather {wanted:?}");
    let bytes: Vec<u8> = expected.iter().flat_map(|record| record.bytes.clone()).collect();
    match store {
        Handle::Dense(store) => {
            let mut out = vec![0xee; bytes.len()];
            store.gather_into(index(), &mut out).unwrap();
            assert!(out == bytes, "gather_into {wanted:?}");
            out.push(0);
            assert_eq!(store.gather_into(index(), &mut out).unwrap_err().code(), Code::BufferSize);
            // A batch of another size and content is used again.
            let mut batch = store.gather(..).unwrap();
            store.gather_batch(index(), &mut batch).unwrap();
            assert!(batch.as_bytes() == bytes, "gather_batch {wanted:?}");
            assert_eq!(batch.shape(), [expected.len() as u64, store.record_bytes()]);
            if let Wanted::One(at) = *wanted {
                assert!(*store.record(at).unwrap() == *bytes, "record {at}");
            }
        }
        Handle::Ragged(store) => {
            let mut batch = RaggedBatch::new(store.dtype().clone());
            store.gather_batch(.., &mut batch).unwrap();
            store.gather_batch(index(), &mut batch).unwrap();
            assert!(batch.as_bytes() == bytes, "gather_batch {wanted:?}");
            assert_eq!(batch.len(), expected.len());
            for (record, expected) in batch.records().zip(&expected) {
                assert!(record.shape == expected.shape && record.bytes == expected.bytes);
            }
            if let Wanted::One(at) = *wanted {
                assert!(store.record(at).unwrap().as_bytes() == bytes, "record {at}");
            }
        }
    }
}

/// A store that is copied to another codec, behind what is there already.
fn check_copy(setup: &Setup, store: &Store, model: &[Record], codec: &Codec) {
    let target = Setup::new(setup.kind, codec.clone());
    let place = MemoryPlace::new();
    let mut copy: Store = target.create(place.clone()).unwrap();
    let first = target.record(&mut Random::new(1));
    copy.append(std::slice::from_ref(&first)).unwrap();
    match (store, &mut copy) {
        (Handle::Dense(store), Handle::Dense(copy)) => store.copy_to(copy, &()).unwrap(),
        (Handle::Ragged(store), Handle::Ragged(copy)) => store.copy_to(copy, &()).unwrap(),
        _ => unreachable!("both were made of the same kind"),
    }
    let expected: Vec<Record> = [&[first], model].concat();
    check(&copy, &expected, &target, &place);
}

impl Wanted {
    fn index(&self, len: usize) -> Index<'_> {
        match self {
            Wanted::One(at) => Index::One(*at),
            Wanted::Range(start, stop, step) => Index::range(*start, *stop, *step),
            Wanted::Signed(list) => Index::from(list),
            Wanted::Unsigned(list) => Index::from(list),
            Wanted::Mask(bits) => Index::Mask(flags(*bits, len).into()),
        }
    }

    /// The records, by Python's rules spelled out; `None` where one is outside of the store.
    fn resolve(&self, len: usize) -> Option<Vec<u64>> {
        let len = i64::try_from(len).unwrap();
        let one = |at: i64| {
            let at = if at < 0 { at + len } else { at };
            (0..len).contains(&at).then_some(at.unsigned_abs())
        };
        match self {
            Wanted::One(at) => one(*at).map(|at| vec![at]),
            Wanted::Signed(list) => list.iter().map(|&at| one(at)).collect(),
            Wanted::Unsigned(list) => list.iter().map(|&at| one(at.cast_signed())).collect(),
            Wanted::Mask(bits) => {
                let flags = flags(*bits, usize::try_from(len).unwrap());
                Some((0..).zip(flags).filter_map(|(at, set)| set.then_some(at)).collect())
            }
            Wanted::Range(start, stop, step) => {
                let bound = |bound: i64| if bound < 0 { bound + len } else { bound };
                let (first, end) = if *step > 0 { (0, len) } else { (len - 1, -1) };
                let start = start.map_or(first, bound);
                let stop = stop.map_or(end, |stop| bound(stop).max(-1));
                let start = if *step > 0 { start.max(0) } else { start.min(len - 1) };
                let mut list = Vec::new();
                let mut at = start;
                while if *step > 0 { at < stop } else { at > stop } {
                    list.extend((0..len).contains(&at).then_some(at.unsigned_abs()));
                    at += step;
                }
                Some(list)
            }
        }
    }
}

fn flags(bits: u64, len: usize) -> Vec<bool> {
    (0..len).map(|i| bits >> (i % 64) & 1 == 1).collect()
}
