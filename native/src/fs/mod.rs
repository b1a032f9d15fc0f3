//! Stores in directories of the file system.
//!
//! [`Directory`] is the storage, [`Native`] the environment over it. Readers map record table and payload; writers use positional
//! calls. Locks are `flock` where the system has it, so Recask and loaderx keep out of each other's way.
//!
//! A program that takes no lock and cuts a file under a reader ends that reader with a bus error, as with every
//! mapped file.

mod error;
mod file;
mod lock;
#[allow(unsafe_code, reason = "the only place that maps files")]
mod map;
mod place;
mod position;

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recask_core::storage::{FileId, LockMode, OpenMode, Storage, StorageError};

use self::error::storage_error;
pub use self::file::NativeFile;
pub use self::lock::NativeLock;
pub use self::place::Native;

/// One directory that holds, or will hold, one store. A clone is the same directory.
#[derive(Clone, Debug)]
pub struct Directory {
    path: Arc<Path>,
    /// The directories that [`Native`] made for this one, outermost first.
    made: Arc<[PathBuf]>,
    /// The file of a column table.
    table: Option<Arc<Path>>,
}

impl Directory {
    /// The directory at `path`. Nothing is checked or created.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory { path: Arc::from(path.into()), made: Arc::default(), table: None }
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
        NativeFile::open(self.path_of(id), id, mode)
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        let path = self.path_of(id);
        std::fs::remove_file(&path).map_err(|error| storage_error("remove", &path, error))
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        let (from, to) = (self.path_of(from), self.path_of(to));
        let keep_permissions = || match std::fs::metadata(&to) {
            Ok(old) => std::fs::set_permissions(&from, old.permissions()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        let renamed = keep_permissions().and_then(|()| std::fs::rename(&from, &to));
        renamed.map_err(|error| storage_error(&format!("rename {} to", from.display()), &to, error))
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
        NativeLock::take(&self.path_of(id), id, mode)
    }
}

/// Makes the names in a directory durable, where the system can: Windows has no such call, and some file systems
/// refuse it.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    // The parent of a relative name is the empty path.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match File::open(path)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
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
