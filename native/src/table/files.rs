//! Which files a path, a pattern or a folder means.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use glob::MatchOptions;
use recask_core::{Code, Error, Result};

use super::order::Natural;
use crate::fs::check_reachable;

/// The ending of tables.
pub(super) const EXTENSION: &str = "cstore";

/// Where the files of a table are: paths, each of a file, a folder or a pattern. Converts from one path and from
/// several.
///
/// ```
/// use recask::table::Files;
///
/// let one = Files::from("flights.cstore");
/// let months = Files::from("flights/2024-*.cstore");
/// let both = Files::from(vec!["flights.cstore", "flights/2024-*.cstore"]);
/// # let _ = (one, months, both);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(Vec<PathBuf>);

/// The files that are meant, in the order in which their rows follow each other.
///
/// A path of a file is that file, and a path of a folder the tables in it (names that end in `.cstore`, not those that
/// begin with a dot). Any other path with `*`, `?` or `[` is a pattern, `**` standing for folders at any depth; drafts
/// of interrupted work are left out. Files of a folder or pattern come in the order of their names where numbers
/// count by their value, so that `shard_2` comes before `shard_10`, as in colstore.
///
/// # Errors
/// [`Code::StoreNotFound`] for a path where nothing is, a folder without tables, or a pattern that fits nothing;
/// [`Code::InvalidArgument`] for no paths and for a pattern that is none; what the system says.
pub fn find(files: impl Into<Files>) -> Result<Vec<PathBuf>> {
    let Files(paths) = files.into();
    if paths.is_empty() {
        return Err(Error::new(Code::InvalidArgument, "a table needs at least one file: the list is empty"));
    }
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(in_folder(&path)?);
        } else if let Some(pattern) = pattern_of(&path) {
            found.extend(fitting(pattern)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The tables in a folder; there may be none.
pub(super) fn tables_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || {
        let mut tables = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION)
                && !is_hidden(&path)
                && path.is_file()
            {
                tables.push(path);
            }
        }
        Ok(tables)
    };
    let mut tables = list().map_err(|error| unreadable(folder, error))?;
    tables.sort_by(|a, b| by_name(a.file_name().unwrap_or_default(), b.file_name().unwrap_or_default()));
    Ok(tables)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let tables = tables_in(folder)?;
    if tables.is_empty() {
        let message = format!("there is no table (*.{EXTENSION}) in the folder {}", folder.display());
        return Err(Error::new(Code::StoreNotFound, message));
    }
    Ok(tables)
}

/// The path as a pattern, if it is none of a file and looks like one.
fn pattern_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    (text.contains(['*', '?', '[']) && !path.exists()).then_some(text)
}

fn fitting(pattern: &str) -> Result<Vec<PathBuf>> {
    // As in a shell: `*` stays in its folder and skips names that begin with a dot.
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let matches = glob::glob_with(pattern, options).map_err(|error| {
        let message = format!("the pattern {pattern} is none: {} at character {}", error.msg, error.pos + 1);
        Error::new(Code::InvalidArgument, message)
    })?;
    let mut files = Vec::new();
    for found in matches {
        let path = found.map_err(|error| {
            let path = error.path().to_owned();
            unreadable(&path, error.into())
        })?;
        if path.is_file() && path.extension().is_none_or(|extension| extension != "draft") {
            files.push(path);
        }
    }
    if files.is_empty() {
        let message = format!("there is no file that fits the pattern {pattern}");
        return Err(Error::new(Code::StoreNotFound, message));
    }
    files.sort_by(|a, b| by_name(a.as_os_str(), b.as_os_str()));
    Ok(files)
}

fn by_name(a: &std::ffi::OsStr, b: &std::ffi::OsStr) -> Ordering {
    Natural(&a.to_string_lossy()).cmp(&Natural(&b.to_string_lossy())).then_with(|| a.cmp(b))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn unreadable(folder: &Path, error: std::io::Error) -> Error {
    if let Err(outside) = check_reachable(folder) {
        return outside.caused_by(error);
    }
    let code = match error.kind() {
        std::io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        std::io::ErrorKind::NotFound => Code::StoreNotFound,
        _ => Code::Io,
    };
    Error::new(code, format!("could not list the folder: {error}"))
        .at_place(folder.display().to_string())
        .caused_by(error)
}

impl From<&str> for Files {
    fn from(path: &str) -> Self {
        Files(vec![path.into()])
    }
}

impl From<String> for Files {
    fn from(path: String) -> Self {
        Files(vec![path.into()])
    }
}

impl From<&Path> for Files {
    fn from(path: &Path) -> Self {
        Files(vec![path.into()])
    }
}

impl From<PathBuf> for Files {
    fn from(path: PathBuf) -> Self {
        Files(vec![path])
    }
}

impl From<&PathBuf> for Files {
    fn from(path: &PathBuf) -> Self {
        Files(vec![path.clone()])
    }
}

impl<P: Into<PathBuf>> From<Vec<P>> for Files {
    fn from(paths: Vec<P>) -> Self {
        Files(paths.into_iter().map(Into::into).collect())
    }
}

impl<P: Into<PathBuf>, const N: usize> From<[P; N]> for Files {
    fn from(paths: [P; N]) -> Self {
        Files(paths.into_iter().map(Into::into).collect())
    }
}

impl<P: AsRef<Path>> From<&[P]> for Files {
    fn from(paths: &[P]) -> Self {
        Files(paths.iter().map(|path| path.as_ref().into()).collect())
    }
}
