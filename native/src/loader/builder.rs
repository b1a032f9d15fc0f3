//! What a loader is to deliver, and how.

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Arc, OnceLock};

use recask_core::loader::{Budget, Cursor, Feed, Loss, OnLoss, Order, State};
use recask_core::sampler::{Mode, Sampler, SamplerBuilder};
use recask_core::{Code, Error, Result};

use super::crew::{Crew, Transform};
use super::workers::{self, Workers};
use super::{Batch, Loader, OnLost, Pace, Report, Stream, ranks_from_env};
use crate::seed::sampler;

/// Collects what a [`Loader`] needs; made by [`Loader::builder`].
#[must_use = "a builder does nothing until it is started"]
pub struct LoaderBuilder<T = Batch> {
    settings: Settings,
    transform: Transform<T>,
    on_lost: Option<OnLost>,
}

/// All but the transform.
#[derive(Debug)]
struct Settings {
    streams: Vec<(String, Stream)>,
    sampler: Option<Sampler>,
    batch: Option<u64>,
    mode: Option<Mode>,
    seed: Option<u64>,
    ranks: Option<(u64, u64)>,
    prefetch: usize,
    workers: usize,
    order: Order,
    on_loss: OnLoss,
    memory_limit: Option<u64>,
    first_step: Option<u64>,
    end: Option<u64>,
    resume: Option<State>,
}

impl LoaderBuilder<Batch> {
    pub(super) fn new() -> Self {
        LoaderBuilder {
            settings: Settings {
                streams: Vec::new(),
                sampler: None,
                batch: None,
                mode: None,
                seed: None,
                ranks: None,
                prefetch: 4,
                workers: workers::DEFAULT,
                order: Order::ByStep,
                on_loss: OnLoss::Fail,
                memory_limit: None,
                first_step: None,
                end: None,
                resume: None,
            },
            transform: Arc::new(Ok),
            on_lost: None,
        }
    }
}

