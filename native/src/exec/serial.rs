//! The executor of a build without threads.

use std::num::NonZeroUsize;

use recask_core::exec::{Copier, Executor, Serial};
use recask_core::{Code, Error};

use super::copier_for;
use crate::pages;
use crate::tuning::{Placement, Tuning};

/// Runs one task after the other on the calling thread: this build has no threads (feature `threads`). It has the name that it has
/// with them, so that programs are the same.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use recask::exec::RayonExecutor;
/// use recask_core::exec::Executor;
///
/// let one = RayonExecutor::with_threads(NonZeroUsize::MIN)?;
/// let failed = one.try_for_each(vec![1, 2, 3], |task| if task > 1 { Err(task) } else { Ok(()) });
/// assert_eq!(failed, Err(2));
/// assert!(RayonExecutor::with_threads(NonZeroUsize::new(2).unwrap()).is_err());
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RayonExecutor {
    placement: Placement,
}

impl Default for RayonExecutor {
    fn default() -> Self {
        RayonExecutor { placement: Placement::Local }
    }
}

impl RayonExecutor {
    /// An executor with one thread, the calling one.
    ///
    /// # Errors
    /// [`Code::Unsupported`] for more.
    pub fn with_threads(threads: NonZeroUsize) -> Result<Self, Error> {
        if threads == NonZeroUsize::MIN {
            return Ok(Self::default());
        }
        let text =
            format!("{threads} threads were asked for, and this build of recask has none; ask for one");
        Err(Error::new(Code::Unsupported, text))
    }

    /// An executor that places memory as the tuning says.
    #[must_use]
    pub fn tuned(tuning: &Tuning) -> Self {
        RayonExecutor { placement: tuning.placement }
    }
}

impl Executor for RayonExecutor {
    fn width(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn copier(&self, record: usize, total: usize) -> Option<Copier> {
        copier_for(record, total)
    }

    fn prepare(&self, memory: &mut [u8]) {
        pages::prefer_large(memory);
    }

    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        let _placed = self.placement.scope();
        Serial.try_for_each(tasks, run)
    }
}
