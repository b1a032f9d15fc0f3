//! The environment of the core: what is read was fetched before, what is written is open already.

use std::sync::Arc;

use recask_core::environment::{Access, Environment};
use recask_core::storage::{
    FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind, StorageFile,
};
use recask_core::{Code, Error, Result};

use crate::executor::WebExecutor;
use crate::fetched::{FetchedFile, Files};
use crate::live::{LiveFile, LiveFolder};

/// Stores and tables in a browser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Web;

/// Where the files of one store or table are.
#[derive(Clone)]
pub(crate) enum WebStorage {
    /// For reading: bytes come from outside before they are needed.
    Fetched(Arc<Files>),
    /// For writing: JavaScript has the files open.
    Live(LiveFolder),
}

/// A file of a [`WebStorage`].
#[derive(Debug)]
pub(crate) enum WebFile {
    /// For reading.
    Fetched(FetchedFile),
    /// For writing.
    Live(LiveFile),
}

impl Environment for Web {
    type Storage = WebStorage;
    type Executor = WebExecutor;
    type Place = WebStorage;

    fn attach(place: &WebStorage, _access: Access) -> Result<WebStorage> {
        Ok(place.clone())
    }

    fn attach_file(place: &WebStorage, access: Access) -> Result<WebStorage> {
        if access != Access::Create && matches!(place.has(FileId::Table), Ok(Some(false))) {
            return Err(Error::new(Code::StoreNotFound, "there is no table here"));
        }
        Ok(place.clone())
    }

    fn describe(place: &WebStorage) -> String {
        match place {
            WebStorage::Fetched(files) => files.name(),
            WebStorage::Live(folder) => folder.name(),
        }
    }

    fn executor() -> WebExecutor {
        WebExecutor::of_reader()
    }
}

impl Storage for WebStorage {
    type File = WebFile;
    /// Whoever has a file open for writing in a browser has it alone.
    type Lock = ();

    fn open(&self, id: FileId, mode: OpenMode) -> Result<WebFile, StorageError> {
        match self {
            WebStorage::Fetched(files) if mode == OpenMode::Read => {
                Files::open(files, id).map(WebFile::Fetched)
            }
            WebStorage::Fetched(_) => Err(read_only()),
            WebStorage::Live(folder) => folder.open(id, mode).map(WebFile::Live),
        }
    }

    fn has(&self, id: FileId) -> Result<Option<bool>, StorageError> {
        match self {
            WebStorage::Fetched(files) => Ok(files.has(id)),
            WebStorage::Live(folder) => folder.has(id).map(Some),
        }
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        match self {
            WebStorage::Fetched(_) => Err(read_only()),
            WebStorage::Live(folder) => folder.remove(id),
        }
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        match self {
            WebStorage::Fetched(_) => Err(read_only()),
            WebStorage::Live(folder) => folder.rename(from, to),
        }
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        match self {
            WebStorage::Fetched(files) => Ok(files.names()),
            WebStorage::Live(folder) => folder.names(),
        }
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        // Names of a live folder are settled by who called, before the call counts as done.
        Ok(())
    }

    fn lock(&self, id: FileId, _mode: LockMode) -> Result<(), StorageError> {
        let made_by_locking = matches!(id, FileId::Lock | FileId::Journal);
        match self.has(id)? {
            Some(false) if !made_by_locking => {
                Err(StorageError::new(StorageErrorKind::NotFound, format!("{id} does not exist")))
            }
            _ => Ok(()),
        }
    }
}

impl StorageFile for WebFile {
    fn len(&self) -> Result<u64, StorageError> {
        match self {
            WebFile::Fetched(file) => file.len(),
            WebFile::Live(file) => file.len(),
        }
    }

    fn known_len(&self) -> Result<Option<u64>, StorageError> {
        match self {
            WebFile::Fetched(file) => file.known_len(),
            WebFile::Live(file) => file.len().map(Some),
        }
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        match self {
            WebFile::Fetched(file) => file.read_exact_at(offset, buf),
            WebFile::Live(file) => file.read_exact_at(offset, buf),
        }
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        match self {
            WebFile::Fetched(_) => Err(read_only()),
            WebFile::Live(file) => file.write_all_at(offset, data),
        }
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        match self {
            WebFile::Fetched(_) => Err(read_only()),
            WebFile::Live(file) => file.set_len(len),
        }
    }

    fn sync(&self) -> Result<(), StorageError> {
        match self {
            WebFile::Fetched(_) => Ok(()),
            WebFile::Live(file) => file.sync(),
        }
    }
}

fn read_only() -> StorageError {
    StorageError::new(StorageErrorKind::PermissionDenied, "this place can only be read")
}
