//! The reduction of some values, and how two of them add up.

use super::{Missing, Number, Summary};
use crate::dtype::Kind;

/// What some values reduce to, missing ones left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Partial {
    count: u64,
    missing: u64,
    minimum: Option<Number>,
    maximum: Option<Number>,
    sum: Sum,
    mean: f64,
    /// The sum of squared distances from the mean.
    spread: f64,
}

#[derive(Clone, Copy, Debug, Default)]
enum Sum {
    #[default]
    Nothing,
    Int(i128),
    /// A sum and what rounding took from it (Neumaier).
    Float {
        plain: f64,
        lost: f64,
    },
}

impl Partial {
    pub(super) fn of_integers(values: impl Iterator<Item = i128> + Clone, missing: u64) -> Self {
        let mut partial = Partial { missing, ..Partial::default() };
        let mut extremes = None;
        let mut sum = 0;
        for value in values.clone() {
            partial.count += 1;
            sum += value;
            extremes = Some(
                extremes
                    .map_or((value, value), |(low, high): (i128, i128)| (low.min(value), high.max(value))),
            );
        }
        partial.minimum = extremes.map(|(low, _)| Number::Int(low));
        partial.maximum = extremes.map(|(_, high)| Number::Int(high));
        partial.sum = Sum::Int(sum);
        partial.centred(values.map(|value| value as f64))
    }

    pub(super) fn of_floats(values: impl Iterator<Item = f64> + Clone) -> Self {
        let mut partial = Partial::default();
        let mut extremes = None;
        let mut sum = Sum::Float { plain: 0.0, lost: 0.0 };
        for value in values.clone() {
            if value.is_nan() {
                partial.missing += 1;
                continue;
            }
            partial.count += 1;
            sum = sum.and(Sum::Float { plain: value, lost: 0.0 });
            extremes = Some(
                extremes.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))),
            );
        }
        partial.minimum = extremes.map(|(low, _)| Number::Float(low));
        partial.maximum = extremes.map(|(_, high)| Number::Float(high));
        partial.sum = sum;
        partial.centred(values.filter(|value| !value.is_nan()))
    }

    fn centred(mut self, values: impl Iterator<Item = f64>) -> Self {
        self.mean = self.exact_mean().unwrap_or(0.0);
        self.spread = values.map(|value| (value - self.mean) * (value - self.mean)).sum();
        self
    }

    /// The reduction of the values of both.
    pub(super) fn and(self, other: Self) -> Self {
        let pick = |a: Option<Number>, b: Option<Number>, b_wins: fn(&Number, &Number) -> bool| match (a, b) {
            (Some(a), Some(b)) => Some(if b_wins(&b, &a) { b } else { a }),
            (a, b) => a.or(b),
        };
        let count = self.count + other.count;
        let (mean, spread) = if self.count == 0 {
            (other.mean, other.spread)
        } else if other.count == 0 {
            (self.mean, self.spread)
        } else {
            let distance = other.mean - self.mean;
            let share = other.count as f64 / count as f64;
            let between = distance * distance * self.count as f64 * share;
            (self.mean + distance * share, self.spread + other.spread + between)
        };
        Partial {
            count,
            missing: self.missing + other.missing,
            minimum: pick(self.minimum, other.minimum, |b, a| b < a),
            maximum: pick(self.maximum, other.maximum, |b, a| b > a),
            sum: self.sum.and(other.sum),
            mean,
            spread,
        }
    }

    pub(super) fn summary(&self, kind: Kind, missing: Missing) -> Summary {
        let is_float = kind == Kind::Float;
        let zero = if is_float { Number::Float(0.0) } else { Number::Int(0) };
        let mut summary = Summary {
            count: self.count + self.missing,
            missing: self.missing,
            minimum: self.minimum,
            maximum: self.maximum,
            minimum_text: None,
            maximum_text: None,
            sum: (kind != Kind::DateTime).then(|| self.sum.total().unwrap_or(zero)),
            mean: self.exact_mean(),
            deviation: (self.count > 0).then(|| libm::sqrt(self.spread / self.count as f64)),
        };
        if self.missing > 0 && missing == Missing::Propagate {
            let number = if is_float { Number::Float(f64::NAN) } else { Number::NotATime };
            summary.minimum = Some(number);
            summary.maximum = Some(number);
            summary.sum = summary.sum.map(|_| number);
            summary.mean = Some(f64::NAN);
            summary.deviation = Some(f64::NAN);
        }
        summary
    }

    fn exact_mean(&self) -> Option<f64> {
        let total = match self.sum.total()? {
            Number::Int(total) => total as f64,
            Number::Float(total) => total,
            Number::NotATime => f64::NAN,
        };
        (self.count > 0).then(|| total / self.count as f64)
    }
}

impl Sum {
    fn and(self, other: Sum) -> Sum {
        match (self, other) {
            (Sum::Nothing, sum) | (sum, Sum::Nothing) => sum,
            // 2^63 values of 64 bits stay below 2^127.
            (Sum::Int(a), Sum::Int(b)) => Sum::Int(a.saturating_add(b)),
            (Sum::Float { plain: a, lost: x }, Sum::Float { plain: b, lost: y }) => {
                let plain = a + b;
                let rounded = if a.abs() >= b.abs() { (a - plain) + b } else { (b - plain) + a };
                Sum::Float { plain, lost: x + y + rounded }
            }
            // One column has one kind of number.
            (sum, _) => sum,
        }
    }

    fn total(self) -> Option<Number> {
        match self {
            Sum::Nothing => None,
            Sum::Int(total) => Some(Number::Int(total)),
            // Where the sum is infinite the correction is NaN.
            Sum::Float { plain, lost } => {
                Some(Number::Float(if plain.is_finite() { plain + lost } else { plain }))
            }
        }
    }
}
