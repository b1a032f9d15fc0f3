//! Selections: which columns and rows are wanted, before anything is read.

use alloc::vec::Vec;
use core::fmt;

use super::rows::Rows;
use super::schema::{SchemaColumn, no_column};
use super::{ColumnData, Table};
use crate::environment::Environment;
use crate::error::Result;
use crate::index::Index;

/// Some columns and rows of a table, in the order in which they are wanted.
///
/// Selections compose: rows of a selection count within it, so `table.rows(100..)?.head(10)` are rows 100 to 109.
pub struct Selection<E: Environment> {
    pub(super) table: Table<E>,
    /// Positions in the schema.
    pub(super) columns: Vec<usize>,
    pub(super) rows: Rows,
}

impl<E: Environment> Selection<E> {
    pub(super) fn all(table: Table<E>) -> Self {
        let columns = (0..table.schema().columns().len()).collect();
        let rows = Rows::all(table.len());
        Selection { table, columns, rows }
    }

    /// Rows that are selected.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.rows.len()
    }

    /// Whether no row is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table<E> {
        &self.table
    }

    /// The selected columns, in order.
    pub fn columns_selected(&self) -> impl ExactSizeIterator<Item = &SchemaColumn> {
        let all = self.table.schema().columns();
        self.columns.iter().map(|&position| &all[position])
    }

    /// The rows of the table that are selected, as a list.
    ///
    /// # Errors
    /// [`TooLarge`](crate::Code::TooLarge).
    pub fn row_numbers(&self) -> Result<Vec<u64>> {
        self.rows.to_list()
    }

    /// Only these of the selected columns, in the given order.
    ///
    /// # Errors
    /// [`ColumnNotFound`](crate::Code::ColumnNotFound), also for a column of the table that is not selected.
    pub fn select<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Self> {
        let columns = names.into_iter().map(|name| self.position(name.as_ref())).collect::<Result<_>>()?;
        self.columns = columns;
        Ok(self)
    }

    /// Only these of the selected rows, in the given order; see [`Index`] for what converts.
    ///
    /// # Errors
    /// Those of [`Index::resolve`].
    pub fn rows<'i>(mut self, rows: impl Into<Index<'i>>) -> Result<Self> {
        self.rows = self.rows.narrowed(&rows.into())?;
        Ok(self)
    }

    /// The first rows, `count` or as many as there are.
    #[must_use]
    pub fn head(mut self, count: u64) -> Self {
        self.rows = self.rows.between(0, count);
        self
    }

    /// The last rows, `count` or as many as there are.
    #[must_use]
    pub fn tail(mut self, count: u64) -> Self {
        self.rows = self.rows.between(self.len().saturating_sub(count), count);
        self
    }

    /// One selected column.
    ///
    /// # Errors
    /// [`ColumnNotFound`](crate::Code::ColumnNotFound), [`TooLarge`](crate::Code::TooLarge), and what the file says.
    pub fn column(&self, name: &str) -> Result<ColumnData> {
        self.gather_column(self.position(name)?)
    }

    pub(super) fn position(&self, name: &str) -> Result<usize> {
        let schema = self.table.schema();
        let position = schema.position(name).filter(|position| self.columns.contains(position));
        position.ok_or_else(|| no_column(name, self.columns_selected().map(SchemaColumn::name)))
    }
}

impl<E: Environment> Clone for Selection<E> {
    fn clone(&self) -> Self {
        Selection { table: self.table.clone(), columns: self.columns.clone(), rows: self.rows.clone() }
    }
}

impl<E: Environment> fmt::Debug for Selection<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Selection({} rows x {} columns)", self.rows.len(), self.columns.len())
    }
}
