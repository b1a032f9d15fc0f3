//! From a record back to the steps at which it appears.

use core::iter::FusedIterator;
use core::ops::Range;

use super::cyclic::Cyclic;
use super::residue::least_factor_into;

/// One appearance of a record in the stream of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// The step.
    pub step: u64,
    /// The position inside of the global batch of that step. A rank finds it at `position - slice().start` of its own.
    pub position: u64,
}

/// The appearances of one record, in ascending order; made by [`Sampler::steps_of`](super::Sampler::steps_of).
///
/// In the sequential mode it covers the first 2^64 indices of the stream, in the cyclic mode all steps below 2^64.
/// Before that it ends only when the record never falls into the slice of the rank.
#[derive(Clone, Debug)]
pub struct Occurrences(Inverse);

#[derive(Clone, Debug)]
enum Inverse {
    Sequential(SequentialInverse),
    Cyclic(CyclicInverse),
}

impl Occurrences {
    pub(super) fn sequential(length: u64, batch: u64, record: u64, slice: Range<u64>) -> Self {
        let next = Some(record);
        Occurrences(Inverse::Sequential(SequentialInverse { length, batch, record, slice, next }))
    }

    pub(super) fn cyclic(order: Cyclic, record: u64, slice: Range<u64>) -> Self {
        Occurrences(Inverse::Cyclic(CyclicInverse { order, record, slice, cycle: Some(0), earliest: 0 }))
    }

    /// Makes the first appearance at `step` or later the next one, in constant time.
    ///
    /// ```
    /// use recask_core::sampler::Sampler;
    ///
    /// let sampler = Sampler::cyclic(1_000_000, 256).seed(42).build()?;
    /// let mut occurrences = sampler.steps_of(77)?;
    /// occurrences.seek(1 << 40);
    /// let next = occurrences.next().unwrap();
    /// assert!(next.step >= 1 << 40 && sampler.at(next.step)?.contains(&77));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    pub fn seek(&mut self, step: u64) {
        match &mut self.0 {
            Inverse::Sequential(inverse) => inverse.seek(step),
            Inverse::Cyclic(inverse) => inverse.seek(step),
        }
    }
}

impl Iterator for Occurrences {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        match &mut self.0 {
            Inverse::Sequential(inverse) => inverse.next(),
            Inverse::Cyclic(inverse) => inverse.next(),
        }
    }
}

impl FusedIterator for Occurrences {}

/// The sequential stream is `t mod length` for `t = 0, 1, 2, …`, so a record stands at every `length`-th place.
#[derive(Clone, Debug)]
struct SequentialInverse {
    length: u64,
    batch: u64,
    record: u64,
    slice: Range<u64>,
    /// The next place in the stream that holds the record, in the slice or not.
    next: Option<u64>,
}

impl SequentialInverse {
    fn seek(&mut self, step: u64) {
        self.next = step.checked_mul(self.batch).and_then(|first| {
            let (record, passed) = (self.record, first % self.length);
            first.checked_add(if record >= passed {
                record - passed
            } else {
                self.length - (passed - record)
            })
        });
    }

    fn next(&mut self) -> Option<Occurrence> {
        let place = self.next.and_then(|place| self.first_in_slice(place));
        self.next = place.and_then(|place| place.checked_add(self.length));
        place.map(|place| Occurrence { step: place / self.batch, position: place % self.batch })
    }

    /// The first place of the record from `place` on whose position in its batch lies in the slice.
    fn first_in_slice(&self, place: u64) -> Option<u64> {
        let Range { start, end } = self.slice;
        if start == end {
            return None;
        }
        let position = place % self.batch;
        if self.slice.contains(&position) {
            return Some(place);
        }
        // How far round the batch the position must move. The slice does not hold it, so neither end wraps.
        let turn = if position < start { start - position } else { self.batch - position + start };
        let rounds = least_factor_into(self.length % self.batch, self.batch, turn, turn + (end - start - 1))?;
        rounds.checked_mul(self.length)?.checked_add(place)
    }
}

/// One look into the permutation per cycle.
#[derive(Clone, Debug)]
struct CyclicInverse {
    order: Cyclic,
    record: u64,
    slice: Range<u64>,
    cycle: Option<u64>,
    earliest: u64,
}

impl CyclicInverse {
    fn seek(&mut self, step: u64) {
        self.cycle = Some(step / self.order.steps_per_cycle());
        self.earliest = step;
    }

    fn next(&mut self) -> Option<Occurrence> {
        if self.slice.is_empty() {
            return None;
        }
        while let Some(cycle) = self.cycle {
            let Some(first) = cycle.checked_mul(self.order.steps_per_cycle()) else {
                self.cycle = None;
                break;
            };
            self.cycle = cycle.checked_add(1);
            let Some((within, position)) = self.order.locate(cycle, self.record) else { continue };
            // Only the last cycle can reach beyond 64 bits.
            let Some(step) = first.checked_add(within) else { continue };
            if step >= self.earliest && self.slice.contains(&position) {
                return Some(Occurrence { step, position });
            }
        }
        None
    }
}
