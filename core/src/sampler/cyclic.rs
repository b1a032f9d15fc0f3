//! Every record at most once per cycle, in a new order in every cycle.

use alloc::vec::Vec;
use core::ops::Range;

use super::feistel::Permutation;
use super::mix::mix;

/// How the permutations of one seed are cut into steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cyclic {
    length: u64,
    seed: u64,
    /// Indices of every step: the batch, or the length where that is less.
    stride: u64,
    steps_per_cycle: u64,
}

impl Cyclic {
    /// Both are at least 1.
    pub(super) fn new(length: u64, batch: u64, seed: u64) -> Self {
        let stride = batch.min(length);
        // The usable positions are a multiple of the stride, so rounding up, which could overflow, changes nothing.
        Cyclic { length, seed, stride, steps_per_cycle: length / stride }
    }

    pub(super) fn steps_per_cycle(&self) -> u64 {
        self.steps_per_cycle
    }

    /// Appends positions `slice` of the batch of `step`.
    pub(super) fn fill(&self, step: u64, slice: Range<u64>, out: &mut Vec<u64>) {
        let permutation = self.permutation(step / self.steps_per_cycle);
        let first = (step % self.steps_per_cycle) * self.stride;
        out.extend(slice.map(|position| permutation.at(first + position)));
    }

    /// The step inside of `cycle`, and the position in its batch, where `record` appears; `None` where it is dropped.
    pub(super) fn locate(&self, cycle: u64, record: u64) -> Option<(u64, u64)> {
        let place = self.permutation(cycle).position_of(record);
        let step = place / self.stride;
        (step < self.steps_per_cycle).then_some((step, place % self.stride))
    }

    fn permutation(&self, cycle: u64) -> Permutation {
        Permutation::new(mix(self.seed, cycle, 0), self.length)
    }
}
