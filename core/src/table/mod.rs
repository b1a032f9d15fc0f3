//! Column tables: one `.cstore` file of fixed-width columns, or many as one, read lazily.
//!
//! [`Table::open`] reads the schema and the record headers. A [`Selection`] says which columns and rows are wanted
//! and composes; nothing is read until it is materialised, by [`Selection::column`] and its relatives, or
//! reduced by [`Selection::summary`]. Only [`Selection::filter`] reads at once, the columns that its condition names.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::environment::{Access, Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Layout, Manifest, Statistics};
use crate::index::Index;
use crate::progress::Progress;
use crate::storage::{FileId, OpenMode, Storage as _, StorageError};

mod batches;
mod columns;
mod compact;
mod files;
pub mod filter;
mod gather;
mod matching;
mod open;
mod reads;
mod recode;
mod records;
mod reduce;
mod rows;
mod schema;
mod select;
mod structs;
mod surviving;
mod verify;
mod write;

pub use columns::ColumnData;
pub use compact::{Compaction, compact, compact_to};
use files::Part;
pub use files::TableFile;
use filter::{Expr, Parameters};
pub use reads::TableRead;
pub use recode::{recode, recode_to};
use records::Records;
pub use reduce::{Distinct, Missing, Number, Summary};
pub(crate) use schema::swap_unit;
pub use schema::{Schema, SchemaColumn};
pub use select::Selection;
pub use structs::StructRows;
pub use verify::{Problem, Verification, verify};
pub use write::{ColumnInput, RecordWriter, TableWriter, WriteOptions};

/// An open column table: what was committed when it was opened. Cheap to clone; clones share the files.
///
/// It is one file, or several of the same columns whose rows follow each other ([`Table::open_all`]). Everything that it says
/// of rows and records counts through all of them.
///
/// It takes no lock and reads the counters once, so an appender or a compaction beside it does not disturb it.
///
/// ```
/// use recask_core::format::cstore::{Column, Counters, MAGIC, Manifest, RecordHeader};
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
/// use recask_core::{DType, Table};
///
/// // Three rows of one column, as the writer lays them out.
/// let manifest = Manifest { columns: vec![Column::new("price", DType::I32)] }.encode();
/// let counters = Counters { records: 1, rows: 3, ..Counters::default() };
/// let mut bytes = [&MAGIC[..], &counters.encode(), &(manifest.len() as u64).to_le_bytes()].concat();
/// bytes.extend_from_slice(manifest.as_bytes());
/// bytes.resize(bytes.len().next_multiple_of(64), 0);
/// bytes.extend_from_slice(&RecordHeader { index: 0, rows: 3 }.encode());
/// for price in [10i32, -20, 30, 0] {
///     bytes.extend_from_slice(&price.to_le_bytes());
/// }
/// let place = MemoryPlace::holding(&MemoryStorage::from_files([("table.cstore".into(), bytes)]));
///
/// let table = Table::<MemoryEnvironment>::open(place)?;
/// assert_eq!(table.len(), 3);
/// let late = table.select(["price"])?.rows(1..)?;
/// assert_eq!(late.column("price")?.values::<i32>()?, [-20, 30]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table<E: Environment>(Arc<Shared<E>>);

struct Shared<E: Environment> {
    /// At least one.
    parts: Vec<Part<FileOf<E>>>,
    /// Whether all of them are.
    is_mapped: bool,
    executor: E::Executor,
    schema: Schema,
    records: Records,
}

impl<E: Environment> Table<E> {
    /// Opens the table at a place.
    ///
    /// Work and memory grow with the number of records (24 bytes each at most), not with their rows. A table without
    /// committed records, as a crashed creation leaves it, is empty and has its schema.
    ///
    /// # Errors
    /// [`Code::StoreNotFound`]; [`Code::CorruptHeader`], [`Code::CorruptRecord`], [`Code::TruncatedFile`] or
    /// [`Code::UnsupportedVersion`] with the offset and the reason; what the file says. They name the place, as those of
    /// later reads do.
    pub fn open(place: impl Into<E::Place>) -> Result<Self> {
        Self::open_all([place])
    }

