//! A batch whose memory goes back to its loader.

use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::Weak;

use recask_core::loader as core;

/// The records of one step in every stream; all that it can do is in [`core::Batch`](recask_core::loader::Batch).
///
/// Dropping it gives its memory to a later batch, so drop it before the next one is asked for, or soon after: a loader has
/// `prefetch + workers + 1` of them at most.
pub struct Batch {
    memory: core::Batch,
    is_detached: bool,
    home: Weak<dyn Home>,
}

/// Where the memory of batches comes from and goes to.
pub(super) trait Home: Send + Sync {
    /// A batch is gone; its memory comes back unless somebody keeps it.
    fn take_back(&self, memory: Option<core::Batch>);
}

/// How much was read for a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) records: u64,
    pub(super) value_bytes: u64,
}

impl Batch {
    pub(super) fn new(memory: core::Batch, home: Weak<dyn Home>) -> Self {
        Batch { memory, is_detached: false, home }
    }

    pub(super) fn size(&self) -> Size {
        Size { records: self.len() as u64, value_bytes: self.value_bytes() }
    }

    /// Keeps the batch: it no longer counts among those of the loader, which takes new memory for a later one.
    #[must_use]
    pub fn detach(mut self) -> core::Batch {
        self.is_detached = true;
        mem::take(&mut self.memory)
    }
}

impl Deref for Batch {
    type Target = core::Batch;

    fn deref(&self) -> &core::Batch {
        &self.memory
    }
}

impl DerefMut for Batch {
    fn deref_mut(&mut self) -> &mut core::Batch {
        &mut self.memory
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(home) = self.home.upgrade() {
            home.take_back((!self.is_detached).then(|| mem::take(&mut self.memory)));
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}
