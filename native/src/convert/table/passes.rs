//! Progress of sources that are read more than once: in all, the bytes of the file.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Progress;

/// One of several equal passes over the same bytes.
pub(super) struct Pass<'p> {
    whole: &'p dyn Progress,
    passes: u64,
    rest: AtomicU64,
}

impl<'p> Pass<'p> {
    pub(super) fn one_of(passes: u64, whole: &'p dyn Progress) -> Self {
        Pass { whole, passes: passes.max(1), rest: AtomicU64::new(0) }
    }
}

impl Progress for Pass<'_> {
    fn advance(&self, units: u64) {
        let units = units + self.rest.load(Ordering::Relaxed);
        self.rest.store(units % self.passes, Ordering::Relaxed);
        self.whole.advance(units / self.passes);
    }

    fn proceed(&self) -> bool {
        self.whole.proceed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl Progress for Sum {
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_passes_together_are_the_bytes_of_the_file() {
        let sum = Sum::default();
        for _ in 0..2 {
            let pass = Pass::one_of(2, &sum);
            [3, 4, 1].into_iter().for_each(|units| pass.advance(units));
        }
        assert_eq!(sum.0.into_inner(), 8);
    }
}
