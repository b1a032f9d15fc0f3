//! Ending a loader from elsewhere.

use std::fmt;
use std::sync::{Arc, Weak};

use super::crew::Crew;

/// Ends a [`Loader`](super::Loader); made by [`Loader::stopper`](super::Loader::stopper). It keeps nothing alive.
///
/// ```
/// # use recask::{DType, DenseStore, Loader};
/// # let folder = tempfile::tempdir()?;
/// # let mut values = DenseStore::builder(DType::U8, ()).create(folder.path().join("values"))?;
/// # values.append(&[0u8; 10])?;
/// let mut loader = Loader::builder().stream("value", values).batch(2).start()?;
/// let stopper = loader.stopper();
/// let read = std::thread::spawn(move || loader.by_ref().take_while(Result::is_ok).count());
/// stopper.stop();
/// assert!(read.join().is_ok()); // without, it would read for ever
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Stopper(Weak<dyn Stop>);

trait Stop: Send + Sync {
    fn stop(&self);
}

impl<T: Send + 'static> Stop for Crew<T> {
    fn stop(&self) {
        self.monitor().stop();
    }
}

impl Stopper {
    pub(super) fn of<T: Send + 'static>(crew: &Arc<Crew<T>>) -> Self {
        let crew: Arc<dyn Stop> = Arc::<Crew<T>>::clone(crew);
        Stopper(Arc::downgrade(&crew))
    }

    /// From now on the loader has no more batches; its state stays what it is. Work that was begun is finished and dropped.
    pub fn stop(&self) {
        if let Some(crew) = self.0.upgrade() {
            crew.stop();
        }
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}
