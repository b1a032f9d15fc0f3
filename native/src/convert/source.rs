//! What a source is, by what it holds.

use std::fs;
use std::io::Read;
use std::path::Path;

use recask_core::Result;

use super::problem::Site;
use super::reading::{Meter, open_unpacked};
use super::{folder, idx, npy};

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// A directory of files.
    Folder,
    /// One array of the kind that MNIST comes in, possibly gzipped.
    Idx,
    /// One JSON object a line, possibly gzipped.
    JsonLines,
}

impl SourceKind {
    /// Looks at the first bytes; the extension decides only for JSON lines that do not begin with an object.
    ///
    /// # Errors
    /// [`Code::InvalidSource`](crate::Code::InvalidSource) where there is nothing, or nothing of these kinds.
    pub fn detect(source: &Path) -> Result<Self> {
        let site = Site::file(source);
        if fs::metadata(source).map_err(|error| site.unreadable(error))?.is_dir() {
            return Ok(SourceKind::Folder);
        }
        let mut start = Vec::new();
        let opened = open_unpacked(site, &Meter::default())?;
        opened.take(64).read_to_end(&mut start).map_err(|error| site.unreadable(error))?;
        let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start);
        if start.starts_with(npy::MAGIC) {
            Ok(SourceKind::Npy)
        } else if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Ok(SourceKind::Npz)
        } else if matches!(*start, [0, 0, code, _, ..] if idx::dtype_of(code).is_some()) {
            Ok(SourceKind::Idx)
        } else if text.trim_ascii_start().starts_with(b"{") || has_json_extension(source) {
            Ok(SourceKind::JsonLines)
        } else {
            Err(site.invalid("this is no npy, npz, IDX or JSON lines file, and no folder of files"))
        }
    }

    /// `npy`, `npz`, `folder`, `idx` or `jsonl`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SourceKind::Npy => "npy",
            SourceKind::Npz => "npz",
            SourceKind::Folder => "folder",
            SourceKind::Idx => "idx",
            SourceKind::JsonLines => "jsonl",
        }
    }
}

/// The total that [`import`](super::import) of a source comes to in progress, about.
///
/// # Errors
/// As [`SourceKind::detect`].
pub fn import_units(source: &Path) -> Result<u64> {
    match SourceKind::detect(source)? {
        // There is a pass for the types, and one for the values.
        SourceKind::JsonLines => Ok(append_units(source)?.saturating_mul(2)),
        _ => append_units(source),
    }
}

/// The total that [`append`](super::append) of a source comes to in progress, about.
///
/// # Errors
/// As [`SourceKind::detect`].
pub fn append_units(source: &Path) -> Result<u64> {
    let metadata = fs::metadata(source).map_err(|error| Site::file(source).unreadable(error))?;
    if metadata.is_dir() { folder::bytes(source) } else { Ok(metadata.len()) }
}

fn has_json_extension(source: &Path) -> bool {
    let name = source.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".jsonl") || name.ends_with(".ndjson")
}
