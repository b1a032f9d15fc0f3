//! What a filter comes to: conditions over blocks of rows.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::block::Block;
use super::bounds::Bounds;
use super::expression::Comparison;
use super::like::Pattern;
use super::moment::{self, Moment, MomentKind};
use super::number::{self, Number, Numbers};
use super::source::{Source, with_float, with_integer};
use super::text::Text;
use crate::error::Result;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Predicate {
    Constant(bool),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    Not(Box<Predicate>),
    /// Both are true or both are false.
    Same(Box<Predicate>, Box<Predicate>),
    /// A column of bools.
    Flag(Source),
    /// A column of integers or times against constants.
    Integers(Source, Bounds<i128>),
    /// A column of floats against constants.
    Floats(Source, Bounds<f64>),
    Numbers(Comparison, Number, Number),
    NaN(Number),
    OneOf(Number, NumberSet),
    Moments(Comparison, MomentKind, Moment, Moment),
    NaT(MomentKind, Moment),
    /// A column of texts equal to a constant, as its bytes are stored.
    Bytes(Source, Vec<u8>),
    Texts(Comparison, Text, Text),
    OneOfTexts(Text, BTreeSet<Vec<u8>>),
    Like(Text, Pattern),
}

/// The constants of a list, sorted.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NumberSet {
    Integers(Vec<i128>),
    Floats(Vec<f64>),
}

/// Masks that are used again from block to block.
#[derive(Default)]
pub(super) struct Scratch {
    masks: Vec<Vec<bool>>,
}

impl Predicate {
    /// Fills `out`, which has one place for each row of the block.
    pub(super) fn evaluate(&self, block: &Block<'_>, scratch: &mut Scratch, out: &mut [bool]) -> Result<()> {
        match self {
            Predicate::Constant(value) => out.fill(*value),
            Predicate::All(parts) => joined(parts, block, scratch, out, true)?,
            Predicate::Any(parts) => joined(parts, block, scratch, out, false)?,
            Predicate::Not(inner) => {
                inner.evaluate(block, scratch, out)?;
                out.iter_mut().for_each(|value| *value = !*value);
            }
            Predicate::Same(left, right) => {
                left.evaluate(block, scratch, out)?;
                scratch.with_mask(out.len(), |scratch, mask| {
                    right.evaluate(block, scratch, mask)?;
                    out.iter_mut().zip(mask).for_each(|(out, other)| *out = *out == *other);
                    Ok(())
                })?;
            }
            Predicate::Flag(source) => {
                out.iter_mut().zip(block.bytes(*source)).for_each(|(out, byte)| *out = *byte != 0);
            }
            Predicate::Integers(source, bounds) => {
                let bytes = block.bytes(*source);
                with_integer!(source, read => integers_within(bytes, read, *bounds, out), else ());
            }
            Predicate::Floats(source, bounds) => {
                let bytes = block.bytes(*source);
                with_float!(source, read => within(bytes, read, *bounds, out), else ());
            }
            Predicate::Numbers(comparison, left, right) => {
                number::compare(*comparison, left.evaluate(block)?, right.evaluate(block)?, out);
            }
            Predicate::NaN(value) => match value.evaluate(block)? {
                Numbers::Float(values) => {
                    out.iter_mut().zip(values).for_each(|(out, value)| *out = value.is_nan());
                }
                Numbers::Narrow(_) | Numbers::Wide(_) => out.fill(false),
            },
            Predicate::OneOf(value, set) => set.find(value.evaluate(block)?, out),
            Predicate::Moments(comparison, kind, left, right) => {
                moment::compare(*comparison, *kind, (left, right), block, out);
            }
            Predicate::NaT(kind, value) => value.missing(*kind, block, out),
            Predicate::Bytes(source, wanted) if source.width == 0 => out.fill(wanted.is_empty()),
            Predicate::Bytes(source, wanted) => {
                let values = block.bytes(*source).chunks_exact(source.width);
                out.iter_mut().zip(values).for_each(|(out, value)| *out = value == wanted);
            }
            Predicate::Texts(comparison, left, right) => compare_texts(*comparison, left, right, block, out),
            Predicate::OneOfTexts(text, set) => text.for_each(block, |row, text| {
                set_row(out, row, set.contains(text));
            }),
            Predicate::Like(text, pattern) => {
                let mut lower = Vec::new();
                text.for_each(block, |row, text| set_row(out, row, pattern.matches(text, &mut lower)));
            }
        }
        Ok(())
    }

