//! A record whose rows arrive in pieces.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::TableWriter;
use super::append::{Appender, Placed};
use super::extremes::{self, ColumnExtremes};
use super::input::{ColumnInput, batch, check_schema, labels};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::format::cstore::Manifest;
use crate::storage::StorageFile;

/// Writes one record in pieces of rows, in bounded memory: [`TableWriter::record`].
///
/// Dropping it before [`RecordWriter::finish`] takes the record back.
pub struct RecordWriter<'w, E: Environment> {
    writer: &'w mut TableWriter<E>,
    record: PartialRecord,
    finished: bool,
}

/// A record of which some rows are there.
#[derive(Debug)]
pub(in crate::table) struct PartialRecord {
    manifest: Arc<Manifest>,
    placed: Placed,
    columns: Vec<Slot>,
}

/// Where the next value of a column goes, and where the column ends.
#[derive(Debug)]
struct Slot {
    at: u64,
    end: u64,
    extremes: Option<ColumnExtremes>,
}

impl<'w, E: Environment> RecordWriter<'w, E> {
    pub(super) fn new(writer: &'w mut TableWriter<E>, record: PartialRecord) -> Self {
        RecordWriter { writer, record, finished: false }
    }

    /// Writes the next rows: all columns of the record, as many values of each. Without columns it does nothing.
    ///
    /// After an error, these rows are not written and may be given again.
    ///
    /// # Errors
    /// Those of [`TableWriter::write`]; [`Code::ShapeMismatch`] for more rows than were announced.
    pub fn write(&mut self, columns: &[ColumnInput<'_>]) -> Result<()> {
        let outcome = self.write_rows(columns);
        outcome.map_err(|error| self.writer.blame(error))
    }

    fn write_rows(&mut self, columns: &[ColumnInput<'_>]) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        check_schema(&self.record.manifest, labels(columns))?;
        let batch = batch(columns)?;
        let missing = self.record.missing_rows();
        if batch.rows > missing {
            let text = format!(
                "{} rows are given, the record was announced with {} and lacks {missing}",
                batch.rows, self.record.placed.rows
            );
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        for (slot, values) in self.record.columns.iter().zip(&batch.values) {
            self.writer.appender.write_at(slot.at, values)?;
        }
        self.record.columns.iter_mut().zip(&batch.values).for_each(|(slot, values)| slot.advance(values));
        Ok(())
    }

    /// The rows that are still to be written.
    #[must_use]
    pub fn missing_rows(&self) -> u64 {
        self.record.missing_rows()
    }

    /// Ends the record, which is then part of the next commit.
    ///
    /// # Errors
    /// [`Code::ShapeMismatch`] when rows are missing, and what the storage says; the record is taken back.
    pub fn finish(mut self) -> Result<()> {
        let missing = self.missing_rows();
        if missing > 0 {
            let text = format!(
                "the record was announced with {} rows, the last {missing} were not written",
                self.record.placed.rows
            );
            return Err(self.writer.blame(Error::new(Code::ShapeMismatch, text)));
        }
        let ended = self.record.end(&mut self.writer.appender);
        self.finished = ended.is_ok();
        ended.map_err(|error| self.writer.blame(error))
    }
}

impl<E: Environment> Drop for RecordWriter<'_, E> {
    fn drop(&mut self) {
        if !self.finished {
            self.writer.appender.take_back();
        }
    }
}

impl<E: Environment> core::fmt::Debug for RecordWriter<'_, E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "RecordWriter({} of {} rows missing)", self.missing_rows(), self.record.placed.rows)
    }
}

impl PartialRecord {
    /// Starts a record behind those that are written.
    pub(in crate::table) fn begin<F: StorageFile>(
        appender: &mut Appender<F>,
        manifest: Arc<Manifest>,
        rows: u64,
    ) -> Result<Self> {
        let placed = appender.place(&manifest, rows)?;
        let found = if appender.wants_statistics() { extremes::of_record(&manifest) } else { Vec::new() };
        let mut found = found.into_iter();
        let mut at = placed.body;
        let columns = manifest.columns.iter().map(|column| {
            // That the whole body fits was checked when it was placed.
            let end = at.saturating_add(rows.saturating_mul(column.dtype().itemsize()));
            let slot = Slot { at, end, extremes: found.next() };
            at = end;
            slot
        });
        let columns = columns.collect();
        appender.begin(&placed)?;
        Ok(PartialRecord { manifest, placed, columns })
    }

    /// Writes the next values of one column, as they are stored; they fit into the record.
    pub(in crate::table) fn write_column<F: StorageFile>(
        &mut self,
        appender: &Appender<F>,
        column: usize,
        values: &[u8],
    ) -> Result<()> {
        let slot = self.columns.get_mut(column);
        let slot = slot.filter(|slot| slot.end - slot.at >= values.len() as u64);
        let Some(slot) = slot else {
            return Err(Error::new(Code::InvalidArgument, "the record has no room for these values"));
        };
        appender.write_at(slot.at, values)?;
        slot.advance(values);
        Ok(())
    }

    /// Ends the record.
    pub(in crate::table) fn end<F: StorageFile>(&mut self, appender: &mut Appender<F>) -> Result<()> {
        let found: Vec<_> = self.columns.iter_mut().filter_map(|slot| slot.extremes.take()).collect();
        appender.end(&self.manifest, &self.placed, &found).inspect_err(|_| appender.take_back())
    }

    /// The rows that the first column lacks, and with it all that are written row by row.
    fn missing_rows(&self) -> u64 {
        let first = self.columns.first().zip(self.manifest.columns.first());
        first.map_or(0, |(slot, column)| (slot.end - slot.at) / column.dtype().itemsize().max(1))
    }
}

impl Slot {
    fn advance(&mut self, values: &[u8]) {
        self.at += values.len() as u64;
        if let Some(extremes) = &mut self.extremes {
            extremes.add(values);
        }
    }
}
