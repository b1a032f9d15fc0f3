//! What all formats are to an import: columns, a number of rows, and the rows in pieces.

use std::path::Path;

use recask_core::table::ColumnInput;
use recask_core::{Code, DType, Error, Result};

use super::super::problem::invalid_argument;
use super::format::Format;
use super::options::ImportOptions;
use crate::Progress;

/// Bytes of columns that are handed over at once, unless one row is larger.
pub(super) const WINDOW: u64 = 16 << 20;
/// Rows that are handed over at once.
const MOST_ROWS: u64 = 1 << 16;

/// Takes the next rows: the same number of values for each column.
pub(super) type Take<'t> = &'t mut dyn FnMut(&[ColumnInput<'_>]) -> Result<()>;

/// A file that was looked through: what its columns are is known, and how many rows there are.
pub(super) trait Source {
    /// The columns in the order in which they are handed over.
    fn columns(&self) -> Vec<(String, DType)>;

    /// How many rows [`Source::copy`] hands over.
    fn rows(&self) -> u64;

    /// Hands over all rows, a window at a time.
    fn copy(&mut self, progress: &dyn Progress, take: Take<'_>) -> Result<()>;
}

/// What is to be opened.
#[derive(Clone, Copy)]
pub(super) struct Request<'r> {
    pub(super) path: &'r Path,
    pub(super) options: &'r ImportOptions,
    /// The columns of the table that the rows are added to.
    pub(super) target: Option<&'r [(String, DType)]>,
}

impl<'r> Request<'r> {
    /// Looks a source through.
    pub(super) fn open(self, format: Format, progress: &dyn Progress) -> Result<Box<dyn Source + 'r>> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => super::parquet::open(self, progress),
            #[cfg(feature = "ipc")]
            Format::Arrow | Format::ArrowStream => super::ipc::open(self, format, progress),
            #[cfg(feature = "csv")]
            Format::Csv => super::csv::open(self, progress),
            Format::JsonLines => super::jsonl::open(self, progress),
            Format::Npz => super::npz::open(self),
            #[allow(unreachable_patterns, reason = "with all features there is none left")]
            other => Err(missing(other)),
        }
    }

    /// The positions of the columns to take among those that the source has.
    pub(super) fn chosen(&self, there: &[impl AsRef<str>]) -> Result<Vec<usize>> {
        let find = |name: &str| {
            there.iter().position(|column| column.as_ref() == name).ok_or_else(|| {
                let text = format!("the source has no column '{name}'; there are: {}", listed(there));
                Error::new(Code::ColumnNotFound, text)
            })
        };
        match (&self.options.columns, self.target) {
            (Some(names), _) => names.iter().map(|name| find(name)).collect(),
            (None, None) => Ok((0..there.len()).collect()),
            (None, Some(target)) => {
                let is_known = |name: &str| target.iter().any(|(column, _)| column == name);
                if let Some(more) = there.iter().find(|column| !is_known(column.as_ref())) {
                    let text = format!(
                        "the source has column '{}', which the table has not: name the columns to take",
                        more.as_ref()
                    );
                    return Err(Error::new(Code::ColumnNotFound, text));
                }
                target.iter().map(|(name, _)| find(name)).collect()
            }
        }
    }

    /// The type that a column has to have in the table that rows are added to.
    pub(super) fn target_of(&self, name: &str) -> Option<&'r DType> {
        self.target?.iter().find(|(column, _)| column == name).map(|(_, dtype)| dtype)
    }
}

/// The format is not part of this build.
pub(super) fn missing(format: Format) -> Error {
    let name = match format {
        Format::Parquet => "Parquet",
        Format::Arrow | Format::ArrowStream => "Arrow IPC",
        Format::Csv => "CSV",
        Format::JsonLines => "JSON lines",
        Format::Npz => "npz",
    };
    Error::new(
        Code::Unsupported,
        format!("this build has no {name}; use the native command, or a build with it"),
    )
}

/// How many rows make a window.
pub(super) fn window(columns: &[(String, DType)]) -> usize {
    let width = columns.iter().map(|(_, dtype)| dtype.itemsize()).fold(0, u64::saturating_add);
    usize::try_from((WINDOW / width.max(1)).clamp(1, MOST_ROWS)).unwrap_or(1)
}

/// Refuses a source without columns.
pub(super) fn some_columns<T>(columns: Vec<T>) -> Result<Vec<T>> {
    if columns.is_empty() {
        return Err(invalid_argument("there are no columns to take; a table needs at least one".to_owned()));
    }
    Ok(columns)
}

fn listed(names: &[impl AsRef<str>]) -> String {
    const LISTED: usize = 20;
    let mut list: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    if names.len() > LISTED {
        list.push("…");
    }
    list.join(", ")
}
