//! Several handles on one store: readers, an appender, and loaderx, which wants a store for itself.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use engine::loaderx;
use engine::random::Random;
use engine::{Handle, Kind, Record, Setup};
use recask_core::codec::Codec;
use recask_core::environment::{Access, Environment};
use recask_core::exec::Serial;
use recask_core::storage::fault::{FaultEnvironment, FaultStorage};
use recask_core::storage::memory::{MemoryEnvironment, MemoryFile, MemoryLock, MemoryPlace, MemoryStorage};
use recask_core::storage::{FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind};
use recask_core::{Code, Result};

type Store = Handle<MemoryEnvironment>;

fn dense() -> Setup {
    Setup::new(Kind::Dense(9), Codec::raw())
}

fn code<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code())
}

#[test]
fn a_reader_sees_appends_after_a_refresh() {
    for setup in [dense(), dense().tiny(), Setup::new(Kind::Ragged, Codec::zstd())] {
        let place = MemoryPlace::new();
        let mut random = Random::new(1);
        let mut records = setup.records(&mut random, 3);
        let mut writer: Store = setup.create(place.clone()).unwrap();
        writer.append(&records).unwrap();
        let mut reader: Store = setup.open(place.clone()).unwrap();
        assert_eq!(reader.all().unwrap(), records);
        for synced in [false, true, false] {
            let more = setup.records(&mut random, 5);
            writer.append(&more).unwrap();
            if synced {
                writer.sync().unwrap();
            }
            assert_eq!(reader.all().unwrap(), records, "a handle changed by itself");
            records.extend(more);
            reader.refresh().unwrap();
            assert_eq!(reader.all().unwrap(), records);
            let late: Store = setup.open(place.clone()).unwrap();
            assert_eq!(late.all().unwrap(), records);
        }
        writer.close().unwrap();
        reader.refresh().unwrap();
        assert_eq!(reader.all().unwrap(), records);
    }
}

#[test]
fn there_is_one_writer() {
    let (setup, place) = (dense(), MemoryPlace::new());
    let first: Store = setup.create(place.clone()).unwrap();
    assert_eq!(code(setup.open_for_writing::<MemoryEnvironment>(place.clone())), Some(Code::StoreBusy));
    assert_eq!(code(setup.create::<MemoryEnvironment>(place.clone())), Some(Code::StoreExists));
    first.close().unwrap();
    let mut second: Store = setup.open_for_writing(place).unwrap();
    second.append(&setup.records(&mut Random::new(1), 1)).unwrap();
}

#[test]
fn a_reader_cannot_write() {
    let (setup, place) = (dense(), MemoryPlace::new());
    let records = setup.records(&mut Random::new(1), 2);
    setup.create::<MemoryEnvironment>(place.clone()).unwrap().append(&records).unwrap();
    let mut reader: Store = setup.open(place).unwrap();
    assert_eq!(code(reader.append(&records)), Some(Code::ReadOnly));
    assert_eq!(code(reader.delete(0)), Some(Code::ReadOnly));
    assert_eq!(code(reader.compact()), Some(Code::ReadOnly));
    assert_eq!(code(reader.sync()), Some(Code::ReadOnly));
    assert_eq!(reader.all().unwrap(), records);
}

#[test]
fn delete_and_compact_need_the_store_alone() {
    let (setup, place) = (dense(), MemoryPlace::new());
    let mut random = Random::new(1);
    let mut records = setup.records(&mut random, 6);
    let mut writer: Store = setup.create(place.clone()).unwrap();
    writer.append(&records).unwrap();
    let reader: Store = setup.open(place.clone()).unwrap();
    assert_eq!(code(writer.delete([1, 3])), Some(Code::StoreBusy));
    assert_eq!(code(writer.compact()), Some(Code::StoreBusy));
    assert_eq!(writer.all().unwrap(), records);
    // Appending goes on meanwhile.
    let more = setup.records(&mut random, 1);
    writer.append(&more).unwrap();
    records.extend(more);
    drop(reader);
    writer.delete([1, 3]).unwrap();
    engine::delete_from(&mut records, &[1, 3]);
    writer.compact().unwrap();
    assert_eq!(writer.all().unwrap(), records);
    // And the store is shared again.
    let reader: Store = setup.open(place).unwrap();
    assert_eq!(reader.all().unwrap(), records);
}

