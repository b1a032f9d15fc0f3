//! What a read says that it needs is enough, and nothing is read before it is here.
#![cfg(all(feature = "zstd", feature = "conformance"))]

use std::ops::Range;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use recask_core::environment::{Access, Environment};
use recask_core::exec::Serial;
use recask_core::plan::{Coalesce, ReadRange};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::storage::{
    FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind, StorageFile,
};
use recask_core::store::Verifier;
use recask_core::table::filter::Parameters;
use recask_core::table::{ColumnInput, TableRead};
use recask_core::{AnyStore, Code, Codec, DType, DenseStore, RaggedStore, Table};

/// Bytes that were brought.
type Here = Arc<Mutex<Vec<(FileId, Range<u64>)>>>;

/// A place of which only what was brought can be read. Headers are always here.
#[derive(Clone)]
struct Remote {
    inner: MemoryPlace,
    here: Here,
}

impl Remote {
    fn of(inner: MemoryPlace) -> Self {
        Remote { inner, here: Arc::default() }
    }

    fn bring(&self, file: FileId, bytes: Range<u64>) {
        self.here.lock().unwrap().push((file, bytes));
    }

    fn bring_all(&self, reads: &[ReadRange]) {
        reads.iter().for_each(|read| self.bring(read.file, read.offset..read.end()));
    }

    fn bytes(&self, read: &ReadRange) -> Vec<u8> {
        let storage = MemoryEnvironment::attach(&self.inner, Access::Read).unwrap();
        let mut bytes = vec![0; read.len as usize];
        storage.open(read.file, OpenMode::Read).unwrap().read_exact_at(read.offset, &mut bytes).unwrap();
        bytes
    }

    fn bring_rows(&self, reads: &[TableRead]) {
        reads.iter().for_each(|read| self.bring(FileId::Table, read.bytes.clone()));
    }
}

struct RemoteStorage {
    inner: MemoryStorage,
    place: Remote,
}

struct RemoteFile {
    inner: <MemoryStorage as Storage>::File,
    id: FileId,
    place: Remote,
}

struct RemoteEnvironment;

impl Environment for RemoteEnvironment {
    type Storage = RemoteStorage;
    type Executor = Serial;
    type Place = Remote;

    fn attach(place: &Remote, access: Access) -> recask_core::Result<RemoteStorage> {
        let inner = MemoryEnvironment::attach(&place.inner, access)?;
        Ok(RemoteStorage { inner, place: place.clone() })
    }

    fn attach_file(place: &Remote, access: Access) -> recask_core::Result<RemoteStorage> {
        Self::attach(place, access)
    }

    fn describe(_place: &Remote) -> String {
        "remote".into()
    }

    fn executor() -> Serial {
        Serial
    }
}

impl Storage for RemoteStorage {
    type File = RemoteFile;
    type Lock = ();

    fn open(&self, id: FileId, mode: OpenMode) -> Result<RemoteFile, StorageError> {
        let inner = self.inner.open(id, mode)?;
        Ok(RemoteFile { inner, id, place: self.place.clone() })
    }

    fn has(&self, _id: FileId) -> Result<Option<bool>, StorageError> {
        Ok(None)
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        self.inner.remove(id)
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        self.inner.rename(from, to)
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        self.inner.names()
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        Ok(())
    }

    fn lock(&self, _id: FileId, _mode: LockMode) -> Result<(), StorageError> {
        Ok(())
    }
}

impl RemoteFile {
    fn is_payload(&self) -> bool {
        matches!(self.id, FileId::Loc(_) | FileId::Chunk(_) | FileId::Table)
    }
}

impl StorageFile for RemoteFile {
    fn len(&self) -> Result<u64, StorageError> {
        match self.known_len()? {
            Some(len) => Ok(len),
            None => Err(StorageError::new(StorageErrorKind::NotFetched, "nobody asked for its length")),
        }
    }

    fn known_len(&self) -> Result<Option<u64>, StorageError> {
        let here = self.place.here.lock().unwrap();
        let is_known = !self.is_payload() || here.iter().any(|(file, _)| *file == self.id);
        if is_known { self.inner.len().map(Some) } else { Ok(None) }
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        let here = self.place.here.lock().unwrap();
        let is_here = |byte: u64| here.iter().any(|(file, bytes)| *file == self.id && bytes.contains(&byte));
        if self.is_payload() && !(offset..offset + buf.len() as u64).all(is_here) {
            return Err(StorageError::new(StorageErrorKind::NotFetched, "it has not been brought"));
        }
        drop(here);
        self.inner.read_exact_at(offset, buf)
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        self.inner.write_all_at(offset, data)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.inner.set_len(len)
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.inner.sync()
    }
}

