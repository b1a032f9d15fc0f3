//! A storage for crash tests: it dies at a chosen operation and shows what may be left on the disk.
//!
//! It keeps a *live* image, which the process sees, and a *durable* one. Every change goes to the live image and
//! into a log. [`StorageFile::sync`](super::StorageFile::sync) makes the content and size of one file durable,
//! [`Storage::sync_names`](super::Storage::sync_names) the names. A test freezes the storage at its k-th operation,
//! takes a [`FaultStorage::crash_image`] and opens it again; it does so for every k, and for several seeds of
//! [`Survival::Subset`].
//!
//! ```
//! use recask_core::storage::fault::{Applied, FaultStorage, Survival};
//! use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
//!
//! let disk = FaultStorage::new();
//! disk.freeze_at(3, Applied::Nothing); // 0: create, 1: sync of the names, 2: write, 3: sync of the file
//! let file = disk.open(FileId::Meta, OpenMode::CreateNew)?;
//! disk.sync_names()?;
//! file.write_all_at(0, b"header")?;
//! assert!(file.sync().is_err());
//! assert_eq!(disk.crash_image(Survival::All).files(), [("meta.zr".into(), b"header".to_vec())]);
//! assert_eq!(disk.crash_image(Survival::None).files(), [("meta.zr".into(), b"".to_vec())]);
//! # Ok::<(), recask_core::storage::StorageError>(())
//! ```

mod crash;
mod disk;
mod random;
mod schedule;
mod storage;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use spin::Mutex;

pub use self::storage::{FaultEnvironment, FaultFile};
use self::{disk::Disk, schedule::Schedule};
use super::memory::MemoryStorage;
use super::{FileId, StorageErrorKind};

/// What a disk writes whole or not at all, in bytes.
pub const SECTOR: u64 = 512;

/// One change or sync. Reads, locks of existing files and empty writes are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A file was created.
    Create(FileId),
    /// A file was removed.
    Remove(FileId),
    /// A file got another name.
    Rename {
        /// The name that is gone.
        from: FileId,
        /// The name that it has now.
        to: FileId,
    },
    /// Bytes were written. Parts of a vectored write are one operation each; parts smaller than a [`SECTOR`] are
    /// joined until they fill one.
    Write {
        /// Into this file.
        file: FileId,
        /// From this byte on.
        offset: u64,
        /// That many bytes.
        len: u64,
    },
    /// A file was cut or extended to this size in bytes.
    SetLen {
        /// The file.
        file: FileId,
        /// The new size in bytes.
        len: u64,
    },
    /// The content of a file was made durable.
    Sync(FileId),
    /// The names were made durable.
    SyncNames,
}

/// How much of a failing operation happens all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// All of it; only the answer is lost.
    Whole,
    /// Nothing.
    Nothing,
    /// A prefix of a write, up to a boundary of a [`SECTOR`] that the seed chooses; its start and end count as
    /// boundaries. Any other operation happens or does not, by seed.
    Torn(u64),
}

/// What is left of the operations that were not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survival {
    /// All of them: the process was killed and the machine goes on.
    All,
    /// None of them.
    None,
    /// By seed: each survives or not, applied in order; of a write each [`SECTOR`] may survive or not, and what is
    /// lost at the end of a file reads as zeros or is missing.
    Subset(u64),
}

/// A directory that fails on purpose. A clone is the same directory.
#[derive(Clone, Default)]
pub struct FaultStorage(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    disk: Disk,
    schedule: Schedule,
}

impl FaultStorage {
    /// An empty directory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A directory with a copy of these files, all durable.
    #[must_use]
    pub fn from_image(image: &MemoryStorage) -> Self {
        let state = State { disk: Disk::holding(image.files()), schedule: Schedule::default() };
        FaultStorage(Arc::new(Mutex::new(state)))
    }

    /// Arms the crash: the operation with this index among [`FaultStorage::operations`], and every call after it,
    /// fails with [`StorageErrorKind::Other`] "the storage is frozen".
    pub fn freeze_at(&self, operation: usize, applied: Applied) {
        self.0.lock().schedule.freeze_at(operation, applied);
    }

    /// Arms one failure: the operation with this index among [`FaultStorage::operations`] fails with `kind`, and
    /// everything goes on afterwards.
    pub fn fail_at(&self, operation: usize, kind: StorageErrorKind, applied: Applied) {
        self.0.lock().schedule.fail_at(operation, kind, applied);
    }

    /// Arms one failure: the read with this index among [`FaultStorage::reads`] fails with `kind`.
    pub fn fail_read_at(&self, read: usize, kind: StorageErrorKind) {
        self.0.lock().schedule.fail_read_at(read, kind);
    }

    /// Takes back what is armed and did not happen yet.
    pub fn disarm(&self) {
        self.0.lock().schedule.disarm();
    }

    /// Whether the crash happened.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.0.lock().schedule.is_frozen()
    }

    /// Every operation so far, failed ones included. Reading alone leaves it empty.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        self.0.lock().schedule.operations().to_vec()
    }

    /// How many times bytes were read so far.
    #[must_use]
    pub fn reads(&self) -> usize {
        self.0.lock().schedule.reads()
    }

    /// Starts counting operations and reads from zero.
    pub fn forget_operations(&self) {
        self.0.lock().schedule.forget();
    }

    /// Makes everything durable, without counting as an operation: a start for what a test is about.
    pub fn settle(&self) {
        self.0.lock().disk.settle();
    }

    /// The files as they may look when the process dies now and the directory is opened again.
    #[must_use]
    pub fn crash_image(&self, survival: Survival) -> MemoryStorage {
        crash::image(&self.0.lock().disk, survival)
    }
}

impl fmt::Debug for FaultStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        f.debug_struct("FaultStorage")
            .field("names", &state.disk.live.keys())
            .field("frozen", &state.schedule.is_frozen())
            .finish_non_exhaustive()
    }
}
