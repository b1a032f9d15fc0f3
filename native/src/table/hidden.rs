//! A new table that nobody sees before it is complete.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use recask_core::table::WriteOptions;
use recask_core::{Code, Error, Result};

use super::TableWriter;
use crate::fs::TempPath;
use crate::system_seed;

/// A table that is written under a hidden name beside its own. Dropping it removes the file.
pub(super) struct HiddenTable {
    /// Before the path: a file must be closed before it can be removed on some systems.
    writer: TableWriter,
    path: TempPath,
}

impl HiddenTable {
    /// Starts a table that will be `dest`, in a folder that exists.
    pub(super) fn beside(dest: &Path, options: &WriteOptions) -> Result<Self> {
        let name = dest.file_name().ok_or_else(|| {
            let message = format!("the path of a table must end with a name, {} does not", dest.display());
            Error::new(Code::InvalidArgument, message)
        })?;
        // The name that colstore gives such a file: it begins with a dot, so that no listing takes it for a table.
        let name = format!(".{}.{:016x}.tmp", name.to_string_lossy(), system_seed()?);
        let path = dest.with_file_name(name);
        let path = TempPath::try_from_path(path).map_err(|error| failed("find", dest, error))?;
        let writer = TableWriter::create_with(path.to_path_buf(), options)?;
        Ok(HiddenTable { writer, path })
    }

    pub(super) fn writer(&mut self) -> &mut TableWriter {
        &mut self.writer
    }

    pub(super) fn rows(&self) -> u64 {
        self.writer.rows()
    }

    /// Makes it durable and gives it the first of these names that is free.
    pub(super) fn publish(self, names: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf> {
        let HiddenTable { writer, mut path } = self;
        if writer.schema().is_none() {
            let message = "nothing was written: a table needs at least its columns";
            return Err(Error::new(Code::InvalidArgument, message));
        }
        writer.close()?;
        for dest in names {
            match path.persist_noclobber(&dest) {
                Ok(()) => {
                    let folder = dest.parent().unwrap_or(Path::new(""));
                    crate::fs::sync_directory(folder).map_err(|error| failed("sync", folder, error))?;
                    return Ok(dest);
                }
                Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => path = refused.path,
                Err(refused) => return Err(failed("create", &dest, refused.error)),
            }
        }
        Err(Error::new(Code::StoreExists, "there is a file of this name already: choose another name"))
    }
}

pub(super) fn failed(action: &str, path: &Path, error: std::io::Error) -> Error {
    crate::fs::storage_error(action, path, error).in_only_file()
}
