//! Gathering from mapped files: copies from where the values lie.

use alloc::vec::Vec;

use super::starts::Starts;
use super::{BLOCK, Gather, Place};
use crate::error::Result;
use crate::storage::StorageFile;
use crate::table::files::outside;
use crate::table::records::Record;
use crate::table::rows::Piece;

/// Rows of a list that are located together: so many that a column's pages are known to the processor for a while, and
/// so few that where they lie stays in its cache.
const LISTED: usize = 4 * BLOCK;

impl<F: StorageFile> Gather<'_, F> {
    pub(super) fn copy_run(&self, first: u64, count: usize, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut done = 0;
        for part in self.parts_of_run(first, count) {
            for (column, out) in self.columns.iter().zip(&mut *outs) {
                let out = &mut out[done * column.width..][..part.count * column.width];
                out.copy_from_slice(self.borrow(column, &part)?);
            }
            done += part.count;
        }
        Ok(())
    }

    pub(super) fn copy_scattered(&self, piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        if let Some(record) = self.records.single() {
            // A column after the other touches the fewest pages at a time.
            return self.columns.iter().zip(outs).try_for_each(|(column, out)| {
                let mut rest = &mut **out;
                piece.for_each_block::<BLOCK>(|rows| {
                    let (out, behind) = core::mem::take(&mut rest).split_at_mut(rows.len() * column.width);
                    rest = behind;
                    self.copy_from_one(&record, rows, column, out)
                })
            });
        }
        let together = piece.len().min(LISTED);
        let (mut found, mut places) = (alloc::vec![Record::default(); together], alloc::vec![0; together]);
        let mut starts = self.starts(piece.len(), together)?;
        let mut done = 0;
        let mut copy = |rows: &[u64]| {
            let mut rest = rows;
            while !rest.is_empty() {
                let alike = self.rows_of_one_record(rest);
                let (rows, behind) = rest.split_at(alike.map_or(rest.len(), |(_, count)| count));
                rest = behind;
                let range = done..done + rows.len();
                done = range.end;
                let mut parts = self.columns.iter().zip(&mut *outs).map(|(column, out)| {
                    let range = range.start * column.width..range.end * column.width;
                    (column, &mut out[range])
                });
                match (alike, &mut starts) {
                    (Some((record, _)), _) => {
                        parts.try_for_each(|(column, out)| self.copy_from_one(&record, rows, column, out))?;
                    }
                    (None, Some(starts)) => self.copy_by_starts(starts, rows, parts)?,
                    (None, None) => {
                        let (found, places) = (&mut found[..rows.len()], &mut places[..rows.len()]);
                        self.records.find_all(rows, found);
                        self.copy_from_many(found, rows, places, parts)?;
                    }
                }
            }
            Ok(())
        };
        match piece {
            Piece::List(rows) => rows.chunks(LISTED).try_for_each(copy),
            Piece::Range { .. } => piece.for_each_block::<BLOCK>(&mut copy),
        }
    }

    /// The record of the first rows, and how many of them it has, where many rows lie in it or in the next one: sorted rows
    /// that are dense. Otherwise `None`.
    fn rows_of_one_record(&self, rows: &[u64]) -> Option<(Record, usize)> {
        const MANY: usize = 32;
        let (&first, &later) = (rows.first()?, rows.get(MANY - 1)?);
        let number = self.records.find(first);
        let record = self.records.get(number);
        let is_in = |record: &Record, row: u64| row.wrapping_sub(record.first_row) < record.rows;
        let is_in_next = || number + 1 < self.records.len() && is_in(&self.records.get(number + 1), later);
        let are_dense = is_in(&record, later) || is_in_next();
        are_dense.then(|| (record, rows.iter().take_while(|&&row| is_in(&record, row)).count()))
    }

    /// Of one record: each column is an array.
    fn copy_from_one(&self, record: &Record, rows: &[u64], column: &Place, out: &mut [u8]) -> Result<()> {
        let map = self.map(record.file)?;
        let blame = |error| self.files[record.file].blame(error);
        if let Some(first) = run(rows) {
            out.copy_from_slice(map.get(column.at(record, first), out.len()).map_err(blame)?);
            return Ok(());
        }
        let len = usize::try_from(record.rows).unwrap_or(usize::MAX).saturating_mul(column.width);
        let values = map.get(column.start(record), len).map_err(blame)?;
        copy_elements(values, record.first_row, rows, out, column.width).map_err(|position| {
            let row = rows.get(position).copied().unwrap_or_default();
            blame(outside(column.at(record, row)))
        })
    }

    /// Of some records, each of which has several of the rows.
    fn copy_by_starts<'o>(
        &self,
        starts: &mut Starts<'_>,
        rows: &[u64],
        parts: impl Iterator<Item = (&'o Place, &'o mut [u8])>,
    ) -> Result<()> {
        starts.locate(rows, |rows, numbers| self.records.number_all(rows, numbers));
        let bytes = starts.map.bytes();
        for (number, (column, out)) in parts.enumerate() {
            let values = starts.places(number, column.width, rows).iter().map(|&place| (bytes, place));
            copy_values(values, out, column.width).map_err(|position| {
                let row = rows.get(position).copied().unwrap_or_default();
                let record = self.records.get(self.records.find(row));
                self.files[0].blame(outside(column.at(&record, row)))
            })?;
        }
        Ok(())
    }

    /// Of many records: where the rows lie was found once for all columns. The places of a column are computed before any
    /// is loaded, which leaves the loop that waits for memory so short that many of its turns run at once.
    fn copy_from_many<'o>(
        &self,
        found: &[Record],
        rows: &[u64],
        places: &mut [usize],
        mut parts: impl Iterator<Item = (&'o Place, &'o mut [u8])>,
    ) -> Result<()> {
        let wrong = |column: &Place, position: usize| {
            let record = found.get(position).copied().unwrap_or_default();
            let row = rows.get(position).copied().unwrap_or_default();
            self.files[record.file].blame(outside(column.at(&record, row)))
        };
        let file = found.first().map_or(0, |record| record.file);
        if self.files.len() == 1 || found.iter().all(|record| record.file == file) {
            let map = self.map(file)?;
            return parts.try_for_each(|(column, out)| {
                for ((place, record), &row) in places.iter_mut().zip(found).zip(rows) {
                    *place = map.position(column.at(record, row));
                }
                let values = places.iter().map(|&place| (map.bytes(), place));
                copy_values(values, out, column.width).map_err(|position| wrong(column, position))
            });
        }
        let maps = found.iter().map(|record| self.map(record.file)).collect::<Result<Vec<_>>>()?;
        parts.try_for_each(|(column, out)| {
            for (((place, record), map), &row) in places.iter_mut().zip(found).zip(&maps).zip(rows) {
                *place = map.position(column.at(record, row));
            }
            let values = maps.iter().zip(&*places).map(|(map, &place)| (map.bytes(), place));
            copy_values(values, out, column.width).map_err(|position| wrong(column, position))
        })
    }
}

