//! Files in memory, with the semantics of a directory: what tests use, and stores that never touch a disk.

pub(super) mod bytes;
pub(super) mod lock;
mod place;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use spin::Mutex;

use self::lock::Holders;
pub use self::lock::MemoryLock;
pub use self::place::{MemoryEnvironment, MemoryPlace};
use super::{FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind, StorageFile};

/// One directory in memory. A clone is the same directory.
///
/// A removed file lives on for those who have it open, as on a disk.
///
/// ```
/// use recask_core::storage::{FileId, OpenMode, Storage, StorageFile, memory::MemoryStorage};
///
/// let storage = MemoryStorage::new();
/// storage.open(FileId::Chunk(0), OpenMode::CreateNew)?.write_all_at(0, b"payload")?;
/// assert_eq!(storage.files(), [("0.chunk".into(), b"payload".to_vec())]);
/// # Ok::<(), recask_core::storage::StorageError>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryStorage {
    directory: Arc<Directory>,
    /// The place that [`MemoryEnvironment`] made for this storage.
    made_in: Option<MemoryPlace>,
}

type Directory = Mutex<BTreeMap<String, Arc<Node>>>;

/// One file, whatever its names and handles are.
#[derive(Default)]
struct Node {
    bytes: Mutex<Vec<u8>>,
    holders: Arc<Holders>,
}

impl MemoryStorage {
    /// An empty directory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A directory with these files, as (name, content). Names that no store has are kept.
    #[must_use]
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let nodes = files.into_iter().map(|(name, content)| {
            let node = Node { bytes: Mutex::new(content), holders: Arc::default() };
            (name, Arc::new(node))
        });
        MemoryStorage { directory: Arc::new(Mutex::new(nodes.collect())), made_in: None }
    }

    /// A copy of all files, as (name, content).
    #[must_use]
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.directory.lock();
        files.iter().map(|(name, node)| (name.clone(), node.bytes.lock().clone())).collect()
    }
}

impl fmt::Debug for MemoryStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.directory.lock().keys()).finish()
    }
}

impl Storage for MemoryStorage {
    type File = MemoryFile;
    type Lock = MemoryLock;

    fn open(&self, id: FileId, mode: OpenMode) -> Result<MemoryFile, StorageError> {
        let mut files = self.directory.lock();
        let name = id.to_string();
        let present = files.get(&name);
        let node = match (mode, present) {
            (OpenMode::CreateNew, Some(_)) => return Err(already_exists()),
            (OpenMode::Read | OpenMode::ReadWrite, None) => return Err(not_found()),
            (_, Some(node)) => Arc::clone(node),
            (OpenMode::OpenOrCreate | OpenMode::CreateNew, None) => {
                Arc::clone(files.entry(name).or_default())
            }
        };
        Ok(MemoryFile { node, writable: mode != OpenMode::Read })
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        self.directory.lock().remove(&id.to_string()).map(drop).ok_or_else(not_found)
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        let mut files = self.directory.lock();
        let node = files.remove(&from.to_string()).ok_or_else(not_found)?;
        files.insert(to.to_string(), node);
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        Ok(self.directory.lock().keys().cloned().collect())
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        Ok(())
    }

    fn lock(&self, id: FileId, mode: LockMode) -> Result<MemoryLock, StorageError> {
        let mut files = self.directory.lock();
        let name = id.to_string();
        let node = if creates_by_lock(id, mode) {
            files.entry(name).or_default()
        } else {
            files.get(&name).ok_or_else(not_found)?
        };
        Holders::take(&node.holders, mode)
    }
}

/// An open file of a [`MemoryStorage`].
pub struct MemoryFile {
    node: Arc<Node>,
    writable: bool,
}

impl MemoryFile {
    fn for_writing(&self) -> Result<&Mutex<Vec<u8>>, StorageError> {
        if self.writable { Ok(&self.node.bytes) } else { Err(opened_for_reading()) }
    }
}

impl fmt::Debug for MemoryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryFile")
            .field("len", &self.node.bytes.lock().len())
            .field("writable", &self.writable)
            .finish()
    }
}

impl StorageFile for MemoryFile {
    fn len(&self) -> Result<u64, StorageError> {
        Ok(self.node.bytes.lock().len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        bytes::read(&self.node.bytes.lock(), offset, buf)
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        bytes::write(&mut self.for_writing()?.lock(), offset, data)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        bytes::resize(&mut self.for_writing()?.lock(), len)
    }

    fn sync(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

/// Whether taking this lock makes the file, as [`Storage::lock`] says.
pub(super) fn creates_by_lock(id: FileId, mode: LockMode) -> bool {
    matches!((id, mode), (FileId::Lock | FileId::Journal, LockMode::Exclusive))
}

pub(super) fn not_found() -> StorageError {
    StorageError::new(StorageErrorKind::NotFound, "the file does not exist")
}

pub(super) fn already_exists() -> StorageError {
    StorageError::new(StorageErrorKind::AlreadyExists, "the file exists already")
}

pub(super) fn opened_for_reading() -> StorageError {
    StorageError::new(StorageErrorKind::PermissionDenied, "the file was opened for reading only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::conformance::{Abilities, storage_suite};

    #[test]
    fn conforms() {
        let make = || MemoryStorage::from_files([("notes.txt".into(), b"mine".to_vec())]);
        storage_suite(&make, Abilities { locks: true, sparse: false, foreign_name: Some("notes.txt") });
    }

    #[test]
    fn a_clone_is_the_same_directory() {
        let storage = MemoryStorage::new();
        storage.clone().open(FileId::Meta, OpenMode::CreateNew).unwrap().write_all_at(0, b"x").unwrap();
        assert_eq!(storage.files(), [("meta.zr".into(), b"x".to_vec())]);
    }

    #[test]
    fn exported_files_import_as_an_independent_copy() {
        let files = [("0.chunk".into(), b"abc".to_vec()), ("readme".into(), Vec::new())];
        let original = MemoryStorage::from_files(files.clone());
        let copy = MemoryStorage::from_files(original.files());
        copy.open(FileId::Chunk(0), OpenMode::ReadWrite).unwrap().set_len(0).unwrap();
        assert_eq!(original.files(), files);
    }

    #[test]
    fn a_new_file_under_the_name_of_a_locked_and_removed_one_is_free() {
        let storage = MemoryStorage::new();
        let held = storage.lock(FileId::Journal, LockMode::Exclusive).unwrap();
        storage.remove(FileId::Journal).unwrap();
        storage.lock(FileId::Journal, LockMode::Exclusive).unwrap();
        drop(held);
    }

    #[test]
    fn a_size_beyond_memory_is_an_error() {
        let file = MemoryStorage::new().open(FileId::Meta, OpenMode::CreateNew).unwrap();
        assert_eq!(file.set_len(u64::MAX).unwrap_err().kind(), StorageErrorKind::Full);
        assert_eq!(file.len().unwrap(), 0);
    }
}
