//! One pass through the records.

use recask_core::Result;
use recask_core::loader::Order;

use super::Loader;

/// The batches of one epoch; made by [`Loader::epoch`]. After an error it ends, as the loader does.
#[derive(Debug)]
pub struct Epoch<'l, T: Send + 'static> {
    loader: &'l mut Loader<T>,
    end: u64,
}

impl<'l, T: Send + 'static> Epoch<'l, T> {
    pub(super) fn new(loader: &'l mut Loader<T>, end: u64) -> Self {
        // Batches that come as soon as they are ready must not come before the end of the epoch. By step none does, and
        // those behind the end are made ahead.
        if loader.pace.order == Order::AsCompleted {
            let fence = loader.end.map_or(end, |last| last.min(end));
            loader.crew.monitor().set_fence(Some(fence));
        }
        Epoch { loader, end }
    }

    /// The loader, for its state and report.
    #[must_use]
    pub fn loader(&self) -> &Loader<T> {
        self.loader
    }
}

impl<T: Send + 'static> Iterator for Epoch<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.loader.step() >= self.end { None } else { self.loader.next() }
    }
}

impl<T: Send + 'static> Drop for Epoch<'_, T> {
    fn drop(&mut self) {
        self.loader.crew.monitor().set_fence(self.loader.end);
    }
}
