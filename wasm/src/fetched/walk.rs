//! Guessing what a walk from header to header will want next, so that it takes few rounds and not one a header.

use std::ops::Range;

/// The most that is guessed at once.
const MOST: u64 = 256;
/// Longer reads are no headers.
const HEADER: u64 = 64 << 10;

/// The small reads of one file that found nothing, as far as they follow each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    /// Start and length of the last one.
    last: (u64, u64),
    stride: u64,
    /// Where the next miss lies if the guesses were right.
    expected: u64,
    /// How many were guessed the last time.
    ahead: u64,
}

impl Walk {
    /// What may be wanted soon, given what is wanted now: the same again at the distance of the last two, twice as often each time
    /// the guess was right.
    pub(super) fn guess(&mut self, wanted: &Range<u64>, length: Option<u64>) -> Vec<Range<u64>> {
        let len = wanted.end.saturating_sub(wanted.start);
        let Some(length) = length.filter(|_| 0 < len && len <= HEADER) else { return Vec::new() };
        let (last, last_len) = self.last;
        let distance = wanted.start.saturating_sub(last);
        if self.stride > 0 && len == last_len && wanted.start == self.expected {
            self.ahead = (self.ahead * 2).clamp(1, MOST);
        } else {
            self.ahead = u64::from(distance > 0 && distance == self.stride && len == last_len);
            self.stride = distance;
        }
        self.last = (wanted.start, len);
        self.expected = wanted.start.saturating_add(self.stride.saturating_mul(self.ahead + 1));
        (1..=self.ahead)
            .filter_map(|step| wanted.start.checked_add(self.stride.checked_mul(step)?))
            .take_while(|start| start.saturating_add(len) <= length)
            .map(|start| start..start + len)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_headers_take_few_rounds() {
        let (mut walk, mut here, mut rounds) = (Walk::default(), Vec::new(), 0);
        for header in (0..1000u64).map(|number| 500 + number * 4096) {
            let wanted = header..header + 28;
            if !here.contains(&wanted) {
                rounds += 1;
                here.extend(walk.guess(&wanted, Some(5_000_000)));
                here.push(wanted);
            }
        }
        assert!(rounds < 15, "{rounds} rounds");
        assert!(here.iter().all(|range| range.end <= 5_000_000));
    }

    #[test]
    fn what_follows_no_rule_is_not_guessed() {
        let mut walk = Walk::default();
        for start in [0, 10, 300, 310, 5000, 5001, 90_000] {
            assert_eq!(walk.guess(&(start..start + 28), Some(1 << 20)), []);
        }
        assert_eq!(walk.guess(&(0..1 << 20), Some(1 << 30)), []);
        assert_eq!(walk.guess(&(100_000..100_028), None), []);
    }
}
