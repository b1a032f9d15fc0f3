//! The threads of a loader.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use recask_core::{Code, Error, Result};

use super::crew::Crew;

/// As many as a loader has unless it is told.
pub(super) const DEFAULT: usize = 2;

#[derive(Default)]
pub(super) struct Workers(Vec<JoinHandle<()>>);

impl Workers {
    /// Starts them. The ones that were started before one cannot be are there too.
    pub(super) fn start<T: Send + 'static>(&mut self, crew: &Arc<Crew<T>>, number: usize) -> Result<()> {
        for index in 0..number {
            let crew = Arc::clone(crew);
            let thread = thread::Builder::new().name(format!("recask-loader-{index}"));
            let thread = thread.spawn(move || crew.work()).map_err(|error| {
                let text = format!("could not start {number} threads: use fewer workers ({error})");
                Error::new(Code::Io, text).caused_by(error)
            })?;
            self.0.push(thread);
        }
        Ok(())
    }

    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until they have ended, which they must have been told to.
    pub(super) fn join(&mut self) {
        for worker in self.0.drain(..) {
            // A transform may hold the loader and be the last to drop it: that thread cannot wait for itself.
            if worker.thread().id() != thread::current().id() {
                // Panics have been told as errors.
                let _ = worker.join();
            }
        }
    }
}
