//! Counts and offsets as the numbers of JavaScript, which are exact up to 2^53; seeds and steps as its big integers.

use napi::bindgen_prelude::{BigInt, TypedArrayType, Unknown};
use recask::Result;

use crate::error::invalid;
use crate::memory::Given;

/// The largest number up to which every whole number has a place.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A count, an offset or an index as JavaScript has it.
#[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 of anything")]
pub(crate) fn count(value: u64) -> f64 {
    value as f64
}

/// A count as JavaScript gives it.
pub(crate) fn whole(number: f64) -> Result<u64> {
    if (0.0..=EXACT).contains(&number) && number.fract() == 0.0 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just now")]
        return Ok(number as u64);
    }
    Err(invalid(format!("{number} is no whole number between 0 and 2^53")))
}

/// Counts in a `Float64Array`.
pub(crate) fn counts(list: &Unknown<'_>) -> Result<Vec<u64>> {
    match Given::of_any(list)? {
        (TypedArrayType::Float64, list) => list.read(|bytes| {
            bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<f64>).map(whole).collect()
        }),
        _ => Err(invalid("a Float64Array is wanted here")),
    }
}

/// A compression level as JavaScript gives it.
pub(crate) fn level(number: f64) -> Result<i32> {
    if number.fract() != 0.0 || number.abs() > 1e6 || number.is_nan() {
        return Err(invalid(format!("{number} is no compression level")));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
    Ok(number as i32)
}

/// A seed, a step or a length of 64 bits.
pub(crate) fn long(number: &BigInt) -> Result<u64> {
    let (is_negative, value, is_exact) = number.get_u64();
    if is_exact && (!is_negative || value == 0) {
        return Ok(value);
    }
    Err(invalid("a seed, step or length is a whole number between 0 and 2^64 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_are_whole() {
        assert_eq!(whole(0.0).unwrap(), 0);
        assert_eq!(whole(EXACT).unwrap(), 1 << 53);
        for number in [-1.0, 0.5, f64::NAN, f64::INFINITY, EXACT * 2.0] {
            assert!(whole(number).is_err(), "{number}");
        }
    }

    #[test]
    fn levels_may_be_negative() {
        assert_eq!(level(-7.0).unwrap(), -7);
        for number in [1.5, f64::NAN, f64::NEG_INFINITY, 3e9] {
            assert!(level(number).is_err(), "{number}");
        }
    }

    #[test]
    fn sixty_four_bits_are_taken_whole() {
        assert_eq!(long(&BigInt::from(u64::MAX)).unwrap(), u64::MAX);
        assert_eq!(long(&BigInt::from(0u64)).unwrap(), 0);
        assert!(long(&BigInt::from(-1i64)).is_err());
        assert!(long(&BigInt::from(u128::from(u64::MAX) + 1)).is_err());
    }
}
