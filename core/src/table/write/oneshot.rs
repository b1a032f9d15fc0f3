//! A whole table in one call.

use super::{ColumnInput, TableWriter, WriteOptions};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::table::Table;

impl<E: Environment> Table<E> {
    /// Writes a table of one record in the layout of colstore 0.3, durable when this returns, and opens it.
    ///
    /// ```
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::{ColumnInput, Table};
    ///
    /// let columns = [ColumnInput::of("day", &[1i32, 2, 3]), ColumnInput::of("rain", &[true, false, true])];
    /// let table = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &columns)?;
    /// assert_eq!((table.len(), table.file_records()), (3, 1));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::StoreExists`]; [`Code::InvalidArgument`] without columns; those of [`TableWriter::write`]. Nothing is left at the
    /// place then.
    pub fn create(place: impl Into<E::Place>, columns: &[ColumnInput<'_>]) -> Result<Self> {
        Self::create_with(place, columns, &WriteOptions::default())
    }

    /// [`Table::create`] with options.
    ///
    /// # Errors
    /// Those of [`Table::create`]; [`Code::InvalidArgument`] for options that contradict each other.
    pub fn create_with(
        place: impl Into<E::Place>,
        columns: &[ColumnInput<'_>],
        options: &WriteOptions,
    ) -> Result<Self> {
        Self::write_new(place.into(), columns, options, TableWriter::create_at)
    }

    /// Writes a table of one record over whatever is at the place, which stays as it is until the new table is durable.
    ///
    /// # Errors
    /// [`Code::StoreBusy`] while a writer has the old table; those of [`Table::create`] but for
    /// [`Code::StoreExists`]. The old table is then still there.
    pub fn recreate(place: impl Into<E::Place>, columns: &[ColumnInput<'_>]) -> Result<Self> {
        Self::recreate_with(place, columns, &WriteOptions::default())
    }

    /// [`Table::recreate`] with options.
    ///
    /// # Errors
    /// Those of [`Table::recreate`]; [`Code::InvalidArgument`] for options that contradict each other.
    pub fn recreate_with(
        place: impl Into<E::Place>,
        columns: &[ColumnInput<'_>],
        options: &WriteOptions,
    ) -> Result<Self> {
        Self::write_new(place.into(), columns, options, TableWriter::recreate_at)
    }

    fn write_new(
        place: E::Place,
        columns: &[ColumnInput<'_>],
        options: &WriteOptions,
        start: impl FnOnce(&E::Place, &WriteOptions) -> Result<TableWriter<E>>,
    ) -> Result<Self> {
        if columns.is_empty() {
            let error = Error::new(Code::InvalidArgument, "a table needs at least one column");
            return Err(error.at_place(E::describe(&place)));
        }
        let mut writer = start(&place, options)?;
        writer.write(columns)?;
        writer.close()?;
        Table::open(place)
    }
}
