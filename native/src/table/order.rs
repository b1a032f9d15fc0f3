//! The order of names in which numbers count by their value.
//!
//! It decides which row is which in a table of many files, so it is exactly that of colstore: a name is cut into texts and
//! numbers, and these are compared one after the other.

use std::cmp::Ordering;

/// A name in this order. Names that differ in leading zeros only are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Natural<'a>(pub(super) &'a str);

impl Natural<'_> {
    /// Texts and numbers in turn, a text first; numbers without leading zeros.
    fn parts(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.0;
        let mut number = true;
        std::iter::from_fn(move || {
            number = !number;
            if rest.is_empty() && number {
                return None;
            }
            let belongs = |letter: char| letter.is_ascii_digit() == number;
            let (part, after) = rest.split_at(rest.find(|letter| !belongs(letter)).unwrap_or(rest.len()));
            rest = after;
            Some(if number { part.trim_start_matches('0') } else { part })
        })
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut ours, mut theirs) = (self.parts(), other.parts());
        let mut number = false;
        loop {
            let order = match (ours.next(), theirs.next()) {
                (None, None) => return Ordering::Equal,
                // A longer number is a larger one.
                (Some(a), Some(b)) if number => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
                (a, b) => a.cmp(&b),
            };
            if order.is_ne() {
                return order;
            }
            number = !number;
        }
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Natural<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Natural<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of `sorted(names, key=natural_sort_key)` of colstore 0.5.1.
    #[test]
    fn names_come_in_the_order_of_colstore() {
        let sorted = [
            "",
            "2x",
            "10",
            "A1",
            "a",
            "a1",
            "a1b2",
            "a1b10",
            "a2",
            "a10",
            "a10b",
            "a99999999999999999999999",
            "a100000000000000000000000",
            "ab",
            "shard_00002.cstore",
            "shard_00010.cstore",
            "shard_123456.cstore",
            "é1",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| Natural(a).cmp(&Natural(b)));
        assert_eq!(names, sorted);
    }

    #[test]
    fn leading_zeros_do_not_count() {
        assert_eq!(Natural("run_007.cstore"), Natural("run_7.cstore"));
        assert_eq!(Natural("run_0"), Natural("run_000"));
        assert_ne!(Natural("run_0"), Natural("run_"));
        assert!(Natural("run_007") < Natural("run_08"));
    }
}
