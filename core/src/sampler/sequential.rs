//! One record after the other.

use alloc::vec::Vec;
use core::ops::Range;

/// Appends positions `slice` of the batch of `step`.
pub(super) fn fill(length: u64, batch: u64, step: u64, slice: Range<u64>, out: &mut Vec<u64>) {
    let mut counter = (step.wrapping_mul(batch) % length).wrapping_add(slice.start);
    let mut index = counter % length;
    for _ in slice {
        out.push(index);
        counter = counter.wrapping_add(1);
        index += 1;
        // The counter of loaderx wraps at 2^64 before the remainder is taken.
        if index == length || counter == 0 {
            index = 0;
        }
    }
}
