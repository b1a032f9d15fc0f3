//! A process that must not write.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use recask_core::storage::{StorageError, StorageErrorKind};
use recask_core::{Code, Error, Result};

/// How many [`WritingDenied`] there are.
static DENIED: AtomicUsize = AtomicUsize::new(0);

/// While it lives, this process writes nothing through Recask; made by [`deny_writing`].
#[derive(Debug)]
#[must_use = "writing is denied until this is dropped"]
pub struct WritingDenied(());

/// Denies writing to the whole process until the answer is dropped: what would create, change, lock for writing or remove a file, or
/// make a folder, is [`Code::ReadOnly`] before anything is touched. What is open for writing already stays so.
///
/// For programs that are given more rights than they should use, such as by a sandbox that lets its guest write into every folder.
///
/// ```standalone_crate
/// # use recask::{Code, DType, DenseStore};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("labels");
/// let denied = recask::fs::deny_writing();
/// let refused = DenseStore::builder(DType::U8, ()).create(&path).unwrap_err();
/// assert_eq!(refused.code(), Code::ReadOnly);
/// assert!(!path.exists());
/// drop(denied);
/// DenseStore::builder(DType::U8, ()).create(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deny_writing() -> WritingDenied {
    DENIED.fetch_add(1, Ordering::Relaxed);
    WritingDenied(())
}

impl Drop for WritingDenied {
    fn drop(&mut self) {
        DENIED.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_denied() -> bool {
    DENIED.load(Ordering::Relaxed) > 0
}

/// Asks before something is written at `path`; programs that write files of their own beside Recask's may ask too.
///
/// ```
/// recask::fs::check_writable(std::path::Path::new("results.json"))?;
/// # Ok::<(), recask::Error>(())
/// ```
///
/// # Errors
/// [`Code::ReadOnly`] while there is a [`WritingDenied`].
pub fn check_writable(path: &Path) -> Result<()> {
    if is_denied() { Err(Error::new(Code::ReadOnly, refusal(path))) } else { Ok(()) }
}

/// As [`check_writable`], for a storage, whose errors know no such kind: its environment has asked before.
pub(super) fn check_storage(path: &Path) -> Result<(), StorageError> {
    if is_denied() {
        return Err(StorageError::new(StorageErrorKind::PermissionDenied, refusal(path)));
    }
    Ok(())
}

fn refusal(path: &Path) -> String {
    format!(
        "{} would be written, but writing is denied to this process: run it without that, or leave this out",
        path.display()
    )
}