#[test]
fn loaderx_keeps_everybody_out() {
    let (setup, place) = (dense(), MemoryPlace::new());
    let writer: Store = setup.create(place.clone()).unwrap();
    let storage = place.storage().unwrap();
    let refused = storage.lock(FileId::Meta, LockMode::Exclusive).unwrap_err();
    assert_eq!(refused.kind(), StorageErrorKind::Busy, "loaderx got in beside a writer");
    drop(writer);
    let python = storage.lock(FileId::Meta, LockMode::Exclusive).unwrap();
    assert_eq!(code(setup.open::<MemoryEnvironment>(place.clone())), Some(Code::StoreBusy));
    assert_eq!(code(setup.open_for_writing::<MemoryEnvironment>(place.clone())), Some(Code::StoreBusy));
    assert_eq!(code(setup.create::<MemoryEnvironment>(place.clone())), Some(Code::StoreBusy));
    drop(python);
    setup.open_for_writing::<MemoryEnvironment>(place).unwrap();
}

#[test]
fn reading_beside_a_writer_writes_nothing() {
    for setup in [dense(), Setup::new(Kind::Ragged, Codec::zstd()).tiny()] {
        let storage = FaultStorage::new();
        let mut writer: Handle<FaultEnvironment> = setup.create(storage.clone()).unwrap();
        writer.append(&setup.records(&mut Random::new(1), 4)).unwrap();
        storage.forget_operations();
        let mut reader: Handle<FaultEnvironment> = setup.open(storage.clone()).unwrap();
        reader.all().unwrap();
        reader.refresh().unwrap();
        reader.stats().unwrap();
        reader.verify().unwrap();
        reader.close().unwrap();
        assert_eq!(storage.operations(), []);
    }
}

#[test]
fn readers_in_threads_see_a_growing_prefix() {
    for setup in [dense(), dense().tiny(), Setup::new(Kind::Ragged, Codec::zstd())] {
        let place = MemoryPlace::new();
        let model = setup.records(&mut Random::new(5), 300);
        let mut writer: Store = setup.create(place.clone()).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut reader: Store = setup.open(place.clone()).unwrap();
                    let mut seen = 0;
                    loop {
                        let last = done.load(Ordering::Acquire);
                        reader.refresh().unwrap();
                        let records = reader.all().unwrap();
                        assert!(records.len() >= seen && model.starts_with(&records), "no growing prefix");
                        seen = records.len();
                        if last {
                            break;
                        }
                        // Others open and leave all the time, too.
                        let late: Store = setup.open(place.clone()).unwrap();
                        assert!(late.len() >= seen as u64);
                    }
                    assert_eq!(seen, model.len());
                });
            }
            for (i, records) in model.chunks(7).enumerate() {
                writer.append(records).unwrap();
                if i % 5 == 0 {
                    writer.sync().unwrap();
                }
            }
            done.store(true, Ordering::Release);
        });
        writer.close().unwrap();
    }
}

/// A storage in which loaderx comes in at the moment when a writer gives its shared lock away.
#[derive(Clone)]
struct Crossing {
    storage: MemoryStorage,
    visit: Arc<Mutex<Visit>>,
}

#[derive(Default)]
struct Visit {
    /// What loaderx appends when it comes.
    record: Option<Vec<u8>>,
    /// Whether it stays.
    stays: bool,
    lock: Option<MemoryLock>,
}

impl Storage for Crossing {
    type File = MemoryFile;
    type Lock = MemoryLock;

    fn open(&self, id: FileId, mode: OpenMode) -> Result<MemoryFile, StorageError> {
        self.storage.open(id, mode)
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        self.storage.remove(id)
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        self.storage.rename(from, to)
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        self.storage.names()
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        self.storage.sync_names()
    }