    /// Opens the tables at several places as one: the rows of the second follow those of the first, and so on. All need the
    /// same columns: names, types and their order. Byte orders count too; files without rows are welcome.
    ///
    /// ```
    /// use recask_core::Table;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::ColumnInput;
    ///
    /// let (monday, tuesday) = (MemoryPlace::new(), MemoryPlace::new());
    /// Table::<MemoryEnvironment>::create(monday.clone(), &[ColumnInput::of("rain", &[0.5, 2.0])])?;
    /// Table::<MemoryEnvironment>::create(tuesday.clone(), &[ColumnInput::of("rain", &[4.5])])?;
    ///
    /// let both = Table::<MemoryEnvironment>::open_all([monday, tuesday])?;
    /// assert_eq!((both.files(), both.len()), (2, 3));
    /// assert_eq!(both.rows([2, 0])?.column("rain")?.values::<f64>()?, [4.5, 0.5]);
    /// assert_eq!(both.file_of_row(2), Some(1));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Table::open`], naming the place; [`Code::DTypeMismatch`], [`Code::ColumnNotFound`],
    /// [`Code::ShapeMismatch`] or [`Code::InvalidArgument`] where columns differ in type, names, number or order, naming
    /// the column and the places; [`Code::InvalidArgument`] without any place; [`Code::TooLarge`] beyond 2^63 rows.
    pub fn open_all<P: Into<E::Place>>(places: impl IntoIterator<Item = P>) -> Result<Self> {
        let files = places.into_iter().map(|place| {
            let place = place.into();
            let name = E::describe(&place);
            let open = || {
                let storage = E::attach_file(&place, Access::Read)?;
                storage.open(FileId::Table, OpenMode::Read).map_err(StorageError::in_only_file)
            };
            let file = open().map_err(|error| error.at_place(name.clone()))?;
            Ok((Some(name), file))
        });
        Self::from_parts(files, E::table_executor())
    }

    /// Opens the table that `file` holds; `executor` runs what later reads do in parallel. Errors name no place.
    ///
    /// # Errors
    /// Those of [`Table::open`].
    pub fn from_file(file: FileOf<E>, executor: E::Executor) -> Result<Self> {
        Self::from_parts([Ok((None, file))], executor)
    }

    /// As [`Table::open_all`], of files that are open already, each with the name of its place for errors.
    ///
    /// # Errors
    /// Those of [`Table::open_all`].
    pub fn from_files(
        files: impl IntoIterator<Item = (String, FileOf<E>)>,
        executor: E::Executor,
    ) -> Result<Self> {
        Self::from_parts(files.into_iter().map(|(place, file)| Ok((Some(place), file))), executor)
    }

    fn from_parts(
        files: impl IntoIterator<Item = Result<(Option<String>, FileOf<E>)>>,
        executor: E::Executor,
    ) -> Result<Self> {
        let mut parts: Vec<Part<FileOf<E>>> = Vec::new();
        let mut records = Vec::new();
        for file in files {
            let (place, file) = file?;
            let (part, found) = Part::read(file, place)?;
            if let Some(first) = parts.first() {
                part.check_like(first)?;
            }
            parts.push(part);
            records.push(found);
        }
        let Some(first) = parts.first() else {
            return Err(Error::new(Code::InvalidArgument, "no file is given: a table needs at least one"));
        };
        let schema = Schema::of(&first.head.manifest).map_err(|error| first.blame(error))?;
        let too_many = || Error::new(Code::TooLarge, "the files together have too many rows or records");
        let records = match records.pop() {
            Some(only) if records.is_empty() => only,
            last => {
                records.extend(last);
                Records::joined(&records).ok_or_else(too_many)?
            }
        };
        let is_mapped = parts.iter().all(|part| part.map().is_some());
        Ok(Table(Arc::new(Shared { parts, is_mapped, executor, schema, records })))
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.records.rows()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.0.schema
    }

