//! One file of many.

use std::path::Path;

use recask_core::progress::Progress;
use recask_core::table::WriteOptions;
use recask_core::{Code, Error, Result};

use super::hidden::HiddenTable;
use super::{Files, Table, find, open};

/// Writes the rows of all files as one record of a new file, in bounded memory, and opens it. The file is there when it is
/// complete and durable, or not at all. Progress counts rows.
///
/// ```
/// use recask::table::{ColumnInput, WriteOptions, append_shard, concat};
///
/// # let folder = tempfile::tempdir()?;
/// # let (shards, one) = (folder.path().join("shards"), folder.path().join("one.cstore"));
/// append_shard(&shards, &[ColumnInput::of("id", &[1u8, 2])])?;
/// append_shard(&shards, &[ColumnInput::of("id", &[3u8])])?;
/// let table = concat(&shards, &one, &WriteOptions::default(), &())?;
/// assert_eq!((table.len(), table.file_records()), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Code::StoreExists`] where something is at `dest` already; [`Code::Interrupted`]; those of [`open`]; what the system says.
pub fn concat(
    sources: impl Into<Files>,
    dest: impl AsRef<Path>,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Table> {
    let dest = dest.as_ref();
    let name_dest = |error: Error| error.at_place(dest.display().to_string());
    if dest.symlink_metadata().is_ok() {
        let message = "there is something already: choose another name for the new table";
        return Err(name_dest(Error::new(Code::StoreExists, message)));
    }
    let rows = open(find(sources)?)?.all();
    let mut hidden = HiddenTable::beside(dest, options)?;
    hidden.writer().write_rows(&rows, progress)?;
    hidden.publish([dest.to_owned()]).map_err(name_dest)?;
    open(dest)
}
