//! Times that are computed from columns, exact in whatever unit the comparison needs.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::block::Block;
use super::expression::Comparison;
use super::number::compare_slices;
use super::source::Source;
use super::time::{DAY, Length, days_of_month};
use crate::dtype::ByteOrder;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Moment {
    /// Attoseconds, or months among spans of months.
    Constant(i128),
    Column(Source, Length),
    Add(Box<Moment>, Box<Moment>),
    Subtract(Box<Moment>, Box<Moment>),
}

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MomentKind {
    Instant,
    Span,
    /// Months and years have no fixed length, and compare among themselves only.
    Months,
}

/// Not a time, in values of 128 bits.
const NAT: i128 = i128::MIN;

impl Moment {
    /// The constant that two constants come to.
    pub(super) fn folded(self) -> Moment {
        match &self {
            Moment::Add(left, right) => match (&**left, &**right) {
                (Moment::Constant(a), Moment::Constant(b)) => Moment::Constant(a.saturating_add(*b)),
                _ => self,
            },
            Moment::Subtract(left, right) => match (&**left, &**right) {
                (Moment::Constant(a), Moment::Constant(b)) => Moment::Constant(a.saturating_sub(*b)),
                _ => self,
            },
            _ => self,
        }
    }

    /// The longest unit that every value is a whole number of; 0 for constants of 0.
    fn unit(&self, kind: MomentKind) -> u128 {
        match self {
            Moment::Constant(value) => value.unsigned_abs(),
            Moment::Column(_, Length::Fixed(length)) => length.unsigned_abs(),
            Moment::Column(_, Length::Months(months)) if kind == MomentKind::Months => months.unsigned_abs(),
            Moment::Column(_, Length::Months(_)) => DAY.unsigned_abs(),
            Moment::Add(left, right) | Moment::Subtract(left, right) => {
                common_divisor(left.unit(kind), right.unit(kind))
            }
        }
    }

    /// Counts of `unit`. Values beyond 128 bits become the last one, which keeps their order to all others.
    fn evaluate(&self, kind: MomentKind, unit: i128, block: &Block<'_>) -> Vec<i128> {
        match self {
            Moment::Constant(value) => alloc::vec![value / unit; block.rows],
            Moment::Column(source, Length::Months(months)) if kind != MomentKind::Months => {
                let days = DAY / unit;
                ticks(*source, block, |ticks| scaled(days_of_month(ticks * months), days))
            }
            Moment::Column(source, Length::Fixed(length) | Length::Months(length)) => {
                let factor = length / unit;
                ticks(*source, block, |ticks| scaled(ticks, factor))
            }
            Moment::Add(left, right) => joined(left, right, kind, unit, block, i128::saturating_add),
            Moment::Subtract(left, right) => joined(left, right, kind, unit, block, i128::saturating_sub),
        }
    }

    /// Marks the rows that are no time.
    pub(super) fn missing(&self, kind: MomentKind, block: &Block<'_>, out: &mut [bool]) {
        let values = self.evaluate(kind, whole(self.unit(kind)), block);
        out.iter_mut().zip(values).for_each(|(out, value)| *out = value == NAT);
    }
}

/// Compares row by row; with NaT only `<>` holds.
pub(super) fn compare(
    comparison: Comparison,
    kind: MomentKind,
    (left, right): (&Moment, &Moment),
    block: &Block<'_>,
    out: &mut [bool],
) {
    let unit = whole(common_divisor(left.unit(kind), right.unit(kind)));
    let (left, right) = (left.evaluate(kind, unit, block), right.evaluate(kind, unit, block));
    compare_slices(comparison, &left, &right, out);
    for ((out, left), right) in out.iter_mut().zip(&left).zip(&right) {
        if *left == NAT || *right == NAT {
            *out = comparison == Comparison::NotEqual;
        }
    }
}

fn ticks(source: Source, block: &Block<'_>, value: impl Fn(i128) -> i128) -> Vec<i128> {
    let read = if source.order == ByteOrder::Big { i64::from_be_bytes } else { i64::from_le_bytes };
    let values = block.bytes(source).as_chunks().0.iter().map(|bytes| read(*bytes));
    values.map(|ticks| if ticks == i64::MIN { NAT } else { value(ticks.into()) }).collect()
}

fn joined(
    left: &Moment,
    right: &Moment,
    kind: MomentKind,
    unit: i128,
    block: &Block<'_>,
    apply: impl Fn(i128, i128) -> i128,
) -> Vec<i128> {
    let mut values = left.evaluate(kind, unit, block);
    for (left, right) in values.iter_mut().zip(right.evaluate(kind, unit, block)) {
        *left = if *left == NAT || right == NAT { NAT } else { apply(*left, right).max(NAT + 1) };
    }
    values
}

fn scaled(ticks: i128, factor: i128) -> i128 {
    ticks.saturating_mul(factor).max(NAT + 1)
}

fn whole(unit: u128) -> i128 {
    i128::try_from(unit.max(1)).unwrap_or(i128::MAX)
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
