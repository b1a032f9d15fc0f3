//! The output of the process while the command writes to it.

/// Makes standard output and standard error wait for their readers, as every program but Node.js expects, until it is dropped.
///
/// Once `process.stdout` was used, a pipe behind it refuses what its reader does not take at once.
pub(crate) struct Blocking {
    /// Those that are to be changed back.
    #[cfg(unix)]
    changed: Vec<(std::os::fd::BorrowedFd<'static>, rustix::fs::OFlags)>,
}

impl Blocking {
    #[cfg(unix)]
    pub(crate) fn new() -> Self {
        use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

        let mut changed = Vec::new();
        for stream in [rustix::stdio::stdout(), rustix::stdio::stderr()] {
            // A stream that cannot be asked is not there, and nothing waits for it.
            if let Ok(flags) = fcntl_getfl(stream)
                && flags.contains(OFlags::NONBLOCK)
                && fcntl_setfl(stream, flags - OFlags::NONBLOCK).is_ok()
            {
                changed.push((stream, flags));
            }
        }
        Blocking { changed }
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> Self {
        Blocking {}
    }
}

#[cfg(unix)]
impl Drop for Blocking {
    fn drop(&mut self) {
        for (stream, flags) in self.changed.drain(..) {
            // It could be changed before.
            let _ = rustix::fs::fcntl_setfl(stream, flags);
        }
    }
}
