//! Where a run stands.

use alloc::vec::Vec;

/// The lowest step that was not delivered, and those above it that were.
///
/// There are such only where batches come as soon as they are ready ([`Order::AsCompleted`](super::Order::AsCompleted)).
/// The default is the start.
///
/// ```
/// use recask_core::loader::Cursor;
///
/// let cursor = Cursor::new(3, [7, 3, 4, 1]); // 3 and 4 were delivered as well, so 5 is the lowest that was not
/// assert_eq!((cursor.next(), cursor.done()), (5, &[7][..]));
/// assert!(cursor.has(4) && !cursor.has(6));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cursor {
    next: u64,
    /// Ascending, all above `next`.
    done: Vec<u64>,
}

impl Cursor {
    /// All steps below `step` were delivered, and no other.
    #[must_use]
    pub const fn at(step: u64) -> Self {
        Cursor { next: step, done: Vec::new() }
    }

    /// All steps below `next` were delivered, and the ones in `done`, which may come in any order.
    #[must_use]
    pub fn new(next: u64, done: impl IntoIterator<Item = u64>) -> Self {
        let mut done: Vec<u64> = done.into_iter().filter(|step| *step >= next).collect();
        done.sort_unstable();
        done.dedup();
        let mut cursor = Cursor { next, done };
        cursor.pass_over_done();
        cursor
    }

    /// The lowest step that was not delivered.
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// The steps above [`Cursor::next`] that were delivered, ascending.
    #[must_use]
    pub fn done(&self) -> &[u64] {
        &self.done
    }

    /// Whether a step was delivered.
    #[must_use]
    pub fn has(&self, step: u64) -> bool {
        step < self.next || self.done.binary_search(&step).is_ok()
    }

    /// Notes that a step was delivered.
    pub(crate) fn deliver(&mut self, step: u64) {
        if step == self.next {
            self.next = self.next.saturating_add(1);
            self.pass_over_done();
        } else if step > self.next
            && let Err(position) = self.done.binary_search(&step)
        {
            self.done.insert(position, step);
        }
    }

    fn pass_over_done(&mut self) {
        let mut passed = 0;
        while self.done.get(passed) == Some(&self.next) {
            self.next = self.next.saturating_add(1);
            passed += 1;
        }
        self.done.drain(..passed);
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_step_of_all_is_not_passed() {
        assert_eq!(Cursor::new(u64::MAX - 1, [u64::MAX, u64::MAX - 1]), Cursor::at(u64::MAX));
        let mut cursor = Cursor::at(u64::MAX);
        cursor.deliver(u64::MAX);
        assert_eq!(cursor, Cursor::at(u64::MAX));
    }

    proptest! {
        #[test]
        fn it_is_the_set_of_the_delivered_steps(
            next in 0u64..8,
            before in proptest::collection::vec(0u64..16, 0..8),
            after in proptest::collection::vec(0u64..16, 0..24),
        ) {
            let mut set: BTreeSet<u64> = (0..next).chain(before.iter().copied()).collect();
            let mut cursor = Cursor::new(next, before);
            for step in after {
                cursor.deliver(step);
                set.insert(step);
                let lowest = (0..).find(|step| !set.contains(step)).unwrap_or(u64::MAX);
                let above: Vec<u64> = set.iter().copied().filter(|step| *step > lowest).collect();
                prop_assert_eq!((cursor.next(), cursor.done()), (lowest, &above[..]));
                prop_assert!((0..20).all(|step| cursor.has(step) == set.contains(&step)));
                prop_assert_eq!(&Cursor::new(cursor.next(), above), &cursor);
            }
        }
    }
}
