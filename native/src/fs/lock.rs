//! Advisory locks: `flock` on Unix, so that loaderx and Recask see each other's.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use recask_core::storage::{FileId, LockMode, OpenMode, StorageError, StorageErrorKind};

use super::error::storage_error;
use super::open_options;

/// How often a lock that went to a removed file is tried again.
const ATTEMPTS: usize = 16;

/// A held lock of a [`Directory`](super::Directory); dropping it releases the lock. It has a descriptor of its own,
/// and a forked process shares it.
#[derive(Debug)]
pub struct NativeLock {
    held: File,
}

impl Drop for NativeLock {
    fn drop(&mut self) {
        // A process that is being started holds a copy of the descriptor until it runs; closing ours alone would leave
        // it locked that long.
        let _ = self.held.unlock();
    }
}

impl NativeLock {
    pub(super) fn take(path: &Path, id: FileId, mode: LockMode) -> Result<Self, StorageError> {
        // A reader may lack the permission to write.
        let open = match (mode, id) {
            (LockMode::Shared, _) => OpenMode::Read,
            (LockMode::Exclusive, FileId::Lock | FileId::Journal) => OpenMode::OpenOrCreate,
            (LockMode::Exclusive, _) => OpenMode::ReadWrite,
        };
        for _ in 0..ATTEMPTS {
            let file = open_options(open).open(path).map_err(|error| storage_error("lock", path, error))?;
            let locked = match mode {
                LockMode::Shared => file.try_lock_shared(),
                LockMode::Exclusive => file.try_lock(),
            };
            match locked {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(busy(path)),
                // This system or file system has no locks.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(storage_error("lock", path, error)),
            }
            // Its last holder may have removed the file after it was opened here: then this lock keeps nobody out.
            if is_at(&file, path).map_err(|error| storage_error("lock", path, error))? {
                return Ok(NativeLock { held: file });
            }
        }
        Err(busy(path))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
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
