//! What two typed operands of a comparison come to, and a value and a list.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::bounds::{Bounds, exact_float, floor};
use super::check::{Typed, described, negated_if};
use super::expression::{Comparison, Expr, Node};
use super::moment::{Moment, MomentKind};
use super::number::{Number, order};
use super::predicate::{NumberSet, Predicate};
use super::source::Source;
use super::text::Text;
use super::time::{Instant, Length};
use super::{excerpt, invalid};
use crate::error::{Error, Result};

type Operand<'a> = (&'a Expr, Typed);

pub(super) fn compared(comparison: Comparison, left: Operand<'_>, right: Operand<'_>) -> Result<Predicate> {
    let left = as_instant(left, &right.1)?;
    let right = as_instant(right, &left.1)?;
    match (left.1, right.1) {
        (Typed::Number(a), Typed::Number(b)) => Ok(numbers(comparison, a, b)),
        (Typed::Text(a), Typed::Text(b)) => Ok(texts(comparison, a, b)),
        (Typed::Moment(a_kind, a), Typed::Moment(b_kind, b)) if a_kind == b_kind => {
            Ok(moments(comparison, a_kind, a, b))
        }
        (Typed::Truth(a), Typed::Truth(b)) => {
            let negated = match comparison {
                Comparison::Equal => false,
                Comparison::NotEqual => true,
                _ => {
                    let message = String::from("conditions compare with = and <> only");
                    return Err(invalid(message, left.0.place()));
                }
            };
            let same = match (a, b) {
                (Predicate::Constant(truth), other) | (other, Predicate::Constant(truth)) => {
                    negated_if(!truth, other)
                }
                (a, b) => Predicate::Same(Box::new(a), Box::new(b)),
            };
            Ok(negated_if(negated, same))
        }
        (a, b) => Err(mismatch((left.0, a), (right.0, b))),
    }
}

/// `IN`: constants become one set, everything else a comparison.
pub(super) fn listed((value, first): Operand<'_>, items: Vec<Operand<'_>>) -> Result<Predicate> {
    if is_truth(&first) {
        let shown = described(value, &first);
        return Err(invalid(format!("IN has no use for {shown}: write IS TRUE or IS FALSE"), value.place()));
    }
    let mut integers = Vec::new();
    let mut floats = Vec::new();
    let mut texts = BTreeSet::new();
    let mut parts = Vec::new();
    for item in items {
        match (&first, item) {
            (Typed::Number(_), (_, Typed::Number(Number::Integer(integer)))) => integers.push(integer),
            (Typed::Number(_), (_, Typed::Number(Number::Float(float)))) => floats.push(float),
            (Typed::Text(_), (_, Typed::Text(Text::Constant(text)))) => {
                texts.insert(text.into_bytes());
            }
            (Typed::Moment(kind, Moment::Column(_, length)), item) => {
                let (expr, item) = as_instant(item, &first)?;
                match item {
                    Typed::Moment(item_kind, Moment::Constant(constant)) if item_kind == *kind => {
                        let (ticks, is_whole) = ticks(*kind, *length, constant);
                        if is_whole && ticks > i64::MIN.into() {
                            integers.push(ticks);
                        }
                    }
                    item => parts.push(compared(Comparison::Equal, (value, first.clone()), (expr, item))?),
                }
            }
            (_, item) => parts.push(compared(Comparison::Equal, (value, first.clone()), item)?),
        }
    }
    match first {
        Typed::Number(number) => {
            let set = if number.is_integer() {
                integers.extend(floats.into_iter().filter_map(whole));
                integer_set(integers)
            } else {
                if let Number::Column(source) = &number {
                    floats.iter_mut().for_each(|float| *float = source.in_precision(*float));
                }
                floats.extend(integers.into_iter().filter_map(exact_float));
                floats.retain(|float| !float.is_nan());
                // With 0 added, -0 is 0, as it compares.
                floats.iter_mut().for_each(|float| *float += 0.0);
                floats.sort_by(f64::total_cmp);
                NumberSet::Floats(floats)
            };
            parts.push(Predicate::OneOf(number, set));
        }
        Typed::Text(text) if !texts.is_empty() => parts.push(Predicate::OneOfTexts(text, texts)),
        Typed::Moment(_, Moment::Column(source, _)) => {
            parts.push(Predicate::OneOf(Number::Column(source), integer_set(integers)));
        }
        _ => {}
    }
    Ok(Predicate::Any(parts))
}

fn integer_set(mut integers: Vec<i128>) -> NumberSet {
    integers.sort_unstable();
    integers.dedup();
    NumberSet::Integers(integers)
}

fn whole(float: f64) -> Option<i128> {
    floor(float).and_then(|(floor, is_whole)| is_whole.then_some(floor))
}

fn numbers(comparison: Comparison, left: Number, right: Number) -> Predicate {
    match (left, right) {
        (Number::Column(source), constant) if constant.is_constant() => column(comparison, source, &constant),
        (constant, Number::Column(source)) if constant.is_constant() => {
            column(comparison.mirrored(), source, &constant)
        }
        (Number::Integer(a), Number::Integer(b)) => Predicate::Constant(comparison.holds(Some(a.cmp(&b)))),
        (Number::Float(a), Number::Float(b)) => Predicate::Constant(comparison.holds(a.partial_cmp(&b))),
        (Number::Integer(a), Number::Float(b)) => Predicate::Constant(comparison.holds(order(a, b))),
        (Number::Float(a), Number::Integer(b)) => {
            Predicate::Constant(comparison.mirrored().holds(order(b, a)))
        }
        (left, right) => Predicate::Numbers(comparison, left, right),
    }
}

