//! The edges of the format, and stores that others left in an odd state.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;

use engine::loaderx::{self, Loaderx};
use engine::random::Random;
use engine::{Handle, Kind, Record, Setup, TINY};
use recask_core::codec::Codec;
use recask_core::dense::DenseStore;
use recask_core::dtype::DType;
use recask_core::format::zrecord::Geometry;
use recask_core::storage::fault::{FaultEnvironment, FaultStorage};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
use recask_core::{Code, Result};

type Store = Handle<MemoryEnvironment>;

/// A closed store with these many records, and the records.
fn store_of(setup: &Setup, count: u64) -> (MemoryStorage, Vec<Record>) {
    let storage = MemoryStorage::new();
    let mut store: Store = setup.create(MemoryPlace::holding(&storage)).unwrap();
    let records = setup.records(&mut Random::new(count), count);
    store.append(&records).unwrap();
    store.close().unwrap();
    (storage, records)
}

fn open(setup: &Setup, storage: &MemoryStorage) -> Result<Store> {
    setup.open(MemoryPlace::holding(storage))
}

fn open_for_writing(setup: &Setup, storage: &MemoryStorage) -> Result<Store> {
    setup.open_for_writing(MemoryPlace::holding(storage))
}

fn sizes(storage: &MemoryStorage) -> Vec<(String, usize)> {
    storage.files().into_iter().map(|(name, bytes)| (name, bytes.len())).collect()
}

fn content(storage: &MemoryStorage, wanted: &str) -> Vec<u8> {
    storage.files().into_iter().find(|(name, _)| name == wanted).unwrap().1
}

fn without_lock(storage: &MemoryStorage) -> Vec<(String, Vec<u8>)> {
    storage.files().into_iter().filter(|(name, _)| name != "recask.lock").collect()
}

fn write(storage: &MemoryStorage, id: FileId, offset: u64, bytes: &[u8]) {
    storage.open(id, OpenMode::OpenOrCreate).unwrap().write_all_at(offset, bytes).unwrap();
}

fn entry(offset: u32, size: u32, chunk: u32) -> Vec<u8> {
    [offset, size, size, chunk].iter().flat_map(|field| field.to_le_bytes()).collect()
}

/// The golden `rollover` of loaderx with smaller chunks: records of 1000 bytes, and a frontier 2500, 1000 and 1001
/// bytes before the end of the chunk.
#[test]
fn chunks_roll_over_where_loaderx_rolls_over() {
    for (chunk_bytes, more, tail, places) in [
        (3500, 4, (1, 2000), &[(0, 0), (0, 1000), (0, 2000), (1, 0), (1, 1000)][..]),
        (2000, 1, (1, 1000), &[(0, 0), (1, 0)]),
        (2001, 1, (0, 2000), &[(0, 0), (0, 1000)]),
    ] {
        let geometry = Geometry { chunk_bytes, ..Geometry::FORMAT };
        let setup = Setup { geometry, ..Setup::new(Kind::Dense(1000), Codec::raw()) };
        let (storage, mut records) = store_of(&setup, 1);
        let mut store = open_for_writing(&setup, &storage).unwrap();
        let appended = setup.records(&mut Random::new(9), more);
        store.append(&appended).unwrap();
        records.extend(appended);
        assert_eq!(store.tail(), tail, "chunks of {chunk_bytes}");
        assert_eq!(store.all().unwrap(), records);
        store.close().unwrap();
        let read = Loaderx::open(storage.files(), &geometry).unwrap();
        let found: Vec<_> = read.entries.iter().map(|&[offset, _, _, chunk]| (chunk, offset)).collect();
        assert_eq!(found, places, "chunks of {chunk_bytes}");
    }
}

#[test]
fn the_table_goes_on_in_the_next_segment() {
    let geometry = Geometry { segment_entries: 3, ..Geometry::FORMAT };
    let setup = Setup { geometry, ..Setup::new(Kind::Dense(5), Codec::raw()) };
    let (storage, records) = store_of(&setup, 7);
    let tables: Vec<_> = sizes(&storage).into_iter().filter(|(name, _)| name.ends_with(".loc")).collect();
    assert_eq!(tables, [("0.loc".into(), 48), ("1.loc".into(), 48), ("2.loc".into(), 16)]);
    assert_eq!(open(&setup, &storage).unwrap().all().unwrap(), records);
}

