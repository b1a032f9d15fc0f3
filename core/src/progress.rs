//! Watching and stopping long work.

/// What long work reports to. `&()` watches nothing.
pub trait Progress: Sync {
    /// So many more units are done; the operation says what its unit is.
    fn advance(&self, units: u64) {
        let _ = units;
    }

    /// Whether to go on. Work that stops early ends with [`crate::Code::Interrupted`] and leaves the store valid.
    fn proceed(&self) -> bool {
        true
    }
}

impl Progress for () {}

/// The error of work that was told to stop.
pub(crate) fn check(progress: &dyn Progress) -> crate::Result<()> {
    if progress.proceed() {
        return Ok(());
    }
    Err(crate::Error::new(
        crate::Code::Interrupted,
        "the work was interrupted; the store is as valid as before",
    ))
}
