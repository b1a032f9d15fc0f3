//! A comparison with a constant as the range of values that pass it. Everything that compares one column with constants
//! becomes such a range, exactly, so that one loop for each type does it all.

use super::expression::Comparison;

/// Values from `low` to `high` pass, both included; with `negated`, all others and NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds<T> {
    pub(super) low: T,
    pub(super) high: T,
    pub(super) negated: bool,
}

impl Bounds<i128> {
    /// The integers for which `integer <comparison> constant` holds, where the constant is `floor`, or, if not
    /// `is_whole`, between `floor` and the next integer.
    pub(super) fn integers(comparison: Comparison, floor: i128, is_whole: bool) -> Self {
        let below = if is_whole { floor.saturating_sub(1) } else { floor };
        let above = floor.saturating_add(1);
        let from = if is_whole { floor } else { above };
        let (low, high) = match comparison {
            Comparison::Equal | Comparison::NotEqual if is_whole => (floor, floor),
            Comparison::Equal | Comparison::NotEqual => (1, 0),
            Comparison::Less => (i128::MIN, below),
            Comparison::LessEqual => (i128::MIN, floor),
            Comparison::Greater => (above, i128::MAX),
            Comparison::GreaterEqual => (from, i128::MAX),
        };
        Bounds { low, high, negated: comparison == Comparison::NotEqual }
    }

    /// The same for a constant that may have a fraction, or be no number.
    pub(super) fn integers_by_float(comparison: Comparison, constant: f64) -> Self {
        match floor(constant) {
            Some((floor, is_whole)) => Bounds::integers(comparison, floor, is_whole),
            None => Bounds { low: 1, high: 0, negated: comparison == Comparison::NotEqual },
        }
    }

    /// Those of both, where both are plain ranges.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (!self.negated && !other.negated).then_some(Bounds { low, high, negated: false })
    }
}

impl Bounds<f64> {
    /// The floats for which `float <comparison> constant` holds.
    pub(super) fn floats(comparison: Comparison, constant: f64) -> Self {
        Bounds::between_floats(comparison, constant, constant)
    }

    /// The same for an integer, which may lie between two floats.
    pub(super) fn floats_by_integer(comparison: Comparison, constant: i128) -> Self {
        let (at_most, at_least) = neighbours(constant);
        Bounds::between_floats(comparison, at_most, at_least)
    }

    /// The constant is the greatest float that is not above it, and the least that is not below it.
    fn between_floats(comparison: Comparison, at_most: f64, at_least: f64) -> Self {
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let is_float = at_most.total_cmp(&at_least).is_eq();
        let (low, high) = match comparison {
            _ if at_most.is_nan() => nothing,
            Comparison::Equal | Comparison::NotEqual if is_float => (at_most, at_most),
            Comparison::Equal | Comparison::NotEqual => nothing,
            Comparison::LessEqual => (f64::NEG_INFINITY, at_most),
            Comparison::GreaterEqual => (at_least, f64::INFINITY),
            Comparison::Less if !is_float => (f64::NEG_INFINITY, at_most),
            Comparison::Greater if !is_float => (at_least, f64::INFINITY),
            Comparison::Less if at_most == f64::NEG_INFINITY => nothing,
            Comparison::Greater if at_least == f64::INFINITY => nothing,
            Comparison::Less => (f64::NEG_INFINITY, at_most.next_down()),
            Comparison::Greater => (at_least.next_up(), f64::INFINITY),
        };
        Bounds { low, high, negated: comparison == Comparison::NotEqual }
    }

    /// Those of both, where both are plain ranges.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (!self.negated && !other.negated).then_some(Bounds { low, high, negated: false })
    }
}

/// The greatest integer that is not above a float, and whether it is the float; `None` for NaN. Floats beyond 2^100 have
/// 2^100 or its negative as theirs, which no column reaches.
pub(super) fn floor(float: f64) -> Option<(i128, bool)> {
    const FAR: i128 = 1 << 100;
    if float.is_nan() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "truncates, and saturates where it does not fit")]
    let truncated = (float as i128).clamp(-FAR, FAR);
    let back = to_float(truncated);
    Some((
        if back > float && truncated > -FAR { truncated - 1 } else { truncated },
        float_equals(back, float),
    ))
}

/// The nearest float.
#[expect(clippy::cast_precision_loss, reason = "rounds, as its callers know")]
pub(super) fn to_float(integer: i128) -> f64 {
    integer as f64
}

/// The float of an integer that is one.
pub(super) fn exact_float(integer: i128) -> Option<f64> {
    let (at_most, at_least) = neighbours(integer);
    float_equals(at_most, at_least).then_some(at_most)
}

/// The greatest float that is not above an integer, and the least that is not below it.
fn neighbours(integer: i128) -> (f64, f64) {
    let nearest = to_float(integer);
    // 2^127 is a float, but not an `i128`.
    #[expect(clippy::cast_possible_truncation, reason = "whole, and checked to fit")]
    let difference =
        if nearest >= to_float(i128::MAX) { 1 } else { i128::signum((nearest as i128) - integer) };
    match difference {
        0 => (nearest, nearest),
        1 => (nearest.next_down(), nearest),
        _ => (nearest, nearest.next_up()),
    }
}

#[expect(clippy::float_cmp, reason = "exact on purpose")]
fn float_equals(a: f64, b: f64) -> bool {
    a == b
}
