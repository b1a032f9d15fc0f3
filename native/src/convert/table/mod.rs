//! Column tables from and to the files that tables come in.
//!
//! | format | extension | cargo feature |
//! |---|---|---|
//! | Parquet | `.parquet`, `.pq` | `parquet` |
//! | Arrow IPC file, Feather version 2 | `.arrow`, `.feather`, `.ipc` | `ipc` |
//! | Arrow IPC stream | `.arrows` | `ipc` |
//! | CSV | `.csv`, `.tsv` (tabs), read also with `.gz` | `csv` |
//! | JSON lines | `.jsonl`, `.ndjson`, read also with `.gz` | `convert` |
//! | NumPy archive, each array of one axis a column | `.npz` | `convert` |
//!
//! [`import()`] makes a table of a file, [`export()`] a file of rows and columns of a table; both in bounded memory. The types of
//! Parquet and Arrow are mapped as the tables of `recask::arrow` say (cargo feature `arrow`).
//!
//! **Missing values.** A table has none but NaN and NaT, so that [`Nulls`] says what is stored; by default it is an error.
//! Parquet and Arrow have nulls of their own. In CSV an empty field is one, also of text; in JSON `null`, and a key that is
//! missing from its line.
//!
//! **CSV.** The types are found from all lines: `true` and `false` make bools; integers `<i8`, or `<u8` where one is beyond 63
//! bits and none is negative; numbers, `NaN` and `inf` `<f8`; ISO dates `<M8[D]`, and with times `<M8[s]`, `[ms]`, `[us]`
//! or `[ns]`, as exact as the most exact one, `Z` meaning nothing; `NaT` is a time. Everything else is text, as is every
//! column of which another type would not keep all values: integers with leading zeros, beyond 64 bits, or inexact beside
//! floats. Spaces around values other than text are passed over. Rows that are added to a table are read as its types.
//!
//! Written are the shortest numbers that read back, `NaN`, `inf`, `-inf` and `NaT`, dates as ISO 8601, spans as their number
//! of ticks.
//!
//! **JSON lines.** Columns come in the order in which their keys are first seen. Types are found as in CSV, but text is never
//! a number, and kinds are not mixed: that is an error which names the lines. Text beside numbers can be `"NaN"`,
//! `"Infinity"` and `"-Infinity"`, which are also written; beside dates `"NaT"`. Lists and objects are errors. Integers of 64
//! bits are exact both ways.
//!
//! **NumPy archives** keep every type of a table.

#[cfg(any(feature = "ipc", feature = "parquet"))]
mod batches;
mod cell;
#[cfg(feature = "csv")]
mod csv;
mod export;
mod format;
mod import;
mod infer;
#[cfg(feature = "ipc")]
mod ipc;
mod iso;
mod jsonl;
mod npz;
mod nulls;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod passes;
mod source;
#[cfg(any(feature = "ipc", feature = "parquet"))]
mod spread;
mod text;
pub(crate) mod width;

pub use export::{Exported, export};
pub use format::Format;
pub use import::{Imported, import};
#[cfg(feature = "ipc")]
pub use ipc::{to_ipc, write_ipc};
pub use iso::iso_time;
pub use nulls::Nulls;
pub use options::{Compression, Csv, ExportOptions, ImportOptions, Mode, Rules};
pub use width::TextAs;
