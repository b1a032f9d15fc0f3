//! Dataset folders: directories whose sub-directories are stores.

use std::fs;
use std::path::{Path, PathBuf};

use recask_core::storage::FileId;
use recask_core::{Code, Error, Result};

use super::problem::Site;
use crate::fs::canonical;

/// Whether a directory holds the files of a store itself. Nothing is opened.
#[must_use]
pub fn is_store(path: &Path) -> bool {
    [FileId::Store, FileId::Meta].iter().any(|file| path.join(file.to_string()).is_file())
}

/// The stores inside a dataset folder: their names and paths, sorted by name. Other content is passed over, and
/// nothing is opened.
///
/// # Errors
/// [`Code::StoreNotFound`] where there is no such directory, [`Code::InvalidSource`] for a name that is not UTF-8,
/// and what the system says.
pub fn streams(dir: &Path) -> Result<Vec<(String, PathBuf)>> {
    if !dir.is_dir() {
        let text = format!("there is no directory {}", dir.display());
        return Err(Error::new(Code::StoreNotFound, text));
    }
    let site = Site::file(dir);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(|error| site.unreadable(error))? {
        let path = entry.map_err(|error| site.unreadable(error))?.path();
        if is_store(&path) {
            found.push((stream_name(&path)?, path));
        }
    }
    found.sort();
    Ok(found)
}

/// The name of a store as a stream: the one of its folder.
pub(super) fn stream_name(store: &Path) -> Result<String> {
    let named = if store.file_name().is_some() {
        store.to_path_buf()
    } else {
        canonical(store).map_err(|error| Site::file(store).unreadable(error))?
    };
    match named.file_name().map(|name| name.to_str()) {
        Some(Some(name)) => Ok(name.to_owned()),
        None => Ok("data".to_owned()),
        Some(None) => Err(Site::file(store).invalid("the name of the folder is not UTF-8; rename it")),
    }
}

/// The streams of a place: the one store that it is, or those inside.
pub(super) fn streams_at(place: &Path) -> Result<Vec<(String, PathBuf)>> {
    if is_store(place) {
        return Ok(vec![(stream_name(place)?, place.to_path_buf())]);
    }
    let found = streams(place)?;
    if found.is_empty() {
        let text = format!("{} is no store, and no folder of stores", place.display());
        return Err(Error::new(Code::StoreNotFound, text));
    }
    Ok(found)
}
