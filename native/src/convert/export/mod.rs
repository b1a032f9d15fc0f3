//! Stores become files.

mod folder;
mod json;
mod lines;
mod npy;
mod npz;
mod selection;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use recask_core::{Code, Error, Index, Result};

pub use self::json::write_json;
pub(super) use self::json::write_text;
pub(super) use self::npz::failed as zip_failed;
use self::selection::{Selection, Source};
use super::dataset::{is_store, streams_at};
use super::problem::{check, invalid_argument, unwritable};
use super::undo::Undo;
use crate::fs::check_writable;
use crate::{AnyStore, Progress};

/// What an export writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays, not compressed.
    Npz,
    /// A directory of files.
    Folder,
    /// One JSON object a line.
    JsonLines,
}

/// What an export wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file or folder.
    pub path: PathBuf,
    /// What it is.
    pub format: ExportFormat,
    /// The streams in it, by name.
    pub streams: Vec<String>,
    /// The records of the longest stream.
    pub records: u64,
}

impl ExportFormat {
    /// What the extension of `out` asks for: `.npy`, `.npz`, `.jsonl` or `.ndjson`; a folder without one.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for any other extension.
    pub fn of(out: &Path) -> Result<Self> {
        let extension = out.extension().map(OsStr::to_ascii_lowercase);
        match extension.as_deref().map(|extension| extension.to_str().unwrap_or("?")) {
            _ if out.is_dir() => Ok(ExportFormat::Folder),
            None => Ok(ExportFormat::Folder),
            Some("npy") => Ok(ExportFormat::Npy),
            Some("npz") => Ok(ExportFormat::Npz),
            Some("jsonl" | "ndjson") => Ok(ExportFormat::JsonLines),
            Some(_) => Err(invalid_argument(format!(
                "the extension of {} is none of .npy, .npz and .jsonl; a folder has none",
                out.display()
            ))),
        }
    }

    /// `npy`, `npz`, `folder` or `jsonl`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ExportFormat::Npy => "npy",
            ExportFormat::Npz => "npz",
            ExportFormat::Folder => "folder",
            ExportFormat::JsonLines => "jsonl",
        }
    }
}

/// Writes the selected records of a store, or of every stream of a dataset folder, in the format that `out` asks for, as
/// the table in the [module](super) says.
///
/// Records are read in windows of 16 MiB; of a ragged store exported as npz, offsets and shapes are held in memory. When
/// the export fails or is stopped, what it made is removed. Progress counts records, [`export_records`] in all.
///
/// # Errors
/// [`Code::StoreExists`] where `out` is there already (an empty folder may be); [`Code::StoreNotFound`];
/// [`Code::KindMismatch`] and [`Code::InvalidArgument`] where the format cannot hold what is there;
/// [`Code::ShapeMismatch`] where streams that make lines together differ in length; [`Code::IndexOutOfRange`];
/// [`Code::Interrupted`]; data errors.
pub fn export<'i>(
    store_or_dataset: &Path,
    out: &Path,
    selection: impl Into<Index<'i>>,
    progress: &dyn Progress,
) -> Result<Exported> {
    let format = ExportFormat::of(out)?;
    check_writable(out)?;
    check(progress)?;
    let selection = selection.into();
    let sources = open(store_or_dataset, &selection)?;
    let mut undo = Undo::default();
    match format {
        ExportFormat::Npy => npy::write(&sources, create(out, &mut undo)?, out, progress)?,
        ExportFormat::Npz => {
            npz::write(&sources, !is_store(store_or_dataset), create(out, &mut undo)?, out, progress)?;
        }
        ExportFormat::JsonLines => lines::write(&sources, create(out, &mut undo)?, out, progress)?,
        ExportFormat::Folder => folder::write(&sources, store_or_dataset, out, &mut undo, progress)?,
    }
    undo.keep();
    Ok(Exported {
        path: out.to_path_buf(),
        format,
        records: longest(&sources),
        streams: sources.into_iter().map(|source| source.name).collect(),
    })
}

/// How many records [`export`] reports as progress, about.
///
/// # Errors
/// [`Code::StoreNotFound`], [`Code::IndexOutOfRange`], and what opening the stores says.
pub fn export_records(store_or_dataset: &Path, selection: &Index<'_>) -> Result<u64> {
    open(store_or_dataset, selection).map(|sources| sources.iter().map(|source| source.selection.len()).sum())
}

fn open<'s>(place: &Path, selection: &'s Index<'_>) -> Result<Vec<Source<'s>>> {
    let mut sources = Vec::new();
    for (name, path) in streams_at(place)? {
        let store = AnyStore::open(&path)?;
        let selection = Selection::of(selection, store.len())?;
        sources.push(Source { name, store, selection });
    }
    Ok(sources)
}

fn longest(sources: &[Source<'_>]) -> u64 {
    sources.iter().map(|source| source.selection.len()).max().unwrap_or(0)
}

/// A new file at `out`.
fn create(out: &Path, undo: &mut Undo) -> Result<File> {
    if let Some(folder) = out.parent() {
        undo.make_folder(folder)?;
    }
    let file =
        File::options().write(true).create_new(true).open(out).map_err(|error| unwritable(out, error))?;
    undo.made_file(out);
    Ok(file)
}

/// Makes what was written durable.
fn finish(file: BufWriter<File>, out: &Path) -> Result<()> {
    let file = file.into_inner().map_err(|error| unwritable(out, error.into_error()))?;
    file.sync_all().map_err(|error| unwritable(out, error))
}

fn wrong_kind(text: String) -> Error {
    Error::new(Code::KindMismatch, text)
}

/// Writes the selected records of a dense store one after the other.
fn write_records(
    source: &Source<'_>,
    out: &mut dyn Write,
    path: &Path,
    progress: &dyn Progress,
) -> Result<()> {
    source.each_dense(progress, |batch| {
        out.write_all(batch.as_bytes()).map_err(|error| unwritable(path, error))
    })
}
