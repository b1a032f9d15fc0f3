//! Which rows of a table, without listing them where they follow a rule.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Result;
use crate::index::{Index, Progression, Things, progression};

/// Row numbers in the order in which they are wanted; all lie within the table.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// `first`, `first + step`, …
    Range { first: u64, step: i64, count: u64 },
    /// Any rows: those of the list within the range.
    List(Arc<Vec<u64>>, Range<usize>),
}

/// Some neighbours in [`Rows`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'a> {
    /// `first`, `first + step`, …
    Range { first: u64, step: i64, count: usize },
    /// Any rows.
    List(&'a [u64]),
}

impl Rows {
    pub(super) fn all(count: u64) -> Self {
        Rows::Range { first: 0, step: 1, count }
    }

    /// Any rows.
    pub(super) fn listed(list: Vec<u64>) -> Self {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else { return Rows::all(0) };
        let count = list.len() as u64;
        if last.wrapping_sub(first) == count - 1 && list.is_sorted_by(|a, b| a < b) {
            return Rows::Range { first, step: 1, count };
        }
        let whole = 0..list.len();
        Rows::List(Arc::new(list), whole)
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Rows::Range { count, .. } => *count,
            Rows::List(_, range) => range.len() as u64,
        }
    }

    /// The rows that `index` selects of these.
    pub(super) fn narrowed(&self, index: &Index<'_>) -> Result<Self> {
        if let Index::Range { start, stop, step } = *index {
            let Progression { first, count } = progression(start, stop, step, self.len())?;
            return Ok(self.every(first, step, count));
        }
        let chosen = index.resolve_among(self.len(), Things::Rows)?;
        Ok(Rows::listed(match self {
            Rows::Range { first: 0, step: 1, .. } => chosen.into_owned(),
            Rows::Range { first, step, .. } => chosen.iter().map(|&at| nth(*first, *step, at)).collect(),
            Rows::List(list, range) => {
                let list = &list[range.clone()];
                chosen.iter().filter_map(|&at| get(list, at)).collect()
            }
        }))
    }

    /// The rows at these positions, without a copy where they are the same.
    pub(super) fn chosen<'i>(&self, positions: &'i [u64]) -> Result<Cow<'i, [u64]>> {
        let index = Index::from(positions);
        let _ = index.resolve_among(self.len(), Things::Rows)?;
        Ok(match self {
            Rows::Range { first: 0, step: 1, .. } => Cow::Borrowed(positions),
            Rows::Range { first, step, .. } => positions.iter().map(|&at| nth(*first, *step, at)).collect(),
            Rows::List(list, range) => {
                let list = &list[range.clone()];
                positions.iter().filter_map(|&at| get(list, at)).collect()
            }
        })
    }

    /// `count` rows from position `start` on; fewer at the end.
    pub(super) fn between(&self, start: u64, count: u64) -> Self {
        self.every(start, 1, count.min(self.len().saturating_sub(start)))
    }

    fn every(&self, start: u64, step: i64, count: u64) -> Self {
        match self {
            _ if count == 0 => Rows::all(0),
            Rows::Range { first, step: inner, .. } => {
                // With two rows or more, the distance of two rows of the table fits.
                let step = if count == 1 { 1 } else { inner.saturating_mul(step) };
                Rows::Range { first: nth(*first, *inner, start), step, count }
            }
            Rows::List(list, range) if step == 1 => {
                // The positions lie within the list.
                let start = range.start.saturating_add(usize::try_from(start).unwrap_or(usize::MAX));
                let end = start.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
                Rows::List(Arc::clone(list), start.min(range.end)..end.min(range.end))
            }
            Rows::List(list, range) => {
                let list = &list[range.clone()];
                Rows::listed((0..count).filter_map(|i| get(list, nth(start, step, i))).collect())
            }
        }
    }

    /// `count` rows from position `start` on; fewer at the end.
    pub(super) fn piece(&self, start: u64, count: usize) -> Piece<'_> {
        match self {
            Rows::Range { first, step, count: all } => {
                let left = usize::try_from(all.saturating_sub(start)).unwrap_or(usize::MAX);
                Piece::Range { first: nth(*first, *step, start), step: *step, count: count.min(left) }
            }
            Rows::List(list, range) => {
                let list = &list[range.clone()];
                let rest =
                    usize::try_from(start).ok().and_then(|start| list.get(start..)).unwrap_or_default();
                Piece::List(rest.get(..count).unwrap_or(rest))
            }
        }
    }

    /// All of them as a list.
    pub(super) fn to_list(&self) -> Result<Vec<u64>> {
        Ok(match self {
            Rows::Range { first, step, count } => {
                let mut list = Vec::new();
                let len = usize::try_from(*count).map_err(|_| crate::dense::too_large())?;
                list.try_reserve_exact(len).map_err(|_| crate::dense::too_large())?;
                list.extend((0..*count).map(|at| nth(*first, *step, at)));
                list
            }
            Rows::List(list, range) => list[range.clone()].to_vec(),
        })
    }
}

