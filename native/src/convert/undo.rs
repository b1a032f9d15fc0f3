//! Taking back what was made when the work fails or is interrupted.

use std::fs;
use std::path::{Path, PathBuf};

use recask_core::Result;
use recask_core::storage::FileId;

use super::problem::unwritable;
use crate::fs::check_writable;

/// Removes everything that was noted, latest first, unless it is [kept](Undo::keep).
#[derive(Default)]
pub(super) struct Undo {
    made: Vec<Made>,
}

enum Made {
    File(PathBuf),
    /// Everything in it is ours.
    Folder(PathBuf),
    /// It was there and empty; the store's files in it are ours.
    StoreFiles(PathBuf),
    /// Ours, but others may have put something into it.
    FolderIfEmpty(PathBuf),
}

/// The folders that have to be made before `path` exists, `path` included, outermost first.
pub(super) struct Missing(Vec<PathBuf>);

impl Missing {
    pub(super) fn before(path: &Path) -> Self {
        let missing = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        missing.reverse();
        Missing(missing)
    }
}

impl Undo {
    /// A store was made at `path`, where before `missing` was missing.
    pub(super) fn made_store(&mut self, path: &Path, missing: Missing) {
        let was_there = missing.0.is_empty();
        self.made_folders(missing);
        self.made.push(if was_there {
            Made::StoreFiles(path.to_path_buf())
        } else {
            Made::Folder(path.to_path_buf())
        });
    }

    /// Makes a folder and those around it.
    pub(super) fn make_folder(&mut self, folder: &Path) -> Result<()> {
        if folder.as_os_str().is_empty() {
            return Ok(());
        }
        check_writable(folder)?;
        let missing = Missing::before(folder);
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
        self.made_folders(missing);
        Ok(())
    }

    fn made_folders(&mut self, missing: Missing) {
        self.made.extend(missing.0.into_iter().map(Made::FolderIfEmpty));
    }

    pub(super) fn made_file(&mut self, path: &Path) {
        self.made.push(Made::File(path.to_path_buf()));
    }

    /// The work is done: nothing is removed.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        // There is an error to report already; what cannot be removed stays.
        for made in self.made.iter().rev() {
            let _ = match made {
                Made::File(path) => fs::remove_file(path),
                Made::Folder(path) => fs::remove_dir_all(path),
                Made::FolderIfEmpty(path) => fs::remove_dir(path),
                Made::StoreFiles(path) => remove_store_files(path),
            };
        }
    }
}

fn remove_store_files(path: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| FileId::from_name(name).is_some()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
