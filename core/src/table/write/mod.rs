//! Writing column tables: new ones, in the place of others, and behind their last row.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::dtype::DType;
use crate::environment::{Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Layout, Manifest, Text};
use crate::storage::OpenMode;

pub(super) mod append;
pub(super) mod extremes;
mod input;
mod oneshot;
pub(super) mod record;
mod rows;
pub(super) mod site;
pub(super) mod source;
mod structs;

use append::Appender;
pub use input::ColumnInput;
use input::{batch, check_schema, labels, schema_of};
use record::PartialRecord;
pub use record::RecordWriter;
use site::Site;

/// How a new table is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Which release of colstore can read it: by default 0.3.
    pub layout: Layout,
    /// Whether a footer keeps the extremes of every column in every record, so that filters can skip records. Only with
    /// [`Layout::V05`].
    pub statistics: bool,
}

impl WriteOptions {
    pub(super) fn check(&self) -> Result<()> {
        if self.statistics && self.layout == Layout::V03 {
            let text = "the layout of colstore 0.3 has no place for statistics; choose the layout of 0.5";
            return Err(Error::new(Code::InvalidArgument, text));
        }
        Ok(())
    }
}

/// Writes a column table, record by record, and publishes what it wrote with [`TableWriter::commit`].
///
/// It holds the lock of the file from its making to its end; readers need none and see what was committed when they
/// opened the table. The first write of a new table fixes the schema. Dropping a writer leaves the table as it was
/// committed last; a new one that never was is removed.
///
/// ```
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
/// use recask_core::table::{ColumnInput, Table, TableWriter};
///
/// let place = MemoryPlace::new();
/// let mut writer = TableWriter::<MemoryEnvironment>::create(place.clone())?;
/// writer.write(&[ColumnInput::of("id", &[1u32, 2]), ColumnInput::of("price", &[9.5f64, 3.0])])?;
/// writer.commit()?;
/// writer.write(&[ColumnInput::of("id", &[3u32]), ColumnInput::of("price", &[1.0f64])])?;
/// writer.close()?;
///
/// let mut writer = TableWriter::<MemoryEnvironment>::update(place.clone())?;
/// writer.write(&[ColumnInput::of("id", &[4u32]), ColumnInput::of("price", &[2.5f64])])?;
/// writer.close()?;
///
/// let table = Table::<MemoryEnvironment>::open(place)?;
/// assert_eq!(table.column("id")?.values::<u32>()?, [1, 2, 3, 4]);
/// # Ok::<(), recask_core::Error>(())
/// ```
///
/// # After an error
/// A refused or failed [`write`](TableWriter::write) leaves the writer as it was: the same rows may be given again. So does a
/// failed [`commit`](TableWriter::commit), unless a sync or the writing of the counters failed: what is on the disk is unknown
/// then, every later call fails with [`Code::Io`], and a new writer from [`TableWriter::update`] goes on with either what was
/// committed before or all that was to be committed.
pub struct TableWriter<E: Environment> {
    pub(super) appender: Appender<FileOf<E>>,
    site: Site<E>,
    place: String,
}

impl<E: Environment> TableWriter<E> {
    /// Starts a new table in the layout of colstore 0.3.
    ///
    /// # Errors
    /// [`Code::StoreExists`] where something is at the place already; what the storage says.
    pub fn create(place: impl Into<E::Place>) -> Result<Self> {
        Self::create_with(place, &WriteOptions::default())
    }

    /// Starts a new table.
    ///
    /// # Errors
    /// Those of [`TableWriter::create`]; [`Code::InvalidArgument`] for options that contradict each other.
    pub fn create_with(place: impl Into<E::Place>, options: &WriteOptions) -> Result<Self> {
        Self::create_at(&place.into(), options)
    }

    /// Starts a table that takes the place of another, in the layout of colstore 0.3. The old one stays readable and whole
    /// until the first commit, which replaces it in one step; without a commit it stays. Where nothing is, this is
    /// [`TableWriter::create`].
    ///
    /// # Errors
    /// [`Code::StoreBusy`] while another writer has the old table; what the storage says.
    pub fn recreate(place: impl Into<E::Place>) -> Result<Self> {
        Self::recreate_with(place, &WriteOptions::default())
    }

