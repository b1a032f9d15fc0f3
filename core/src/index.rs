//! Which records: one type for every call that takes indices.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::error::{Code, Error, Result};

/// A selection of records, in the order in which they are wanted; a record may be wanted twice.
///
/// Signed indices count from the end when negative: `-1` is the last record. Ranges are half-open as in Rust, take
/// negative bounds too, and are clipped to the store like Python's slices; single indices and lists are not:
/// outside of the store they are [`Code::IndexOutOfRange`]. A mask has one flag for each record.
///
/// Everything that looks like indices converts into it:
///
/// ```
/// use recask_core::index::Index;
/// assert_eq!(*Index::from([0, -1, 2]).resolve(10)?, [0, 9, 2]);
/// assert_eq!(*Index::from(2..5).resolve(10)?, [2, 3, 4]);
/// assert_eq!(*Index::from(..).resolve(2)?, [0, 1]);
/// assert_eq!(*Index::from(&[true, false, true]).resolve(3)?, [0, 2]);
/// assert_eq!(*Index::range(Some(-3), None, -1).resolve(5)?, [2, 1, 0]);
/// assert!(Index::from(7).resolve(7).is_err());
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index<'a> {
    /// One record.
    One(i64),
    /// Records of a range, with Python's rules for `start:stop:step`.
    Range {
        /// First record; from the end when negative; the first (or with a negative step the last) when `None`.
        start: Option<i64>,
        /// First record that is left out; from the end when negative; none when `None`.
        stop: Option<i64>,
        /// Distance between records, not 0.
        step: i64,
    },
    /// Records one by one, from the end when negative.
    Signed(Cow<'a, [i64]>),
    /// Records one by one.
    Unsigned(Cow<'a, [u64]>),
    /// Records whose flag is set.
    Mask(Cow<'a, [bool]>),
}

impl Index<'static> {
    /// Every record.
    pub const ALL: Index<'static> = Index::Range { start: None, stop: None, step: 1 };

    /// Python's `start:stop:step`.
    #[must_use]
    pub const fn range(start: Option<i64>, stop: Option<i64>, step: i64) -> Self {
        Index::Range { start, stop, step }
    }

    /// Reads `7`, `-1`, `3:10`, `::-1` or `-5:`, as one would write between Python's brackets.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let sentence = format!("'{text}' is no index; write 7, -1, 3:10, ::2 or -5:");
            Error::new(Code::InvalidArgument, sentence)
        };
        let number = |part: &str| part.trim().parse::<i64>().map_err(|_| wrong());
        let bound = |part: &str| if part.trim().is_empty() { Ok(None) } else { number(part).map(Some) };
        let parts: Vec<&str> = text.split(':').collect();
        match *parts.as_slice() {
            [one] => number(one).map(Index::One),
            [start, stop] => Ok(Index::range(bound(start)?, bound(stop)?, 1)),
            [start, stop, step] => Ok(Index::range(bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1))),
            _ => Err(wrong()),
        }
    }
}

impl Index<'_> {
    /// The records of a store of `len` records.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] naming the index; [`Code::ShapeMismatch`] for a mask of another length;
    /// [`Code::InvalidArgument`] for a step of 0; [`Code::TooLarge`] where the list does not fit in memory.
    pub fn resolve(&self, len: u64) -> Result<Cow<'_, [u64]>> {
        self.resolve_among(len, Things::Records)
    }

    /// [`Index::resolve`], with messages that name what there are `len` of.
    pub(crate) fn resolve_among(&self, len: u64, things: Things) -> Result<Cow<'_, [u64]>> {
        match self {
            Index::One(index) => Ok(Cow::Owned(alloc::vec![from_end(*index, len, things)?])),
            Index::Signed(list) => {
                list.iter().map(|&index| from_end(index, len, things)).collect::<Result<_>>().map(Cow::Owned)
            }
            Index::Unsigned(list) => match list.iter().find(|&&index| index >= len) {
                Some(index) => Err(out_of_range(index, len, things)),
                None => Ok(Cow::Borrowed(list)),
            },
            Index::Mask(mask) if mask.len() as u64 != len => {
                let text = format!("the mask has {} flags, {}", mask.len(), things.count(len));
                Err(Error::new(Code::ShapeMismatch, text))
            }
            Index::Mask(mask) => set_flags(mask).map(Cow::Owned),
            Index::Range { start, stop, step } => range_of(*start, *stop, *step, len).map(Cow::Owned),
        }
    }
}