fn codec(number: u8) -> Codec {
    [Codec::raw(), Codec::zstd(), Codec::zstd_dict(*b"a dictionary of any bytes")][usize::from(number % 3)]
        .clone()
}

/// Both rounds of a gather, each refused before it was brought.
fn two_rounds<E: Environment>(
    place: &Remote,
    store: &recask_core::store::Store<E::Storage>,
    records: &[u64],
    gather: impl Fn() -> recask_core::Result<Vec<u8>>,
) -> Vec<u8> {
    if !records.is_empty() {
        assert_eq!(store.payload(records).unwrap_err().code(), Code::NotFetched);
    }
    let table_reads = store.table_reads(records).unwrap();
    place.bring_all(&table_reads);
    let payload = store.payload(records).unwrap();
    let table: Vec<u8> = table_reads.iter().flat_map(|read| place.bytes(read)).collect();
    let same = store.payload_of(records, &table).unwrap();
    assert_eq!((&same.reads, same.decoded_bytes), (&payload.reads, payload.decoded_bytes));
    let more = [table.as_slice(), &[0]].concat();
    assert_eq!(store.payload_of(records, &more).unwrap_err().code(), Code::BufferSize);
    if !records.is_empty() {
        assert_eq!(gather().unwrap_err().code(), Code::NotFetched);
    }
    place.bring_all(&payload.reads);
    gather().unwrap()
}

proptest! {
    #[test]
    fn a_dense_gather_needs_what_it_says(
        values in prop::collection::vec(any::<u32>(), 3..60),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        kind: u8,
    ) {
        let values = &values[..values.len() / 3 * 3];
        let place = MemoryPlace::new();
        let mut store: DenseStore<MemoryEnvironment> =
            DenseStore::builder(DType::U32, [3]).codec(codec(kind)).create(place.clone()).unwrap();
        store.append(values).unwrap();
        store.close().unwrap();
        let remote = Remote::of(place.clone());
        let far = DenseStore::<RemoteEnvironment>::open(remote.clone()).unwrap();
        let records: Vec<u64> = picks.iter().map(|pick| pick.index(values.len() / 3) as u64).collect();
        let got = two_rounds::<RemoteEnvironment>(&remote, far.store(), &records, || {
            Ok(far.gather(&records)?.as_bytes().to_vec())
        });
        let near = DenseStore::<MemoryEnvironment>::open(place).unwrap();
        let wanted = near.gather(&records).unwrap();
        prop_assert_eq!(got, wanted.as_bytes());
    }

    #[test]
    fn a_ragged_gather_needs_what_it_says(
        lengths in prop::collection::vec(1usize..40, 1..20),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        kind: u8,
    ) {
        let place = MemoryPlace::new();
        let mut store: RaggedStore<MemoryEnvironment> =
            RaggedStore::builder(DType::U8).codec(codec(kind)).create(place.clone()).unwrap();
        let records: Vec<Vec<u8>> = lengths.iter().map(|&len| (0..len).map(|i| u8::try_from(i % 251).unwrap()).collect()).collect();
        store.append(&records).unwrap();
        store.close().unwrap();
        let remote = Remote::of(place.clone());
        let far = RaggedStore::<RemoteEnvironment>::open(remote.clone()).unwrap();
        let picks: Vec<u64> = picks.iter().map(|pick| pick.index(records.len()) as u64).collect();
        let got = two_rounds::<RemoteEnvironment>(&remote, far.store(), &picks, || {
            Ok(far.gather(&picks)?.as_bytes().to_vec())
        });
        let wanted: Vec<u8> = picks.iter().flat_map(|&pick| records[usize::try_from(pick).unwrap()].clone()).collect();
        prop_assert_eq!(got, wanted);
    }

    #[test]
    fn rows_of_a_table_need_what_they_say(
        parts in prop::collection::vec(prop::collection::vec(any::<i16>(), 1..30), 1..6),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        gap in 0u64..64, max in 1u64..500, is_run: bool,
    ) {
        let place = MemoryPlace::new();
        let mut writer = recask_core::table::TableWriter::<MemoryEnvironment>::create(place.clone()).unwrap();
        for part in &parts {
            let wide: Vec<f64> = part.iter().map(|&value| f64::from(value) / 2.0).collect();
            writer.write(&[ColumnInput::of("narrow", part), ColumnInput::of("wide", &wide)]).unwrap();
        }
        writer.close().unwrap();
        let near = Table::<MemoryEnvironment>::open(place.clone()).unwrap();
        let remote = Remote::of(place);
        let length = near.file_at(0).unwrap().committed_end();
        // Opening walks from header to header.
        let mut tries = 0;
        let far = loop {
            match Table::<RemoteEnvironment>::open(remote.clone()) {
                Err(error) if error.code() == Code::NotFetched && tries == 0 => remote.bring(FileId::Table, 0..length),
                opened => break opened.unwrap(),
            }
            tries += 1;
        };
        let rule = Coalesce { gap, max };
        let rows: Vec<u64> = picks.iter().map(|pick| pick.index(usize::try_from(near.len()).unwrap()) as u64).collect();
        let rows = if is_run { far.all().head(7) } else { far.rows(&rows).unwrap() };
        remote.here.lock().unwrap().clear();
        let (reads, filter) = (rows.reads(rule).unwrap(), rows.filter_reads("narrow > 5", &Parameters::new(), rule).unwrap());
        for read in reads.windows(2) {
            prop_assert!(read[0].bytes.end <= read[1].bytes.start, "in order, and nothing twice: {:?}", reads);
        }
        if !rows.is_empty() {
            prop_assert_eq!(rows.columns().unwrap_err().code(), Code::NotFetched);
            prop_assert_eq!(rows.clone().filter("narrow > 5").unwrap_err().code(), Code::NotFetched);
        }
        remote.bring_rows(&filter);
        let passing = rows.clone().filter("narrow > 5").unwrap().row_numbers().unwrap();
        remote.here.lock().unwrap().clear();
        remote.bring_rows(&reads);
        let numbers = rows.row_numbers().unwrap();
        let same = near.rows(&numbers).unwrap();
        prop_assert_eq!(rows.columns().unwrap(), same.columns().unwrap());
        prop_assert_eq!(passing, same.filter("narrow > 5").unwrap().row_numbers().unwrap());
    }
}

