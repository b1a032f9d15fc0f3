//! Running tasks: on the calling thread, or on those of a pool.

use std::num::NonZeroUsize;

use recask_core::exec::{Executor, Serial};

/// The threads of this module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WebExecutor {
    /// The calling thread alone: open files belong to it.
    Alone,
    /// All of them.
    #[cfg(feature = "threads")]
    Pool,
}

impl WebExecutor {
    /// For what is read: its bytes are in memory that every thread sees.
    pub(crate) const fn of_reader() -> Self {
        #[cfg(feature = "threads")]
        return WebExecutor::Pool;
        #[cfg(not(feature = "threads"))]
        WebExecutor::Alone
    }
}

impl Executor for WebExecutor {
    fn width(&self) -> NonZeroUsize {
        match self {
            WebExecutor::Alone => NonZeroUsize::MIN,
            #[cfg(feature = "threads")]
            WebExecutor::Pool => NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN),
        }
    }

    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        match self {
            #[cfg(feature = "threads")]
            WebExecutor::Pool if tasks.len() > 1 => pool::try_for_each(tasks, run),
            _ => Serial.try_for_each(tasks, run),
        }
    }
}

#[cfg(feature = "threads")]
mod pool {
    use std::sync::{Mutex, PoisonError};

    use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};

    /// The error of the earliest failing task wins; tasks behind one that failed are left out.
    pub(super) fn try_for_each<T, E, F>(tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        let first: Mutex<Option<(usize, E)>> = Mutex::new(None);
        let lock = || first.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.into_par_iter().enumerate().for_each(|(number, task)| {
            if lock().as_ref().is_some_and(|(failed, _)| *failed < number) {
                return;
            }
            if let Err(error) = run(task) {
                let mut first = lock();
                if first.as_ref().is_none_or(|(failed, _)| number < *failed) {
                    *first = Some((number, error));
                }
            }
        });
        match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}
