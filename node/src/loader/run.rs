//! A loader that runs.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recask::loader::{Loss, State, Stopper};
use recask::{Error, Loader, Result, Sampler};

use super::batch::{Delivered, Made, lost};
use super::plan::Plan;
use crate::error::{Fault, told};

/// A loader, and where it stands.
pub(super) struct Run {
    loader: Loader<Made>,
    /// After an error.
    has_ended: bool,
    standing: Arc<Standing>,
}

/// What can be said of a run without waiting for a call that runs.
pub(super) struct Standing {
    sampler: Sampler,
    losses: Losses,
    facts: Mutex<Facts>,
}

struct Facts {
    /// Behind the last batch that was given; or why the data cannot be told from others.
    state: std::result::Result<State, Arc<Error>>,
    stopper: Stopper,
    /// No loader may run any more.
    is_stopped: bool,
}

/// Records that were left out and not told of yet.
#[derive(Clone, Default)]
pub(super) struct Losses(Arc<Mutex<Vec<Fault>>>);

impl Run {
    pub(super) fn start(plan: Plan) -> Result<(Self, Arc<Standing>)> {
        let losses = Losses::default();
        let loader = plan.start(&losses)?;
        let facts =
            Facts { state: loader.state().map_err(Arc::new), stopper: loader.stopper(), is_stopped: false };
        let sampler = loader.sampler().clone();
        let standing = Arc::new(Standing { sampler, losses, facts: Mutex::new(facts) });
        Ok((Run { loader, has_ended: false, standing: Arc::clone(&standing) }, standing))
    }

    pub(super) fn next(&mut self) -> Result<Option<Delivered>> {
        let next = self.loader.next_with_step();
        // Also at the end: steps may have been left out before it.
        self.standing.facts().state = self.loader.state().map_err(Arc::new);
        match next {
            Some(Ok((step, made))) => Ok(Some(Delivered { step, made, losses: self.standing.take_losses() })),
            Some(Err(error)) => {
                self.has_ended = true;
                Err(error)
            }
            None => Ok(None),
        }
    }

    pub(super) fn seek(&mut self, step: u64) -> Result<()> {
        if self.has_ended {
            self.loader.restart(step)?;
            self.has_ended = false;
        } else {
            self.loader.seek(step);
        }
        self.standing.watch(&self.loader);
        Ok(())
    }
}

impl Standing {
    /// As every door of Recask reads it.
    ///
    /// # Errors
    /// Of the data.
    pub(super) fn state(&self) -> napi::Result<String> {
        self.facts().state.as_ref().map(State::to_string).map_err(|error| told(error))
    }

    /// The order.
    pub(super) fn sampler(&self) -> Sampler {
        self.sampler.clone()
    }

    /// Ends the loader, and one that is started later.
    pub(super) fn stop(&self) {
        let mut facts = self.facts();
        facts.is_stopped = true;
        facts.stopper.stop();
    }

    pub(super) fn take_losses(&self) -> Vec<Fault> {
        mem::take(&mut *self.losses.lock())
    }

    fn watch(&self, loader: &Loader<Made>) {
        let mut facts = self.facts();
        facts.state = loader.state().map_err(Arc::new);
        facts.stopper = loader.stopper();
        if facts.is_stopped {
            facts.stopper.stop();
        }
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Losses {
    pub(super) fn note(&self, loss: &Loss) {
        self.lock().push(lost(loss));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
