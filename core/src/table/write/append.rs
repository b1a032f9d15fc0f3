//! One table file that grows: records behind records, and the counters that publish them.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::WriteOptions;
use super::extremes::{self, ColumnExtremes};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Counters, Layout, MAGIC, Manifest, RecordHeader, Statistics, body_len};
use crate::storage::{StorageError, StorageFile};
use crate::table::open::Head;
use crate::table::verify::read_statistics;

/// How far a table goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::table) struct Mark {
    pub(in crate::table) records: u64,
    pub(in crate::table) rows: u64,
    /// Where the last record ends; 0 before there is a header.
    pub(in crate::table) end: u64,
}

/// What is known of the file after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Sound,
    /// A sync failed: what is durable is unknown, but the counters are the committed ones.
    Broken,
    /// Writing or syncing the counters failed: they may be the old or the new ones, both of which are true.
    InDoubt,
}

/// The file, what is committed in it, and what was written behind that.
///
/// Nothing that is committed is ever overwritten but the counters, and a footer that no counters name any more.
#[derive(Debug)]
pub(in crate::table) struct Appender<F> {
    file: F,
    layout: Layout,
    /// The schema, once it is fixed.
    manifest: Option<Arc<Manifest>>,
    committed: Mark,
    written: Mark,
    wants_statistics: bool,
    /// Those of the written records.
    statistics: Option<Statistics>,
    /// Whether counters on the disk may name a footer.
    footer_named: bool,
    /// Whether the committed counters lack a footer that the table should have.
    footer_missing: bool,
    /// Whether bytes may lie behind the written records.
    tail_unknown: bool,
    state: State,
}

/// Where a record goes.
#[derive(Clone, Debug)]
pub(in crate::table) struct Placed {
    /// What precedes the rows: the header of the record, and of the file where it is the first.
    head: Vec<u8>,
    /// Where that goes.
    head_at: u64,
    pub(super) rows: u64,
    /// Where the first column goes.
    pub(super) body: u64,
    /// Where the rows end and the padding starts.
    pub(super) rows_end: u64,
    end: u64,
}

impl<F: StorageFile> Appender<F> {
    /// For a new, empty file.
    pub(in crate::table) fn new(file: F, options: &WriteOptions) -> Self {
        Appender {
            file,
            layout: options.layout,
            manifest: None,
            committed: Mark::default(),
            written: Mark::default(),
            wants_statistics: options.statistics,
            statistics: None,
            footer_named: false,
            footer_missing: false,
            tail_unknown: false,
            state: State::Sound,
        }
    }

    /// For a table that is there. Everything is checked and nothing is written.
    pub(in crate::table) fn resume(file: F) -> Result<Self> {
        let head = Head::read(&file)?;
        let (records, end) = head.records(&file)?;
        let mark = Mark { records: head.counters.records, rows: records.rows(), end };
        let statistics = match read_statistics(&file, &head, end)? {
            Some(Ok(statistics)) => Some(statistics),
            Some(Err(_)) => unusable(&head),
            None => None,
        };
        let tail_unknown = head.file_len > end;
        Ok(Appender {
            file,
            layout: head.counters.layout,
            manifest: Some(Arc::new(head.manifest)),
            committed: mark,
            written: mark,
            wants_statistics: statistics.is_some(),
            statistics,
            // The durable counters may still name one that an interrupted writer took out of the live ones.
            footer_named: head.counters.layout == Layout::V05 && tail_unknown,
            footer_missing: false,
            tail_unknown,
            state: State::Sound,
        })
    }

    pub(in crate::table) fn manifest(&self) -> Option<&Arc<Manifest>> {
        self.manifest.as_ref()
    }

    pub(in crate::table) fn written(&self) -> Mark {
        self.written
    }

    /// The size of the file.
    pub(in crate::table) fn file_len(&self) -> Result<u64> {
        self.file.len().map_err(StorageError::in_only_file)
    }

    pub(super) fn wants_statistics(&self) -> bool {
        self.wants_statistics
    }

