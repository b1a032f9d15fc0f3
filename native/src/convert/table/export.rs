//! Tables become files.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use recask_core::table::ColumnData;
use recask_core::{Code, Error, Result};

use super::super::problem::{check, unwritable};
use super::super::undo::Undo;
use super::format::Format;
use super::options::ExportOptions;
use super::source::WINDOW;
use crate::fs::{Draft, check_writable, sync_directory};
use crate::{Progress, Selection};

/// Rows that are read at once.
const MOST_ROWS: u64 = 1 << 16;

/// What an export wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub format: Format,
    /// The rows in it.
    pub rows: u64,
}

/// Writes the selected rows and columns of a table as a file, as the [module](super) says.
///
/// Rows are read in windows of 16 MiB; Parquet also keeps one row group in memory, 64 MiB of columns. The file is written
/// beside its place under another name and gets its own when it is complete and durable: a failed or stopped export leaves
/// nothing, and a file that was there is still there. Progress counts rows, in npz each once for every column.
///
/// ```
/// use recask::convert::table::{ExportOptions, export};
/// use recask::table::{ColumnInput, Table};
///
/// # let folder = tempfile::tempdir()?;
/// # let (table, text) = (folder.path().join("flights.cstore"), folder.path().join("late.csv"));
/// let flights = Table::create(&table, &[ColumnInput::of("delay", &[5i16, -3, 90])])?;
/// export(&flights.tail(2), &text, &ExportOptions::default(), &())?;
/// assert_eq!(std::fs::read_to_string(&text)?, "delay\n-3\n90\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StoreExists`](Code::StoreExists) where something is there and [`ExportOptions::replace`] is not asked for;
/// [`InvalidArgument`](Code::InvalidArgument) for an extension that names no format;
/// [`InvalidDType`](Code::InvalidDType) naming a column that the format cannot hold;
/// [`InvalidSource`](Code::InvalidSource) naming a value that it cannot; [`Unsupported`](Code::Unsupported) for a format that
/// this build leaves out; [`Interrupted`](Code::Interrupted); data errors, and what the system says.
pub fn export(
    rows: &Selection,
    dest: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Exported> {
    let format = options.format.map_or_else(|| Format::to_write(dest), Ok)?;
    check_writable(dest)?;
    check(progress)?;
    if !options.replace && dest.symlink_metadata().is_ok() {
        return Err(there_already(dest));
    }
    let folder = dest.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut undo = Undo::default();
    undo.make_folder(folder)?;
    let draft = Draft::beside(dest).map_err(|error| unwritable(dest, error))?;
    let file = draft.reopen().map_err(|error| unwritable(dest, error))?;
    let source = Rows { selection: rows, progress };
    let file = match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::write(&source, file, dest, options.compression)?,
        #[cfg(feature = "ipc")]
        Format::Arrow | Format::ArrowStream => super::ipc::write(&source, file, dest, format)?,
        #[cfg(feature = "csv")]
        Format::Csv => super::csv::write(&source, file, dest, options.csv)?,
        Format::JsonLines => super::jsonl::write(&source, file, dest)?,
        Format::Npz => super::npz::write(&source, file, dest)?,
        #[allow(unreachable_patterns, reason = "with all features there is none left")]
        other => return Err(super::source::missing(other)),
    };
    check(progress)?;
    file.sync_all().map_err(|error| unwritable(dest, error))?;
    let named = if options.replace { draft.replace(dest) } else { draft.publish(dest) };
    match named {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(there_already(dest)),
        Err(error) => return Err(unwritable(dest, error)),
    }
    undo.keep();
    sync_directory(folder).map_err(|error| unwritable(dest, error))?;
    Ok(Exported { path: dest.to_path_buf(), format, rows: rows.len() })
}

fn there_already(dest: &Path) -> Error {
    let text = format!(
        "there is something at {} already; choose another name, or ask to replace it",
        dest.display()
    );
    Error::new(Code::StoreExists, text)
}

/// The rows that are written.
pub(super) struct Rows<'r> {
    selection: &'r Selection,
    progress: &'r dyn Progress,
}

impl<'r> Rows<'r> {
    #[cfg(feature = "ipc")]
    pub(super) fn of(selection: &'r Selection, progress: &'r dyn Progress) -> Self {
        Rows { selection, progress }
    }

    pub(super) fn selection(&self) -> &Selection {
        self.selection
    }

    /// Hands over consecutive parts of a size that fits into memory, each with the number of its first row.
    pub(super) fn parts(
        &self,
        selection: &Selection,
        mut take: impl FnMut(&Selection, u64) -> Result<()>,
    ) -> Result<()> {
        let width: u64 =
            selection.columns_selected().map(|column| column.dtype().itemsize()).fold(0, u64::saturating_add);
        let rows = (WINDOW / width.max(1)).clamp(1, MOST_ROWS);
        let mut first = 0;
        for part in selection.batches(usize::try_from(rows).unwrap_or(1)) {
            check(self.progress)?;
            take(&part, first)?;
            first += part.len();
            self.progress.advance(part.len());
        }
        Ok(())
    }

    /// Hands over the columns of one part after the other.
    pub(super) fn each(&self, mut take: impl FnMut(&[ColumnData]) -> Result<()>) -> Result<()> {
        self.parts(self.selection, |part, _| take(&part.columns()?))
    }
}

/// The file behind a buffer that was written out.
pub(super) fn flushed(buffer: BufWriter<File>, dest: &Path) -> Result<File> {
    buffer.into_inner().map_err(|error| unwritable(dest, error.into_error()))
}
