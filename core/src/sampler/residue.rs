//! A question about remainders that the inverse of the sequential order asks.

/// The least `x` for which `x · factor mod modulus` lies in `low..=high`, where `0 < low <= high < modulus` and
/// `factor < modulus`; `None` when there is no such `x`.
///
/// Euclid's algorithm on the numbers of laps around the modulus, so a logarithmic number of rounds.
pub(super) fn least_factor_into(factor: u64, modulus: u64, low: u64, high: u64) -> Option<u64> {
    if factor == 0 {
        return None;
    }
    let direct = low.div_ceil(factor);
    // Compared by division, as the product could overflow.
    if direct <= high / factor {
        return Some(direct);
    }
    // No multiple of the factor lies inside, so x · factor = low + something + laps · modulus needs that
    // laps · modulus, modulo the factor, makes up for what is missing.
    let missing = |bound: u64| factor - bound % factor;
    let laps = least_factor_into(modulus % factor, factor, missing(high), missing(low))?;
    let reached = u128::from(low) + u128::from(laps) * u128::from(modulus);
    u64::try_from(reached.div_ceil(u128::from(factor))).ok()
}
