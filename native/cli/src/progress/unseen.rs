//! No bar: this build draws none.

use recask::Progress;

use super::Unit;
use crate::args::Global;
use crate::interrupt;

/// Watches for the wish to stop.
pub(crate) struct Bar(());

impl Bar {
    pub(crate) fn new(_global: Global, _title: &'static str, _total: u64, _unit: Unit) -> Self {
        Bar(())
    }
}

impl Progress for Bar {
    fn proceed(&self) -> bool {
        !interrupt::requested()
    }
}

/// As where it is drawn: it ends when it is dropped.
impl Drop for Bar {
    fn drop(&mut self) {}
}