    /// The schema as the file has it, with hidden columns and unknown keys; as the first has it, where there are several.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.first().head.manifest
    }

    /// Which release's header the file has, or the first of several.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.first().head.counters.layout
    }

    /// Committed records: pieces in which the rows were written.
    #[must_use]
    pub fn file_records(&self) -> u64 {
        self.0.records.len() as u64
    }

    /// The rows of a record, as a range of the table's rows.
    #[must_use]
    pub fn record_rows(&self, record: u64) -> Option<Range<u64>> {
        let record = usize::try_from(record).ok().filter(|&record| record < self.0.records.len())?;
        let found = self.0.records.get(record);
        Some(found.first_row..found.first_row + found.rows)
    }

    /// Committed bytes: where the last committed record ends in the file, which ignores what is behind it. The sum where
    /// there are several files.
    #[must_use]
    pub fn committed_end(&self) -> u64 {
        self.0.parts.iter().map(|part| part.committed_end).fold(0, u64::saturating_add)
    }

    /// Files, at least one.
    #[must_use]
    pub fn files(&self) -> usize {
        self.0.parts.len()
    }

    /// The number of the file that has this row.
    #[must_use]
    pub fn file_of_row(&self, row: u64) -> Option<usize> {
        let records = &self.0.records;
        (row < records.rows()).then(|| records.get(records.find(row)).file)
    }

    /// One of the files.
    #[must_use]
    pub fn file_at(&self, number: usize) -> Option<TableFile<'_, E>> {
        let part = self.0.parts.get(number)?;
        let (records, rows) = self.0.records.of_file(number);
        Some(TableFile { part, rows, records })
    }

    /// The open file, or the first of several.
    #[must_use]
    pub fn file(&self) -> &FileOf<E> {
        &self.first().file
    }

    /// What runs parallel work.
    #[must_use]
    pub fn executor(&self) -> &E::Executor {
        &self.0.executor
    }

    /// All rows and columns.
    #[must_use]
    pub fn all(&self) -> Selection<E> {
        Selection::all(self.clone())
    }

    /// All rows of these columns, in the given order.
    ///
    /// # Errors
    /// [`Code::ColumnNotFound`].
    pub fn select<N: AsRef<str>>(&self, names: impl IntoIterator<Item = N>) -> Result<Selection<E>> {
        self.all().select(names)
    }

    /// These rows of all columns.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] and the other errors of [`Index::resolve`].
    pub fn rows<'i>(&self, rows: impl Into<Index<'i>>) -> Result<Selection<E>> {
        self.all().rows(rows)
    }

    /// The first rows, `count` or as many as there are.
    #[must_use]
    pub fn head(&self, count: u64) -> Selection<E> {
        self.all().head(count)
    }

    /// The last rows, `count` or as many as there are.
    #[must_use]
    pub fn tail(&self, count: u64) -> Selection<E> {
        self.all().tail(count)
    }

    /// The rows that pass a filter, of all columns; see [`Selection::filter`].
    ///
    /// # Errors
    /// Those of [`Selection::filter`].
    pub fn filter(&self, filter: &str) -> Result<Selection<E>> {
        self.all().filter(filter)
    }

    /// [`Table::filter`] with the values of parameters.
    ///
    /// # Errors
    /// Those of [`Selection::filter`].
    pub fn filter_with(&self, filter: &str, parameters: &Parameters) -> Result<Selection<E>> {
        self.all().filter_with(filter, parameters)
    }

    /// [`Table::filter`] by an expression that was built.
    ///
    /// # Errors
    /// Those of [`Selection::filter`].
    pub fn filter_by(&self, filter: Expr) -> Result<Selection<E>> {
        self.all().filter_by(filter)
    }

    /// All rows of one column.
    ///
    /// # Errors
    /// Those of [`Selection::column`].
    pub fn column(&self, name: &str) -> Result<ColumnData> {
        self.all().column(name)
    }

    /// The extremes of every record that the footer of colstore 0.5.1 tells; `None` where there is none or it is damaged.
    /// In several files, the records of those without a footer have none.
    ///
    /// # Errors
    /// What the file says.
    pub fn statistics(&self) -> Result<Option<Statistics>> {
        if let [part] = self.0.parts.as_slice() {
            return part.statistics();
        }
        let parts = self.0.parts.iter().map(Part::statistics).collect::<Result<Vec<_>>>()?;
        if parts.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut joined = Statistics::new(self.manifest());
        let columns = self.manifest().columns.len();
        for (number, statistics) in parts.iter().enumerate() {
            let (records, _) = self.0.records.of_file(number);
            for record in 0..records.end - records.start {
                joined.push((0..columns).map(|column| statistics.as_ref()?.column(column)?.record(record)));
            }
        }
        Ok(Some(joined))
    }

    /// Checks everything of the files that can be checked; see [`verify`]. Faults name the place of their file.
    ///
    /// # Errors
    /// Those of [`verify`].
    pub fn verify(&self, progress: &dyn Progress) -> Result<Verification> {
        let mut report = Verification::default();
        for part in &self.0.parts {
            let found = verify(&part.file, progress).map_err(|error| part.blame(error))?;
            report.extend(found, |problem| part.blame(problem));
        }
        Ok(report)
    }

    fn first(&self) -> &Part<FileOf<E>> {
        &self.0.parts[0]
    }
}

impl<E: Environment> Clone for Table<E> {
    fn clone(&self) -> Self {
        Table(Arc::clone(&self.0))
    }
}

impl<E: Environment> fmt::Debug for Table<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} rows x {} columns)", self.0.records.rows(), self.0.schema.columns().len())
    }
}