    /// Whether an evaluation can end in an error that depends on the values.
    fn can_fail(&self) -> bool {
        match self {
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().any(Predicate::can_fail),
            Predicate::Not(inner) => inner.can_fail(),
            Predicate::Same(left, right) => left.can_fail() || right.can_fail(),
            Predicate::Numbers(_, left, right) => left.can_fail() || right.can_fail(),
            Predicate::NaN(value) | Predicate::OneOf(value, _) => value.can_fail(),
            _ => false,
        }
    }
}

/// `AND` with `neutral` true, `OR` with false. What the first parts decide for a whole block, the others need not look
/// at, unless they could fail: whether a filter fails must not depend on the size of a block.
fn joined(
    parts: &[Predicate],
    block: &Block<'_>,
    scratch: &mut Scratch,
    out: &mut [bool],
    neutral: bool,
) -> Result<()> {
    let Some((first, rest)) = parts.split_first() else {
        out.fill(neutral);
        return Ok(());
    };
    first.evaluate(block, scratch, out)?;
    scratch.with_mask(out.len(), |scratch, mask| {
        for part in rest {
            if !part.can_fail() && !out.contains(&neutral) {
                continue;
            }
            part.evaluate(block, scratch, mask)?;
            let both = out.iter_mut().zip(mask.iter());
            if neutral {
                both.for_each(|(out, other)| *out &= *other);
            } else {
                both.for_each(|(out, other)| *out |= *other);
            }
        }
        Ok(())
    })
}

impl Scratch {
    fn with_mask(
        &mut self,
        rows: usize,
        run: impl FnOnce(&mut Self, &mut [bool]) -> Result<()>,
    ) -> Result<()> {
        let mut mask = self.masks.pop().unwrap_or_default();
        mask.resize(rows, false);
        let result = run(self, &mut mask);
        self.masks.push(mask);
        result
    }
}

fn integers_within<T, const N: usize>(
    bytes: &[u8],
    read: impl Fn([u8; N]) -> T,
    bounds: Bounds<i128>,
    out: &mut [bool],
) where
    T: PartialOrd + Copy + TryFrom<i128>,
{
    // The bounds are within the type, unless no value passes.
    match (T::try_from(bounds.low), T::try_from(bounds.high)) {
        (Ok(low), Ok(high)) => within(bytes, read, Bounds { low, high, negated: bounds.negated }, out),
        _ => out.fill(bounds.negated),
    }
}

fn within<T: PartialOrd + Copy, const N: usize>(
    bytes: &[u8],
    read: impl Fn([u8; N]) -> T,
    bounds: Bounds<T>,
    out: &mut [bool],
) {
    let Bounds { low, high, negated } = bounds;
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
        let value = read(*bytes);
        *out = ((low <= value) & (value <= high)) != negated;
    }
}

fn compare_texts(comparison: Comparison, left: &Text, right: &Text, block: &Block<'_>, out: &mut [bool]) {
    if let Text::Constant(right) = right {
        left.for_each(block, |row, left| {
            set_row(out, row, comparison.holds(Some(left.cmp(right.as_bytes()))));
        });
        return;
    }
    let mut texts = Vec::new();
    let mut ends = Vec::with_capacity(block.rows);
    left.for_each(block, |_, left| {
        texts.extend_from_slice(left);
        ends.push(texts.len());
    });
    let mut start = 0;
    right.for_each(block, |row, right| {
        let end = ends.get(row).copied().unwrap_or(start);
        let left = texts.get(start..end).unwrap_or_default();
        set_row(out, row, comparison.holds(Some(left.cmp(right))));
        start = end;
    });
}

fn set_row(out: &mut [bool], row: usize, value: bool) {
    if let Some(out) = out.get_mut(row) {
        *out = value;
    }
}

impl NumberSet {
    fn find(&self, values: Numbers, out: &mut [bool]) {
        match (self, values) {
            (NumberSet::Integers(set), Numbers::Narrow(values)) => {
                let found = |value: i64| set.binary_search(&value.into()).is_ok();
                out.iter_mut().zip(values).for_each(|(out, value)| *out = found(value));
            }
            (NumberSet::Integers(set), values) => {
                let values = values.widened();
                out.iter_mut().zip(values).for_each(|(out, value)| *out = set.binary_search(&value).is_ok());
            }
            (NumberSet::Floats(set), Numbers::Float(values)) => {
                // With 0 added, -0 is 0, as it compares.
                let found =
                    |value: f64| set.binary_search_by(|known| known.total_cmp(&(value + 0.0))).is_ok();
                out.iter_mut().zip(values).for_each(|(out, value)| *out = found(value));
            }
            (NumberSet::Floats(_), _) => out.fill(false),
        }
    }
}