/// What an index counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Things {
    /// Records of a store.
    Records,
    /// Rows of a table or of a selection.
    Rows,
}

impl Things {
    fn count(self, len: u64) -> String {
        match (self, len) {
            (Things::Records, 0) => "the store is empty".into(),
            (Things::Records, _) => format!("the store has {len} records"),
            (Things::Rows, 0) => "there are no rows".into(),
            (Things::Rows, 1) => "there is one row".into(),
            (Things::Rows, _) => format!("there are {len} rows"),
        }
    }
}

/// The positions of the flags that are set. Eight at once: most masks set few.
fn set_flags(mask: &[bool]) -> Result<Vec<u64>> {
    let count = mask.iter().filter(|&&flag| flag).count();
    let mut list = Vec::new();
    let too_large = |_| Error::new(Code::TooLarge, format!("{count} indices do not fit in memory"));
    list.try_reserve_exact(count).map_err(too_large)?;
    let (words, rest) = bytemuck::cast_slice::<bool, u8>(mask).as_chunks::<8>();
    for (first, word) in (0u64..).step_by(8).zip(words) {
        // A flag is a byte of 0 or 1, so each that is set is one bit.
        let mut flags = u64::from_le_bytes(*word);
        while flags != 0 {
            list.push(first + u64::from(flags.trailing_zeros() / 8));
            flags &= flags - 1;
        }
    }
    let behind = (words.len() as u64 * 8..).zip(rest);
    list.extend(behind.filter(|(_, flag)| **flag != 0).map(|(position, _)| position));
    Ok(list)
}

fn from_end(index: i64, len: u64, things: Things) -> Result<u64> {
    let resolved = if index < 0 { len.checked_sub(index.unsigned_abs()) } else { Some(index.unsigned_abs()) };
    resolved.filter(|&index| index < len).ok_or_else(|| out_of_range(index, len, things))
}

fn out_of_range(index: impl core::fmt::Display, len: u64, things: Things) -> Error {
    let there_are = things.count(len);
    let text = match len {
        0 => format!("index {index} is out of range; {there_are}"),
        _ => format!("index {index} is out of range; {there_are}, 0 to {}", len - 1),
    };
    Error::new(Code::IndexOutOfRange, text)
}

fn range_of(start: Option<i64>, stop: Option<i64>, step: i64, len: u64) -> Result<Vec<u64>> {
    let Progression { first, count } = progression(start, stop, step, len)?;
    let too_large =
        || Error::new(Code::TooLarge, format!("a range of {count} indices does not fit in memory"));
    let mut list = Vec::new();
    list.try_reserve_exact(usize::try_from(count).map_err(|_| too_large())?).map_err(|_| too_large())?;
    let (first, step) = (i128::from(first), i128::from(step));
    // Every value lies in 0..len.
    list.extend((0..i128::from(count)).filter_map(|i| u64::try_from(first + i * step).ok()));
    Ok(list)
}

/// The records of a range, which lie one step apart.
pub(crate) struct Progression {
    /// The first record; 0 where there is none.
    pub(crate) first: u64,
    /// How many there are.
    pub(crate) count: u64,
}

/// Python's `slice.indices`, with 128 bits so that no bound wraps.
pub(crate) fn progression(start: Option<i64>, stop: Option<i64>, step: i64, len: u64) -> Result<Progression> {
    if step == 0 {
        return Err(Error::new(
            Code::InvalidArgument,
            "the step of a range is 0; use 1, or -1 to go backwards",
        ));
    }
    let (len, step) = (i128::from(len), i128::from(step));
    let (lowest, highest) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clip = |bound: i64| {
        let bound = i128::from(bound);
        (if bound < 0 { bound + len } else { bound }).clamp(lowest, highest)
    };
    let (first, end) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let start = start.map_or(first, clip);
    let stop = stop.map_or(end, clip);
    let distance = stop - start;
    let forward = distance.signum() == step.signum();
    // Division rounds towards zero, so a short way in the wrong direction would count as one step.
    let count = if forward { distance / step + i128::from(distance % step != 0) } else { 0 };
    // There are at most `len` records, and the first of any lies before `len`.
    let count = u64::try_from(count).unwrap_or(0);
    let first = if count == 0 { 0 } else { u64::try_from(start).unwrap_or(0) };
    Ok(Progression { first, count })
}

impl From<RangeFull> for Index<'static> {
    fn from(_: RangeFull) -> Self {
        Index::ALL
    }
}