    fn lock(&self, id: FileId, mode: LockMode) -> Result<MemoryLock, StorageError> {
        let mut visit = self.visit.lock().unwrap();
        if id == FileId::Meta
            && let Some(record) = visit.record.take()
        {
            let python = self.storage.lock(FileId::Meta, LockMode::Exclusive).unwrap();
            loaderx::append_one(&self.storage, &record);
            visit.lock = visit.stays.then_some(python);
        }
        self.storage.lock(id, mode)
    }
}

struct CrossingEnvironment;

impl Environment for CrossingEnvironment {
    type Storage = Crossing;
    type Executor = Serial;
    type Place = Crossing;

    fn attach(place: &Crossing, _access: Access) -> Result<Crossing> {
        Ok(place.clone())
    }

    fn attach_file(place: &Crossing, _access: Access) -> Result<Crossing> {
        Ok(place.clone())
    }

    fn describe(_place: &Crossing) -> String {
        "a table that is crossed".into()
    }

    fn executor() -> Serial {
        Serial
    }
}

/// A writer with three records, the last one not synced, and what loaderx will append.
fn crossing(stays: bool) -> (Crossing, Handle<CrossingEnvironment>, Vec<Record>, Record) {
    let storage = Crossing { storage: MemoryStorage::new(), visit: Arc::default() };
    let records = dense().records(&mut Random::new(1), 4);
    let (python, ours) = records.split_last().unwrap();
    let mut writer: Handle<CrossingEnvironment> = dense().create(storage.clone()).unwrap();
    writer.append(&ours[..2]).unwrap();
    writer.sync().unwrap();
    writer.append(&ours[2..]).unwrap();
    *storage.visit.lock().unwrap() = Visit { record: Some(python.bytes.clone()), stays, lock: None };
    (storage, writer, ours.to_vec(), python.clone())
}

#[test]
fn a_writer_sees_what_loaderx_did_between_two_locks() {
    let (storage, mut writer, mut records, python) = crossing(false);
    writer.delete(0).unwrap();
    records.push(python);
    records.swap_remove(0);
    assert_eq!(writer.all().unwrap(), records);
    writer.close().unwrap();
    let reader: Store = dense().open(MemoryPlace::holding(&storage.storage)).unwrap();
    assert_eq!(reader.all().unwrap(), records);
}

#[test]
fn a_writer_waits_for_loaderx_to_leave() {
    let (storage, mut writer, mut records, python) = crossing(true);
    assert_eq!(code(writer.delete(0)), Some(Code::StoreBusy));
    assert_eq!(code(writer.all()), Some(Code::StoreBusy));
    assert_eq!(code(writer.append(&records)), Some(Code::StoreBusy));
    assert_eq!(code(writer.sync()), Some(Code::StoreBusy));
    storage.visit.lock().unwrap().lock = None;
    records.push(python);
    let more = dense().records(&mut Random::new(2), 1);
    assert_eq!(writer.append(&more).unwrap(), 4);
    records.extend(more);
    assert_eq!(writer.all().unwrap(), records);
    writer.close().unwrap();
    let reader: Store = dense().open(MemoryPlace::holding(&storage.storage)).unwrap();
    assert_eq!(reader.all().unwrap(), records);
}

#[test]
fn a_writer_that_ends_while_loaderx_is_there_leaves_its_changes() {
    for says_so in [true, false] {
        let (storage, mut writer, mut records, python) = crossing(true);
        assert_eq!(code(writer.compact()), Some(Code::StoreBusy));
        if says_so {
            assert_eq!(code(writer.close()), Some(Code::StoreBusy));
        } else {
            drop(writer);
        }
        storage.visit.lock().unwrap().lock = None;
        records.push(python);
        for write in [false, true] {
            let place = MemoryPlace::holding(&storage.storage);
            let store: Store =
                if write { dense().open_for_writing(place) } else { dense().open(place) }.unwrap();
            assert_eq!(store.all().unwrap(), records);
        }
    }
}