    /// Whether the counters on the disk are not the committed ones for sure.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.state == State::InDoubt
    }

    /// Refuses to go on after a failure that left the file unknown.
    pub(super) fn check_sound(&self) -> Result<()> {
        if self.state == State::Sound {
            return Ok(());
        }
        let text =
            "an earlier failure left this writer without knowledge of the file: open it again by update";
        Err(Error::new(Code::Io, text))
    }

    /// Where a record of `rows` rows goes.
    pub(super) fn place(&self, manifest: &Manifest, rows: u64) -> Result<Placed> {
        let head = if self.manifest.is_none() { self.file_header(manifest)? } else { Vec::new() };
        let too_large = || {
            let text = format!("a record of {rows} rows makes the table larger than a file can be");
            Error::new(Code::TooLarge, text)
        };
        self.place_behind(head, manifest, rows).ok_or_else(too_large)
    }

    fn place_behind(&self, mut head: Vec<u8>, manifest: &Manifest, rows: u64) -> Option<Placed> {
        let Mark { records, rows: rows_before, end } = self.written;
        head.extend_from_slice(&RecordHeader { index: records, rows }.encode());
        let body = end.checked_add(head.len() as u64)?;
        let row_width = manifest.row_width()?;
        let rows_end = body.checked_add(rows.checked_mul(row_width)?)?;
        let record_end = body.checked_add(body_len(rows, row_width)?)?;
        // All numbers of the format are signed.
        [records.checked_add(1)?, rows_before.checked_add(rows)?, record_end]
            .into_iter()
            .try_for_each(|number| i64::try_from(number).map(drop))
            .ok()?;
        Some(Placed { head, head_at: end, rows, body, rows_end, end: record_end })
    }

    /// Everything before the first record, committing nothing.
    fn file_header(&self, manifest: &Manifest) -> Result<Vec<u8>> {
        let text = manifest.encode();
        let len = text.len() as u64;
        let data_offset = self.layout.data_offset(len).filter(|_| len <= Manifest::MAX_LEN);
        let Some(data_offset) = data_offset.and_then(|offset| usize::try_from(offset).ok()) else {
            let text = format!("the schema has {len} bytes, a table can keep {}", Manifest::MAX_LEN);
            return Err(Error::new(Code::TooLarge, text));
        };
        let mut header = Vec::from(MAGIC);
        header.extend_from_slice(&Counters { layout: self.layout, ..Counters::default() }.encode());
        header.extend_from_slice(&len.to_le_bytes());
        header.extend_from_slice(text.as_bytes());
        header.resize(data_offset, 0);
        Ok(header)
    }

    /// Writes a whole record at once, in the schema of `manifest`.
    pub(super) fn write_record(
        &mut self,
        manifest: &Arc<Manifest>,
        rows: u64,
        values: &[&[u8]],
    ) -> Result<()> {
        let placed = self.place(manifest, rows)?;
        let padding = [0; 8];
        let padding =
            padding.get(..usize::try_from(placed.end - placed.rows_end).unwrap_or(0)).unwrap_or_default();
        let parts: Vec<&[u8]> =
            core::iter::once(placed.head.as_slice()).chain(values.iter().copied()).chain([padding]).collect();
        let mut found = Vec::new();
        if self.wants_statistics {
            found = extremes::of_record(manifest);
            found.iter_mut().zip(values).for_each(|(extremes, values)| extremes.add(values));
        }
        self.make_room()?;
        self.tail_unknown = true;
        let outcome = self.file.write_all_vectored_at(placed.head_at, &parts);
        if let Err(error) = outcome {
            self.take_back();
            return Err(error.in_only_file());
        }
        self.accept(manifest, &placed, &found);
        Ok(())
    }

    /// Starts a record that is written in pieces.
    pub(super) fn begin(&mut self, placed: &Placed) -> Result<()> {
        self.make_room()?;
        self.tail_unknown = true;
        let begun = self.write_at(placed.head_at, &placed.head);
        begun.inspect_err(|_| self.take_back())
    }

    /// Writes a piece of a record that was begun.
    pub(super) fn write_at(&self, at: u64, bytes: &[u8]) -> Result<()> {
        self.file.write_all_at(at, bytes).map_err(StorageError::in_only_file)
    }

    /// Ends a record that was begun, when its rows are there.
    pub(super) fn end(
        &mut self,
        manifest: &Arc<Manifest>,
        placed: &Placed,
        found: &[ColumnExtremes],
    ) -> Result<()> {
        let padding = [0; 8];
        let len = usize::try_from(placed.end - placed.rows_end).unwrap_or(0);
        self.write_at(placed.rows_end, padding.get(..len).unwrap_or_default())?;
        self.accept(manifest, placed, found);
        Ok(())
    }

    fn accept(&mut self, manifest: &Arc<Manifest>, placed: &Placed, found: &[ColumnExtremes]) {
        self.tail_unknown = false;
        if self.manifest.is_none() {
            self.manifest = Some(Arc::clone(manifest));
        }
        if self.wants_statistics {
            let statistics = self.statistics.get_or_insert_with(|| Statistics::new(manifest));
            statistics.push(found.iter().map(ColumnExtremes::result));
        }
        let Mark { records, rows, .. } = self.written;
        self.written = Mark { records: records + 1, rows: rows + placed.rows, end: placed.end };
    }

    /// Writes the header of a table whose records are copied from another file; where they go.
    pub(in crate::table) fn begin_copy(&mut self, manifest: &Manifest) -> Result<u64> {
        let header = self.file_header(manifest)?;
        self.write_copied(0, &header)?;
        Ok(header.len() as u64)
    }

    /// Writes a piece of copied records.
    pub(in crate::table) fn write_copied(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.tail_unknown = true;
        self.write_at(at, bytes)
    }

    /// Takes copied records for written.
    pub(in crate::table) fn end_copy(
        &mut self,
        manifest: Arc<Manifest>,
        mark: Mark,
        statistics: Option<Statistics>,
    ) {
        self.tail_unknown = false;
        self.manifest = Some(manifest);
        self.written = mark;
        self.statistics = statistics;
    }

    /// Prepares for bytes behind the written records: a footer there is no longer named by any counters, also after a
    /// power failure, and what interrupted writers left is cut.
    fn make_room(&mut self) -> Result<()> {
        self.check_sound()?;
        if self.footer_named {
            self.write_counters(self.committed, 0)?;
            self.sync()?;
            self.footer_named = false;
            self.footer_missing = self.wants_statistics;
        }
        if self.tail_unknown {
            self.file.set_len(self.written.end).map_err(StorageError::in_only_file)?;
            self.tail_unknown = false;
        }
        Ok(())
    }

    /// Cuts what a failed or abandoned write left. Should that fail too, the next write tries again.
    pub(super) fn take_back(&mut self) {
        if self.tail_unknown && self.file.set_len(self.written.end).is_ok() {
            self.tail_unknown = false;
        }
    }

    /// Whether there is something to commit.
    pub(super) fn has_news(&self) -> bool {
        self.written != self.committed || self.footer_missing
    }

    /// Writes the footer, where the table has one; what the counters are to say of it. May be repeated after an error.
    pub(super) fn write_footer(&mut self) -> Result<u64> {
        self.take_back();
        let footer = match (&self.manifest, &self.statistics) {
            (Some(manifest), Some(statistics)) if self.written.records > 0 => {
                statistics.encode(manifest, self.written.records)
            }
            _ => None,
        };
        let Some(footer) = footer else { return Ok(0) };
        self.make_room()?;
        self.tail_unknown = true;
        let at = self.written.end;
        self.write_at(at, &footer).inspect_err(|_| self.take_back())?;
        Ok(at)
    }

    /// Makes what was written durable.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.file.sync().map_err(|error| {
            self.state = State::Broken;
            error.in_only_file()
        })
    }

    /// Writes the counters that publish what was written, and makes them durable.
    pub(super) fn publish(&mut self, footer_at: u64) -> Result<()> {
        let published = self.write_counters(self.written, footer_at).and_then(|()| self.sync());
        if published.is_err() {
            self.state = State::InDoubt;
            return published;
        }
        self.committed = self.written;
        self.footer_named = footer_at != 0;
        self.footer_missing = false;
        self.tail_unknown = self.footer_named;
        Ok(())
    }

    /// A name could not be made durable, so that nothing may be said to be committed.
    pub(super) fn give_up(&mut self) {
        if self.state == State::Sound {
            self.state = State::Broken;
        }
    }

    /// Writes what the counters are to be; the caller syncs.
    fn write_counters(&self, mark: Mark, statistics_at: u64) -> Result<()> {
        let Mark { records, rows, .. } = mark;
        let counters = Counters { layout: self.layout, records, rows, statistics_at };
        self.write_at(Counters::OFFSET, &counters.encode())
    }

    /// Leaves the table as it was committed, as far as that still works: this is for writers that are dropped.
    pub(super) fn roll_back(&mut self) {
        if self.state == State::InDoubt || !self.has_news() {
            return;
        }
        self.written = self.committed;
        self.tail_unknown = true;
        if let Some(statistics) = &mut self.statistics {
            statistics.truncate(self.committed.records);
        }
        self.take_back();
        if self.state == State::Sound && self.footer_missing {
            let footer = self.write_footer();
            let _ = footer.and_then(|at| self.sync().map(|()| at)).and_then(|at| self.publish(at));
        }
    }
}

/// Statistics that say nothing of the records so far, in the place of a damaged footer that the file has room for.
fn unusable(head: &Head) -> Option<Statistics> {
    let records = head.counters.records;
    Statistics::footer_len(&head.manifest, records).filter(|&len| len <= head.file_len)?;
    let mut statistics = Statistics::new(&head.manifest);
    (0..records).for_each(|_| statistics.push(core::iter::repeat_n(None, head.manifest.columns.len())));
    Some(statistics)
}
