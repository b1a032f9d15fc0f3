//! A selection in consecutive parts.

use super::select::Selection;
use crate::environment::Environment;

impl<E: Environment> Selection<E> {
    /// Consecutive parts of so many rows, the last with what is left: for work in bounded memory. With 0, all rows are one
    /// part.
    ///
    /// ```
    /// use recask_core::Table;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::ColumnInput;
    ///
    /// let price = ColumnInput::of("price", &[10i32, -20, 30, 0, 5]);
    /// let table = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &[price])?;
    /// let mut sums = Vec::new();
    /// for part in table.all().batches(2) {
    ///     sums.push(part.column("price")?.values::<i32>()?.iter().sum::<i32>());
    /// }
    /// assert_eq!(sums, [-10, 30, 5]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    pub fn batches(&self, rows: usize) -> impl Iterator<Item = Selection<E>> + use<E> {
        let whole = self.clone();
        let step = if rows == 0 { u64::MAX } else { rows as u64 };
        let mut start = 0;
        core::iter::from_fn(move || {
            let part = whole.rows.between(start, step);
            start = start.saturating_add(step);
            let part = Selection { table: whole.table.clone(), columns: whole.columns.clone(), rows: part };
            (!part.is_empty()).then_some(part)
        })
    }
}
