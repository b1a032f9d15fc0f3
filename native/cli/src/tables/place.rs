//! What a PATH names when it is no record store: the files of a table.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use recask::core::format::cstore::MAGIC;
use recask::{Table, convert};

use crate::failure::{At as _, Failure};

/// A PATH that is a table: a file, or a folder or pattern of files with one schema.
pub(crate) struct TablePlace {
    path: PathBuf,
    is_file: bool,
}

impl TablePlace {
    /// `None` for a store or dataset, for a file of another kind, and for nothing unless its name says that a table is
    /// meant.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let there = std::fs::metadata(path);
        let is_folder = there.as_ref().is_ok_and(std::fs::Metadata::is_dir);
        let is_table = match there {
            Ok(_) if is_folder => is_folder_of_tables(path),
            Ok(_) => is_named(path) || has_magic(path),
            Err(_) => is_named(path) || is_pattern(path),
        };
        let is_file = !is_folder && !is_pattern(path);
        is_table.then(|| TablePlace { path: path.to_path_buf(), is_file })
    }

    /// The one file here, for commands that change a table.
    pub(crate) fn single(&self) -> Result<&Path, Failure> {
        if self.is_file {
            return Ok(&self.path);
        }
        let files: Vec<String> = self.files()?.iter().map(|file| file.display().to_string()).collect();
        let text = format!("{} is several tables; name one: {}", self.path.display(), files.join(", "));
        Err(Failure::Usage(text))
    }

    /// The files, in the order of their rows.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        if self.is_file {
            return Ok(vec![self.path.clone()]);
        }
        recask::table::find(&self.path).at(&self.path)
    }

    /// Every file; where there may be several, with its name.
    pub(crate) fn parts(&self) -> Result<Vec<(Option<String>, PathBuf)>, Failure> {
        let name = |file: &Path| {
            (!self.is_file)
                .then(|| file.file_name().map(|name| name.to_string_lossy().into_owned()))
                .flatten()
        };
        Ok(self.files()?.into_iter().map(|file| (name(&file), file)).collect())
    }

    /// All of it as one table.
    pub(crate) fn open(&self) -> Result<Table, Failure> {
        recask::table::open(&self.path).at(&self.path)
    }

    /// As the user wrote it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether this is to be a table by its name.
pub(crate) fn is_named(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str) == Some("cstore")
}

/// Of any release: what is no format of today is a table that does not open.
fn has_magic(path: &Path) -> bool {
    let mut start = [0; 6];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && MAGIC.starts_with(&start)
}

fn is_pattern(path: &Path) -> bool {
    !path.exists() && path.to_string_lossy().contains(['*', '?', '['])
}

fn is_folder_of_tables(path: &Path) -> bool {
    let holds_stores =
        || convert::is_store(path) || convert::streams(path).is_ok_and(|streams| !streams.is_empty());
    let holds_tables = || {
        let mut entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.any(|entry| is_named(&entry.path()))
    };
    !holds_stores() && holds_tables()
}
