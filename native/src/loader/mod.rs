//! The data loader: endless batches of aligned streams, read ahead by threads, in an order that can be resumed exactly.
//!
//! ```
//! use recask::{DType, DenseStore, Loader, Mode};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name);
//! # let mut images = DenseStore::builder(DType::U8, [2, 2]).create(path("images"))?;
//! # images.append(&[0u8; 400])?;
//! # let mut labels = DenseStore::builder(DType::I64, ()).create(path("labels"))?;
//! # labels.append(&(0..100).collect::<Vec<i64>>())?;
//! # (images.close()?, labels.close()?);
//! let mut loader = Loader::builder()
//!     .stream("image", DenseStore::open(path("images"))?)
//!     .stream("label", DenseStore::open(path("labels"))?)
//!     .batch(16)
//!     .seed(42)
//!     .start()?;
//! for batch in loader.by_ref().take(10) {
//!     let batch = batch?;
//!     assert_eq!(batch.dense("image")?.shape(), [16, 2, 2]);
//!     let labels: &[i64] = batch.dense("label")?.values()?;
//!     assert!(labels.iter().zip(batch.indices()).all(|(&label, &index)| label as u64 == index));
//! }
//!
//! // Another process, another day: the same batches follow.
//! let state = loader.state()?.to_string();
//! let mut resumed = Loader::builder()
//!     .stream("image", DenseStore::open(path("images"))?)
//!     .stream("label", DenseStore::open(path("labels"))?)
//!     .resume(state.parse()?)
//!     .start()?;
//! assert_eq!(resumed.next().unwrap()?.indices(), loader.next().unwrap()?.indices());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Memory
//!
//! At most `prefetch + workers + 1` batches are alive, and the memory of a batch that was dropped is used again. The caller has one
//! of them at a time in a `for` loop. Whoever keeps more leaves fewer to be made ahead; with all of them kept, the next call is
//! an error ([`Code::BatchesHeld`]) instead of one that waits for ever. [`Batch::detach`] takes a batch out of the count.
//!
//! # Ends
//!
//! A loader is endless, unless it is told [where to end](LoaderBuilder::end). After an error it has ended: the error comes once, at its place in the order, and then `None`. Dropping
//! the loader stops its threads and waits for them.
//!
//! Without the feature `threads` there are no workers: the caller makes each batch when it asks for it.

mod batch;
mod builder;
mod crew;
mod epoch;
mod monitor;
mod ranks;
mod report;
mod stopper;
mod sync;
#[cfg(feature = "threads")]
mod workers;
#[cfg(not(feature = "threads"))]
#[path = "no_workers.rs"]
mod workers;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use recask_core::sampler::Sampler;
use recask_core::{Code, Error, Result};

pub use self::batch::Batch;
pub use self::builder::LoaderBuilder;
pub use self::epoch::Epoch;
pub use self::ranks::ranks_from_env;
pub use self::report::Report;
pub use self::stopper::Stopper;
use batch::Size;
use crew::{Crew, Done};
use monitor::{Delivery, Monitor};
pub use recask_core::loader::{Budget, Columns, Cursor, Identity, Loss, OnLoss, Order, State, StreamBatch};
use workers::Workers;

/// What a loader reads: a store, a table, or rows and columns of one.
pub type Stream = recask_core::loader::Stream<crate::Native>;

/// Delivers the batches of streams, one step after the other. See the [module](self).
pub struct Loader<T: Send + 'static = Batch> {
    crew: Arc<Crew<T>>,
    workers: Workers,
    pace: Pace,
    /// The step behind the last.
    end: Option<u64>,
    /// Read when a state is asked for, or compared.
    identities: OnceLock<Vec<Identity>>,
    report: Report,
    on_lost: Option<OnLost>,
    /// Steps in a row of which nothing was left.
    barren: u64,
}

/// Told of every record that was left out.
type OnLost = Box<dyn Fn(&Loss) + Send + Sync>;

/// How far ahead batches are made, by how many threads, and how they come.
#[derive(Clone, Copy)]
struct Pace {
    prefetch: usize,
    workers: usize,
    order: Order,
}

impl Pace {
    fn monitor<T>(self, start: Cursor, end: Option<u64>) -> Monitor<T> {
        let monitor = Monitor::new(self.prefetch, self.workers, self.order, start);
        monitor.set_fence(end);
        monitor
    }
}

/// Steps in a row that may be left out because nothing of them could be read, before the run ends with an error.
const BARREN: u64 = 1000;

impl Loader<Batch> {
    /// Starts to describe a loader.
    pub fn builder() -> LoaderBuilder<Batch> {
        LoaderBuilder::new()
    }
}

