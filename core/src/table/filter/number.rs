//! Numbers that are computed from columns: integers exactly, everything else as 64-bit floats.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::block::Block;
use super::bounds::{floor, to_float};
use super::expression::{Comparison, Operator};
use super::invalid;
use super::source::{Native, Source, with_float, with_integer};
use super::text::Text;
use crate::dtype::ByteOrder;
use crate::error::Result;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
    Column(Source),
    Negate(Box<Number>),
    Abs(Box<Number>),
    Arithmetic(Operator, Box<Number>, Box<Number>),
    Length(Box<Text>),
}

/// The values of a number for some rows. Integers are wide only where the narrow ones could overflow.
pub(super) enum Numbers {
    Narrow(Vec<i64>),
    Wide(Vec<i128>),
    Float(Vec<f64>),
}

impl Number {
    pub(super) fn is_integer(&self) -> bool {
        match self {
            Number::Integer(_) | Number::Length(_) => true,
            Number::Float(_) | Number::Arithmetic(Operator::Divide, ..) => false,
            Number::Column(source) => !source.is_float(),
            Number::Negate(value) | Number::Abs(value) => value.is_integer(),
            Number::Arithmetic(_, left, right) => left.is_integer() && right.is_integer(),
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Number::Integer(_) | Number::Float(_))
    }

    /// The constant that it comes to, if it is made of constants only.
    pub(super) fn folded(self) -> Result<Number> {
        Ok(match self {
            Number::Negate(value) => match *value {
                Number::Integer(value) => Number::Integer(value.checked_neg().ok_or_else(|| overflow(None))?),
                Number::Float(value) => Number::Float(-value),
                value => Number::Negate(Box::new(value)),
            },
            Number::Abs(value) => match *value {
                Number::Integer(value) => Number::Integer(value.checked_abs().ok_or_else(|| overflow(None))?),
                Number::Float(value) => Number::Float(value.abs()),
                value => Number::Abs(Box::new(value)),
            },
            Number::Arithmetic(operator, left, right) => match (operator, &*left, &*right) {
                (Operator::Divide, left, right) if left.is_constant() && right.is_constant() => {
                    Number::Float(float_operation(operator, left.constant_float(), right.constant_float()))
                }
                (_, Number::Integer(left), Number::Integer(right)) => {
                    Number::Integer(wide_operation(operator, *left, *right).ok_or_else(|| overflow(None))?)
                }
                (_, left, right) if left.is_constant() && right.is_constant() => {
                    Number::Float(float_operation(operator, left.constant_float(), right.constant_float()))
                }
                _ => Number::Arithmetic(operator, left, right),
            },
            other => other,
        })
    }

    fn constant_float(&self) -> f64 {
        match self {
            Number::Integer(value) => to_float(*value),
            Number::Float(value) => *value,
            _ => f64::NAN,
        }
    }

