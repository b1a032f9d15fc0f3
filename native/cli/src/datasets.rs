//! What a loader reads at a PATH: stores and tables, each a stream with its name.

use std::io;
use std::path::{Path, PathBuf};

use recask::loader::Stream;
use recask::{AnyStore, Code, Error};

use crate::failure::{At as _, Failure};
use crate::streams::Place;
use crate::tables::{self, TablePlace};

/// The name of what has none of its own, such as a pattern.
const NAMELESS: &str = "data";

/// One stream before it is opened.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    path: PathBuf,
    is_table: bool,
}

/// The streams of a place, in the order of their names: those of a dataset, or the one store or table that it is.
pub(crate) fn find(path: &Path) -> Result<Vec<Source>, Failure> {
    if TablePlace::at(path).is_some() {
        return Ok(vec![Source { name: name_of(path), path: path.to_path_buf(), is_table: true }]);
    }
    let mut sources = match Place::at(path) {
        Place::Store(path) => return Ok(vec![Source { name: name_of(&path), path, is_table: false }]),
        Place::Dataset { path, streams } => {
            let store = |(name, path)| Source { name, path, is_table: false };
            let mut sources: Vec<Source> = streams.into_iter().map(store).collect();
            sources.extend(tables_beside_stores(&path)?);
            sources
        }
    };
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    let twice = sources.windows(2).find_map(|pair| match pair {
        [one, other] if one.name == other.name => Some((one, other)),
        _ => None,
    });
    match twice {
        None => Ok(sources),
        Some((one, other)) => {
            let (paths, name) = ([&one.path, &other.path].map(|path| path.display().to_string()), &one.name);
            let text =
                format!("{} would both be the stream '{name}'; rename one of them", paths.join(" and "));
            Err(Error::new(Code::InvalidArgument, text)).at(path)
        }
    }
}

/// Those of `sources` that are wanted, in the order in which they are.
pub(crate) fn pick(path: &Path, mut sources: Vec<Source>, wanted: &[String]) -> Result<Vec<Source>, Failure> {
    let mut picked: Vec<Source> = Vec::new();
    for name in wanted {
        if let Some(position) = sources.iter().position(|source| source.name == *name) {
            picked.push(sources.remove(position));
        } else if picked.iter().any(|source| source.name == *name) {
            return Err(Failure::Usage(format!("the stream '{name}' is wanted twice")));
        } else {
            let mut known: Vec<_> =
                picked.iter().chain(&sources).map(|source| source.name.as_str()).collect();
            known.sort_unstable();
            let known = known.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
            let text = format!("{} has no stream '{name}'; it has {known}", path.display());
            return Err(Failure::Usage(text));
        }
    }
    Ok(picked)
}

impl Source {
    /// Opens it for reading.
    pub(crate) fn open(&self) -> Result<Stream, Failure> {
        if self.is_table {
            return Ok(recask::table::open(&self.path).at(&self.path)?.into());
        }
        tables::refuse_table(&self.path)?;
        Ok(AnyStore::open(self.path.as_path()).at(&self.path)?.into())
    }
}

/// The table files directly in a folder, each a stream by its name without the extension.
fn tables_beside_stores(folder: &Path) -> Result<Vec<Source>, Failure> {
    let files = match recask::table::find(folder) {
        Err(error) if error.code() == Code::StoreNotFound => Vec::new(),
        found => found.at(folder)?,
    };
    let source = |path: PathBuf| match path.file_stem().map(std::ffi::OsStr::to_str) {
        Some(Some(name)) => Ok(Source { name: name.to_owned(), path, is_table: true }),
        _ => {
            let text = "the name of the file is not UTF-8, so no stream can have it; rename it";
            Err(Error::new(Code::InvalidSource, text)).at(&path)
        }
    };
    files.into_iter().map(source).collect()
}

/// The name of a store or table: that of its folder, or of its file without the extension.
fn name_of(path: &Path) -> String {
    let full = if path.file_name().is_some() { Some(path.to_path_buf()) } else { canonical(path).ok() };
    let full = full.filter(|full| full.exists());
    let name =
        full.as_deref().and_then(|path| if path.is_dir() { path.file_name() } else { path.file_stem() });
    name.and_then(std::ffi::OsStr::to_str).unwrap_or(NAMELESS).to_owned()
}

/// Where a path leads, with all its names.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// A sandbox has no names above what it was given, and not every one can be asked.
#[cfg(target_os = "wasi")]
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.metadata().map(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_stream_is_called_like_its_folder_or_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("days.2024")).unwrap();
        std::fs::write(at("weather.cstore"), b"").unwrap();
        let names = ["days.2024", "weather.cstore", "2024-*.cstore"].map(|name| name_of(&at(name)));
        assert_eq!(names, ["days.2024", "weather", "data"]);
        assert_eq!(
            [name_of(&at("days.2024/..").join("days.2024/.")), name_of(Path::new("/"))],
            ["days.2024", "data"]
        );
    }
}
