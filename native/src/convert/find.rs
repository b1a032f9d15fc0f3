//! Finding stores and tables in a folder and the folders in it.

use std::fs;
use std::path::{Path, PathBuf};

use recask_core::{Code, Error, Result};

use super::dataset::{is_store, stream_name};
use super::problem::Site;

/// Folders in folders, at most: more is a link that leads back.
const MOST_DEPTH: usize = 32;
/// The ending of a table's name.
const TABLE: &str = ".cstore";

/// A store or table that was found. Nothing is known of it but its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Its path within the folder that was searched, with `/` between folders and without the ending of a table.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a table by its name, and else a store.
    pub is_table: bool,
}

/// What a place holds: the one store or table that it is, or those in a folder, down to the last folder in it, sorted by name.
/// Hidden files and folders, and all else, are passed over; nothing is opened.
///
/// # Errors
/// [`Code::StoreNotFound`] where there is nothing, [`Code::InvalidSource`] for a name that is not UTF-8 and for two streams of the
/// same name, and what the system says.
pub fn find(place: &Path) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    if place.is_file() {
        found.push(Found { name: name_of(place)?, path: place.into(), is_table: true });
    } else if is_store(place) {
        found.push(Found { name: stream_name(place)?, path: place.into(), is_table: false });
    } else if place.is_dir() {
        walk(place, "", 0, &mut found)?;
    }
    found.sort();
    if found.is_empty() {
        let text = format!("there is neither a store nor a table at {}", place.display());
        return Err(Error::new(Code::StoreNotFound, text));
    }
    let same = |pair: &&[Found]| matches!(pair, [left, right] if left.name == right.name);
    if let Some([twice, _]) = found.windows(2).find(same) {
        let text = format!("two streams are called '{}' in {}; rename one", twice.name, place.display());
        return Err(Error::new(Code::InvalidSource, text));
    }
    Ok(found)
}

fn walk(dir: &Path, prefix: &str, depth: usize, found: &mut Vec<Found>) -> Result<()> {
    let site = Site::file(dir);
    if depth > MOST_DEPTH {
        return Err(
            site.invalid(format!("folders nest deeper than {MOST_DEPTH}, perhaps by a link that leads back"))
        );
    }
    for entry in fs::read_dir(dir).map_err(|error| site.unreadable(error))? {
        let path = entry.map_err(|error| site.unreadable(error))?.path();
        let is_hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_table = !path.is_dir() && path.extension().is_some_and(|ending| ending == &TABLE[1..]);
        if is_hidden || !(path.is_dir() || (is_table && path.is_file())) {
            continue;
        }
        let name = format!("{prefix}{}", name_of(&path)?);
        if is_table || is_store(&path) {
            found.push(Found { name, path, is_table });
        } else {
            walk(&path, &format!("{name}/"), depth + 1, found)?;
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> Result<String> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_str();
    let name = name.ok_or_else(|| Site::file(path).invalid("the name is not UTF-8; rename it"))?;
    Ok(if path.is_file() { name.strip_suffix(TABLE).unwrap_or(name) } else { name }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(place: &Path) -> Vec<String> {
        find(place).unwrap().into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn folders_are_searched_to_the_last_one() {
        let dir = tempfile::tempdir().unwrap();
        for store in ["b", "a/deep", ".hidden"] {
            fs::create_dir_all(dir.path().join(store)).unwrap();
            fs::write(dir.path().join(store).join("store.zr"), "").unwrap();
        }
        for file in ["flights.cstore", "a/other.cstore", "notes.txt", ".draft.cstore"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        assert_eq!(names(dir.path()), ["a/deep", "a/other", "b", "flights"]);
        assert_eq!(names(&dir.path().join("b")), ["b"]);
        assert_eq!(names(&dir.path().join("flights.cstore")), ["flights"]);
        assert!(find(&dir.path().join("notes.txt")).unwrap()[0].is_table);
    }

    #[test]
    fn nothing_and_two_of_one_name_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(find(dir.path()).unwrap_err().code(), Code::StoreNotFound);
        assert_eq!(find(&dir.path().join("missing")).unwrap_err().code(), Code::StoreNotFound);
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/store.zr"), "").unwrap();
        fs::write(dir.path().join("a.cstore"), "").unwrap();
        assert_eq!(find(dir.path()).unwrap_err().code(), Code::InvalidSource);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_back_ends() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("again")).unwrap();
        let error = find(dir.path()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource);
        assert!(error.message().contains("nest"), "{error}");
    }
}