    /// [`TableWriter::recreate`] with options.
    ///
    /// # Errors
    /// Those of [`TableWriter::recreate`]; [`Code::InvalidArgument`] for options that contradict each other.
    pub fn recreate_with(place: impl Into<E::Place>, options: &WriteOptions) -> Result<Self> {
        Self::recreate_at(&place.into(), options)
    }

    /// Continues a table behind its last committed row, in the layout and with the footer that it has. What an interrupted
    /// writer left behind that row is cut by the first write; until then the file is not touched.
    ///
    /// A table that was created and never committed has no rows and keeps its schema.
    ///
    /// # Errors
    /// [`Code::StoreNotFound`]; [`Code::StoreBusy`] while another writer has the table; and, for a file that is no table or a
    /// damaged one, which stays as it is, the errors of [`Table::open`](super::Table::open).
    pub fn update(place: impl Into<E::Place>) -> Result<Self> {
        Self::reach(&place.into(), |place| {
            let (site, file) = Site::existing(place, OpenMode::ReadWrite)?;
            Ok((Appender::resume(file)?, site))
        })
    }

    pub(super) fn create_at(place: &E::Place, options: &WriteOptions) -> Result<Self> {
        Self::reach(place, |place| {
            options.check()?;
            let (site, file) = Site::create(place)?;
            Ok((Appender::new(file, options), site))
        })
    }

    pub(super) fn recreate_at(place: &E::Place, options: &WriteOptions) -> Result<Self> {
        Self::reach(place, |place| {
            options.check()?;
            let (site, file) = Site::recreate(place)?;
            Ok((Appender::new(file, options), site))
        })
    }

    /// For the table of `site`, which is replaced by the first commit.
    pub(super) fn replacing(mut site: Site<E>, place: &E::Place, options: &WriteOptions) -> Result<Self> {
        Self::reach(place, |_| {
            let file = site.start_draft()?;
            Ok((Appender::new(file, options), site))
        })
    }

    fn reach(
        place: &E::Place,
        start: impl FnOnce(&E::Place) -> Result<(Appender<FileOf<E>>, Site<E>)>,
    ) -> Result<Self> {
        let name = E::describe(place);
        match start(place) {
            Ok((appender, site)) => Ok(TableWriter { appender, site, place: name }),
            Err(error) => Err(error.at_place(name)),
        }
    }

