//! `recask verify` of a table.

use std::path::Path;

use recask::core::environment::{Access, Environment as _};
use recask::core::storage::{FileId, OpenMode, Storage as _, StorageError};
use recask::core::table::{Verification, verify};
use recask::{Native, Progress};

/// Checks the structure of one file, also of one that does not open.
pub(crate) fn check(path: &Path, progress: &dyn Progress) -> recask::Result<Verification> {
    let storage = Native::attach_file(&path.to_path_buf(), Access::Read)?;
    let file = storage.open(FileId::Table, OpenMode::Read).map_err(StorageError::in_only_file)?;
    verify(&file, progress)
}
