//! Advisory locks: `flock` on Unix, so that loaderx, colstore and Recask see each other's.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use recask_core::storage::{FileId, LockMode, OpenMode, StorageError, StorageErrorKind};

use super::error::storage_error;
use super::{open_options, protection};

/// How often a lock that went to a removed file is tried again.
const ATTEMPTS: usize = 16;

/// A held lock of a [`Directory`](super::Directory); dropping it releases the lock. It has a descriptor of its own,
/// and a forked process shares it.
#[derive(Debug)]
pub struct NativeLock {
    held: Arc<File>,
}

impl Drop for NativeLock {
    fn drop(&mut self) {
        // A process that is being started holds a copy of the descriptor until it runs; closing ours alone would leave
        // it locked that long.
        let _ = self.held.unlock();
    }
}

impl NativeLock {
    pub(crate) fn take(path: &Path, id: FileId, mode: LockMode) -> Result<Self, StorageError> {
        // A reader may lack the permission to write.
        let open = match (mode, id) {
            (LockMode::Shared, _) => OpenMode::Read,
            (LockMode::Exclusive, FileId::Lock | FileId::Journal) => OpenMode::OpenOrCreate,
            (LockMode::Exclusive, _) => OpenMode::ReadWrite,
        };
        if mode == LockMode::Exclusive {
            protection::check_storage(path)?;
        }
        for _ in 0..ATTEMPTS {
            let file = open_options(open).open(path).map_err(|error| storage_error("lock", path, error))?;
            let locked = match mode {
                LockMode::Shared => file.try_lock_shared(),
                LockMode::Exclusive => file.try_lock(),
            };
            match locked {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(busy(path)),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    missing(path, id, mode);
                }
                Err(TryLockError::Error(error)) => return Err(storage_error("lock", path, error)),
            }
            // Its last holder may have removed the file after it was opened here: then this lock keeps nobody out.
            if is_at(&file, path).map_err(|error| storage_error("lock", path, error))? {
                return Ok(NativeLock { held: Arc::new(file) });
            }
        }
        Err(busy(path))
    }
}

/// The locks of a table that its directory gave and that are still held, so that what is opened under one is the file that is locked.
///
/// A compaction of colstore gives its lock back before it renames; who takes the lock in between holds that of a file
/// that is about to lose its name.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldLocks(Arc<Mutex<BTreeMap<FileId, Weak<File>>>>);

impl HeldLocks {
    pub(super) fn remember(&self, id: FileId, lock: &NativeLock) {
        self.files().insert(id, Arc::downgrade(&lock.held));
    }

    /// The file keeps its lock under the new name.
    pub(super) fn renamed(&self, from: FileId, to: FileId) {
        let mut files = self.files();
        match files.remove(&from) {
            Some(file) => files.insert(to, file),
            None => files.remove(&to),
        };
    }

    pub(super) fn removed(&self, id: FileId) {
        self.files().remove(&id);
    }

    /// Refuses `file`, just opened at `path`, where the lock is one of another file.
    pub(super) fn check(&self, id: FileId, file: &File, path: &Path) -> Result<(), StorageError> {
        let Some(held) = self.files().get(&id).and_then(Weak::upgrade) else { return Ok(()) };
        match are_same(&held, file) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = format!(
                    "{} was replaced by another program while it was opened: try again",
                    path.display()
                );
                Err(StorageError::new(StorageErrorKind::Busy, message))
            }
            Err(error) => Err(storage_error("examine", path, error)),
        }
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<FileId, Weak<File>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static TELL: OnceLock<fn(&Path)> = OnceLock::new();
static IS_TOLD: AtomicBool = AtomicBool::new(false);

/// Has `tell` called with the store or table, once in this process, when something is first opened for writing where the system or the file
/// system has no locks, as in every WASI sandbox: nothing then keeps another program from writing at the same time. Without this
/// it goes unsaid. The first one that is given stays.
pub fn on_missing_locks(tell: fn(&Path)) {
    let _ = TELL.set(tell);
}

/// This system or file system has no locks.
fn missing(path: &Path, id: FileId, mode: LockMode) {
    if let (LockMode::Exclusive, Some(tell)) = (mode, TELL.get())
        && !IS_TOLD.swap(true, Ordering::Relaxed)
    {
        let is_table = matches!(id, FileId::Table | FileId::Draft);
        tell(path.parent().filter(|_| !is_table).unwrap_or(path));
    }
}

fn busy(path: &Path) -> StorageError {
    let message =
        format!("{} is locked by another handle or process: close it, or try again later", path.display());
    StorageError::new(StorageErrorKind::Busy, message)
}

/// Whether `file` is still what `path` leads to; always, where a system cannot tell.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let held = file.metadata()?;
        match std::fs::metadata(path) {
            Ok(found) => Ok((found.dev(), found.ino()) == (held.dev(), held.ino())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

/// Whether both are one file; always, where a system cannot tell.
fn are_same(a: &File, b: &File) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (a, b) = (a.metadata()?, b.metadata()?);
        Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = (a, b);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn holders_that_remove_the_file_still_exclude_each_other() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("recask.journal");
        let occupied = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut turns = 0;
                    while turns < 300 {
                        let Ok(lock) = NativeLock::take(&path, FileId::Journal, LockMode::Exclusive) else {
                            thread::yield_now();
                            continue;
                        };
                        turns += 1;
                        assert!(!occupied.swap(true, Ordering::SeqCst), "two hold the lock");
                        thread::yield_now();
                        occupied.store(false, Ordering::SeqCst);
                        std::fs::remove_file(&path).unwrap();
                        drop(lock);
                    }
                });
            }
        });
    }
}
