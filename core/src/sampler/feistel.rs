//! A keyed permutation of `0..length` in constant memory.

use super::mix::mix;

const ROUNDS: u64 = 4;

/// A balanced Feistel network over the next even number of bits, walked until it lands inside of the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutation {
    key: u64,
    length: u64,
    half: u32,
    mask: u64,
}

impl Permutation {
    /// `length` is at least 1.
    pub(super) fn new(key: u64, length: u64) -> Self {
        let width = u64::BITS - (length - 1).leading_zeros();
        // At most 32, also for the lengths above 2^62, whose width is 63 or 64.
        let half = width.div_ceil(2);
        Permutation { key, length, half, mask: (1 << half) - 1 }
    }

    /// What stands at `position`, which is below the length.
    pub(super) fn at(&self, position: u64) -> u64 {
        self.walk(position, Self::encrypt)
    }

    /// Where `value`, which is below the length, stands.
    pub(super) fn position_of(&self, value: u64) -> u64 {
        self.walk(value, Self::decrypt)
    }

    /// The domain has less than four times the length, and the walk comes back to its start at the latest.
    fn walk(&self, mut x: u64, step: impl Fn(&Self, u64) -> u64) -> u64 {
        if self.length <= 1 {
            return 0;
        }
        loop {
            x = step(self, x);
            if x < self.length {
                return x;
            }
        }
    }

    fn encrypt(&self, x: u64) -> u64 {
        let (mut left, mut right) = (x >> self.half, x & self.mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.round(right, round));
        }
        (left << self.half) | right
    }

    fn decrypt(&self, x: u64) -> u64 {
        let (mut left, mut right) = (x >> self.half, x & self.mask);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.round(left, round), left);
        }
        (left << self.half) | right
    }

    fn round(&self, half: u64, round: u64) -> u64 {
        mix(self.key, half, round) & self.mask
    }
}
