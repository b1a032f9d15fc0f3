//! Advisory locks as `flock` has them: every call is a holder of its own.

use alloc::sync::Arc;

use spin::Mutex;

use crate::storage::{LockMode, StorageError, StorageErrorKind};

/// Who holds one file.
#[derive(Debug, Default)]
pub(in crate::storage) struct Holders(Mutex<Held>);

#[derive(Debug, Default)]
enum Held {
    #[default]
    Free,
    Shared(usize),
    Exclusive,
}

impl Holders {
    pub(in crate::storage) fn take(this: &Arc<Self>, mode: LockMode) -> Result<MemoryLock, StorageError> {
        let mut held = this.0.lock();
        *held = match (&*held, mode) {
            (Held::Free, LockMode::Exclusive) => Held::Exclusive,
            (Held::Free, LockMode::Shared) => Held::Shared(1),
            (Held::Shared(count), LockMode::Shared) => Held::Shared(count + 1),
            (Held::Shared(_), LockMode::Exclusive) | (Held::Exclusive, _) => {
                return Err(StorageError::new(
                    StorageErrorKind::Busy,
                    "the file is locked by another handle",
                ));
            }
        };
        Ok(MemoryLock { holders: Arc::clone(this) })
    }
}

/// A held lock of a [`MemoryStorage`](super::MemoryStorage); dropping it releases the lock.
#[derive(Debug)]
pub struct MemoryLock {
    holders: Arc<Holders>,
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut held = self.holders.0.lock();
        *held = match *held {
            Held::Shared(count) if count > 1 => Held::Shared(count - 1),
            _ => Held::Free,
        };
    }
}
