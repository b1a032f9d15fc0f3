//! A test that hangs tells which it is.

use std::io::{Write as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Ends the process when it is not dropped in time.
pub(crate) struct Watchdog(
    #[expect(dead_code, reason = "the watching thread sees that it is dropped")] Sender<()>,
);

/// Gives what follows 20 seconds.
pub(crate) fn watch(test: &'static str) -> Watchdog {
    watch_for(test, Duration::from_secs(20))
}

pub(crate) fn watch_for(test: &'static str, limit: Duration) -> Watchdog {
    let (alive, dropped) = channel::<()>();
    let watching = move || {
        if dropped.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            // Not what `eprintln!` writes to, which nobody sees when the process ends like this.
            let _ = writeln!(stderr(), "{test} still runs after {limit:?}: it hangs");
            std::process::abort();
        }
    };
    thread::Builder::new().name("watchdog".into()).spawn(watching).unwrap();
    Watchdog(alive)
}
