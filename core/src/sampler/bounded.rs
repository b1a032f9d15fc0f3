//! Words of 64 random bits to indices below a bound, without bias.

/// Lemire's multiply-shift: the index below `bound` from the first word of `words` that is not rejected.
///
/// A word is rejected with a probability below one half, and hardly ever for the lengths of real data sets.
pub(super) fn below(bound: u64, mut words: impl FnMut() -> u64) -> u64 {
    let (mut low, mut high) = words().carrying_mul(bound, 0);
    // The division is needed only here, as the threshold is below the bound.
    if low < bound {
        let threshold = bound.wrapping_neg() % bound;
        while low < threshold {
            (low, high) = words().carrying_mul(bound, 0);
        }
    }
    high
}