macro_rules! from_integers {
    ($($int:ty),+) => {$(
        impl From<$int> for Index<'static> {
            fn from(index: $int) -> Self {
                bounded(index).map_or(Index::Unsigned(Cow::Owned(alloc::vec![u64::MAX])), Index::One)
            }
        }

        impl From<Range<$int>> for Index<'static> {
            fn from(range: Range<$int>) -> Self {
                Index::range(clipped(range.start), clipped(range.end), 1)
            }
        }

        impl From<RangeInclusive<$int>> for Index<'static> {
            fn from(range: RangeInclusive<$int>) -> Self {
                Index::range(clipped(*range.start()), after(*range.end()), 1)
            }
        }

        impl From<RangeFrom<$int>> for Index<'static> {
            fn from(range: RangeFrom<$int>) -> Self {
                Index::range(clipped(range.start), None, 1)
            }
        }

        impl From<RangeTo<$int>> for Index<'static> {
            fn from(range: RangeTo<$int>) -> Self {
                Index::range(None, clipped(range.end), 1)
            }
        }

        impl From<RangeToInclusive<$int>> for Index<'static> {
            fn from(range: RangeToInclusive<$int>) -> Self {
                Index::range(None, after(range.end), 1)
            }
        }
    )+};
}
from_integers!(i32, u32, i64, u64, usize);

/// Too large for any store when `None`.
fn bounded<T: TryInto<i64>>(index: T) -> Option<i64> {
    index.try_into().ok()
}

/// A bound behind every store is as good as the largest one.
#[expect(clippy::unnecessary_wraps, reason = "ranges take optional bounds")]
fn clipped<T: TryInto<i64>>(bound: T) -> Option<i64> {
    Some(bounded(bound).unwrap_or(i64::MAX))
}

/// The bound behind an inclusive end; behind -1, the last record, there is none.
fn after<T: TryInto<i64>>(end: T) -> Option<i64> {
    match bounded(end) {
        Some(-1) => None,
        Some(end) => Some(end.saturating_add(1)),
        None => Some(i64::MAX),
    }
}

macro_rules! from_lists {
    ($variant:ident: $($int:ty),+; $wide:ty) => {$(
        impl<'a> From<&'a [$int]> for Index<'a> {
            fn from(list: &'a [$int]) -> Self {
                Index::$variant(list.iter().map(|&index| <$wide>::from(index)).collect())
            }
        }

        impl<'a> From<&'a Vec<$int>> for Index<'a> {
            fn from(list: &'a Vec<$int>) -> Self {
                Index::from(list.as_slice())
            }
        }

        impl<'a, const N: usize> From<&'a [$int; N]> for Index<'a> {
            fn from(list: &'a [$int; N]) -> Self {
                Index::from(list.as_slice())
            }
        }

        impl<const N: usize> From<[$int; N]> for Index<'static> {
            fn from(list: [$int; N]) -> Self {
                Index::$variant(list.iter().map(|&index| <$wide>::from(index)).collect())
            }
        }

        impl From<Vec<$int>> for Index<'static> {
            fn from(list: Vec<$int>) -> Self {
                Index::$variant(list.iter().map(|&index| <$wide>::from(index)).collect())
            }
        }
    )+};
    ($variant:ident borrowed: $int:ty) => {
        impl<'a> From<&'a [$int]> for Index<'a> {
            fn from(list: &'a [$int]) -> Self {
                Index::$variant(Cow::Borrowed(list))
            }
        }

        impl<'a> From<&'a Vec<$int>> for Index<'a> {
            fn from(list: &'a Vec<$int>) -> Self {
                Index::$variant(Cow::Borrowed(list))
            }
        }

        impl<'a, const N: usize> From<&'a [$int; N]> for Index<'a> {
            fn from(list: &'a [$int; N]) -> Self {
                Index::$variant(Cow::Borrowed(list))
            }
        }

        impl<const N: usize> From<[$int; N]> for Index<'static> {
            fn from(list: [$int; N]) -> Self {
                Index::$variant(Cow::Owned(list.to_vec()))
            }
        }

        impl From<Vec<$int>> for Index<'static> {
            fn from(list: Vec<$int>) -> Self {
                Index::$variant(Cow::Owned(list))
            }
        }
    };
}
from_lists!(Signed: i32; i64);
from_lists!(Unsigned: u32; u64);
from_lists!(Signed borrowed: i64);
from_lists!(Unsigned borrowed: u64);
from_lists!(Mask borrowed: bool);

