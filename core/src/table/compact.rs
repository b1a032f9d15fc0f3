//! Compaction: all records of a table become one, as if it had been written at once.

use alloc::sync::Arc;

use super::write::record::PartialRecord;
use super::write::site::Site;
use super::write::source::Source;
use super::write::{TableWriter, WriteOptions};
use crate::environment::{Access, Environment, FileOf};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::storage::{FileId, OpenMode, Storage as _, StorageError};

/// What a compaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// Rows of the table.
    pub rows: u64,
    /// Records before.
    pub records_before: u64,
    /// Records now: one, or none in a table without records.
    pub records: u64,
    /// The size of the source in bytes.
    pub bytes_before: u64,
    /// The size of the result in bytes.
    pub bytes: u64,
}

/// Makes one record of all records of a table, in place: readers and crashes find the old file or the new one, and writers are
/// kept out until it is done. Columns, with what their entries say beyond colstore's keys, layout, statistics and permissions
/// stay. A table of at most one record is left alone, also where an interrupted writer left bytes behind it.
///
/// Needs room for a second copy, and a few MiB of memory. Progress counts bytes of rows.
///
/// ```
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
/// use recask_core::table::{ColumnInput, Table, TableWriter, compact};
///
/// let place = MemoryPlace::new();
/// let mut writer = TableWriter::<MemoryEnvironment>::create(place.clone())?;
/// for id in 0..100i64 {
///     writer.write(&[ColumnInput::of("id", &[id])])?;
/// }
/// writer.close()?;
/// let done = compact::<MemoryEnvironment>(place.clone(), &())?;
/// assert_eq!((done.rows, done.records_before, done.records), (100, 100, 1));
/// assert_eq!(Table::<MemoryEnvironment>::open(place)?.file_records(), 1);
/// # Ok::<(), recask_core::Error>(())
/// ```
///
/// # Errors
/// [`Code::StoreNotFound`], [`Code::StoreBusy`], [`Code::Interrupted`], those of [`Table::open`](super::Table::open), and what
/// the storage says. The table is then as it was.
///
/// [`Code::Interrupted`]: crate::Code::Interrupted
/// [`Code::StoreBusy`]: crate::Code::StoreBusy
/// [`Code::StoreNotFound`]: crate::Code::StoreNotFound
pub fn compact<E: Environment>(place: impl Into<E::Place>, progress: &dyn Progress) -> Result<Compaction> {
    let place = place.into();
    let run = || {
        let (site, file) = Site::<E>::existing(&place, OpenMode::Read)?;
        let source = Source::read(file)?;
        if source.records.len() <= 1 {
            let records = source.records.len() as u64;
            let (rows, bytes) = (source.records.rows(), source.head.file_len);
            return Ok(Compaction { rows, records_before: records, records, bytes_before: bytes, bytes });
        }
        let target = TableWriter::replacing(site, &place, &source.options())?;
        into_one_record(&source, target, progress)
    };
    run().map_err(|error: Error| error.at_place(E::describe(&place)))
}

/// Writes the rows of a table as one record to a place where nothing is yet; the table stays as it is and needs no
/// permission to be written. Without `options` the new table has the layout and the statistics of the old one.
///
/// Progress counts bytes of rows.
///
/// # Errors
/// [`Code::StoreExists`] where something is at `out`, which may be the source; those of [`compact`], but for
/// [`Code::StoreBusy`]. Nothing is left at `out` then.
///
/// [`Code::StoreBusy`]: crate::Code::StoreBusy
/// [`Code::StoreExists`]: crate::Code::StoreExists
pub fn compact_to<E: Environment>(
    place: impl Into<E::Place>,
    out: impl Into<E::Place>,
    options: Option<&WriteOptions>,
    progress: &dyn Progress,
) -> Result<Compaction> {
    let (place, out) = (place.into(), out.into());
    let run = || {
        let source = open_source::<E>(&place)?;
        let target = TableWriter::<E>::create_at(&out, options.unwrap_or(&source.options()))?;
        into_one_record(&source, target, progress)
    };
    run().map_err(|error: Error| error.at_place(E::describe(&place)))
}

/// The table at a place, to be copied. Committed bytes do not change, so it is not locked.
pub(super) fn open_source<E: Environment>(place: &E::Place) -> Result<Source<FileOf<E>>> {
    let file = E::attach_file(place, Access::Read)?.open(FileId::Table, OpenMode::Read);
    Source::read(file.map_err(StorageError::in_only_file)?)
}

fn into_one_record<E: Environment>(
    source: &Source<FileOf<E>>,
    mut target: TableWriter<E>,
    progress: &dyn Progress,
) -> Result<Compaction> {
    let (rows, count) = (source.records.rows(), source.records.len());
    let manifest = Arc::new(source.head.manifest.clone());
    let begun = PartialRecord::begin(&mut target.appender, manifest, rows);
    let mut record = begun.map_err(|error| target.blame(error))?;
    let mut before = 0;
    for (position, column) in source.head.manifest.columns.iter().enumerate() {
        let width = column.dtype().itemsize();
        let pieces = (0..count).map(|record| source.values(record, before, width));
        source.copy(pieces, progress, |values| {
            let written = record.write_column(&target.appender, position, values);
            written.map_err(|error| target.blame(error))
        })?;
        before += width;
    }
    let ended = record.end(&mut target.appender);
    ended.map_err(|error| target.blame(error))?;
    target.commit()?;
    Ok(Compaction {
        rows,
        records_before: count as u64,
        records: target.records(),
        bytes_before: source.head.file_len,
        bytes: target.appender.file_len()?,
    })
}