fn column(comparison: Comparison, source: Source, constant: &Number) -> Predicate {
    match (constant, source.is_float()) {
        (Number::Integer(integer), true) => {
            Predicate::Floats(source, Bounds::floats_by_integer(comparison, *integer))
        }
        (Number::Float(float), true) => {
            Predicate::Floats(source, Bounds::floats(comparison, source.in_precision(*float)))
        }
        (Number::Integer(integer), false) => Predicate::Integers(
            source,
            clipped(Bounds::integers(comparison, *integer, true), source.limits()),
        ),
        (Number::Float(float), false) => Predicate::Integers(
            source,
            clipped(Bounds::integers_by_float(comparison, *float), source.limits()),
        ),
        _ => Predicate::Constant(false),
    }
}

/// Bounds within what the column holds, so that they are values of its type wherever any value passes.
fn clipped(bounds: Bounds<i128>, (least, greatest): (i128, i128)) -> Bounds<i128> {
    Bounds { low: bounds.low.max(least), high: bounds.high.min(greatest), ..bounds }
}

fn texts(comparison: Comparison, left: Text, right: Text) -> Predicate {
    let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    match (left, right) {
        (Text::Constant(a), Text::Constant(b)) => Predicate::Constant(comparison.holds(Some(a.cmp(&b)))),
        (Text::Column(source), Text::Constant(text)) | (Text::Constant(text), Text::Column(source))
            if is_equality =>
        {
            let negated = comparison == Comparison::NotEqual;
            match source.encode(&text) {
                Some(bytes) => negated_if(negated, Predicate::Bytes(source, bytes)),
                None => Predicate::Constant(negated),
            }
        }
        (constant @ Text::Constant(_), right) => Predicate::Texts(comparison.mirrored(), right, constant),
        (left, right) => Predicate::Texts(comparison, left, right),
    }
}

fn moments(comparison: Comparison, kind: MomentKind, left: Moment, right: Moment) -> Predicate {
    let against = |comparison, source: Source, length, constant| {
        let (floor, is_whole) = ticks(kind, length, constant);
        // The least count is NaT, which passes nothing but `<>`.
        let limits = (i128::from(i64::MIN) + 1, i128::from(i64::MAX));
        Predicate::Integers(source, clipped(Bounds::integers(comparison, floor, is_whole), limits))
    };
    match (left, right) {
        (Moment::Constant(a), Moment::Constant(b)) => Predicate::Constant(comparison.holds(Some(a.cmp(&b)))),
        (Moment::Column(source, length), Moment::Constant(constant)) => {
            against(comparison, source, length, constant)
        }
        (Moment::Constant(constant), Moment::Column(source, length)) => {
            against(comparison.mirrored(), source, length, constant)
        }
        (left, right) => Predicate::Moments(comparison, kind, left, right),
    }
}

/// The last tick of a column that is not after a constant, and whether it is the constant.
fn ticks(kind: MomentKind, length: Length, constant: i128) -> (i128, bool) {
    let floored = |value: i128, length: i128| (value.div_euclid(length), value.rem_euclid(length) == 0);
    match length {
        Length::Months(months) if kind == MomentKind::Instant => {
            let (month, is_first) = Instant(constant).month();
            let (ticks, is_whole) = floored(month, months);
            (ticks, is_whole && is_first)
        }
        Length::Fixed(length) | Length::Months(length) => floored(constant, length),
    }
}

/// A text constant beside a time is one.
fn as_instant<'a>((expr, typed): Operand<'a>, other: &Typed) -> Result<Operand<'a>> {
    match (typed, other) {
        (Typed::Text(Text::Constant(text)), Typed::Moment(MomentKind::Instant, _)) => {
            let instant = Instant::parse(&text).ok_or_else(|| {
                invalid(
                    format!("'{}' is not a time: write it like '2020-01-31 12:30:59.5'", excerpt(&text)),
                    expr.place(),
                )
            })?;
            Ok((expr, Typed::Moment(MomentKind::Instant, Moment::Constant(instant.0))))
        }
        (typed, _) => Ok((expr, typed)),
    }
}

/// The constant is at fault where only one side is one.
fn mismatch(left: Operand<'_>, right: Operand<'_>) -> Error {
    let is_constant = |operand: &Operand<'_>| matches!(operand.0.node, Node::Literal(_));
    let (fault, other) =
        if is_constant(&left) && !is_constant(&right) { (left, right) } else { (right, left) };
    let hint = match (&fault.1, &other.1) {
        (Typed::Unitless(_), _) | (_, Typed::Unitless(_)) => ": times without a unit have IS NULL only",
        (Typed::Truth(_), _) | (_, Typed::Truth(_)) => ": a boolean compares with TRUE and FALSE",
        (Typed::Moment(MomentKind::Months, _), Typed::Moment(..))
        | (Typed::Moment(..), Typed::Moment(MomentKind::Months, _)) => ": months have no fixed length",
        _ => "",
    };
    let (fault_text, other_text) = (described(fault.0, &fault.1), described(other.0, &other.1));
    invalid(format!("{fault_text} cannot be compared with {other_text}{hint}"), fault.0.place())
}

pub(super) fn is_truth(typed: &Typed) -> bool {
    matches!(typed, Typed::Truth(_))
}
