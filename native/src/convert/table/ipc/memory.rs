//! Arrow IPC that is not in a file: bytes for and from another library in this process.

use std::io::{Cursor, ErrorKind, Read, Seek, Write};
use std::path::Path;

use arrow_schema::ArrowError;
use recask_core::{Code, Error, Result};

use super::super::options::{ImportOptions, Rules};
use super::super::source::{Request, some_columns};
use super::{Format, Ipc, Origin, Rows, batches, frames::Failure, write_to};
use crate::{Progress, Selection, TableWriter};

/// What a file begins with; a stream does not.
const FILE_MAGIC: &[u8] = b"ARROW1";

/// Writes the selected rows and columns as an Arrow IPC file ([`Format::Arrow`]) or stream ([`Format::ArrowStream`]), in record
/// batches of 16 MiB or 65,536 rows at most, and gives `out` back. Progress counts rows.
///
/// ```
/// use recask::convert::table::{Format, Rules, to_ipc, write_ipc};
/// use recask::table::{ColumnInput, Table, TableWriter};
///
/// # let folder = tempfile::tempdir()?;
/// # let (path, copy) = (folder.path().join("flights.cstore"), folder.path().join("copy.cstore"));
/// let flights = Table::create(&path, &[ColumnInput::of("delay", &[5i16, -3, 90])])?;
/// let bytes = to_ipc(&flights.tail(2), Format::ArrowStream, Vec::new(), &())?;
///
/// let mut writer = TableWriter::create(&copy)?;
/// assert_eq!(write_ipc(&mut writer, &bytes, &Rules::default(), &())?, 2);
/// writer.close()?;
/// assert_eq!(Table::open(&copy)?.column("delay")?.values::<i16>()?, [-3, 90]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Code::InvalidArgument`] for another format; [`Code::InvalidDType`] naming a column that Arrow does not have;
/// [`Code::InvalidSource`] naming a value that it cannot hold; [`Code::Io`] for what `out` says; [`Code::TooLarge`];
/// [`Code::Interrupted`]; data errors.
pub fn to_ipc<W: Write>(rows: &Selection, format: Format, out: W, progress: &dyn Progress) -> Result<W> {
    if !matches!(format, Format::Arrow | Format::ArrowStream) {
        let text = format!("{} is no format of Arrow; ask for an Arrow IPC file or stream", format.as_str());
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let failed = |error: ArrowError| match error {
        ArrowError::IoError(_, error) if error.kind() == ErrorKind::OutOfMemory => {
            Error::new(Code::TooLarge, "these rows do not fit in memory; take fewer at once")
        }
        error => Error::new(Code::Io, format!("could not write Arrow IPC: {error}")),
    };
    write_to(out, &Rows::of(rows, progress), format, &failed)
}

/// Writes the rows of an Arrow IPC file or stream into a table, as one record; answers how many there are. Text gets the
/// width of the longest where the table is new, else that of the table. Progress counts bytes.
///
/// # Errors
/// [`Code::InvalidSource`] for bytes that cannot be understood, and naming the column and row of a value that is missing or
/// does not fit; [`Code::InvalidDType`] naming a column that no table can have; [`Code::ColumnNotFound`] where the table
/// has other columns; [`Code::Interrupted`]; those of [`TableWriter::record`]. Nothing is written then.
pub fn write_ipc(
    writer: &mut TableWriter,
    ipc: &[u8],
    rules: &Rules,
    progress: &dyn Progress,
) -> Result<u64> {
    let target = writer.schema().map(|table| {
        let columns = table.columns.iter();
        columns.map(|column| (column.name().as_str().to_owned(), column.dtype().clone())).collect::<Vec<_>>()
    });
    let options = ImportOptions { rules: rules.clone(), ..ImportOptions::default() };
    let request = Request { path: Path::new(""), options: &options, target: target.as_deref() };
    let format = if ipc.starts_with(FILE_MAGIC) { Format::Arrow } else { Format::ArrowStream };
    let mut source = batches::open(Ipc::of(ipc, format)?, request, progress)?;
    let count = source.rows();
    let mut record = writer.record(some_columns(source.columns())?, count)?;
    source.copy(progress, &mut |columns| record.write(columns))?;
    record.finish()?;
    Ok(count)
}

impl Origin for &[u8] {
    fn open(&self) -> Result<(impl Read + Seek, u64), Failure> {
        Ok((Cursor::new(*self), Origin::len(self)))
    }

    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }
}