impl<T: Send + 'static> Loader<T> {
    /// The next batch with its step. `None` after the end; see [the module](self#ends).
    pub fn next_with_step(&mut self) -> Option<Result<(u64, T)>> {
        let asked = Instant::now();
        let next = self.take_next();
        self.report.waited += asked.elapsed();
        next
    }

    fn take_next(&mut self) -> Option<Result<(u64, T)>> {
        loop {
            let delivery =
                if self.workers.are_none() { self.crew.next_here() } else { self.crew.monitor().next() };
            match delivery {
                Delivery::Ready(step, Done { made: Some((size, value)), losses }) => {
                    self.note(Some(size), losses);
                    self.barren = 0;
                    return Some(Ok((step, value)));
                }
                Delivery::Ready(step, Done { made: None, losses }) => {
                    self.barren += 1;
                    let is_hopeless = self.barren >= BARREN;
                    let error = losses.last().filter(|_| is_hopeless).map(hopeless);
                    self.note(None, losses);
                    if let Some(error) = error {
                        self.crew.monitor().stop();
                        return Some(Err(error.at_step(step)));
                    }
                }
                Delivery::Failed(error) => return Some(Err(error)),
                Delivery::Held => return Some(Err(held())),
                Delivery::Wait | Delivery::End => return None,
            }
        }
    }

    fn note(&mut self, size: Option<Size>, losses: Vec<Loss>) {
        if let Some(told) = &self.on_lost {
            losses.iter().for_each(told);
        }
        self.report.add(size, losses);
    }

    /// The step that comes next; in [`Order::AsCompleted`] the lowest that has not come.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.crew.monitor().cursor().next()
    }

    /// Where the run stands: what [`LoaderBuilder::resume`] goes on from. It counts what the caller was given, not what was read
    /// ahead. The first call reads some records of every stream, by which the data are told from others.
    ///
    /// # Errors
    /// Data errors of these records, unless lost ones are left out.
    pub fn state(&self) -> Result<State> {
        let identities = match self.identities.get() {
            Some(identities) => identities,
            None => {
                let read = self.crew.identities()?;
                self.identities.get_or_init(|| read)
            }
        };
        Ok(State::new(self.sampler(), &self.crew.monitor().cursor(), identities))
    }

    /// The order of the records.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        self.crew.feed().sampler()
    }

    /// The streams with their names.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = (&str, &Stream)> {
        self.crew.feed().streams()
    }

    /// After how many steps every record was seen; see [`Sampler::steps_per_cycle`].
    #[must_use]
    pub fn steps_per_cycle(&self) -> Option<u64> {
        self.sampler().steps_per_cycle()
    }

    /// What was delivered so far, how long the caller waited, and what was lost.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Makes `step` the next one. What was read ahead is dropped. A loader that has ended stays so.
    pub fn seek(&mut self, step: u64) {
        self.crew.monitor().seek(Cursor::at(step));
    }

    /// Goes on at `step` with new threads, also after an error: for whoever takes an error for no reason to end. The streams, which
    /// are as they were opened, are not compared with anything. A [`Stopper`] that was made before stops nothing any more.
    ///
    /// # Errors
    /// [`Code::Io`] where the system has no more threads; the loader has ended then.
    pub fn restart(&mut self, step: u64) -> Result<()> {
        self.crew.monitor().stop();
        self.workers.join();
        self.crew = self.crew.anew(self.pace.monitor(Cursor::at(step), self.end));
        self.barren = 0;
        let started = self.workers.start(&self.crew, self.pace.workers);
        started.inspect_err(|_| self.crew.monitor().stop())
    }

    /// A handle by which another thread ends this loader, also while a call waits for its next batch.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper::of(&self.crew)
    }

    /// The batches of epoch `n` and no more: of a cycle in [`Mode::Cyclic`](crate::Mode::Cyclic), of a pass through the records
    /// in [`Mode::Sequential`](crate::Mode::Sequential); [`Sampler::epoch`] says which steps these are.
    ///
    /// It goes on where the run stands if that is inside of the epoch, as after resuming, and else goes to the start of the epoch.
    /// In the order of steps, batches of the next epoch are made ahead while it runs; as they are completed they wait for its end.
    ///
    /// # Errors
    /// Those of [`Sampler::epoch`].
    pub fn epoch(&mut self, n: u64) -> Result<Epoch<'_, T>> {
        let steps = self.sampler().epoch(n)?;
        let step = self.step();
        // Nor does an epoch without steps throw away what was made ahead.
        if step != steps.start && !steps.contains(&step) {
            self.seek(steps.start);
        }
        Ok(Epoch::new(self, steps.end))
    }
}

fn hopeless(last: &Loss) -> Error {
    let text = format!(
        "nothing of {} steps in a row could be read; the last reason was: {}",
        BARREN,
        last.error.message()
    );
    Error::new(last.error.code(), text).in_stream(last.stream.clone()).at_record(last.record)
}

fn held() -> Error {
    Error::new(
        Code::BatchesHeld,
        "all batches of the loader are kept by the caller: drop one before the next is asked for, detach those that are to stay, or \
         raise the prefetch",
    )
}

impl<T: Send + 'static> Iterator for Loader<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.next_with_step().map(|next| next.map(|(_, value)| value))
    }
}

impl<T: Send + 'static> Drop for Loader<T> {
    fn drop(&mut self) {
        self.crew.monitor().stop();
        self.workers.join();
    }
}

impl<T: Send + 'static> fmt::Debug for Loader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader")
            .field("feed", self.crew.feed())
            .field("step", &self.step())
            .finish_non_exhaustive()
    }
}