#[test]
fn records_have_at_most_the_dimensions_of_numpy() {
    let create = |rank| {
        let shape: Vec<u64> = vec![1; rank];
        DenseStore::<MemoryEnvironment>::builder(DType::U8, shape).create(MemoryPlace::new())
    };
    assert_eq!(create(64).unwrap().item_shape().rank(), 64);
    assert_eq!(create(65).unwrap_err().code(), Code::InvalidShape);
}

#[test]
fn impossible_records_are_refused_and_leave_the_store_as_it_was() {
    let wide = Setup::new(Kind::Dense(121), Codec::raw()).tiny();
    let refused = wide.create::<MemoryEnvironment>(MemoryPlace::new()).err().map(|error| error.code());
    assert_eq!(refused, Some(Code::RecordTooLarge));

    let setup = Setup::new(Kind::Ragged, Codec::raw()).tiny();
    let (storage, records) = store_of(&setup, 3);
    let before = without_lock(&storage);
    let mut store = open_for_writing(&setup, &storage).unwrap();
    let record = |shape: &[u64], bytes: usize| Record { shape: shape.to_vec(), bytes: vec![7; bytes] };
    let good = record(&[2], 4);
    for (bad, code) in [
        (record(&[61], 122), Code::RecordTooLarge),
        (record(&[0], 0), Code::InvalidShape),
        (record(&[2, 0, 3], 0), Code::InvalidShape),
        (record(&[3], 4), Code::ShapeMismatch),
        (record(&[u64::MAX, 2], 4), Code::InvalidShape),
        (record(&[1; 65], 2), Code::InvalidShape),
    ] {
        let error = store.append(&[good.clone(), bad, good.clone()]).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
    assert_eq!(store.append(&[]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(store.all().unwrap(), records);
    store.close().unwrap();
    let committed = |files: Vec<(String, Vec<u8>)>| Loaderx::open(files, &TINY).unwrap().entries;
    assert_eq!(committed(without_lock(&storage)), committed(before));

    let mut dense: Store = Setup::new(Kind::Dense(5), Codec::raw()).create(MemoryPlace::new()).unwrap();
    for bytes in [0, 4, 6] {
        let error = dense.append(&[record(&[5], bytes)]).unwrap_err();
        assert_eq!(error.code(), Code::ShapeMismatch, "{bytes} bytes");
    }
}

/// A frame may be larger than its record, and then larger than a chunk.
#[test]
fn a_frame_that_fits_in_no_chunk_is_refused() {
    let geometry = Geometry { chunk_bytes: 64, ..Geometry::FORMAT };
    let setup = Setup { geometry, ..Setup::new(Kind::Dense(60), Codec::zstd()) };
    let mut store: Store = setup.create(MemoryPlace::new()).unwrap();
    let noise: Vec<u8> = (0..60).map(|i| Random::new(i).next().to_le_bytes()[0]).collect();
    let error = store.append(&[Record { shape: vec![60], bytes: noise }]).unwrap_err();
    assert_eq!(error.code(), Code::RecordTooLarge);
    let even = Record { shape: vec![60], bytes: vec![1; 60] };
    store.append(std::slice::from_ref(&even)).unwrap();
    assert_eq!(store.all().unwrap(), [even]);
}

#[test]
fn an_absurd_length_is_refused_without_a_large_allocation() {
    let setup = Setup::new(Kind::Dense(5), Codec::raw());
    for length in [4, 1 << 28, 1 << 40, u64::MAX] {
        let (storage, _) = store_of(&setup, 3);
        write(&storage, FileId::Meta, 14, &length.to_le_bytes());
        let error = open(&setup, &storage).err().unwrap();
        let expected = [Code::TruncatedFile, Code::MissingFile, Code::CorruptHeader];
        assert!(expected.contains(&error.code()), "{length}: {error:?}");
    }
}

/// The golden `dense_deleted_all_compacted_raw`.
#[test]
fn deleting_everything_and_compacting_leaves_an_empty_store() {
    for setup in [Setup::new(Kind::Dense(9), Codec::raw()), Setup::new(Kind::Ragged, Codec::raw()).tiny()] {
        let (storage, _) = store_of(&setup, 8);
        let mut store = open_for_writing(&setup, &storage).unwrap();
        store.delete(..).unwrap();
        assert_eq!(store.len(), 0);
        assert_eq!(store.stats().unwrap().reclaimable, store.stats().unwrap().chunk_bytes);
        store.compact().unwrap();
        assert_eq!(store.all().unwrap(), []);
        store.close().unwrap();
        let left: Vec<_> = without_lock(&storage).into_iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["0.chunk", "meta.zr", "store.zr"]);
        assert_eq!(content(&storage, "0.chunk"), []);
        assert_eq!(content(&storage, "meta.zr"), [b"ZREC\x04".as_slice(), &[0; 27]].concat());
        // Compacting nothing, and appending afterwards.
        let mut store = open_for_writing(&setup, &storage).unwrap();
        store.compact().unwrap();
        let record = setup.record(&mut Random::new(1));
        assert_eq!(store.append(std::slice::from_ref(&record)).unwrap(), 0);
        assert_eq!(store.all().unwrap(), [record]);
    }
}

#[test]
fn compaction_removes_orphans_and_nothing_else() {
    let setup = Setup::new(Kind::Dense(9), Codec::raw());
    let (storage, records) = store_of(&setup, 4);
    for id in [FileId::Chunk(1), FileId::Chunk(5), FileId::Loc(1), FileId::Loc(7)] {
        write(&storage, id, 0, b"left over");
    }
    let mut files = storage.files();
    files.extend(["notes.txt", "01.chunk", "x.loc"].map(|name| (name.to_string(), b"mine".to_vec())));
    let storage = MemoryStorage::from_files(files);
    let mut store = open_for_writing(&setup, &storage).unwrap();
    store.compact().unwrap();
    assert_eq!(store.all().unwrap(), records);
    store.close().unwrap();
    let left: Vec<_> = without_lock(&storage).into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, ["0.chunk", "0.loc", "01.chunk", "meta.zr", "notes.txt", "store.zr", "x.loc"]);
}

#[test]
fn bytes_behind_the_frontier_are_ignored_and_written_over() {
    let setup = Setup::new(Kind::Dense(9), Codec::raw());
    let (storage, mut records) = store_of(&setup, 2);
    write(&storage, FileId::Chunk(0), 18, &[0xaa; 100]);
    write(&storage, FileId::Loc(0), 32, &[0xbb; 100]);
    assert_eq!(open(&setup, &storage).unwrap().all().unwrap(), records);
    let mut store = open_for_writing(&setup, &storage).unwrap();
    let more = setup.records(&mut Random::new(1), 2);
    store.append(&more).unwrap();
    records.extend(more);
    assert!(store.verify().unwrap().is_ok());
    store.compact().unwrap();
    store.close().unwrap();
    assert_eq!(open(&setup, &storage).unwrap().all().unwrap(), records);
    assert_eq!((content(&storage, "0.chunk").len(), content(&storage, "0.loc").len()), (36, 64));
}

#[test]
fn a_create_touches_nothing_of_others() {
    let setup = Setup::new(Kind::Dense(9), Codec::raw());
    let (existing, _) = store_of(&setup, 2);
    let foreign = |name: &str, bytes: &[u8]| vec![(name.to_string(), bytes.to_vec())];
    for files in [
        existing.files(),
        foreign("notes.txt", b"mine"),
        foreign("0.chunk", b""),
        // What a create of loaderx leaves when it is interrupted.
        foreign("meta.zr", &[0; 32]),
        foreign("store.zr", b"LXST"),
    ] {
        let storage = FaultStorage::from_image(&MemoryStorage::from_files(files.clone()));
        let error = setup.create::<FaultEnvironment>(storage.clone()).err().unwrap();
        assert_eq!(error.code(), Code::StoreExists, "{files:?}");
        assert_eq!(storage.operations(), [], "{files:?}");
    }
    let half = MemoryStorage::from_files(foreign("meta.zr", &[0; 32]));
    assert_eq!(open(&setup, &half).err().unwrap().code(), Code::IncompleteStore);
}

/// Two entries for the very same bytes are what a delete of loaderx leaves when it is interrupted.
#[test]
fn aliases_are_reported_and_survive_compaction() {
    for setup in [
        Setup::new(Kind::Dense(9), Codec::raw()),
        Setup {
            geometry: Geometry { move_bytes: 10, ..Geometry::FORMAT },
            ..Setup::new(Kind::Dense(9), Codec::raw())
        },
    ] {
        let (storage, mut records) = store_of(&setup, 12);
        loaderx::alias(&storage, 10, 0);
        records[0] = records[10].clone();
        loaderx::alias(&storage, 11, 4);
        records[4] = records[11].clone();
        let mut store = open_for_writing(&setup, &storage).unwrap();
        assert_eq!(store.all().unwrap(), records);
        for compacted in [false, true] {
            let found = store.verify().unwrap();
            let blamed: Vec<_> =
                found.problems.iter().map(|problem| (problem.code(), problem.record())).collect();
            let expected = [(Code::OverlappingEntries, Some(10)), (Code::OverlappingEntries, Some(11))];
            assert_eq!(blamed, expected, "compacted: {compacted}");
            store.compact().unwrap();
            assert_eq!(store.all().unwrap(), records);
        }
        // Now the entries claim more than there is.
        assert_eq!(store.stats().unwrap_err().code(), Code::OverlappingEntries);
        // Deleting one of a pair keeps the other.
        store.delete(0).unwrap();
        records.swap_remove(0);
        store.compact().unwrap();
        assert_eq!(store.all().unwrap(), records);
    }
}

/// Compaction of a damaged table would destroy records, so it does nothing.
#[test]
fn compaction_refuses_a_table_that_cannot_be_right() {
    let geometry = Geometry { chunk_bytes: 40, ..Geometry::FORMAT };
    let setup = Setup { geometry, ..Setup::new(Kind::Dense(10), Codec::raw()) };
    for (slot, damaged, code) in [
        // Shares half of its bytes with record 0, or lies inside of it.
        (1, entry(5, 10, 0), Code::OverlappingEntries),
        (1, entry(5, 3, 0), Code::OverlappingEntries),
        (2, entry(0, 10, 9), Code::CorruptEntry),
        (2, entry(25, 10, 1), Code::CorruptEntry),
        // Ends with its chunk, where it cannot be placed again. loaderx reads it.
        (2, entry(30, 10, 0), Code::CorruptEntry),
    ] {
        let (storage, _) = store_of(&setup, 5);
        write(&storage, FileId::Chunk(0), 0, &[3; 40]);
        write(&storage, FileId::Loc(0), slot * 16, &damaged);
        let before = without_lock(&storage);
        let mut store = open_for_writing(&setup, &storage).unwrap();
        let error = store.compact().unwrap_err();
        assert_eq!(error.code(), code, "{damaged:?}: {error:?}");
        assert_eq!(error.record(), Some(slot), "{damaged:?}: {error:?}");
        store.close().unwrap();
        assert_eq!(without_lock(&storage), before, "{damaged:?}");
    }
}

/// However long nobody syncs, the journal stays small.
#[test]
fn the_journal_is_bounded() {
    let setup = Setup::new(Kind::Dense(1), Codec::raw());
    let storage = MemoryStorage::new();
    let mut store: Store = setup.create(MemoryPlace::holding(&storage)).unwrap();
    let appends: u64 = (1 << 14) + 100;
    for i in 0..appends {
        assert_eq!(store.append(&[Record { shape: vec![1], bytes: vec![i.to_le_bytes()[0]] }]).unwrap(), i);
    }
    assert_eq!(content(&storage, "recask.journal").len(), 512 + (64 << 14));
    let killed = MemoryStorage::from_files(storage.files());
    assert_eq!(open(&setup, &killed).unwrap().len(), appends);
}
