//! Column tables: one `.cstore` file of fixed-width columns, read lazily.
//!
//! [`Table::open`] reads the schema and the record headers. A [`Selection`] says which columns and rows are wanted
//! and composes; nothing is read until it is materialised, by [`Selection::column`] and its relatives, or
//! reduced by [`Selection::summary`].

use alloc::sync::Arc;
use core::fmt;

use crate::environment::{Access, Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Layout, Manifest, Statistics};
use crate::index::Index;
use crate::storage::{FileId, OpenMode, Storage as _, StorageError, StorageFile as _};

mod columns;
pub mod filter;
mod gather;
mod open;
mod records;
mod reduce;
mod rows;
mod schema;
mod select;
mod structs;
mod verify;

pub use columns::ColumnData;
use open::Head;
use records::Records;
pub use reduce::{Missing, Number, Summary};
pub use schema::{Schema, SchemaColumn};
pub use select::Selection;
pub use structs::StructRows;
pub use verify::{Problem, Verification, verify};

/// An open column table: what was committed when it was opened. Cheap to clone; clones share the file.
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
    file: FileOf<E>,
    executor: E::Executor,
    head: Head,
    schema: Schema,
    records: Records,
    committed_end: u64,
}

impl<E: Environment> Table<E> {
    /// Opens the table at a place.
    ///
    /// Work and memory grow with the number of records (24 bytes each at most), not with their rows. A table without
    /// committed records, as a crashed creation leaves it, is empty and has its schema.
    ///
    /// # Errors
    /// [`Code::StoreNotFound`]; [`Code::CorruptHeader`], [`Code::CorruptRecord`], [`Code::TruncatedFile`] or
    /// [`Code::UnsupportedVersion`] with the offset and the reason; what the file says.
    pub fn open(place: impl Into<E::Place>) -> Result<Self> {
        let place = place.into();
        let open = || {
            let storage = E::attach_file(&place, Access::Read)?;
            let file = storage.open(FileId::Table, OpenMode::Read).map_err(StorageError::in_only_file)?;
            Self::from_file(file, E::executor())
        };
        open().map_err(|error| error.at_place(E::describe(&place)))
    }

    /// Opens the table that `file` holds; `executor` runs what later reads do in parallel.
    ///
    /// # Errors
    /// Those of [`Table::open`].
    pub fn from_file(file: FileOf<E>, executor: E::Executor) -> Result<Self> {
        let head = Head::read(&file)?;
        let schema = Schema::of(&head.manifest)?;
        let (records, committed_end) = head.records(&file)?;
        Ok(Table(Arc::new(Shared { file, executor, head, schema, records, committed_end })))
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

    /// The schema as the file has it, with hidden columns and unknown keys.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.0.head.manifest
    }

    /// Which release's header the file has.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.0.head.counters.layout
    }

    /// Committed records: pieces in which the rows were written.
    #[must_use]
    pub fn file_records(&self) -> u64 {
        self.0.records.len() as u64
    }

    /// The rows of a record, as a range of the table's rows.
    #[must_use]
    pub fn record_rows(&self, record: u64) -> Option<core::ops::Range<u64>> {
        let record = usize::try_from(record).ok().filter(|&record| record < self.0.records.len())?;
        let found = self.0.records.get(record);
        Some(found.first_row..found.first_row + found.rows)
    }

    /// Where the last committed record ends in the file. Bytes behind it are ignored.
    #[must_use]
    pub fn committed_end(&self) -> u64 {
        self.0.committed_end
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &FileOf<E> {
        &self.0.file
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

    /// All rows of one column.
    ///
    /// # Errors
    /// Those of [`Selection::column`].
    pub fn column(&self, name: &str) -> Result<ColumnData> {
        self.all().column(name)
    }

    /// The footer of statistics that colstore 0.5.1 may have written; `None` where there is none or it is damaged.
    ///
    /// # Errors
    /// What the file says.
    pub fn statistics(&self) -> Result<Option<Statistics>> {
        Ok(match verify::read_statistics(&self.0.file, &self.0.head, self.0.committed_end)? {
            Some(Ok(statistics)) => Some(statistics),
            Some(Err(_)) | None => None,
        })
    }

    /// Refuses to read a file that was cut since it was opened, before a map of it is touched.
    fn check_size(&self) -> Result<()> {
        let len = self.0.file.len().map_err(StorageError::in_only_file)?;
        if len >= self.0.committed_end {
            return Ok(());
        }
        let text = alloc::format!("the file was cut to {len} bytes while it was open");
        Err(Error::new(Code::TruncatedFile, text).at_offset(len))
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