impl<'a> From<&'a [usize]> for Index<'a> {
    fn from(list: &'a [usize]) -> Self {
        Index::Unsigned(list.iter().map(|&index| index as u64).collect())
    }
}

impl<'a> From<&'a Vec<usize>> for Index<'a> {
    fn from(list: &'a Vec<usize>) -> Self {
        Index::from(list.as_slice())
    }
}

impl From<Vec<usize>> for Index<'static> {
    fn from(list: Vec<usize>) -> Self {
        Index::Unsigned(list.iter().map(|&index| index as u64).collect())
    }
}

impl<const N: usize> From<[usize; N]> for Index<'static> {
    fn from(list: [usize; N]) -> Self {
        Index::from(list.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn resolved<'a>(index: impl Into<Index<'a>>, len: u64) -> Vec<u64> {
        index.into().resolve(len).unwrap().into_owned()
    }

    #[test]
    fn ranges_follow_pythons_slices() {
        // Each row as printed by list(range(len))[start:stop:step].
        for (start, stop, step, len, expected) in [
            (None, None, 1, 3, &[0, 1, 2][..]),
            (Some(-2), None, 1, 5, &[3, 4]),
            (None, Some(-3), 1, 5, &[0, 1]),
            (Some(-100), Some(100), 2, 5, &[0, 2, 4]),
            (None, None, -2, 5, &[4, 2, 0]),
            (Some(3), Some(0), -1, 5, &[3, 2, 1]),
            (Some(4), Some(2), 1, 5, &[]),
            (Some(4), Some(3), 2, 5, &[]),
            (Some(3), Some(4), -2, 5, &[]),
            (Some(9), Some(-9), -4, 5, &[4, 0]),
            (Some(i64::MIN), Some(i64::MAX), i64::MAX, 5, &[0]),
            (None, None, 1, 0, &[]),
        ] {
            assert_eq!(resolved(Index::range(start, stop, step), len), expected, "{start:?}:{stop:?}:{step}");
        }
    }

    #[test]
    fn every_kind_of_index_converts() {
        assert_eq!(resolved(3, 5), [3]);
        assert_eq!(resolved(-1, 5), [4]);
        assert_eq!(resolved(1..3, 5), [1, 2]);
        assert_eq!(resolved(1..=3u64, 5), [1, 2, 3]);
        assert_eq!(resolved(-2..=-1, 5), [3, 4]);
        assert_eq!(resolved(3usize.., 5), [3, 4]);
        assert_eq!(resolved(..=1, 5), [0, 1]);
        assert_eq!(resolved([0, 0, -1], 5), [0, 0, 4]);
        assert_eq!(resolved(&[4u64, 1][..], 5), [4, 1]);
        assert_eq!(resolved(alloc::vec![2usize], 5), [2]);
        assert_eq!(resolved([false, true], 2), [1]);
    }

    #[test]
    fn every_flag_counts_wherever_it_lies() {
        for len in [0usize, 1, 7, 8, 9, 16, 100] {
            for seed in 0..50u64 {
                let set = |at: usize| (at as u64 * 0x9e37_79b9 + seed * 0x85eb_ca6b) % 7 < seed % 8;
                let mask: Vec<bool> = (0..len).map(set).collect();
                let expected: Vec<u64> = (0..len).filter(|&at| mask[at]).map(|at| at as u64).collect();
                assert_eq!(*Index::from(&mask).resolve(len as u64).unwrap(), *expected, "{mask:?}");
            }
        }
    }

    #[test]
    fn outside_of_the_store_is_an_error() {
        for index in [
            Index::from(5),
            Index::from(-6),
            Index::from([0u64, 5]),
            Index::from([0, -6]),
            Index::from(u64::MAX),
        ] {
            assert_eq!(index.resolve(5).unwrap_err().code(), Code::IndexOutOfRange, "{index:?}");
        }
        assert_eq!(Index::from([true]).resolve(2).unwrap_err().code(), Code::ShapeMismatch);
        assert_eq!(Index::range(None, None, 0).resolve(2).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn text_reads_like_between_brackets() {
        assert_eq!(Index::parse("-1").unwrap(), Index::One(-1));
        assert_eq!(Index::parse("3:10").unwrap(), Index::range(Some(3), Some(10), 1));
        assert_eq!(Index::parse("::-1").unwrap(), Index::range(None, None, -1));
        for text in ["", "a", "1:2:3:4", "1.5", "--1"] {
            assert_eq!(Index::parse(text).unwrap_err().code(), Code::InvalidArgument, "{text:?}");
        }
    }
}
