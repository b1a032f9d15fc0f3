//! Tasks on rayon's threads, or one after the other in a build without threads.

#[cfg(feature = "threads")]
mod rayon;
#[cfg(not(feature = "threads"))]
mod serial;

use recask_core::exec::Copier;

#[cfg(feature = "threads")]
pub use self::rayon::RayonExecutor;
#[cfg(not(feature = "threads"))]
pub use self::serial::RayonExecutor;
use crate::streaming;

/// How records of `record` bytes are copied into a result of `total` bytes, where it is not as usual.
fn copier_for(record: usize, total: usize) -> Option<Copier> {
    /// Records whose incomplete first and last lines do not matter.
    const LARGE_RECORD: usize = 16 << 10;
    /// About what the caches have for one of several users.
    const LARGE_RESULT: usize = 16 << 20;
    (record >= LARGE_RECORD && total >= LARGE_RESULT).then_some(streaming::copy)
}
