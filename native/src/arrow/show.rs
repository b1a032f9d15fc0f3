//! Rows of a table as a record batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_schema::{Schema, SchemaRef};
use bytes::Bytes;
use recask_core::{Code, Error, Result};

use super::outward::Outward;
use crate::{Selection, Table};

/// Shows rows to Arrow.
pub trait ToArrow {
    /// The schema of the batches.
    ///
    /// # Errors
    /// [`Code::InvalidDType`] naming a column whose type Arrow does not have; see the [module](super).
    fn arrow_schema(&self) -> Result<SchemaRef>;

    /// All rows as one batch.
    ///
    /// Columns of numbers, and of times in units that Arrow has, are not copied where the rows follow each other in one
    /// record of the file and lie at an address that Arrow can use (the batch then keeps the file open and mapped);
    /// all others are. [`Selection::batches`] bounds the memory.
    ///
    /// # Errors
    /// Those of [`ToArrow::arrow_schema`]; [`Code::InvalidSource`] naming the column and row of a value that Arrow cannot
    /// name exactly; [`Code::TooLarge`]; what the file says.
    fn to_arrow(&self) -> Result<RecordBatch>;
}

impl ToArrow for Selection {
    fn arrow_schema(&self) -> Result<SchemaRef> {
        Ok(Shown::of(self)?.schema())
    }

    fn to_arrow(&self) -> Result<RecordBatch> {
        Shown::of(self)?.batch(self, 0)
    }
}

impl ToArrow for Table {
    fn arrow_schema(&self) -> Result<SchemaRef> {
        self.all().arrow_schema()
    }

    fn to_arrow(&self) -> Result<RecordBatch> {
        self.all().to_arrow()
    }
}

/// How the columns of a selection are shown to Arrow.
pub(crate) struct Shown {
    columns: Vec<Outward>,
    schema: SchemaRef,
}

impl Shown {
    pub(crate) fn of(rows: &Selection) -> Result<Self> {
        Ok(Self::new(rows.columns_selected().map(Outward::of).collect::<Result<_>>()?))
    }

    /// As Parquet has it, where times in seconds are written in milliseconds.
    #[cfg(feature = "parquet")]
    pub(crate) fn in_parquet(rows: &Selection) -> Result<Self> {
        let columns = rows.columns_selected().map(|column| Outward::of(column).map(Outward::without_seconds));
        Ok(Self::new(columns.collect::<Result<_>>()?))
    }

    fn new(columns: Vec<Outward>) -> Self {
        let schema = Arc::new(Schema::new(columns.iter().map(Outward::field).collect::<Vec<_>>()));
        Shown { columns, schema }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// A part of the selection, which begins with its row `first`.
    pub(crate) fn batch(&self, part: &Selection, first: u64) -> Result<RecordBatch> {
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (column, shown) in self.columns.iter().zip(part.columns_selected()) {
            let mapped = column.alignment().and_then(|alignment| mapped(part, shown.name(), alignment));
            let values = match mapped {
                Some(values) => values,
                None => Buffer::from(Bytes::from_owner(part.column(shown.name())?.into_parts().2)),
            };
            arrays.push(column.array(values, first)?);
        }
        let rows = usize::try_from(part.len()).map_err(|_| too_large())?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema(), arrays, &options).map_err(|error| {
            Error::new(Code::InvalidArgument, format!("these columns make no batch: {error}"))
        })
    }
}

fn too_large() -> Error {
    Error::new(Code::TooLarge, "these rows do not fit in memory; take fewer at once")
}

/// The mapped bytes of a column; nothing where they cannot be used as they are.
fn mapped(rows: &Selection, column: &str, alignment: usize) -> Option<Buffer> {
    let is_aligned = rows.borrowed(column)?.as_ptr().addr().is_multiple_of(alignment);
    let owner = Mapped { rows: rows.clone(), column: column.to_owned() };
    is_aligned.then(|| Buffer::from(Bytes::from_owner(owner)))
}

/// Keeps the file of a column mapped while Arrow has its bytes.
struct Mapped {
    rows: Selection,
    column: String,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // Asked for once, right after it was found to be there.
        self.rows.borrowed(&self.column).unwrap_or_default()
    }
}
