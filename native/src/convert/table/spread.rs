//! Progress of sources that are counted in rows: in all, the bytes of the file.

use recask_core::Result;

use super::super::problem::check;
use crate::Progress;

/// Rows reported as the bytes that they make of a file.
pub(super) struct Spread<'p> {
    whole: &'p dyn Progress,
    bytes: u64,
    rows: u64,
    done: u64,
}

impl<'p> Spread<'p> {
    pub(super) fn new(whole: &'p dyn Progress, bytes: u64, rows: u64) -> Self {
        Spread { whole, bytes, rows, done: 0 }
    }

    /// So many rows more are done.
    pub(super) fn advance(&mut self, rows: u64) -> Result<()> {
        let before = self.reached();
        self.done = self.done.saturating_add(rows).min(self.rows);
        self.whole.advance(self.reached() - before);
        check(self.whole)
    }

    fn reached(&self) -> u64 {
        let share = u128::from(self.bytes) * u128::from(self.done) / u128::from(self.rows.max(1));
        u64::try_from(share).unwrap_or(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl Progress for Sum {
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_rows_together_are_the_bytes_of_the_file() {
        let sum = Sum::default();
        let mut spread = Spread::new(&sum, 1000, 7);
        (0..7).for_each(|_| spread.advance(1).unwrap());
        assert_eq!(sum.0.into_inner(), 1000);
    }
}
