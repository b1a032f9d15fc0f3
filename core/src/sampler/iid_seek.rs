//! Uniform with replacement, every draw on its own; [`Mode::IidSeek`](super::Mode::IidSeek) defines the values.

use alloc::vec::Vec;
use core::ops::Range;

use super::bounded::below;
use super::mix::{GOLDEN, finalise};

/// Appends positions `slice` of the batch of `step`.
pub(super) fn fill(length: u64, batch: u64, seed: u64, step: u64, slice: Range<u64>, out: &mut Vec<u64>) {
    let counter_key = finalise(seed.wrapping_add(GOLDEN));
    let attempt_key = finalise(counter_key.wrapping_add(GOLDEN));
    let first = step.wrapping_mul(batch);
    out.extend(slice.map(|position| {
        let counter = first.wrapping_add(position);
        let mut state = finalise(counter_key ^ counter).wrapping_add(attempt_key);
        below(length, || {
            let word = finalise(state);
            state = state.wrapping_add(GOLDEN);
            word
        })
    }));
}
