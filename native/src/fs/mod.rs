//! Stores in directories of the file system, and tables in its files.
//!
//! [`Directory`] is the storage, [`Native`] the environment over it. Readers map record table and payload (with the feature `mmap`);
//! writers use positional calls. Locks are `flock` where the system has it, so that Recask, loaderx and colstore keep out of each
//! other's way; where there are none, as in WASI, a program may [be told](on_missing_locks). [`deny_writing`] refuses whatever would
//! change a file.
//!
//! A program that takes no lock and cuts a file under a reader ends that reader with a bus error, as with every
//! mapped file.

mod draft;
mod error;
mod file;
mod likeness;
mod lock;
#[cfg(feature = "mmap")]
#[allow(unsafe_code, reason = "the only place that maps files")]
mod map;
#[cfg(not(feature = "mmap"))]
#[path = "unmapped.rs"]
mod map;
mod place;
mod position;
mod protection;
mod reach;
#[cfg(target_os = "wasi")]
#[allow(unsafe_code, reason = "the only place that calls the sandbox")]
mod sandbox;

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recask_core::storage::{FileId, LockMode, OpenMode, Storage, StorageError};

pub use self::draft::Draft;
pub(crate) use self::draft::TempPath;
pub(crate) use self::error::storage_error;
pub use self::file::NativeFile;
use self::lock::HeldLocks;
pub use self::lock::{NativeLock, on_missing_locks};
pub use self::place::Native;
#[cfg(feature = "convert")]
pub(crate) use self::position::read_at;
pub use self::protection::{WritingDenied, check_writable, deny_writing};
pub(crate) use self::reach::canonical;
pub use self::reach::check_reachable;
use crate::tuning::Tuning;

/// One directory that holds, or will hold, one store. A clone is the same directory.
#[derive(Clone, Debug)]
pub struct Directory {
    path: Arc<Path>,
    /// The directories that [`Native`] made for this one, outermost first.
    made: Arc<[PathBuf]>,
    /// The file of a column table.
    table: Option<Arc<Path>>,
    /// How that file is read and written.
    tuning: Option<Tuning>,
    held: HeldLocks,
}

impl Directory {
    /// The directory at `path`. Nothing is checked or created.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = Arc::from(path.into());
        Directory { path, made: Arc::default(), table: None, tuning: None, held: HeldLocks::default() }
    }

    /// The same, with its table read and written like this instead of as [`Tuning::current`] says.
    #[must_use]
    pub fn tuned(mut self, tuning: Tuning) -> Self {
        self.tuning = Some(tuning);
        self
    }

    /// Where it is, as given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn path_of(&self, id: FileId) -> PathBuf {
        match (&self.table, id) {
            (Some(table), FileId::Table) => table.to_path_buf(),
            (Some(table), FileId::Draft) => {
                let mut name = table.as_os_str().to_owned();
                name.push(".draft");
                PathBuf::from(name)
            }
            _ => self.path.join(id.to_string()),
        }
    }
}

impl Storage for Directory {
    type File = NativeFile;
    type Lock = NativeLock;

    fn open(&self, id: FileId, mode: OpenMode) -> Result<NativeFile, StorageError> {
        let path = self.path_of(id);
        if mode != OpenMode::Read {
            protection::check_storage(&path)?;
        }
        let mut options = open_options(mode);
        if let (FileId::Draft, Some(table)) = (id, &self.table) {
            likeness::create_no_wider(&mut options, table);
        }
        let file = options.open(&path).map_err(|error| {
            let action = if mode == OpenMode::CreateNew { "create" } else { "open" };
            storage_error(action, &path, error)
        })?;
        if mode != OpenMode::CreateNew {
            self.held.check(id, &file, &path)?;
        }
        let is_table = matches!(id, FileId::Table | FileId::Draft);
        let tuning = is_table.then(|| self.tuning.unwrap_or_else(Tuning::current));
        Ok(NativeFile::new(file, path, id, mode, tuning))
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        let path = self.path_of(id);
        protection::check_storage(&path)?;
        std::fs::remove_file(&path).map_err(|error| storage_error("remove", &path, error))?;
        self.held.removed(id);
        Ok(())
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        let (old, new) = (self.path_of(from), self.path_of(to));
        protection::check_storage(&new)?;
        let renamed = likeness::take_after(&old, &new).and_then(|()| std::fs::rename(&old, &new));
        renamed.map_err(|error| storage_error(&format!("rename {} to", old.display()), &new, error))?;
        self.held.renamed(from, to);
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        let entries = std::fs::read_dir(&self.path).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        });
        entries.map_err(|error| storage_error("list", &self.path, error))
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        sync_directory(&self.path).map_err(|error| storage_error("sync", &self.path, error))
    }

    fn lock(&self, id: FileId, mode: LockMode) -> Result<NativeLock, StorageError> {
        let lock = NativeLock::take(&self.path_of(id), id, mode)?;
        if matches!(id, FileId::Table | FileId::Draft) {
            self.held.remember(id, &lock);
        }
        Ok(lock)
    }
}

/// Makes the names in a directory durable, where the system can: Windows has no such call, and some file systems
/// refuse it.
pub(crate) fn sync_directory(path: &Path) -> std::io::Result<()> {
    if !cfg!(any(unix, target_os = "wasi")) {
        return Ok(());
    }
    // The parent of a relative name is the empty path.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match File::open(path)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        #[cfg(target_os = "wasi")]
        Err(error) if error.raw_os_error() == Some(wasip1::ERRNO_BADF.raw().into()) => Ok(()), // wasmtime syncs files alone
        result => result,
    }
}

fn open_options(mode: OpenMode) -> OpenOptions {
    let mut options = File::options();
    options.read(true).write(mode != OpenMode::Read);
    match mode {
        OpenMode::Read | OpenMode::ReadWrite => &mut options,
        OpenMode::OpenOrCreate => options.create(true),
        OpenMode::CreateNew => options.create_new(true),
    };
    options
}
