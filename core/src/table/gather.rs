//! The hot loops that copy rows out of the file.

use alloc::format;
use alloc::vec::Vec;

use super::Table;
use super::records::{Record, Records};
use super::rows::Piece;
use crate::dense::too_large;
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::storage::{Storage, StorageFile};

mod positional;

/// Rows that are located together: their values are then loaded one directly after the other, so that the processor
/// waits for many cache misses at once.
const BLOCK: usize = 256;

/// One reading of some columns.
pub(super) struct Gather<'t, F> {
    file: &'t F,
    /// The file up to the last committed byte, where it is mapped.
    map: Option<&'t [u8]>,
    records: &'t Records,
    columns: Vec<Place>,
}

/// Where a column lies in a row, and how its values are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Bytes of the columns before it.
    pub(super) before: u64,
    /// Bytes of a value.
    pub(super) width: usize,
    swap_unit: Option<usize>,
}

impl Place {
    /// Where its values start in a record.
    fn start(&self, record: &Record) -> u64 {
        record.body + record.rows * self.before
    }

    fn at(&self, record: &Record, row: u64) -> u64 {
        self.start(record) + (row - record.first_row) * self.width as u64
    }
}

impl<'t, F: StorageFile> Gather<'t, F> {
    pub(super) fn new<E>(table: &'t Table<E>, positions: &[usize]) -> Result<Self>
    where
        E: Environment<Storage: Storage<File = F>>,
    {
        let all = table.schema().columns();
        let place = |&position: &usize| {
            let column = &all[position];
            let width = usize::try_from(column.width()).map_err(|_| too_large())?;
            Ok(Place { before: column.before(), width, swap_unit: column.swap_unit() })
        };
        let file = table.file();
        Ok(Gather {
            file,
            map: file.mapped(0..table.committed_end()),
            records: &table.0.records,
            columns: positions.iter().map(place).collect::<Result<_>>()?,
        })
    }

    pub(super) fn columns(&self) -> &[Place] {
        &self.columns
    }

    /// Reads rows into one buffer for each column, which has exactly their size.
    pub(super) fn fill(&self, piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        match (self.map, piece.as_run()) {
            (Some(map), Some((first, count))) => self.copy_run(map, first, count, outs)?,
            (Some(map), None) => self.copy_scattered(map, piece, outs)?,
            (None, Some((first, count))) => self.read_run(first, count, outs)?,
            (None, None) => self.read_scattered(piece, outs)?,
        }
        for (column, out) in self.columns.iter().zip(outs) {
            if let Some(unit) = column.swap_unit {
                out.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
            }
        }
        Ok(())
    }

    /// The records that hold some neighbouring rows, each with its first row and how many rows of it are wanted.
    fn parts_of_run(&self, first: u64, count: usize) -> impl Iterator<Item = (Record, u64, usize)> {
        let mut number = if count == 0 { 0 } else { self.records.find(first) };
        let mut row = first;
        let mut left = count;
        core::iter::from_fn(move || {
            while left > 0 {
                let record = self.records.get(number);
                number += 1;
                let here = record.first_row + record.rows - row;
                let taken = usize::try_from(here).unwrap_or(usize::MAX).min(left);
                if taken > 0 {
                    let part = (record, row, taken);
                    row += taken as u64;
                    left -= taken;
                    return Some(part);
                }
            }
            None
        })
    }

    fn copy_run(&self, map: &[u8], first: u64, count: usize, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut done = 0;
        for (record, row, count) in self.parts_of_run(first, count) {
            for (column, out) in self.columns.iter().zip(&mut *outs) {
                let len = count * column.width;
                let out = &mut out[done * column.width..][..len];
                out.copy_from_slice(bytes_at(map, column.at(&record, row), len)?);
            }
            done += count;
        }
        Ok(())
    }

    fn copy_scattered(&self, map: &[u8], piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut done = 0;
        let single = self.records.single();
        let mut found = [Record::default(); BLOCK];
        piece.for_each_block::<BLOCK>(|rows| {
            if single.is_none() {
                for (record, &row) in found.iter_mut().zip(rows) {
                    *record = self.records.get(self.records.find(row));
                }
            }
            for (column, out) in self.columns.iter().zip(&mut *outs) {
                let out = &mut out[done * column.width..][..rows.len() * column.width];
                match &single {
                    Some(record) => {
                        copy_values(map, rows.iter().map(|&row| column.at(record, row)), out, column.width)
                    }
                    None => {
                        let places = found.iter().zip(rows).map(|(record, &row)| column.at(record, row));
                        copy_values(map, places, out, column.width)
                    }
                }?;
            }
            done += rows.len();
            Ok(())
        })
    }
}

/// Copies one value of `width` bytes from each place.
#[inline]
fn copy_values(map: &[u8], places: impl Iterator<Item = u64>, out: &mut [u8], width: usize) -> Result<()> {
    match width {
        1 => copy_fixed::<1>(map, places, out),
        2 => copy_fixed::<2>(map, places, out),
        4 => copy_fixed::<4>(map, places, out),
        8 => copy_fixed::<8>(map, places, out),
        16 => copy_fixed::<16>(map, places, out),
        _ => {
            for (slot, at) in out.chunks_exact_mut(width).zip(places) {
                slot.copy_from_slice(bytes_at(map, at, width)?);
            }
            Ok(())
        }
    }
}

#[inline]
fn copy_fixed<const N: usize>(map: &[u8], places: impl Iterator<Item = u64>, out: &mut [u8]) -> Result<()> {
    let (slots, _) = out.as_chunks_mut::<N>();
    for (slot, at) in slots.iter_mut().zip(places) {
        let start = usize::try_from(at).ok();
        match start.and_then(|start| map.get(start..)?.first_chunk::<N>()) {
            Some(value) => *slot = *value,
            None => return Err(outside(at)),
        }
    }
    Ok(())
}

fn bytes_at(map: &[u8], at: u64, len: usize) -> Result<&[u8]> {
    let start = usize::try_from(at).ok();
    start.and_then(|start| map.get(start..)?.get(..len)).ok_or_else(|| outside(at))
}

#[cold]
fn outside(at: u64) -> Error {
    Error::new(Code::TruncatedFile, format!("the map of the file ends before byte {at}")).at_offset(at)
}

/// Rows of one task: few enough that tasks spread, many enough to be worth one.
pub(super) fn share(rows: usize, bytes: usize, executor: &impl Executor) -> usize {
    const LEAST: usize = 128 << 10;
    let width = executor.width().get();
    let tasks = if width == 1 { 1 } else { (bytes / LEAST).clamp(1, width.saturating_mul(2)) };
    rows.div_ceil(tasks).max(1)
}
