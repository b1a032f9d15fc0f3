//! Record batches into a table.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Field;
use recask_core::Result;
use recask_core::table::ColumnInput;

use super::inward::{Inward, Values, measure};
use crate::TableWriter;
use crate::convert::table::Rules;

/// Writes record batches into a table.
pub trait WriteBatch {
    /// Writes a batch as one record. Text gets the width of the longest one where the batch is the first of a new table;
    /// nulls are an error.
    ///
    /// # Errors
    /// Those of [`WriteBatch::write_batch_with`].
    fn write_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_batch_with(batch, &Rules::default())
    }

    /// Writes a batch as one record, its values as the rules say; the widths of text are those of the table where it has
    /// rows already.
    ///
    /// # Errors
    /// [`InvalidDType`](crate::Code::InvalidDType) naming a column that no table can have;
    /// [`InvalidSource`](crate::Code::InvalidSource) naming the column and row of a null, or of a value that is too long;
    /// those of [`TableWriter::write`]. Nothing is written then.
    fn write_batch_with(&mut self, batch: &RecordBatch, rules: &Rules) -> Result<()>;
}

impl WriteBatch for TableWriter {
    fn write_batch_with(&mut self, batch: &RecordBatch, rules: &Rules) -> Result<()> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let mut values = Vec::with_capacity(batch.num_columns());
        for (field, array) in columns {
            let column = match self
                .schema()
                .and_then(|table| table.columns.iter().find(|c| c.name().as_str() == field.name()))
            {
                Some(column) => Inward::into_column(field, rules, column.dtype())?,
                None => measured(field, array, rules)?,
            };
            values.push((column.values(array, 0)?, column));
        }
        let inputs: Vec<_> = values.iter().map(|(values, column)| input(column, values)).collect();
        self.write(&inputs)
    }
}

fn measured(field: &Field, array: &ArrayRef, rules: &Rules) -> Result<Inward> {
    let width = if Inward::needs_width(field, rules)? { measure(field.name(), array, rules)? } else { 0 };
    Inward::new(field, rules, width)
}

fn input<'v>(column: &'v Inward, values: &'v Values) -> ColumnInput<'v> {
    ColumnInput::new(column.name(), column.dtype().clone(), values)
}
