//! What a folder of streams holds, for readers that cannot list it: the file `recask.json`.
//!
//! A static host has no listing of its folders, and asking for a file that is not there costs a request. So whoever publishes
//! a folder writes down its streams, the files of each, and how long they are. The text comes from elsewhere and is not trusted:
//! no path leads out of the folder.

mod json;
mod path;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::dtype::excerpt;
use crate::error::{Code, Error, Result};
use crate::storage::FileId;

/// The streams of a folder, sorted by name.
///
/// ```
/// use recask_core::listing::{Listing, ListedKind};
/// use recask_core::storage::FileId;
///
/// let text = br#"{"format": 1, "streams": [
///     {"name": "images", "kind": "dense", "path": "images", "files": {"meta.zr": 64, "store.zr": 73, "0.loc": 24, "0.chunk": 784}},
///     {"name": "flights", "kind": "table", "path": "2024/flights.cstore", "files": {"flights.cstore": 4096}}
/// ]}"#;
/// let listing = Listing::parse(text)?;
/// let images = listing.stream("images").unwrap();
/// assert_eq!((images.kind(), images.path()), (ListedKind::Dense, "images"));
/// assert_eq!(images.len_of(FileId::Chunk(0)), Some(784));
/// assert_eq!(images.len_of(FileId::Journal), None);
/// assert_eq!(Listing::parse(listing.to_string().as_bytes())?, listing);
///
/// let outside = br#"{"format": 1, "streams": [{"name": "a", "kind": "dense", "path": "../a", "files": {}}]}"#;
/// assert!(Listing::parse(outside).is_err());
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    streams: Vec<ListedStream>,
}

/// One store or table of a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStream {
    name: String,
    kind: ListedKind,
    path: String,
    files: BTreeMap<FileId, u64>,
}

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListedKind {
    /// A dense store.
    Dense,
    /// A ragged store.
    Ragged,
    /// A column table.
    Table,
}

impl Listing {
    /// The name of the file, in the folder that it lists.
    pub const FILE_NAME: &'static str = "recask.json";
    /// The longest text that is read. A store of a million large records takes a few thousand bytes.
    pub const MOST_BYTES: usize = 16 << 20;

    /// These streams, in the order of their names.
    ///
    /// # Errors
    /// [`Code::InvalidSource`] where two have one name.
    pub fn new(streams: impl IntoIterator<Item = ListedStream>) -> Result<Self> {
        let mut streams: Vec<_> = streams.into_iter().collect();
        streams.sort_by(|a, b| a.name.cmp(&b.name));
        for (one, next) in streams.iter().zip(streams.iter().skip(1)) {
            if one.name == next.name {
                let name = excerpt(&one.name);
                return Err(wrong(format_args!("two streams are called '{name}'; rename one of them")));
            }
        }
        Ok(Listing { streams })
    }

    /// Reads the text of a listing. Keys that are not known are passed over.
    ///
    /// # Errors
    /// [`Code::InvalidSource`] saying where the text is wrong; [`Code::UnsupportedVersion`] for the listing of a later version
    /// of this library; [`Code::TooLarge`] beyond [`Listing::MOST_BYTES`].
    pub fn parse(text: &[u8]) -> Result<Self> {
        json::parse(text)
    }

    /// The streams, sorted by name.
    #[must_use]
    pub fn streams(&self) -> &[ListedStream] {
        &self.streams
    }

    /// The stream of this name.
    #[must_use]
    pub fn stream(&self, name: &str) -> Option<&ListedStream> {
        let at = self.streams.binary_search_by(|stream| stream.name.as_str().cmp(name)).ok()?;
        self.streams.get(at)
    }
}

impl ListedStream {
    /// A stream with its files and their sizes in bytes.
    ///
    /// `path` leads from the folder of the listing to the folder of a store, which is `.` where both are the same, or to the
    /// file of a table. Its parts stand between `/`. The one file of a table is [`FileId::Table`]; of a store, locks and the
    /// other files that no reader wants have no place here.
    ///
    /// # Errors
    /// [`Code::InvalidSource`] for an empty name, for a path that is absolute or not plain, and for files that a stream of this
    /// kind does not have.
    pub fn new(
        name: impl Into<String>,
        kind: ListedKind,
        path: impl Into<String>,
        files: impl IntoIterator<Item = (FileId, u64)>,
    ) -> Result<Self> {
        let (name, path) = (name.into(), path.into());
        let shown = excerpt(&name);
        if name.is_empty() {
            return Err(wrong("a stream has an empty name"));
        }
        path::check(&path)
            .map_err(|reason| wrong(format_args!("the path '{}' of '{shown}' {reason}", excerpt(&path))))?;
        let files: BTreeMap<_, _> = files.into_iter().collect();
        if kind == ListedKind::Table {
            if path::last(&path).is_none() || files.len() != 1 || !files.contains_key(&FileId::Table) {
                return Err(wrong(format_args!("the table '{shown}' is not one file")));
            }
        } else if let Some(file) = files.keys().find(|file| !is_read(**file)) {
            return Err(wrong(format_args!("'{shown}' lists {file}, which no reader of a store wants")));
        }
        Ok(ListedStream { name, kind, path, files })
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Dense, ragged or table.
    #[must_use]
    pub fn kind(&self) -> ListedKind {
        self.kind
    }

    /// The folder of a store or the file of a table, relative to the folder of the listing, with `/` between its parts, of
    /// which none is empty, `.` or `..`; `.` alone is the folder itself. To make a URL of it, every part has to be escaped.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The files that there are, with their sizes in bytes.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<FileId, u64> {
        &self.files
    }

    /// The size of a file in bytes; `None` where there is none.
    #[must_use]
    pub fn len_of(&self, file: FileId) -> Option<u64> {
        self.files.get(&file).copied()
    }

    /// What a file is called in [`ListedStream::path`]; a table's own name is the last part of it.
    fn file_name(&self, file: FileId) -> String {
        match file {
            FileId::Table => path::last(&self.path).unwrap_or_default().into(),
            _ => format!("{file}"),
        }
    }
}

impl ListedKind {
    /// `dense`, `ragged` or `table`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ListedKind::Dense => "dense",
            ListedKind::Ragged => "ragged",
            ListedKind::Table => "table",
        }
    }
}

impl fmt::Display for ListedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Listing {
    /// The whole text of the file: JSON with one line for each stream.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        json::write(self, f)
    }
}

/// Whether a reader of a store opens this file where it is there.
#[must_use]
pub fn is_read(file: FileId) -> bool {
    match file {
        FileId::Store | FileId::Meta | FileId::Dict | FileId::Journal => true,
        FileId::Loc(_) | FileId::Chunk(_) => true,
        FileId::Lock | FileId::Table | FileId::Draft => false,
    }
}

fn wrong(what: impl fmt::Display) -> Error {
    Error::new(Code::InvalidSource, format!("this is no listing of streams: {what}"))
}
