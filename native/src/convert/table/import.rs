//! Files become tables.

use std::path::{Path, PathBuf};

use recask_core::{DType, Error, Result};

use super::super::problem::check;
use super::format::Format;
use super::options::{ImportOptions, Mode};
use super::source::{Request, some_columns};
use crate::fs::check_writable;
use crate::{Progress, TableWriter};

/// What an import made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The table.
    pub path: PathBuf,
    /// What the source was.
    pub format: Format,
    /// The rows that were written.
    pub rows: u64,
    /// The columns of the table.
    pub columns: Vec<(String, DType)>,
}

/// Makes a table of a file, or adds its rows to one, as the [module](super) says: one record for the whole file.
///
/// The source is read in bounded memory, 16 MiB of columns at a time, or what the source itself keeps together (a row group
/// of Parquet, a batch of Arrow). CSV and JSON lines are read twice, and other formats as well where the widths of text have
/// to be measured. When the import fails or is stopped, everything is as it was before. Progress counts bytes of the source,
/// the size of the file in all.
///
/// ```
/// use recask::convert::table::{ImportOptions, import};
///
/// # let folder = tempfile::tempdir()?;
/// # let (lines, table) = (folder.path().join("weather.jsonl"), folder.path().join("weather.cstore"));
/// std::fs::write(&lines, "{\"day\": \"2012-01-01\", \"rain\": 0.0}\n{\"day\": \"2012-01-02\", \"rain\": 10.9}\n")?;
/// let made = import(&lines, &table, &ImportOptions::default(), &())?;
/// assert_eq!(made.rows, 2);
///
/// let table = recask::Table::open(&table)?;
/// assert_eq!(table.schema().column("day")?.dtype().to_string(), "<M8[D]");
/// assert_eq!(table.column("rain")?.values::<f64>()?, [0.0, 10.9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InvalidSource`](crate::Code::InvalidSource) naming the column and row, or line, that cannot be understood, is missing
/// or does not fit; [`InvalidDType`](crate::Code::InvalidDType) naming a column that no table can have;
/// [`ColumnNotFound`](crate::Code::ColumnNotFound); [`DTypeMismatch`](crate::Code::DTypeMismatch) where rows are added to a
/// table of other types; [`Unsupported`](crate::Code::Unsupported) for a format that this build leaves out;
/// [`StoreExists`](crate::Code::StoreExists), [`StoreNotFound`](crate::Code::StoreNotFound),
/// [`StoreBusy`](crate::Code::StoreBusy), [`Interrupted`](crate::Code::Interrupted), and what the system says.
pub fn import(
    source: &Path,
    dest: &Path,
    options: &ImportOptions,
    progress: &dyn Progress,
) -> Result<Imported> {
    check_writable(dest)?;
    check(progress)?;
    let at_source = |error: Error| error.at_place(source.display().to_string());
    let format = options.format.map_or_else(|| Format::detect(source), Ok)?;
    let mut writer = match options.mode {
        Mode::Create => TableWriter::create_with(dest, &options.layout)?,
        Mode::Recreate => TableWriter::recreate_with(dest, &options.layout)?,
        Mode::Append => TableWriter::update(dest)?,
    };
    let target = writer.schema().map(|table| {
        let column = |column: &recask_core::format::cstore::Column| {
            (column.name().as_str().to_owned(), column.dtype().clone())
        };
        table.columns.iter().map(column).collect::<Vec<_>>()
    });
    let request = Request { path: source, options, target: target.as_deref() };
    let mut rows = request.open(format, progress).map_err(at_source)?;
    let columns = some_columns(rows.columns()).map_err(at_source)?;
    let count = rows.rows();
    let mut record = writer.record(columns.clone(), count)?;
    rows.copy(progress, &mut |columns| record.write(columns)).map_err(at_source)?;
    record.finish()?;
    check(progress)?;
    writer.close()?;
    Ok(Imported { path: dest.to_path_buf(), format, rows: count, columns })
}
