//! The suite notices storages that break its rules.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{Abilities, cases};
use crate::storage::memory::{MemoryFile, MemoryLock, MemoryStorage};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind, StorageFile};

/// One thing that a storage does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flaw {
    None,
    CreatesOverOld,
    EmptiesOnOpen,
    KeepsRemoved,
    RefusesToReplace,
    HidesForeignNames,
    ReadsZerosPastTheEnd,
    ReversesParts,
    LimitsParts,
    NeverCuts,
    LeavesOldBytesInGaps,
    WritesThroughReaders,
    MapsWrongBytes,
    LocksNothing,
    LocksMissingFiles,
    SharesNothing,
}

#[derive(Clone)]
struct Flawed(MemoryStorage, Flaw);

struct FlawedFile {
    file: MemoryFile,
    flaw: Flaw,
    snapshot: Vec<u8>,
}

impl Storage for Flawed {
    type File = FlawedFile;
    type Lock = Option<MemoryLock>;

    fn open(&self, id: FileId, mode: OpenMode) -> Result<FlawedFile, StorageError> {
        let flaw = self.1;
        let used = match (flaw, mode) {
            (Flaw::CreatesOverOld, OpenMode::CreateNew) => OpenMode::OpenOrCreate,
            (Flaw::WritesThroughReaders, OpenMode::Read) => OpenMode::ReadWrite,
            _ => mode,
        };
        let file = self.0.open(id, used)?;
        if flaw == Flaw::EmptiesOnOpen && mode == OpenMode::OpenOrCreate {
            file.set_len(0)?;
        }
        let mut snapshot = vec![0; usize::try_from(file.len()?).unwrap()];
        file.read_exact_at(0, &mut snapshot)?;
        Ok(FlawedFile { file, flaw, snapshot })
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        if self.1 == Flaw::KeepsRemoved {
            self.0.open(id, OpenMode::Read).map(drop)
        } else {
            self.0.remove(id)
        }
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        if self.1 == Flaw::RefusesToReplace && self.0.open(to, OpenMode::Read).is_ok() {
            return Err(StorageError::new(StorageErrorKind::AlreadyExists, "the file exists already"));
        }
        self.0.rename(from, to)
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        let mut names = self.0.names()?;
        names.retain(|name| self.1 != Flaw::HidesForeignNames || FileId::from_name(name).is_some());
        Ok(names)
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        self.0.sync_names()
    }

    fn lock(&self, id: FileId, mode: LockMode) -> Result<Self::Lock, StorageError> {
        match (self.1, mode) {
            (Flaw::LocksNothing, _) => self.0.lock(id, mode).map(Some).or_else(|error| match error.kind() {
                StorageErrorKind::Busy => Ok(None),
                _ => Err(error),
            }),
            (Flaw::LocksMissingFiles, LockMode::Shared) => {
                self.0.open(id, OpenMode::OpenOrCreate)?;
                self.0.lock(id, mode).map(Some)
            }
            (Flaw::SharesNothing, LockMode::Shared) => self.0.lock(id, LockMode::Exclusive).map(Some),
            _ => self.0.lock(id, mode).map(Some),
        }
    }
}

impl StorageFile for FlawedFile {
    fn len(&self) -> Result<u64, StorageError> {
        self.file.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        let read = self.file.read_exact_at(offset, buf);
        if self.flaw == Flaw::ReadsZerosPastTheEnd { Ok(()) } else { read }
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        let len = self.file.len()?;
        if self.flaw == Flaw::LeavesOldBytesInGaps && offset > len && offset < 1 << 20 {
            self.file.write_all_at(len, &vec![0xaa; usize::try_from(offset - len).unwrap()])?;
        }
        self.file.write_all_at(offset, data)
    }

    fn write_all_vectored_at(&self, offset: u64, parts: &[&[u8]]) -> Result<(), StorageError> {
        let mut parts = parts.to_vec();
        match self.flaw {
            Flaw::ReversesParts => parts.reverse(),
            Flaw::LimitsParts => parts.truncate(1024),
            _ => {}
        }
        self.file.write_all_vectored_at(offset, &parts)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        let kept = if self.flaw == Flaw::NeverCuts { len.max(self.file.len()?) } else { len };
        self.file.set_len(kept)
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.file.sync()
    }

    fn mapped(&self, range: core::ops::Range<u64>) -> Option<&[u8]> {
        let shift = usize::from(self.flaw == Flaw::MapsWrongBytes && range.end < 40_000);
        let start = usize::try_from(range.start).ok()?.checked_add(shift)?;
        self.snapshot.get(start..usize::try_from(range.end).ok()?.checked_add(shift)?)
    }
}

fn broken_rules(flaw: Flaw) -> Vec<&'static str> {
    let abilities = Abilities { locks: true, sparse: false, foreign_name: Some("notes.txt") };
    let make = || Flawed(MemoryStorage::from_files([("notes.txt".into(), vec![])]), flaw);
    let broken = cases(abilities).into_iter().filter(|case| (case.run)(&make, abilities).is_err());
    broken.map(|case| case.name).collect()
}

#[test]
fn each_flaw_breaks_its_rule() {
    assert_eq!(broken_rules(Flaw::None), Vec::<&str>::new());
    let flaws = [
        (Flaw::CreatesOverOld, "a new file is empty and must not exist"),
        (Flaw::EmptiesOnOpen, "open or create keeps what is there"),
        (Flaw::KeepsRemoved, "a removed file is gone and may be made again"),
        (Flaw::RefusesToReplace, "a renamed file takes the place of the other"),
        (Flaw::HidesForeignNames, "foreign names are listed"),
        (Flaw::ReadsZerosPastTheEnd, "a read past the end is an unexpected end"),
        (Flaw::ReversesParts, "a vectored write is its parts in order"),
        (Flaw::LimitsParts, "a vectored write may have thousands of parts"),
        (Flaw::NeverCuts, "a size is cut and extended with zeros"),
        (Flaw::LeavesOldBytesInGaps, "a gap reads as zeros"),
        (Flaw::WritesThroughReaders, "a file opened for reading is not written"),
        (Flaw::MapsWrongBytes, "mapped bytes are the bytes of the file"),
        (Flaw::LocksNothing, "an exclusive lock stands alone"),
        (Flaw::LocksMissingFiles, "locking a missing file is not found"),
        (Flaw::SharesNothing, "shared locks stand beside each other"),
    ];
    for (flaw, rule) in flaws {
        let broken = broken_rules(flaw);
        assert!(broken.contains(&rule), "{flaw:?} broke {broken:?}");
    }
}