    /// Writes rows as one record: all columns of the table, in its order, with its types, as many values of each. The values
    /// go to the storage from where they are, unless their bytes have to be swapped. Without columns it does nothing;
    /// columns without values make a record without rows.
    ///
    /// The rows are read by others after the next [`TableWriter::commit`]. A refused or failed write changes nothing.
    ///
    /// # Errors
    /// [`Code::InvalidDType`] for types that a table does not keep: complex numbers, raw bytes, structures;
    /// [`Code::InvalidArgument`] for a name that is given twice or out of order; [`Code::BufferSize`] for a part of a value;
    /// [`Code::ShapeMismatch`] for unequal lengths, or another number of columns than the table has;
    /// [`Code::ColumnNotFound`] and [`Code::DTypeMismatch`] for other columns; what the storage says.
    pub fn write(&mut self, columns: &[ColumnInput<'_>]) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let outcome = self.write_batch(columns);
        outcome.map_err(|error| self.blame(error))
    }

    fn write_batch(&mut self, columns: &[ColumnInput<'_>]) -> Result<()> {
        let manifest = self.fitting(labels(columns))?;
        let batch = batch(columns)?;
        let values: Vec<&[u8]> = batch.values.iter().map(|values| &**values).collect();
        self.appender.write_record(&manifest, batch.rows, &values)
    }

    /// Starts one record of `rows` rows that arrive in pieces, in bounded memory. The schema is that of the table, or becomes
    /// it when the record is finished.
    ///
    /// ```
    /// use recask_core::DType;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::{ColumnInput, Table, TableWriter};
    ///
    /// let place = MemoryPlace::new();
    /// let mut writer = TableWriter::<MemoryEnvironment>::create(place.clone())?;
    /// let mut record = writer.record([("id", DType::I64), ("ok", DType::BOOL)], 3)?;
    /// record.write(&[ColumnInput::of("id", &[1i64, 2]), ColumnInput::of("ok", &[true, false])])?;
    /// record.write(&[ColumnInput::of("id", &[3i64]), ColumnInput::of("ok", &[true])])?;
    /// record.finish()?;
    /// writer.close()?;
    /// assert_eq!(Table::<MemoryEnvironment>::open(place)?.file_records(), 1);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`TableWriter::write`] for the schema; [`Code::TooLarge`] for more rows than a file can hold.
    pub fn record<N: AsRef<str>>(
        &mut self,
        schema: impl IntoIterator<Item = (N, DType)>,
        rows: u64,
    ) -> Result<RecordWriter<'_, E>> {
        let schema: Vec<(Text, DType)> =
            schema.into_iter().map(|(name, dtype)| (name.as_ref().into(), dtype)).collect();
        let labels = schema.iter().map(|(name, dtype)| (name, dtype));
        let begun = self
            .fitting(labels)
            .and_then(|manifest| PartialRecord::begin(&mut self.appender, manifest, rows));
        match begun {
            Ok(record) => Ok(RecordWriter::new(self, record)),
            Err(error) => Err(self.blame(error)),
        }
    }

    /// The schema of a record of these columns: the table's, or a new one.
    fn fitting<'t>(
        &self,
        columns: impl ExactSizeIterator<Item = (&'t Text, &'t DType)>,
    ) -> Result<Arc<Manifest>> {
        self.appender.check_sound()?;
        match self.appender.manifest() {
            Some(manifest) => check_schema(manifest, columns).map(|()| Arc::clone(manifest)),
            None => schema_of(columns).map(Arc::new),
        }
    }

    /// Publishes everything that was written: the rows become durable, then the counters that name them. More may be written
    /// afterwards. Without news it does nothing.
    ///
    /// # Errors
    /// What the storage says. See [`TableWriter`] for what follows.
    pub fn commit(&mut self) -> Result<()> {
        let outcome = self.publish();
        outcome.map_err(|error| self.blame(error))
    }

    fn publish(&mut self) -> Result<()> {
        self.appender.check_sound()?;
        let is_new = !self.site.is_table();
        if self.appender.manifest().is_none() || !(self.appender.has_news() || is_new) {
            return Ok(());
        }
        let footer_at = self.appender.write_footer()?;
        if self.site.is_draft() {
            // Nobody sees the counters before the file has its name.
            self.appender.publish(footer_at)?;
            self.site.rename()?;
            return self.site.sync_name().inspect_err(|_| self.appender.give_up());
        }
        self.appender.sync()?;
        self.site.sync_name().inspect_err(|_| self.appender.give_up())?;
        self.appender.publish(footer_at)?;
        self.site.settle();
        Ok(())
    }

    /// Commits, and lets the table go.
    ///
    /// # Errors
    /// Those of [`TableWriter::commit`]; what was not committed is then lost.
    pub fn close(mut self) -> Result<()> {
        self.commit()
    }

    /// The rows of the table, with those that are not committed yet.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.appender.written().rows
    }

    /// The records of the table, with those that are not committed yet.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.appender.written().records
    }

    /// The schema; `None` before the first write of a new table.
    #[must_use]
    pub fn schema(&self) -> Option<&Manifest> {
        self.appender.manifest().map(|manifest| &**manifest)
    }

    /// Says where the table at fault is.
    pub(super) fn blame(&self, error: Error) -> Error {
        error.at_place(self.place.clone())
    }
}

impl<E: Environment> Drop for TableWriter<E> {
    fn drop(&mut self) {
        if self.site.is_table() {
            self.appender.roll_back();
        } else if self.appender.is_in_doubt() && !self.site.is_draft() {
            // The table may be committed after all.
            self.site.settle();
        }
    }
}

impl<E: Environment> fmt::Debug for TableWriter<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableWriter({} rows in {} records of {})", self.rows(), self.records(), self.place)
    }
}
