//! The executor over rayon's threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use recask_core::exec::{Copier, Executor, Serial};
use recask_core::{Code, Error};

use super::copier_for;
use crate::pages;
use crate::tuning::{Placement, Tuning};

/// Runs tasks on rayon's global threads, or on threads of its own. A clone uses the same threads.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use recask::exec::RayonExecutor;
/// use recask_core::exec::Executor;
///
/// let two = RayonExecutor::with_threads(NonZeroUsize::new(2).unwrap())?;
/// let failed = two.try_for_each(vec![1, 2, 3], |task| if task > 1 { Err(task) } else { Ok(()) });
/// assert_eq!(failed, Err(2));
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RayonExecutor {
    threads: Threads,
    limit: NonZeroUsize,
    copy_limit: NonZeroUsize,
    placement: Placement,
}

#[derive(Clone, Debug)]
enum Threads {
    Global,
    Own(Arc<ThreadPool>),
}

impl Default for RayonExecutor {
    fn default() -> Self {
        let placement = Placement::Local;
        RayonExecutor {
            threads: Threads::Global,
            limit: NonZeroUsize::MAX,
            copy_limit: NonZeroUsize::MAX,
            placement,
        }
    }
}

impl RayonExecutor {
    /// An executor with this many threads of its own; one means the calling thread.
    ///
    /// # Errors
    /// [`Code::Io`] when the system has no more threads.
    pub fn with_threads(threads: NonZeroUsize) -> Result<Self, Error> {
        if threads == NonZeroUsize::MIN {
            return Ok(RayonExecutor { limit: threads, ..Self::default() });
        }
        let builder = ThreadPoolBuilder::new().num_threads(threads.get());
        let pool = builder.thread_name(|index| format!("recask-{index}")).build().map_err(|error| {
            let message = format!("could not start {threads} threads: use fewer ({error})");
            Error::new(Code::Io, message).caused_by(error)
        })?;
        Ok(RayonExecutor { threads: Threads::Own(Arc::new(pool)), ..Self::default() })
    }

    /// An executor over rayon's global threads that uses no more of them, and places memory, as the tuning says.
    #[must_use]
    pub fn tuned(tuning: &Tuning) -> Self {
        RayonExecutor {
            threads: Threads::Global,
            limit: tuning.threads,
            copy_limit: tuning.gather_threads,
            placement: tuning.placement,
        }
    }
}

impl Executor for RayonExecutor {
    fn width(&self) -> NonZeroUsize {
        let threads = match &self.threads {
            Threads::Global => rayon::current_num_threads(),
            Threads::Own(pool) => pool.current_num_threads(),
        };
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN).min(self.limit)
    }

    fn copy_width(&self) -> NonZeroUsize {
        self.width().min(self.copy_limit)
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
        let width = self.width().get().min(tasks.len());
        if width <= 1 {
            let _placed = self.placement.scope();
            return Serial.try_for_each(tasks, run);
        }
        let work = || in_parallel(tasks, run, width, self.placement);
        match &self.threads {
            Threads::Own(pool) => pool.install(work),
            Threads::Global => work(),
        }
    }
}

/// As many workers as may run at once take one task after the other.
fn in_parallel<T, E, F>(tasks: Vec<T>, run: F, workers: usize, placement: Placement) -> Result<(), E>
where
    T: Send,
    E: Send,
    F: Fn(T) -> Result<(), E> + Sync + Send,
{
    let queue = Mutex::new(tasks.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let earliest = AtomicUsize::new(usize::MAX);
    let failure = Mutex::new(None::<(usize, E)>);
    (0..workers).into_par_iter().with_max_len(1).for_each(|_| {
        let _placed = placement.scope();
        while let Some((index, task)) = next() {
            // A task is only left out behind one that failed, so the earliest failing task always runs.
            if index > earliest.load(Ordering::Relaxed) {
                return;
            }
            if let Err(error) = run(task) {
                earliest.fetch_min(index, Ordering::Relaxed);
                let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                if failure.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
                    *failure = Some((index, error));
                }
            }
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn executor(threads: usize) -> RayonExecutor {
        RayonExecutor::with_threads(NonZeroUsize::new(threads).unwrap()).unwrap()
    }

    #[test]
    fn every_task_runs_once() {
        for executor in [RayonExecutor::default(), executor(1), executor(3)] {
            let sum = AtomicUsize::new(0);
            let run = |task| {
                sum.fetch_add(task, Ordering::Relaxed);
                Ok::<(), ()>(())
            };
            executor.try_for_each((0..1000).collect(), run).unwrap();
            assert_eq!(sum.into_inner(), 499_500);
        }
    }

    #[test]
    fn tasks_run_at_the_same_time() {
        let executor = executor(2);
        assert_eq!(executor.width().get(), 2);
        // Each waits for the other: on one thread this would not end.
        let meeting = Barrier::new(2);
        let meet = |()| {
            meeting.wait();
            Ok::<(), ()>(())
        };
        executor.try_for_each(vec![(), ()], meet).unwrap();
    }

    #[test]
    fn no_more_tasks_run_at_once_than_are_allowed() {
        let two = NonZeroUsize::new(2).unwrap();
        let limited = RayonExecutor { limit: two, ..executor(6) };
        assert_eq!((limited.width(), limited.copy_width()), (two, two));
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let run = |()| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
            running.fetch_sub(1, Ordering::SeqCst);
            Ok::<(), ()>(())
        };
        limited.try_for_each(vec![(); 40], run).unwrap();
        assert_eq!(most.into_inner(), 2);
    }

    #[test]
    fn a_tuning_limits_all_work_and_copies_further() {
        let count = |number| NonZeroUsize::new(number).unwrap();
        let tuning = Tuning { threads: count(2), gather_threads: count(1), ..Tuning::of_this_host() };
        let tuned = RayonExecutor::tuned(&tuning);
        assert_eq!(tuned.width().get(), rayon::current_num_threads().min(2));
        assert_eq!(tuned.copy_width().get(), 1);
    }

    #[test]
    fn the_earliest_failure_wins_even_when_it_comes_last() {
        let executor = executor(4);
        for _ in 0..20 {
            let outcome = executor.try_for_each((0..64).collect(), |task| match task {
                5 => {
                    thread::sleep(Duration::from_millis(5));
                    Err(5)
                }
                task if task > 5 => Err(task),
                _ => Ok(()),
            });
            assert_eq!(outcome, Err(5));
        }
    }

    #[test]
    fn one_task_and_one_thread_stay_on_the_calling_thread() {
        let here = HashSet::from([thread::current().id()]);
        for (executor, tasks) in [(RayonExecutor::default(), 1), (executor(4), 1), (executor(1), 10)] {
            let seen = Mutex::new(HashSet::new());
            let run = |()| {
                seen.lock().unwrap().insert(thread::current().id());
                Ok::<(), ()>(())
            };
            executor.try_for_each(vec![(); tasks], run).unwrap();
            assert_eq!(seen.into_inner().unwrap(), here);
        }
    }

    #[test]
    fn no_tasks_are_no_failure() {
        assert_eq!(executor(2).try_for_each(Vec::<u8>::new(), |_| Err("ran")), Ok(()));
    }

    #[test]
    #[should_panic(expected = "the task's own words")]
    fn a_panic_reaches_the_caller() {
        let _ = executor(2).try_for_each(vec![1, 2, 3], |task| {
            assert_ne!(task, 2, "the task's own words");
            Ok::<(), ()>(())
        });
    }
}
