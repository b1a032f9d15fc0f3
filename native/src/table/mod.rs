//! Column tables in files: finding them, many files as one table, shards in a folder.
//!
//! [`open`] takes a file, a list, a pattern or a folder. [`Shards`] adds files to a folder, one by one and each complete or
//! not there; [`concat()`] makes one file of many. All else is that of [`core::table`](recask_core::table), whose items are
//! shown here again.

mod concat;
mod files;
mod hidden;
mod order;
mod shards;

use std::path::PathBuf;

use recask_core::Result;
use recask_core::environment::{Access, Environment as _};
use recask_core::storage::{FileId, OpenMode, Storage as _, StorageError};

pub use recask_core::table::*;

pub use self::concat::concat;
pub use self::files::{Files, find};
pub use self::shards::{ShardWriter, Shards, append_shard};
use crate::Native;
use crate::exec::RayonExecutor;
use crate::tuning::Tuning;
pub use crate::{Selection, Table};

/// Writes a table in a `.cstore` file.
pub type TableWriter = recask_core::table::TableWriter<Native>;
/// Writes one record of a [`TableWriter`] in pieces.
pub type RecordWriter<'w> = recask_core::table::RecordWriter<'w, Native>;

/// Opens a file, or many files of the same columns as one table; see [`find`] for what a path can mean.
///
/// ```
/// use recask::table::{ColumnInput, append_shard, open};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("weather");
/// append_shard(&folder, &[ColumnInput::of("rain", &[0.0f64, 10.9, 0.8])])?;
/// append_shard(&folder, &[ColumnInput::of("rain", &[20.3f64])])?;
///
/// let weather = open(&folder)?;
/// assert_eq!(weather.len(), 4);
/// assert_eq!(weather.column("rain")?.values::<f64>()?, [0.0, 10.9, 0.8, 20.3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`find`] and of [`Table::open_all`](recask_core::Table::open_all).
pub fn open(files: impl Into<Files>) -> Result<Table> {
    open_with(files, &Tuning::current())
}

/// [`open`] with settings for this table instead of the current ones.
///
/// ```
/// use recask::tuning::{Advice, Tuning};
/// # use recask::table::{ColumnInput, Table, open_with};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("x.cstore");
/// # Table::create(&path, &[ColumnInput::of("x", &[1, 2])])?;
/// let table = open_with(&path, &Tuning { advice: Advice::Random, ..Tuning::current() })?;
/// # assert_eq!(table.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`open`].
pub fn open_with(files: impl Into<Files>, tuning: &Tuning) -> Result<Table> {
    let open = |path: PathBuf| {
        let name = Native::describe(&path);
        let file = Native::attach_file(&path, Access::Read).and_then(|storage| {
            storage.tuned(*tuning).open(FileId::Table, OpenMode::Read).map_err(StorageError::in_only_file)
        });
        match file {
            Ok(file) => Ok((name, file)),
            Err(error) => Err(error.at_place(name)),
        }
    };
    let files = find(files)?.into_iter().map(open).collect::<Result<Vec<_>>>()?;
    Table::from_files(files, RayonExecutor::tuned(tuning))
}
