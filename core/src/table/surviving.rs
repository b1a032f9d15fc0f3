//! Reading what is left of a table whose files were cut while it is open.
//!
//! A map still reaches as far as its file once did, and touching what was cut away would end the process: nothing is read
//! through a map here.

use alloc::format;
use alloc::vec::Vec;

use super::files::Part;
use super::gather::{Gather, Place};
use super::records::Record;
use super::{ColumnData, Selection};
use crate::environment::{Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::storage::StorageFile as _;
use crate::store::{Lost, survivor};

/// Rows that are located together.
const BLOCK: usize = 1024;

/// What is there of some columns, in files as long as they are now.
struct Remains<'t, E: Environment> {
    gather: Gather<'t, FileOf<E>>,
    parts: &'t [Part<FileOf<E>>],
    /// The length of each file.
    ends: Vec<u64>,
}

impl<'t, E: Environment> Remains<'t, E> {
    fn of(rows: &'t Selection<E>) -> Result<Self> {
        let parts = &rows.table.0.parts;
        // A file that does not even tell its length shows at the first read.
        let ends = parts.iter().map(|part| part.file.len().unwrap_or(part.committed_end)).collect();
        Ok(Remains { gather: Gather::new(&rows.table, &rows.columns)?, parts, ends })
    }

    /// The first row of a record that misses a value; the row behind the record where all are there.
    fn cut_at(&self, record: &Record) -> u64 {
        let end = self.ends[record.file];
        let whole = |column: &Place| match column.width {
            0 => record.rows,
            width => end.saturating_sub(column.start(record)) / width as u64,
        };
        record.first_row + self.gather.columns().iter().map(whole).fold(record.rows, u64::min)
    }

    /// Why a row from [`Remains::cut_at`] on is lost.
    fn lost(&self, record: &Record, row: u64) -> Error {
        let end = self.ends[record.file];
        let behind = |column: &&Place| column.at(record, row) + column.width as u64 > end;
        let at = self.gather.columns().iter().find(behind).map_or(end, |column| column.at(record, row));
        let text = format!("the file was cut to {end} bytes while it was open, and the row is lost");
        self.parts[record.file].blame(Error::new(Code::TruncatedFile, text).at_offset(at))
    }

    /// Reads row number `to` of the result.
    fn read(&self, record: &Record, row: u64, to: usize, columns: &mut [ColumnData]) -> Result<()> {
        if row >= self.cut_at(record) {
            return Err(self.lost(record, row));
        }
        for (place, column) in self.gather.columns().iter().zip(columns) {
            let at = place.at(record, row);
            let value = &mut column.as_bytes_mut()[to * place.width..][..place.width];
            self.parts[record.file].read_exact_at(at, value).map_err(|error| error.at_offset(at))?;
            place.convert(value);
        }
        Ok(())
    }
}

impl<E: Environment> Selection<E> {
    /// As [`Selection::gather_rows`], one row after the other and without those that are lost, which are added to `lost` in
    /// the order of `rows`. A row is lost where the value of any selected column is. Touches no map, so it is of use where a
    /// file was cut.
    pub(crate) fn gather_surviving(
        &self,
        rows: &[u64],
        columns: &mut Vec<ColumnData>,
        lost: &mut Vec<Lost>,
    ) -> Result<()> {
        let chosen = self.rows.chosen(rows)?;
        let remains = Remains::of(self)?;
        self.make_room(rows.len(), columns)?;
        let records = &self.table.0.records;
        let mut kept = 0;
        for (position, (&row, &number)) in chosen.iter().zip(rows).enumerate() {
            let record = records.get(records.find(row));
            // What a lost row left in its place, the next one overwrites.
            let read = remains.read(&record, row, kept, columns).map_err(|error| error.with_record(number));
            kept += usize::from(survivor(position, read, lost)?.is_some());
        }
        self.make_room(kept, columns)
    }

    /// Why the first selected row that is lost is lost, by the lengths of the files alone: nothing is read. It is counted
    /// within the selection.
    ///
    /// # Errors
    /// [`Code::TooLarge`].
    pub(crate) fn first_lost(&self) -> Result<Option<Error>> {
        let remains = Remains::of(self)?;
        let mut found = [Record::default(); BLOCK];
        let (mut last, mut cut_at) = (Record::default(), 0);
        let (mut first, mut position) = (None, 0);
        while first.is_none() && position < self.len() {
            self.rows.piece(position, BLOCK).for_each_block::<BLOCK>(|rows| {
                self.table.0.records.find_all(rows, &mut found);
                for (number, (&row, record)) in (position..).zip(rows.iter().zip(&found)) {
                    if last != *record {
                        (last, cut_at) = (*record, remains.cut_at(record));
                    }
                    if row >= cut_at && first.is_none() {
                        first = Some(remains.lost(record, row).with_record(number));
                    }
                }
                Ok(())
            })?;
            position += BLOCK as u64;
        }
        Ok(first)
    }
}