impl<T: Send + 'static> LoaderBuilder<T> {
    /// Adds a stream: a dense or ragged store, a table, or rows and columns of one, whose rows are its records. All streams
    /// need the same number of records, and names of their own.
    pub fn stream(mut self, name: impl Into<String>, stream: impl Into<Stream>) -> Self {
        self.settings.streams.push((name.into(), stream.into()));
        self
    }

    /// The order of the records, as it is: instead of [`batch`](Self::batch), [`mode`](Self::mode), [`seed`](Self::seed) and
    /// [`ranks`](Self::ranks).
    pub fn sampler(mut self, sampler: Sampler) -> Self {
        self.settings.sampler = Some(sampler);
        self
    }

    /// Records in a batch, over all ranks; 256 by default.
    pub fn batch(mut self, records: u64) -> Self {
        self.settings.batch = Some(records);
        self
    }

    /// How the order is drawn; [`Mode::Cyclic`] by default.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.settings.mode = Some(mode);
        self
    }

    /// The seed of the order; by default one from the operating system, which [`Loader::sampler`] and the state tell.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Some(seed);
        self
    }

    /// Takes the slice of `rank` out of every batch, of a world of `world` processes that share it; 0 of 1 by default.
    ///
    /// The global batch does not depend on them, so a run may be resumed with other ranks.
    pub fn ranks(mut self, rank: u64, world: u64) -> Self {
        self.settings.ranks = Some((rank, world));
        self
    }

    /// [`ranks`](Self::ranks) from the variables `RANK` and `WORLD_SIZE`, which `torchrun` and its like set.
    ///
    /// # Errors
    /// Those of [`ranks_from_env`].
    pub fn ranks_from_env(self) -> Result<Self> {
        let (rank, world) = ranks_from_env()?;
        Ok(self.ranks(rank, world))
    }

    /// How many batches are made ahead, beside those that workers are at; 4 by default.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.settings.prefetch = batches;
        self
    }

    /// How many threads read and transform, each a whole batch; 2 by default, 0 in a build without threads. A single read uses all threads of rayon as it is,
    /// so one or two are enough unless the transform takes long. With 0, the thread that asks for a batch makes it.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// The order in which batches come; by default that of their steps, however many workers there are.
    pub fn order(mut self, order: Order) -> Self {
        self.settings.order = order;
        self
    }

    /// What to do about records that cannot be read; by default the run ends with the error.
    pub fn on_loss(mut self, on_loss: OnLoss) -> Self {
        self.settings.on_loss = on_loss;
        self
    }

    /// Refuses to start where the batches may take more bytes than this together; see [`budget`](Self::budget).
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.settings.memory_limit = Some(bytes);
        self
    }

    /// The step to begin with, instead of 0 or where a state says.
    pub fn first_step(mut self, step: u64) -> Self {
        self.settings.first_step = Some(step);
        self
    }

    /// The step behind the last: there the loader ends, and nothing behind it is read. It is endless by default.
    pub fn end(mut self, step: u64) -> Self {
        self.settings.end = Some(step);
        self
    }

    /// Is told of every record that is left out, by whoever asks for batches, when its step is passed.
    pub fn on_lost(mut self, told: impl Fn(&Loss) + Send + Sync + 'static) -> Self {
        self.on_lost = Some(Box::new(told));
        self
    }

    /// Goes on where [`Loader::state`] was taken. Mode, seed and batch come from the state; ranks, workers and all else may be
    /// others than before. What is set besides must not contradict the state.
    pub fn resume(mut self, state: State) -> Self {
        self.settings.resume = Some(state);
        self
    }

    /// Applies `transform` to every batch, on the threads of the workers: decoding, augmenting, collating. It may give another
    /// type, and may be called several times; the transforms then follow each other.
    ///
    /// An error or a panic of it reaches the caller as an error of its step ([`Code::TransformFailed`], [`Code::Panicked`]), once,
    /// and the loader ends. It must not wait for the thread that drops the loader, which waits for it.
    pub fn transform<U, X>(
        self,
        transform: impl Fn(T) -> Result<U, X> + Send + Sync + 'static,
    ) -> LoaderBuilder<U>
    where
        X: Into<Box<dyn StdError + Send + Sync>>,
    {
        let before = self.transform;
        let transform: Transform<U> = Arc::new(move |batch| transform(before(batch)?).map_err(failed));
        LoaderBuilder { settings: self.settings, transform, on_lost: self.on_lost }
    }

    /// The most memory that the batches of this loader take together, known before it starts: every batch that can be alive at
    /// once, each as large as the largest that can come. What a transform makes is its own.
    ///
    /// For ragged streams this reads the table of records.
    ///
    /// # Errors
    /// Those of [`start`](Self::start) that concern streams and order, and data errors.
    pub fn budget(&self) -> Result<Budget> {
        let Settings { streams, prefetch, workers, .. } = &self.settings;
        let feed = Feed::new(streams.clone(), self.settings.sampler_for(length_of(streams)?)?)?;
        feed.budget(*prefetch, *workers)
    }

    /// Starts the workers.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`], [`Code::ShapeMismatch`] where streams, order and ranks do not fit together;
    /// [`Code::StateMismatch`] where a state is of other data, saying what differs; [`Code::TooLarge`] where the memory limit is
    /// too small; beside a state data errors of the records that tell the data apart; [`Code::Io`] where the system has no more threads;
    /// [`Code::Unsupported`] for workers in a build without threads.
    pub fn start(self) -> Result<Loader<T>> {
        let LoaderBuilder { settings, transform, on_lost } = self;
        let sampler = settings.sampler_for(length_of(&settings.streams)?)?;
        let Settings {
            streams,
            prefetch,
            workers,
            order,
            on_loss,
            memory_limit,
            first_step,
            end,
            resume,
            ..
        } = settings;
        let feed = Feed::new(streams, sampler)?;
        if let Some(limit) = memory_limit {
            check_limit(&feed.budget(prefetch, workers)?, limit)?;
        }
        let identities = OnceLock::new();
        if let Some(state) = &resume {
            let read = feed.identities(on_loss)?;
            state.check(feed.sampler().length(), &read)?;
            identities.get_or_init(|| read);
        }
        let cursor = match (first_step, &resume) {
            (Some(step), _) => Cursor::at(step),
            (None, Some(state)) => state.cursor().clone(),
            (None, None) => Cursor::default(),
        };
        let pace = Pace { prefetch, workers, order };
        let crew = Crew::new(feed, on_loss, transform, pace.monitor(cursor, end));
        let mut loader = Loader {
            crew,
            pace,
            end,
            workers: Workers::default(),
            identities,
            report: Report::default(),
            on_lost,
            barren: 0,
        };
        // The loader, dropped on failure, stops those that were started.
        loader.workers.start(&loader.crew, workers)?;
        Ok(loader)
    }
}