    /// The least and greatest value of an integer expression, where they stay within 128 bits.
    fn range(&self) -> Option<(i128, i128)> {
        match self {
            Number::Integer(value) => Some((*value, *value)),
            Number::Float(_) => None,
            Number::Column(source) => Some(source.limits()),
            Number::Length(_) => Some((0, i128::from(i64::MAX))),
            Number::Negate(value) => {
                let (low, high) = value.range()?;
                Some((high.checked_neg()?, low.checked_neg()?))
            }
            Number::Abs(value) => {
                let (low, high) = value.range()?;
                Some((0, low.checked_abs()?.max(high.checked_abs()?)))
            }
            Number::Arithmetic(operator, left, right) => {
                let ((a, b), (c, d)) = (left.range()?, right.range()?);
                match operator {
                    Operator::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
                    Operator::Subtract => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
                    Operator::Multiply => {
                        let corners =
                            [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                        Some((corners.into_iter().min()?, corners.into_iter().max()?))
                    }
                    Operator::Remainder => {
                        let most = c.checked_abs()?.max(d.checked_abs()?);
                        Some((-most, most))
                    }
                    Operator::Divide => None,
                }
            }
        }
    }

    /// Whether some values could leave 128 bits.
    pub(super) fn can_fail(&self) -> bool {
        match self {
            Number::Integer(_) | Number::Float(_) | Number::Column(_) | Number::Length(_) => false,
            Number::Negate(value) | Number::Abs(value) => {
                value.can_fail() || (self.is_integer() && self.range().is_none())
            }
            Number::Arithmetic(_, left, right) => {
                left.can_fail() || right.can_fail() || (self.is_integer() && self.range().is_none())
            }
        }
    }

    fn is_narrow(&self) -> bool {
        self.range().is_some_and(|(low, high)| low >= i64::MIN.into() && high <= i64::MAX.into())
    }

    pub(super) fn evaluate(&self, block: &Block<'_>) -> Result<Numbers> {
        Ok(match self {
            Number::Integer(value) => match i64::try_from(*value) {
                Ok(value) => Numbers::Narrow(alloc::vec![value; block.rows]),
                Err(_) => Numbers::Wide(alloc::vec![*value; block.rows]),
            },
            Number::Float(value) => Numbers::Float(alloc::vec![*value; block.rows]),
            Number::Column(source) => read(*source, block),
            Number::Length(text) => {
                let mut lengths = Vec::with_capacity(block.rows);
                text.for_each(block, |_, text| {
                    lengths.push(i64::try_from(super::text::length(text)).unwrap_or(i64::MAX));
                });
                Numbers::Narrow(lengths)
            }
            Number::Negate(value) => match value.evaluate(block)? {
                Numbers::Float(mut values) => {
                    values.iter_mut().for_each(|value| *value = -*value);
                    Numbers::Float(values)
                }
                Numbers::Narrow(mut values) if self.is_narrow() => {
                    values.iter_mut().for_each(|value| *value = value.wrapping_neg());
                    Numbers::Narrow(values)
                }
                other => wide(&other.widened(), block, i128::checked_neg)?,
            },
            Number::Abs(value) => match value.evaluate(block)? {
                Numbers::Float(mut values) => {
                    values.iter_mut().for_each(|value| *value = value.abs());
                    Numbers::Float(values)
                }
                Numbers::Narrow(mut values) if self.is_narrow() => {
                    values.iter_mut().for_each(|value| *value = value.wrapping_abs());
                    Numbers::Narrow(values)
                }
                other => wide(&other.widened(), block, i128::checked_abs)?,
            },
            Number::Arithmetic(operator, left, right) => {
                self.arithmetic(*operator, left.evaluate(block)?, right.evaluate(block)?, block)?
            }
        })
    }

    fn arithmetic(
        &self,
        operator: Operator,
        left: Numbers,
        right: Numbers,
        block: &Block<'_>,
    ) -> Result<Numbers> {
        if !self.is_integer() {
            let (mut left, right) = (left.floats(), right.floats());
            float_operations(operator, &mut left, &right);
            return Ok(Numbers::Float(left));
        }
        if let (Numbers::Narrow(left), Numbers::Narrow(right)) = (&left, &right)
            && let Some(values) = narrow_operations(operator, left, right)
        {
            return Ok(Numbers::Narrow(values));
        }
        let mut left = left.widened();
        for (row, (a, b)) in left.iter_mut().zip(right.widened()).enumerate() {
            *a = wide_operation(operator, *a, b).ok_or_else(|| overflow(Some(block.start + row)))?;
        }
        Ok(Numbers::Wide(left))
    }
}

impl Numbers {
    pub(super) fn widened(self) -> Vec<i128> {
        match self {
            Numbers::Narrow(values) => values.into_iter().map(i128::from).collect(),
            Numbers::Wide(values) => values,
            Numbers::Float(_) => Vec::new(),
        }
    }

    fn floats(self) -> Vec<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "arithmetic with floats is done in floats")]
            Numbers::Narrow(values) => values.into_iter().map(|value| value as f64).collect(),
            Numbers::Wide(values) => values.into_iter().map(to_float).collect(),
            Numbers::Float(values) => values,
        }
    }
}

/// Compares row by row, exactly, whatever the two types are.
pub(super) fn compare(comparison: Comparison, left: Numbers, right: Numbers, out: &mut [bool]) {
    match (left, right) {
        (Numbers::Narrow(left), Numbers::Narrow(right)) => compare_slices(comparison, &left, &right, out),
        (Numbers::Float(left), Numbers::Float(right)) => compare_slices(comparison, &left, &right, out),
        (left @ Numbers::Float(_), right @ Numbers::Narrow(_)) => {
            compare(comparison.mirrored(), right, left, out);
        }
        (Numbers::Float(left), right) => {
            mixed(comparison.mirrored(), &right.widened(), &left, out);
        }
        (Numbers::Narrow(left), Numbers::Float(right)) if are_floats(&left) => {
            compare_slices(comparison, &Numbers::Narrow(left).floats(), &right, out);
        }
        (left, Numbers::Float(right)) => mixed(comparison, &left.widened(), &right, out),
        (left, right) => compare_slices(comparison, &left.widened(), &right.widened(), out),
    }
}

/// Whether each of the integers is a float.
fn are_floats(integers: &[i64]) -> bool {
    const LIMIT: u64 = 1 << 53;
    integers.iter().all(|integer| integer.unsigned_abs() <= LIMIT)
}

pub(super) fn compare_slices<T: PartialOrd + Copy>(
    comparison: Comparison,
    left: &[T],
    right: &[T],
    out: &mut [bool],
) {
    fn each<T: Copy>(left: &[T], right: &[T], out: &mut [bool], holds: impl Fn(T, T) -> bool) {
        for ((out, left), right) in out.iter_mut().zip(left).zip(right) {
            *out = holds(*left, *right);
        }
    }
    match comparison {
        Comparison::Equal => each(left, right, out, |a, b| a == b),
        Comparison::NotEqual => each(left, right, out, |a, b| a != b),
        Comparison::Less => each(left, right, out, |a, b| a < b),
        Comparison::LessEqual => each(left, right, out, |a, b| a <= b),
        Comparison::Greater => each(left, right, out, |a, b| a > b),
        Comparison::GreaterEqual => each(left, right, out, |a, b| a >= b),
    }
}