#[test]
fn a_check_in_portions_is_the_check_in_one() {
    let place = MemoryPlace::new();
    let mut store: RaggedStore<MemoryEnvironment> =
        RaggedStore::builder(DType::U8).codec(Codec::zstd()).create(place.clone()).unwrap();
    store.append(&(1..40usize).map(|len| vec![7u8; len * 3]).collect::<Vec<_>>()).unwrap();
    store.close().unwrap();
    // One frame, one entry, and an entry that names the bytes of another record.
    let storage = place.storage().unwrap();
    let chunk = storage.open(FileId::Chunk(0), OpenMode::ReadWrite).unwrap();
    chunk.write_all_at(0, &[0xff; 8]).unwrap();
    let table = storage.open(FileId::Loc(0), OpenMode::ReadWrite).unwrap();
    table.write_all_at(16 * 2 * 9 + 12, &[9, 0, 0, 0]).unwrap();
    let mut entry = [0; 16];
    table.read_exact_at(16 * 2 * 20, &mut entry).unwrap();
    table.write_all_at(16 * 2 * 30, &entry).unwrap();

    let whole = AnyStore::<MemoryEnvironment>::open(place.clone()).unwrap().verify(&()).unwrap();
    let remote = Remote::of(place);
    let far = AnyStore::<RemoteEnvironment>::open(remote.clone()).unwrap();
    let engine = far.engine();
    assert_eq!(engine.check_files().unwrap_err().code(), Code::NotFetched, "lengths are not known");
    remote.bring(FileId::Loc(0), 0..0);
    remote.bring(FileId::Chunk(0), 0..0);
    engine.check_files().unwrap();
    let mut verifier = Verifier::default();
    for first in (0..far.len()).step_by(7) {
        assert_eq!(verifier.check(engine, first, 7).unwrap_err().code(), Code::NotFetched);
        let records: Vec<u64> = (first..far.len().min(first + 7)).collect();
        remote.bring_all(&engine.table_reads(&records).unwrap());
        assert_eq!(verifier.check(engine, first, 7).unwrap_err().code(), Code::NotFetched);
        remote.bring_all(&engine.payload(&records).unwrap().reads);
        verifier.check(engine, first, 7).unwrap();
    }
    let report = verifier.finish(engine);
    let texts = |faults: &[recask_core::Error]| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((report.found, whole.found), (4, 4));
    assert_eq!(texts(&report.problems), texts(&whole.problems));
}
