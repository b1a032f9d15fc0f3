//! Ctrl-C: the first one asks the work to stop, the second one ends the process.

#[cfg(all(feature = "terminal", any(unix, windows)))]
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use recask::{Code, Error, Progress};

/// The exit status of interrupted work, as shells give it.
pub(crate) const STATUS: u8 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);
/// Set by a program that the command runs inside of.
static FLAG: RwLock<Option<Arc<AtomicBool>>> = RwLock::new(None);

/// Takes over SIGINT and SIGTERM.
pub(crate) fn install() {
    REQUESTED.store(false, Ordering::Relaxed);
    // Fails when a handler is there already, from an earlier run in this process: it does the same.
    #[cfg(all(feature = "terminal", any(unix, windows)))]
    let _ = ctrlc::set_handler(on_signal);
}

#[cfg(all(feature = "terminal", any(unix, windows)))]
fn on_signal() {
    if REQUESTED.swap(true, Ordering::Relaxed) {
        std::process::exit(i32::from(STATUS));
    }
    if std::io::stderr().is_terminal() {
        crate::output::note("\nstopping and leaving a valid store; press Ctrl-C again to end at once");
    }
}

/// Stops where `flag` is set, until the answer is dropped.
pub(crate) fn watch(flag: &Arc<AtomicBool>) -> Watched {
    *FLAG.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(flag));
    Watched
}

/// A flag is watched; see [`watch`].
pub(crate) struct Watched;

impl Drop for Watched {
    fn drop(&mut self) {
        *FLAG.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Whether the work should stop.
pub(crate) fn requested() -> bool {
    let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
    REQUESTED.load(Ordering::Relaxed)
        || FLAG.read().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(is_set)
}

/// Watches nothing but Ctrl-C.
pub(crate) struct Watch;

impl Progress for Watch {
    fn proceed(&self) -> bool {
        !requested()
    }
}

/// Fails when the work should stop; for loops that no [`recask::Progress`] watches.
pub(crate) fn check() -> recask::Result<()> {
    if requested() { Err(Error::new(Code::Interrupted, "stopped on request")) } else { Ok(()) }
}