fn mixed(comparison: Comparison, left: &[i128], right: &[f64], out: &mut [bool]) {
    for ((out, left), right) in out.iter_mut().zip(left).zip(right) {
        *out = comparison.holds(order(*left, *right));
    }
}

/// The exact order of an integer and a float; none with NaN.
pub(super) fn order(integer: i128, float: f64) -> Option<Ordering> {
    if float.is_infinite() {
        return 0.0.partial_cmp(&float);
    }
    // A finite float beyond 128 bits is beyond every integer.
    if float.abs() >= to_float(i128::MAX) {
        return 0.0.partial_cmp(&float);
    }
    let (below, is_whole) = match floor(float)? {
        // Above 2^100 every float is whole.
        (_, _) if float.abs() >= to_float(1 << 100) =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and checked to fit")]
            (float as i128, true)
        }
        found => found,
    };
    Some(match integer.cmp(&below) {
        Ordering::Equal if !is_whole => Ordering::Less,
        other => other,
    })
}

impl Comparison {
    pub(super) fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::NotEqual => order != Some(Ordering::Equal),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Comparison::Greater => order == Some(Ordering::Greater),
            Comparison::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

fn read(source: Source, block: &Block<'_>) -> Numbers {
    fn all<T, U, const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<U>
    where
        U: From<T>,
    {
        bytes.as_chunks::<N>().0.iter().map(|value| U::from(read(*value))).collect()
    }
    let bytes = block.bytes(source);
    if source.is_float() {
        return Numbers::Float(with_float!(source, read => all(bytes, read), else Vec::new()));
    }
    if source.native != Native::U64 {
        return Numbers::Narrow(narrow(source, bytes));
    }
    let read = if source.order == ByteOrder::Big { u64::from_be_bytes } else { u64::from_le_bytes };
    let values: Vec<u64> = all(bytes, read);
    if values.iter().fold(0, |bits, value| bits | value) >> 63 == 0 {
        return Numbers::Narrow(values.into_iter().map(u64::cast_signed).collect());
    }
    Numbers::Wide(values.into_iter().map(i128::from).collect())
}

fn narrow(source: Source, bytes: &[u8]) -> Vec<i64> {
    fn all<T: TryInto<i64>, const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<i64> {
        // Only 64-bit unsigned values could fail, and they are read as wide ones.
        bytes.as_chunks::<N>().0.iter().map(|value| read(*value).try_into().unwrap_or(i64::MAX)).collect()
    }
    with_integer!(source, read => all(bytes, read), else Vec::new())
}

/// None where a result leaves 64 bits.
fn narrow_operations(operator: Operator, left: &[i64], right: &[i64]) -> Option<Vec<i64>> {
    fn each(left: &[i64], right: &[i64], apply: impl Fn(i64, i64) -> (i64, bool)) -> Option<Vec<i64>> {
        let mut overflows = false;
        let values = left.iter().zip(right).map(|(a, b)| {
            let (value, overflow) = apply(*a, *b);
            overflows |= overflow;
            value
        });
        let values = values.collect();
        (!overflows).then_some(values)
    }
    match operator {
        Operator::Add => each(left, right, i64::overflowing_add),
        Operator::Subtract => each(left, right, i64::overflowing_sub),
        Operator::Multiply => each(left, right, i64::overflowing_mul),
        Operator::Remainder | Operator::Divide => each(left, right, |a, b| {
            let rest = if b == 0 { 0 } else { a.wrapping_rem(b) };
            (if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }, false)
        }),
    }
}

fn float_operations(operator: Operator, left: &mut [f64], right: &[f64]) {
    fn each(left: &mut [f64], right: &[f64], apply: impl Fn(f64, f64) -> f64) {
        left.iter_mut().zip(right).for_each(|(a, b)| *a = apply(*a, *b));
    }
    match operator {
        Operator::Add => each(left, right, |a, b| a + b),
        Operator::Subtract => each(left, right, |a, b| a - b),
        Operator::Multiply => each(left, right, |a, b| a * b),
        Operator::Divide => each(left, right, |a, b| a / b),
        Operator::Remainder => each(left, right, |a, b| float_operation(operator, a, b)),
    }
}

fn wide_operation(operator: Operator, a: i128, b: i128) -> Option<i128> {
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Remainder | Operator::Divide => {
            if b == 0 {
                return Some(0);
            }
            let rest = a.wrapping_rem(b);
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
    }
}

fn float_operation(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Remainder => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }
    }
}

fn wide(values: &[i128], block: &Block<'_>, apply: impl Fn(i128) -> Option<i128>) -> Result<Numbers> {
    let values = values.iter().enumerate();
    let applied: Result<Vec<i128>> =
        values.map(|(row, value)| apply(*value).ok_or_else(|| overflow(Some(block.start + row)))).collect();
    applied.map(Numbers::Wide)
}

fn overflow(row: Option<usize>) -> crate::Error {
    let message =
        String::from("the arithmetic of the filter leaves 128 bits: use a decimal constant for floats");
    match row {
        Some(row) => invalid(alloc::format!("{message} (row {row} of the batch)"), None),
        None => invalid(message, None),
    }
}
