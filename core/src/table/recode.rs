//! Changing the layout of a table: another header before the same records.

use alloc::sync::Arc;
use core::iter::once;

use super::compact::open_source;
use super::write::append::Mark;
use super::write::extremes::{self, ColumnExtremes};
use super::write::site::Site;
use super::write::source::Source;
use super::write::{TableWriter, WriteOptions};
use crate::environment::{Environment, FileOf};
use crate::error::{Error, Result};
use crate::format::cstore::Statistics;
use crate::progress::Progress;
use crate::storage::{OpenMode, StorageFile};

/// Gives a table the layout of `options`, in place: readers and crashes find the old file or the new one, and writers are kept
/// out until it is done. Records are copied as they are; what interrupted writers left behind them is not. A table that has
/// this layout already is left alone.
///
/// Needs room for a second copy, and a few MiB of memory. Progress counts bytes of records.
///
/// ```
/// use recask_core::format::cstore::Layout;
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
/// use recask_core::table::{ColumnInput, Table, WriteOptions, recode};
///
/// let place = MemoryPlace::new();
/// Table::<MemoryEnvironment>::create(place.clone(), &[ColumnInput::of("id", &[1u32, 2])])?;
/// recode::<MemoryEnvironment>(place.clone(), &WriteOptions { layout: Layout::V05, statistics: true }, &())?;
/// let table = Table::<MemoryEnvironment>::open(place)?;
/// assert_eq!(table.layout(), Layout::V05);
/// assert!(table.statistics()?.is_some());
/// # Ok::<(), recask_core::Error>(())
/// ```
///
/// # Errors
/// [`Code::InvalidArgument`] for options that contradict each other, [`Code::StoreNotFound`], [`Code::StoreBusy`],
/// [`Code::Interrupted`], those of [`Table::open`](super::Table::open), and what the storage says. The table is then as it was.
///
/// [`Code::Interrupted`]: crate::Code::Interrupted
/// [`Code::InvalidArgument`]: crate::Code::InvalidArgument
/// [`Code::StoreBusy`]: crate::Code::StoreBusy
/// [`Code::StoreNotFound`]: crate::Code::StoreNotFound
pub fn recode<E: Environment>(
    place: impl Into<E::Place>,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let place = place.into();
    let run = || {
        options.check()?;
        let (site, file) = Site::<E>::existing(&place, OpenMode::Read)?;
        let source = Source::read(file)?;
        let statistics = source.statistics()?;
        let has = WriteOptions { statistics: statistics.is_some(), ..source.options() };
        if has == *options {
            return Ok(());
        }
        let target = TableWriter::replacing(site, &place, options)?;
        copy(&source, statistics, options, target, progress)
    };
    run().map_err(|error: Error| error.at_place(E::describe(&place)))
}

/// Writes the records of a table in the layout of `options` to a place where nothing is yet; the table stays as it is and
/// needs no permission to be written.
///
/// Progress counts bytes of records.
///
/// # Errors
/// [`Code::StoreExists`] where something is at `out`, which may be the source; those of [`recode`], but for
/// [`Code::StoreBusy`]. Nothing is left at `out` then.
///
/// [`Code::StoreBusy`]: crate::Code::StoreBusy
/// [`Code::StoreExists`]: crate::Code::StoreExists
pub fn recode_to<E: Environment>(
    place: impl Into<E::Place>,
    out: impl Into<E::Place>,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let (place, out) = (place.into(), out.into());
    let run = || {
        options.check()?;
        let source = open_source::<E>(&place)?;
        let statistics = source.statistics()?;
        let target = TableWriter::<E>::create_at(&out, options)?;
        copy(&source, statistics, options, target, progress)
    };
    run().map_err(|error: Error| error.at_place(E::describe(&place)))
}

fn copy<E: Environment>(
    source: &Source<FileOf<E>>,
    statistics: Option<Statistics>,
    options: &WriteOptions,
    mut target: TableWriter<E>,
    progress: &dyn Progress,
) -> Result<()> {
    let statistics = match statistics {
        _ if !options.statistics => None,
        Some(statistics) => Some(statistics),
        None => Some(compute(source, progress)?),
    };
    let begun = target.appender.begin_copy(&source.head.manifest);
    let mut at = begun.map_err(|error| target.blame(error))?;
    source.copy(once(source.head.data_offset..source.end), progress, |bytes| {
        let written = target.appender.write_copied(at, bytes);
        at += bytes.len() as u64;
        written.map_err(|error| target.blame(error))
    })?;
    let mark = Mark { records: source.records.len() as u64, rows: source.records.rows(), end: at };
    target.appender.end_copy(Arc::new(source.head.manifest.clone()), mark, statistics);
    target.close()
}

/// Reads all values for the extremes of each record.
fn compute<F: StorageFile>(source: &Source<F>, progress: &dyn Progress) -> Result<Statistics> {
    let mut statistics = Statistics::new(&source.head.manifest);
    for record in 0..source.records.len() {
        let mut found = extremes::of_record(&source.head.manifest);
        let mut before = 0;
        for (column, extremes) in source.head.manifest.columns.iter().zip(&mut found) {
            let width = column.dtype().itemsize();
            source.copy(once(source.values(record, before, width)), &Unmeasured(progress), |values| {
                extremes.add(values);
                Ok(())
            })?;
            before += width;
        }
        statistics.push(found.iter().map(ColumnExtremes::result));
    }
    Ok(statistics)
}

/// Can be stopped like the work that it belongs to, whose units are others.
struct Unmeasured<'p>(&'p dyn Progress);

impl Progress for Unmeasured<'_> {
    fn proceed(&self) -> bool {
        self.0.proceed()
    }
}