/// The first of rows that follow each other.
fn run(rows: &[u64]) -> Option<u64> {
    let (&first, &last) = (rows.first()?, rows.last()?);
    let is_run = last.wrapping_sub(first) == rows.len() as u64 - 1 && rows.is_sorted_by(|a, b| a < b);
    is_run.then_some(first)
}

/// Runs a function for the width of a column: with it as a constant where that is common.
macro_rules! with_width {
    ($width:expr, $copy:ident $arguments:tt else $other:expr) => {
        with_width!(
            $width, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 28 32 40 48 64, $copy $arguments else $other
        )
    };
    ($width:expr, $($fixed:literal)+, $copy:ident $arguments:tt else $other:expr) => {
        match $width {
            0 => Ok(()),
            $($fixed => $copy::<$fixed> $arguments,)+
            _ => $other,
        }
    };
}

/// Copies elements of an array that starts with the row `first`. Fails with the position of what lies outside of it.
fn copy_elements(values: &[u8], first: u64, rows: &[u64], out: &mut [u8], width: usize) -> Result<(), usize> {
    with_width!(width, copy_elements_of(values, first, rows, out) else {
        let places = rows.iter().map(|&row| index(row, first).saturating_mul(width));
        copy_wide(places.map(|place| (values, place)), out, width)
    })
}

fn copy_elements_of<const N: usize>(
    values: &[u8],
    first: u64,
    rows: &[u64],
    out: &mut [u8],
) -> Result<(), usize> {
    let (values, _) = values.as_chunks::<N>();
    let (slots, _) = out.as_chunks_mut::<N>();
    for (position, (slot, &row)) in slots.iter_mut().zip(rows).enumerate() {
        *slot = *values.get(index(row, first)).ok_or(position)?;
    }
    Ok(())
}

/// Copies the value at each place of the bytes beside it. Fails with the position of what lies outside of them.
#[inline]
fn copy_values<'m>(
    values: impl Iterator<Item = (&'m [u8], usize)>,
    out: &mut [u8],
    width: usize,
) -> Result<(), usize> {
    with_width!(width, copy_values_of(values, out) else copy_wide(values, out, width))
}

#[inline]
fn copy_values_of<'m, const N: usize>(
    values: impl Iterator<Item = (&'m [u8], usize)>,
    out: &mut [u8],
) -> Result<(), usize> {
    let (slots, _) = out.as_chunks_mut::<N>();
    for (position, (slot, (bytes, place))) in slots.iter_mut().zip(values).enumerate() {
        *slot = *bytes.get(place..).and_then(<[u8]>::first_chunk).ok_or(position)?;
    }
    Ok(())
}

fn copy_wide<'m>(
    values: impl Iterator<Item = (&'m [u8], usize)>,
    out: &mut [u8],
    width: usize,
) -> Result<(), usize> {
    for (position, (slot, (bytes, place))) in out.chunks_exact_mut(width).zip(values).enumerate() {
        slot.copy_from_slice(bytes.get(place..).and_then(|rest| rest.get(..width)).ok_or(position)?);
    }
    Ok(())
}

/// Behind every array where this machine cannot address it.
fn index(row: u64, first: u64) -> usize {
    usize::try_from(row.wrapping_sub(first)).unwrap_or(usize::MAX)
}
