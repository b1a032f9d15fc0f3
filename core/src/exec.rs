//! Running independent tasks, without knowing of threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

/// Copies bytes to others of the same length, as `copy_from_slice` does.
pub type Copier = fn(from: &[u8], to: &mut [u8]);

/// A parallel `for`. Doors bring one over their threads; [`Serial`] is the one that every target has.
pub trait Executor: Send + Sync {
    /// How many tasks may run at once.
    fn width(&self) -> NonZeroUsize;

    /// How many tasks that only copy memory may run at once, at most `width`: memory is slower than the processors,
    /// so more of them would only wait for it.
    fn copy_width(&self) -> NonZeroUsize {
        self.width()
    }

    /// How to copy records of `record` bytes into a result of `total` bytes; `None` for `copy_from_slice`. A door may know a way
    /// that is faster where the caches could not hold the result.
    fn copier(&self, record: usize, total: usize) -> Option<Copier> {
        let _ = (record, total);
        None
    }

    /// Told of large new memory before anything is written to it: a door may have the system back it with large pages, which
    /// come several times faster. It must not change a byte.
    fn prepare(&self, memory: &mut [u8]) {
        let _ = memory;
    }

    /// Runs every task. When tasks fail, the error of the earliest failing one is returned; whether later tasks
    /// ran is not specified.
    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send;
}

/// One task after the other, on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Executor for Serial {
    fn width(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        tasks.into_iter().try_for_each(run)
    }
}