impl<'a> Piece<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Piece::Range { count, .. } => *count,
            Piece::List(list) => list.len(),
        }
    }

    /// The first row and how many follow each other, where they do.
    pub(super) fn as_run(&self) -> Option<(u64, usize)> {
        match *self {
            Piece::Range { first, step: 1, count } => Some((first, count)),
            _ => None,
        }
    }

    /// The rows in blocks of at most `N`, written into `block` where they are not a list already.
    pub(super) fn for_each_block<const N: usize>(
        &self,
        mut run: impl FnMut(&[u64]) -> Result<()>,
    ) -> Result<()> {
        match *self {
            Piece::List(list) => list.chunks(N).try_for_each(run),
            Piece::Range { first, step, count } => {
                let mut block = [0; N];
                for start in (0..count).step_by(N) {
                    let len = N.min(count - start);
                    for (at, row) in (start as u64..).zip(&mut block[..len]) {
                        *row = nth(first, step, at);
                    }
                    run(&block[..len])?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn split(&self, share: usize) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let whole = *self;
        (0..whole.len()).step_by(share.max(1)).map(move |start| match whole {
            Piece::Range { first, step, count } => {
                let first = nth(first, step, start as u64);
                Piece::Range { first, step, count: share.min(count - start) }
            }
            Piece::List(list) => Piece::List(&list[start..list.len().min(start + share)]),
        })
    }
}

/// Wraps around only where the result is no row and is not used.
fn nth(first: u64, step: i64, at: u64) -> u64 {
    first.wrapping_add(step.cast_unsigned().wrapping_mul(at))
}

fn get(list: &[u64], at: u64) -> Option<u64> {
    list.get(usize::try_from(at).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(rows: &Rows) -> Vec<u64> {
        let mut list = Vec::new();
        let piece = rows.piece(0, usize::MAX);
        piece
            .for_each_block::<3>(|block| {
                list.extend_from_slice(block);
                Ok(())
            })
            .unwrap();
        assert_eq!(list, rows.to_list().unwrap());
        assert_eq!(list.len() as u64, rows.len());
        list
    }

    #[test]
    fn selections_compose_as_slices_of_slices_do() {
        let indices: [Index<'_>; 9] = [
            Index::ALL,
            Index::range(Some(2), Some(9), 2),
            Index::range(None, None, -1),
            Index::range(None, None, -3),
            Index::range(Some(5), Some(2), 1),
            Index::from([3, 0, 0, -1]),
            Index::from(1),
            Index::range(Some(-2), None, i64::MIN),
            Index::range(None, Some(1), i64::MAX),
        ];
        for outer in &indices {
            for inner in &indices {
                let Ok(rows) = Rows::all(11).narrowed(outer) else { continue };
                let expected = outer.resolve(11).unwrap();
                assert_eq!(listed(&rows), *expected);
                match (rows.narrowed(inner), inner.resolve(rows.len())) {
                    (Ok(both), Ok(chosen)) => {
                        let chosen: Vec<u64> =
                            chosen.iter().map(|&at| expected[usize::try_from(at).unwrap()]).collect();
                        assert_eq!(listed(&both), chosen, "{outer:?} then {inner:?}");
                    }
                    (Err(error), Err(expected)) => assert_eq!(error.code(), expected.code()),
                    other => panic!("{outer:?} then {inner:?}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_table_of_any_size_costs_no_memory() {
        let rows = Rows::all(1 << 62).narrowed(&Index::range(None, None, -2)).unwrap();
        assert_eq!(rows.len(), 1 << 61);
        assert!(matches!(rows, Rows::Range { .. }));
    }

    #[test]
    fn pieces_split_without_loss() {
        for rows in [Rows::all(7), Rows::all(7).narrowed(&Index::from([6, 2, 2, 0])).unwrap()] {
            let mut list = Vec::new();
            for piece in rows.piece(0, 100).split(3) {
                piece
                    .for_each_block::<2>(|block| {
                        list.extend_from_slice(block);
                        Ok(())
                    })
                    .unwrap();
            }
            assert_eq!(list, rows.to_list().unwrap());
        }
    }
}
