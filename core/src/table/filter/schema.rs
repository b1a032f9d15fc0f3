//! What a filter needs to know of a table, and of the rows that it is asked about.

use alloc::format;
use alloc::string::String;

use super::{excerpt, invalid};
use crate::dtype::DType;
use crate::error::Error;

/// The columns of a table, in their order.
pub trait Columns {
    /// The name of a column; `None` from the number of columns on.
    fn name(&self, index: usize) -> Option<&str>;

    /// The element type of a column.
    fn dtype(&self, index: usize) -> Option<&DType>;

    /// The index of the column with exactly this name.
    fn position(&self, name: &str) -> Option<usize> {
        (0..).map_while(|index| self.name(index)).position(|known| known == name)
    }
}

impl<S: AsRef<str>> Columns for [(S, DType)] {
    fn name(&self, index: usize) -> Option<&str> {
        self.get(index).map(|(name, _)| name.as_ref())
    }

    fn dtype(&self, index: usize) -> Option<&DType> {
        self.get(index).map(|(_, dtype)| dtype)
    }
}

impl<S: AsRef<str>, const N: usize> Columns for [(S, DType); N] {
    fn name(&self, index: usize) -> Option<&str> {
        self.as_slice().name(index)
    }

    fn dtype(&self, index: usize) -> Option<&DType> {
        self.as_slice().dtype(index)
    }
}

/// Consecutive rows of a table.
pub trait Batch {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The values of a column for these rows, packed, of any alignment. Only asked for [`Filter::columns`].
    ///
    /// [`Filter::columns`]: super::Filter::columns
    fn column(&self, index: usize) -> &[u8];
}

pub(super) fn no_column<C: Columns + ?Sized>(schema: &C, name: &str, at: Option<usize>) -> Error {
    let close = (0..).map_while(|index| schema.name(index)).find(|known| known.eq_ignore_ascii_case(name));
    let hint = match close {
        Some(known) => format!(": did you mean '{}'? names are case-sensitive", excerpt(known)),
        None => String::from(" in this table"),
    };
    invalid(format!("there is no column '{}'{hint}", excerpt(name)), at)
}
