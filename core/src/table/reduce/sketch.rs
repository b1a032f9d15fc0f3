//! Counting different hashes: one by one while they are few, by HyperLogLog beyond.

use alloc::vec::Vec;

/// The most hashes that are counted one by one.
pub(super) const MOST_EXACT: usize = 4096;

/// Bits of a hash that choose its register.
const CHOICE: u32 = 14;
const REGISTERS: usize = 1 << CHOICE;
/// The greatest rank: all other bits are zero.
const LAST: usize = 64 - CHOICE as usize + 1;

/// What is remembered of the hashes; it depends on which they are, not on their order or number.
#[derive(Clone, Debug)]
pub(super) enum Sketch {
    /// Every hash, in the first free slot behind its own; 0 is a free slot.
    Exact { slots: Vec<u64>, count: usize },
    /// For each register the highest rank of its hashes: how many zeros start the other bits, and 1.
    Estimate { ranks: Vec<u8> },
}

impl Default for Sketch {
    fn default() -> Self {
        Sketch::Exact { slots: alloc::vec![0; 64], count: 0 }
    }
}

impl Sketch {
    pub(super) fn add(&mut self, hash: u64) {
        match self {
            Sketch::Exact { slots, count } => {
                // The hash 0 counts as 1.
                if !insert(slots, hash.max(1)) {
                    return;
                }
                *count += 1;
                if *count > MOST_EXACT {
                    let hashes = core::mem::take(slots);
                    *self = Sketch::Estimate { ranks: alloc::vec![0; REGISTERS] };
                    hashes.into_iter().filter(|&hash| hash != 0).for_each(|hash| self.add(hash));
                } else if *count * 2 > slots.len() {
                    let mut larger = alloc::vec![0; slots.len() * 4];
                    for &hash in slots.iter().filter(|&&hash| hash != 0) {
                        insert(&mut larger, hash);
                    }
                    *slots = larger;
                }
            }
            Sketch::Estimate { ranks } => {
                let hash = hash.max(1);
                let register = usize::try_from(hash >> (64 - CHOICE)).unwrap_or(0);
                let zeros = ((hash << CHOICE) | (1 << (CHOICE - 1))).leading_zeros();
                let rank = u8::try_from(zeros + 1).unwrap_or(u8::MAX);
                if let Some(highest) = ranks.get_mut(register) {
                    *highest = rank.max(*highest);
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: Sketch) {
        match (&mut *self, other) {
            (_, Sketch::Exact { slots, .. }) => {
                slots.into_iter().filter(|&hash| hash != 0).for_each(|hash| self.add(hash));
            }
            (Sketch::Estimate { ranks }, Sketch::Estimate { ranks: others }) => {
                ranks.iter_mut().zip(others).for_each(|(rank, other)| *rank = other.max(*rank));
            }
            (Sketch::Exact { .. }, estimate @ Sketch::Estimate { .. }) => {
                let exact = core::mem::replace(self, estimate);
                self.merge(exact);
            }
        }
    }

    /// The number, and whether it is exact.
    pub(super) fn count(&self) -> (u64, bool) {
        match self {
            Sketch::Exact { count, .. } => (*count as u64, true),
            Sketch::Estimate { ranks } => (estimate(ranks), false),
        }
    }
}

/// Whether a hash is new. At least one slot is free.
fn insert(slots: &mut [u64], hash: u64) -> bool {
    let mask = slots.len() - 1;
    let mut at = usize::try_from(hash & mask as u64).unwrap_or(0);
    loop {
        match slots[at] {
            0 => {
                slots[at] = hash;
                return true;
            }
            found if found == hash => return false,
            _ => at = (at + 1) & mask,
        }
    }
}

/// Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches", algorithm 6): without bias for all
/// numbers, so that it needs no tables.
fn estimate(ranks: &[u8]) -> u64 {
    let mut counts = [0.0; LAST + 1];
    for &rank in ranks {
        counts[usize::from(rank).min(LAST)] += 1.0;
    }
    let registers = REGISTERS as f64;
    let mut z = registers * tau(1.0 - counts[LAST] / registers);
    for count in counts[1..LAST].iter().rev() {
        z = 0.5 * (z + count);
    }
    z += registers * sigma(counts[0] / registers);
    let estimate = registers * registers / (2.0 * core::f64::consts::LN_2 * z);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
    let rounded = libm::round(estimate) as u64;
    rounded
}

fn sigma(x: f64) -> f64 {
    let (mut power, mut sum, mut factor) = (x, x, 1.0);
    if x >= 1.0 {
        return f64::INFINITY;
    }
    loop {
        power *= power;
        let before = sum;
        sum += power * factor;
        factor += factor;
        if sum <= before {
            return sum;
        }
    }
}

fn tau(x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut root, mut sum, mut factor) = (x, 1.0 - x, 1.0);
    loop {
        root = libm::sqrt(root);
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - root) * (1.0 - root) * factor;
        if sum >= before {
            return sum / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(count: u64) -> impl Iterator<Item = u64> {
        (0..count).map(|number| xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes()))
    }

    fn of(hashes: impl Iterator<Item = u64>) -> Sketch {
        let mut sketch = Sketch::default();
        hashes.for_each(|hash| sketch.add(hash));
        sketch
    }

    #[test]
    fn few_are_exact() {
        for count in [0, 1, 63, 64, 4095, 4096] {
            assert_eq!(of(hashes(count).chain(hashes(count))).count(), (count, true));
        }
        assert!(!of(hashes(4097)).count().1);
        assert_eq!(of([0, 1, 2, u64::MAX].into_iter()).count(), (3, true), "0 counts as 1");
    }

    #[test]
    fn many_are_estimated_within_three_deviations() {
        for count in [4097, 5000, 10_000, 40_000, 60_000, 100_000, 300_000, 1_000_000] {
            let (estimate, is_exact) = of(hashes(count)).count();
            assert!(!is_exact);
            let wrong = estimate.abs_diff(count) as f64 / count as f64;
            assert!(wrong < 3.0 * 0.0082, "{estimate} for {count}");
        }
    }

    #[test]
    fn parts_make_the_whole_in_any_order() {
        let whole = of(hashes(20_000));
        let part =
            |first: u64, count: usize| of(hashes(20_000).skip(usize::try_from(first).unwrap()).take(count));
        let parts = [part(0, 100), part(100, 10_000), part(5_000, 15_000)];
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let mut joined = Sketch::default();
            order.into_iter().for_each(|number: usize| joined.merge(parts[number].clone()));
            let (Sketch::Estimate { ranks }, Sketch::Estimate { ranks: expected }) = (&joined, &whole) else {
                panic!("{:?}", joined.count())
            };
            assert!(ranks == expected);
        }
    }
}
