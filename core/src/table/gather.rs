//! The hot loops that copy rows out of the file.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use super::Table;
use super::files::{Map, Part, outside};
use super::records::{Record, Records};
use super::rows::Piece;
use crate::dense::too_large;
use crate::environment::Environment;
use crate::error::Result;
use crate::exec::Executor;
use crate::storage::{Storage, StorageFile};

mod copy;
mod positional;
mod starts;

/// Rows that are located together: their values are then loaded one directly after the other, so that the processor
/// waits for many cache misses at once.
const BLOCK: usize = 1024;

/// One reading of some columns.
pub(super) struct Gather<'t, F> {
    files: &'t [Part<F>],
    /// Which files were found to be as long as when they were opened.
    is_whole: Vec<AtomicBool>,
    is_mapped: bool,
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
    pub(super) fn start(&self, record: &Record) -> u64 {
        record.body + record.rows * self.before
    }

    pub(super) fn at(&self, record: &Record, row: u64) -> u64 {
        self.start(record) + (row - record.first_row) * self.width as u64
    }

    /// Turns values as they are in the file into those of the gather.
    pub(super) fn convert(&self, values: &mut [u8]) {
        if let Some(unit) = self.swap_unit {
            values.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
    }
}

impl<'t, F: StorageFile> Gather<'t, F> {
    /// Values in the byte order of this machine.
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
        let columns = positions.iter().map(place).collect::<Result<_>>()?;
        Ok(Gather {
            files: &table.0.parts,
            is_whole: table.0.parts.iter().map(|_| AtomicBool::new(false)).collect(),
            is_mapped: table.0.is_mapped,
            records: &table.0.records,
            columns,
        })
    }

    /// Values in the byte order of the file.
    pub(super) fn as_stored<E>(table: &'t Table<E>, positions: &[usize]) -> Result<Self>
    where
        E: Environment<Storage: Storage<File = F>>,
    {
        let mut gather = Self::new(table, positions)?;
        gather.columns.iter_mut().for_each(|column| column.swap_unit = None);
        Ok(gather)
    }

    pub(super) fn columns(&self) -> &[Place] {
        &self.columns
    }

    pub(super) fn is_mapped(&self) -> bool {
        self.is_mapped
    }

    pub(super) fn records(&self) -> &Records {
        self.records
    }

    /// A file, which is refused where it was cut.
    #[inline]
    fn file(&self, number: usize) -> Result<&'t Part<F>> {
        let (file, is_whole) = (&self.files[number], &self.is_whole[number]);
        if !is_whole.load(Ordering::Relaxed) {
            file.check_size()?;
            is_whole.store(true, Ordering::Relaxed);
        }
        Ok(file)
    }

    /// The map of a file, to be touched now.
    #[inline]
    fn map(&self, number: usize) -> Result<Map<'t>> {
        let file = self.file(number)?;
        file.map().ok_or_else(|| file.blame(outside(file.head.data_offset)))
    }

    /// The values of a column where they lie in the map of their file. All files are mapped.
    pub(super) fn borrow(&self, column: &Place, part: &RunPart) -> Result<&'t [u8]> {
        let file = part.record.file;
        let values = self.map(file)?.get(column.at(&part.record, part.row), part.count * column.width);
        values.map_err(|error| self.files[file].blame(error))
    }

    /// Reads rows into one buffer for each column, which has exactly their size.
    pub(super) fn fill(&self, piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        match (self.is_mapped, piece.as_run()) {
            (true, Some((first, count))) => self.copy_run(first, count, outs)?,
            (true, None) => self.copy_scattered(piece, outs)?,
            (false, Some((first, count))) => self.read_run(first, count, outs)?,
            (false, None) => self.read_scattered(piece, outs)?,
        }
        self.columns.iter().zip(outs).for_each(|(column, out)| column.convert(out));
        Ok(())
    }

    /// The parts of neighbouring rows that lie in one record each.
    pub(super) fn parts_of_run(&self, first: u64, count: usize) -> impl Iterator<Item = RunPart> {
        let mut number = if count == 0 { 0 } else { self.records.find(first) };
        let mut row = first;
        let mut left = count;
        core::iter::from_fn(move || {
            while left > 0 {
                let record = self.records.get(number);
                number += 1;
                let here = record.first_row + record.rows - row;
                let count = usize::try_from(here).unwrap_or(usize::MAX).min(left);
                if count > 0 {
                    let part = RunPart { number: number - 1, record, row, count };
                    row += count as u64;
                    left -= count;
                    return Some(part);
                }
            }
            None
        })
    }
}

/// Neighbouring rows of one record.
pub(super) struct RunPart {
    /// The number of the record.
    pub(super) number: usize,
    record: Record,
    pub(super) row: u64,
    pub(super) count: usize,
}

/// Rows of one task: few enough that tasks spread, many enough to be worth one. Where fewer threads may copy than work, each
/// has one task.
pub(super) fn share(rows: usize, bytes: usize, executor: &impl Executor) -> usize {
    const LEAST: usize = 128 << 10;
    let (width, copying) = (executor.width().get(), executor.copy_width().get());
    let most = if copying == 1 || copying < width { copying } else { width.saturating_mul(2) };
    let tasks = (bytes / LEAST).clamp(1, most);
    rows.div_ceil(tasks).max(1)
}