impl Settings {
    fn sampler_for(&self, length: u64) -> Result<Sampler> {
        if let Some(sampler) = &self.sampler {
            self.check_alone()?;
            let Some(state) = &self.resume else { return Ok(sampler.clone()) };
            let resumed = state.sampler(sampler.rank(), sampler.world())?;
            if resumed == *sampler {
                return Ok(resumed);
            }
            let text = format!(
                "the state is of {}, the sampler that was given of {}",
                in_words(&resumed),
                in_words(sampler)
            );
            return Err(Error::new(Code::StateMismatch, text));
        }
        let (rank, world) = self.ranks.unwrap_or((0, 1));
        if let Some(state) = &self.resume {
            let resumed = state.sampler(rank, world)?;
            self.check_against(&resumed)?;
            // For streams of another length too: the state then tells all that differs.
            let builder = Sampler::builder(resumed.mode(), length, resumed.batch()).seed(resumed.seed());
            return builder.shard(rank, world).build();
        }
        let mode = self.mode.unwrap_or(Mode::Cyclic);
        let mut builder: SamplerBuilder = sampler(mode, length, self.batch.unwrap_or(256)).shard(rank, world);
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        builder.build()
    }

    /// Refuses parameters of an order beside a whole one.
    fn check_alone(&self) -> Result<()> {
        let given = [
            ("batch", self.batch.is_some()),
            ("mode", self.mode.is_some()),
            ("seed", self.seed.is_some()),
            ("ranks", self.ranks.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                let text = format!("both a sampler and {name} are given; set {name} in the sampler");
                Err(Error::new(Code::InvalidArgument, text))
            }
            None => Ok(()),
        }
    }

    /// Refuses parameters that differ from those of a state.
    fn check_against(&self, state: &Sampler) -> Result<()> {
        let differs = |name: &str, given: &dyn fmt::Display, kept: &dyn fmt::Display| {
            let text = format!(
                "the state is of {name} {kept}, but {name} {given} is given; leave it out, or start anew"
            );
            Err(Error::new(Code::StateMismatch, text))
        };
        match (self.batch, self.mode, self.seed) {
            (Some(batch), _, _) if batch != state.batch() => differs("batch", &batch, &state.batch()),
            (_, Some(mode), _) if mode != state.mode() => differs("mode", &mode, &state.mode()),
            (_, _, Some(seed)) if seed != state.seed() => differs("seed", &seed, &state.seed()),
            _ => Ok(()),
        }
    }
}

fn length_of(streams: &[(String, Stream)]) -> Result<u64> {
    match streams.first() {
        // What the others have is compared where they come together.
        Some((_, first)) if !first.is_empty() => Ok(first.len()),
        Some((name, _)) => {
            let text = format!("the stream '{name}' has no records, so there is nothing to load");
            Err(Error::new(Code::InvalidArgument, text))
        }
        None => Err(Error::new(Code::InvalidArgument, "a loader needs at least one stream")),
    }
}

fn check_limit(budget: &Budget, limit: u64) -> Result<()> {
    if budget.bytes() <= limit {
        return Ok(());
    }
    let text = format!(
        "{} batches of up to {} bytes may need {} bytes, more than the limit of {limit}: take a smaller batch, less prefetch or \
         fewer workers",
        budget.batches(),
        budget.batch_bytes(),
        budget.bytes()
    );
    Err(Error::new(Code::TooLarge, text))
}

fn in_words(sampler: &Sampler) -> String {
    let (mode, seed, batch, length) = (sampler.mode(), sampler.seed(), sampler.batch(), sampler.length());
    format!("mode {mode}, seed {seed}, batch {batch} and {length} records")
}

/// The error of a transform, which keeps the transform's own as its source.
fn failed(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    let error = error.into();
    Error::new(Code::TransformFailed, format!("the transform failed: {error}")).caused_by_boxed(error)
}

impl<T> fmt::Debug for LoaderBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
