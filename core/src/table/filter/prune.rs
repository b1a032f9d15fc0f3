//! What the least and greatest values of many rows say about a filter, without a look at the rows.

use super::bounds::Bounds;
use super::predicate::Predicate;
use super::source::{Source, with_float, with_integer};

/// The least and greatest value of a column among some rows, as the column stores them. None of the rows is NaN or NaT.
#[derive(Clone, Copy, Debug)]
pub struct Extremes<'a> {
    /// The least value.
    pub least: &'a [u8],
    /// The greatest value.
    pub greatest: &'a [u8],
}

/// Which answers a condition can have among the rows.
#[derive(Clone, Copy)]
pub(super) struct Possible {
    pub(super) yes: bool,
    pub(super) no: bool,
}

const UNKNOWN: Possible = Possible { yes: true, no: true };

impl Predicate {
    pub(super) fn possible<'a>(&self, extremes: &dyn Fn(usize) -> Option<Extremes<'a>>) -> Possible {
        match self {
            Predicate::Constant(truth) => Possible { yes: *truth, no: !*truth },
            Predicate::All(parts) => parts.iter().fold(Possible { yes: true, no: false }, |all, part| {
                let part = part.possible(extremes);
                Possible { yes: all.yes && part.yes, no: all.no || part.no }
            }),
            Predicate::Any(parts) => parts.iter().fold(Possible { yes: false, no: true }, |any, part| {
                let part = part.possible(extremes);
                Possible { yes: any.yes || part.yes, no: any.no && part.no }
            }),
            Predicate::Not(inner) => {
                let inner = inner.possible(extremes);
                Possible { yes: inner.no, no: inner.yes }
            }
            Predicate::Integers(source, bounds) => {
                let ends = extremes(source.index).and_then(|found| {
                    Some((integer(*source, found.least)?, integer(*source, found.greatest)?))
                });
                within(*bounds, ends)
            }
            Predicate::Floats(source, bounds) => {
                let ends = extremes(source.index)
                    .and_then(|found| Some((float(*source, found.least)?, float(*source, found.greatest)?)));
                within(*bounds, ends)
            }
            _ => UNKNOWN,
        }
    }
}

fn within<T: PartialOrd + Copy>(bounds: Bounds<T>, ends: Option<(T, T)>) -> Possible {
    let Some((least, greatest)) = ends.filter(|(least, greatest)| least <= greatest) else { return UNKNOWN };
    let inside = least <= bounds.high && bounds.low <= greatest && bounds.low <= bounds.high;
    let outside = !(bounds.low <= least && greatest <= bounds.high);
    if bounds.negated { Possible { yes: outside, no: inside } } else { Possible { yes: inside, no: outside } }
}

fn integer(source: Source, bytes: &[u8]) -> Option<i128> {
    with_integer!(source, read => Some(read(bytes.try_into().ok()?).into()), else None)
}

fn float(source: Source, bytes: &[u8]) -> Option<f64> {
    with_float!(source, read => Some(read(bytes.try_into().ok()?)), else None)
}
