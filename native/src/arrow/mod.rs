//! Tables as Arrow record batches, and record batches as tables.
//!
//! [`ToArrow`] shows rows of a table as a batch; what the file has in Arrow's own form is not copied. [`WriteBatch`]
//! writes batches into a table. Types become each other as this says; what is not in it is an error that names the
//! column:
//!
//! | table | Arrow | |
//! |---|---|---|
//! | `\|b1` | Boolean | copied: Arrow packs bits |
//! | `\|i1` `<i2` `<i4` `<i8`, `\|u1` `<u2` `<u4` `<u8` | Int8 to Int64, UInt8 to UInt64 | |
//! | `<f2` `<f4` `<f8` | Float16, Float32, Float64 | NaN stays NaN; `<f16` is an error |
//! | `<M8[s]` `<M8[ms]` `<M8[us]` `<M8[ns]` | Timestamp, without a time zone | NaT becomes null; Parquet files have ms for s |
//! | `<M8[D]` `<M8[W]` `<M8[M]` `<M8[Y]`, also multiples | Date32: the first day | NaT becomes null |
//! | `<M8[h]` `<M8[m]`, multiples such as `<M8[25us]` | Timestamp of the next finer unit that Arrow has | exact, else an error |
//! | `<M8[ps]` `<M8[fs]` `<M8[as]` | Timestamp(ns) | where every value is a whole number of ns, else an error |
//! | `<m8[…]` | Duration, units as above; days and weeks in s | `<m8[M]` and `<m8[Y]` have no fixed length: an error |
//! | `\|S5` | Binary, without the zeros at the end | |
//! | `<U7` | Utf8, without the zeros at the end | |
//!
//! | Arrow | table | |
//! |---|---|---|
//! | Boolean | `\|b1` | |
//! | Int8 to Int64, UInt8 to UInt64, Float16 to Float64 | the same | |
//! | Date32, Date64 | `<M8[D]`, `<M8[ms]` | |
//! | Timestamp(s, ms, us, ns) | `<M8[…]` of that unit | with a time zone: the instant in UTC; the zone is not kept |
//! | Time32, Time64 | `<m8[…]`: since midnight | |
//! | Duration | `<m8[…]` | |
//! | Utf8, LargeUtf8, Utf8View | `<U{width}`, or `\|S{width}` of UTF-8 on request | the width is given or measured |
//! | Binary, LargeBinary, BinaryView | `\|S{width}` | |
//! | FixedSizeBinary(n) | `\|S{n}` | byte for byte; readers of `S` leave out zeros at the end |
//! | Dictionary | as its values | |
//! | Decimal | `<f8` on request, else an error | the nearest float |
//! | Null, List, Struct, Map, Union, Interval, RunEndEncoded | an error | |
//!
//! A value that is longer than its column, or that ends in a zero (which a fixed width cannot keep), is an error. Nulls
//! are an error unless a rule says what is stored instead: [`Nulls`](crate::convert::table::Nulls).
//!
//! ```
//! use recask::arrow::{ToArrow as _, WriteBatch as _};
//! use recask::table::{ColumnInput, Table, TableWriter};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (path, copy) = (folder.path().join("flights.cstore"), folder.path().join("copy.cstore"));
//! let flights = Table::create(&path, &[ColumnInput::of("delay", &[5i16, -3, 90])])?;
//! let late = flights.rows(2..)?.to_arrow()?;
//! assert_eq!((late.num_rows(), late.schema().field(0).name().as_str()), (1, "delay"));
//!
//! let mut writer = TableWriter::create(&copy)?;
//! writer.write_batch(&late)?;
//! writer.close()?;
//! assert_eq!(Table::open(&copy)?.column("delay")?.values::<i16>()?, [90]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod inward;
mod outward;
mod show;
mod write;

#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(crate) use inward::{Inward, Values, measure};
#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(crate) use show::Shown;
pub use show::ToArrow;
pub use write::WriteBatch;

use recask_core::{Code, Error};

/// What is wrong with a value.
fn at_row(column: &str, row: u64, reason: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidSource, format!("column '{column}', row {row}: the value {reason}"))
}

/// A type that has no counterpart.
fn no_type(column: &str, reason: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidDType, format!("column '{column}' {reason}"))
}
