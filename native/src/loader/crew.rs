//! What the workers of a loader share, and how one of them makes the batch of a step.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use recask_core::loader::{self as core, Feed, Identity, Loss, OnLoss};
use recask_core::progress::Progress;
use recask_core::sampler::Steps;
use recask_core::{Code, Error, Result};

use super::batch::{Batch, Home, Size};
use super::monitor::{Claimed, Delivery, Monitor};
use crate::Native;

/// All transforms of a loader, one after the other.
pub(super) type Transform<T> = Arc<dyn Fn(Batch) -> Result<T> + Send + Sync>;

/// A finished step.
pub(super) struct Done<T> {
    /// `None`: the step is left out.
    pub(super) made: Option<(Size, T)>,
    pub(super) losses: Vec<Loss>,
}

pub(super) struct Crew<T> {
    feed: Feed<Native>,
    /// Where the steps of the mode are only cheap one after the other.
    draws: Option<Mutex<Steps>>,
    on_loss: OnLoss,
    transform: Transform<T>,
    monitor: Monitor<Done<T>>,
    /// Of batches that are gone.
    memory: Mutex<Vec<core::Batch>>,
    this: Weak<Crew<T>>,
}

impl<T: Send + 'static> Crew<T> {
    pub(super) fn new(
        feed: Feed<Native>,
        on_loss: OnLoss,
        transform: Transform<T>,
        monitor: Monitor<Done<T>>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Crew {
            draws: feed.draws().map(Mutex::new),
            feed,
            on_loss,
            transform,
            monitor,
            memory: Mutex::default(),
            this: Weak::clone(this),
        })
    }

    /// Others for the same work, of which nothing is done yet.
    pub(super) fn anew(&self, monitor: Monitor<Done<T>>) -> Arc<Self> {
        Self::new(self.feed.clone(), self.on_loss, Arc::clone(&self.transform), monitor)
    }

    pub(super) fn feed(&self) -> &Feed<Native> {
        &self.feed
    }

    /// By what the data are told from others.
    pub(super) fn identities(&self) -> Result<Vec<Identity>> {
        self.feed.identities(self.on_loss)
    }

    pub(super) fn monitor(&self) -> &Monitor<Done<T>> {
        &self.monitor
    }

    /// Works until the loader stops.
    #[cfg(feature = "threads")]
    pub(super) fn work(&self) {
        while let Some(started) = self.start(Monitor::claim) {
            self.finish(started);
        }
    }

    /// The next batch, made on this thread: for a loader without workers.
    pub(super) fn next_here(&self) -> Delivery<Done<T>> {
        loop {
            if let Some(delivery) = self.monitor.next_now() {
                return delivery;
            }
            match self.start(Monitor::claim_now) {
                Some(started) => self.finish(started),
                None => return self.monitor.next(),
            }
        }
    }

    /// Claims a step, and draws its records where that has to happen in the order of steps.
    fn start<'c>(
        &'c self,
        claim: impl FnOnce(&'c Monitor<Done<T>>) -> Option<Claimed<'c, Done<T>>>,
    ) -> Option<Started<'c, T>> {
        let mut draws = self.draws.as_ref().map(|draws| draws.lock().unwrap_or_else(PoisonError::into_inner));
        let claimed = claim(&self.monitor)?;
        let mut batch = self.new_batch();
        let drawn = match draws.as_deref_mut() {
            Some(draws) => {
                let wanted = While(|| claimed.is_needed());
                draws
                    .seek_watched(claimed.step(), &wanted)
                    .and_then(|()| self.feed.draw(claimed.step(), Some(draws), &mut batch))
                    .map(|()| true)
            }
            None => Ok(false),
        };
        Some(Started { claimed, batch, drawn })
    }

    /// Reads, transforms and hands over.
    fn finish(&self, started: Started<'_, T>) {
        let Started { claimed, mut batch, drawn } = started;
        let step = claimed.step();
        let mut doing = Doing::Reading;
        let made = catch_unwind(AssertUnwindSafe(|| {
            if !drawn? {
                self.feed.draw(step, None, &mut batch)?;
            }
            let mut losses = Vec::new();
            if !self.feed.fill_surviving(step, self.on_loss, &mut batch, &mut losses)? {
                return Ok(Done { made: None, losses });
            }
            let size = batch.size();
            doing = Doing::Transforming;
            let value = (self.transform)(batch)?;
            Ok(Done { made: Some((size, value)), losses })
        }));
        let outcome = match made {
            Ok(made) => made.map_err(|error: Error| error.at_step(step)),
            Err(panic) => Err(doing.panicked(&*panic).at_step(step)),
        };
        claimed.complete(outcome);
    }

    fn new_batch(&self) -> Batch {
        let used = self.memory.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let home: Weak<dyn Home> = self.this.clone();
        Batch::new(used.unwrap_or_else(|| self.feed.new_batch()), home)
    }
}

impl<T: Send + 'static> Home for Crew<T> {
    fn take_back(&self, memory: Option<core::Batch>) {
        if let Some(memory) = memory {
            self.memory.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        }
        self.monitor.release();
    }
}

/// A step whose batch is to be made.
struct Started<'c, T> {
    claimed: Claimed<'c, Done<T>>,
    batch: Batch,
    /// Whether the batch knows its records.
    drawn: Result<bool>,
}

/// What was going on when something panicked.
#[derive(Clone, Copy)]
enum Doing {
    Reading,
    Transforming,
}

impl Doing {
    fn panicked(self, panic: &(dyn Any + Send)) -> Error {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("it did not say why");
        let what = match self {
            Doing::Transforming => "the transform panicked",
            Doing::Reading => "reading the batch panicked, which is a fault of recask; please report it",
        };
        Error::new(Code::Panicked, format!("{what}: {said}"))
    }
}

/// Goes on while the condition holds.
struct While<F>(F);

impl<F: Fn() -> bool + Sync> Progress for While<F> {
    fn proceed(&self) -> bool {
        self.0()
    }
}
