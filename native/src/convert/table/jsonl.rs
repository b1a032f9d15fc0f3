//! JSON lines: one object a line, each key a column.
//!
//! Columns come in the order in which their keys are first seen; a key that is missing from a line is a null.

mod line;
mod read;
mod write;

pub(super) use read::open;
pub(super) use write::write;
