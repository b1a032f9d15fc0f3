//! Ragged bytes as files.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use recask_core::{Code, DType, Error, RaggedBatch, Result};

use super::super::dataset::is_store;
use super::super::import::{FILES, NAMES};
use super::super::problem::{invalid_argument, unwritable};
use super::super::undo::Undo;
use super::selection::Source;
use super::wrong_kind;
use crate::{AnyStore, Progress, RaggedStore};

pub(super) fn write(
    sources: &[Source<'_>],
    place: &Path,
    out: &Path,
    undo: &mut Undo,
    progress: &dyn Progress,
) -> Result<()> {
    let source = match sources {
        [one] => one,
        _ => sources.iter().find(|source| source.name == FILES).ok_or_else(|| {
            invalid_argument(format!(
                "{} has no stream {FILES:?}; give the path of one store",
                place.display()
            ))
        })?,
    };
    let AnyStore::Ragged(store) = &source.store else {
        return Err(wrong_kind("files are records of a ragged store; this one is dense".to_owned()));
    };
    if *store.dtype() != DType::U8 {
        let text = format!("files are bytes (|u1), but the store holds {}", store.dtype());
        return Err(Error::new(Code::DTypeMismatch, text));
    }
    undo.make_folder(out)?;
    let mut entries = fs::read_dir(out).map_err(|error| unwritable(out, error))?;
    if entries.next().is_some() {
        let text = format!("the folder {} is not empty; files could be mixed up", out.display());
        return Err(Error::new(Code::StoreExists, text));
    }
    let names = names_of(place, store)?;
    let mut batch = RaggedBatch::new(DType::U8);
    let mut next = 0;
    Source::each_ragged(store, &source.selection, progress, |files| {
        if let Some(names) = &names {
            names.gather_batch(source.selection.part(next, files.len() as u64), &mut batch)?;
        }
        for (position, file) in files.records().enumerate() {
            let name = match (&names, batch.record(position)) {
                (Some(_), Some(name)) => relative(name.bytes)?,
                _ => PathBuf::from(format!("{next:06}.bin")),
            };
            let path = out.join(name);
            if let Some(folder) = path.parent() {
                undo.make_folder(folder)?;
            }
            create(&path, file.bytes, undo)?;
            next += 1;
        }
        Ok(())
    })
}

/// The store of names that belongs to the files of `place`: in it, or beside it; one for each file.
fn names_of(place: &Path, files: &RaggedStore) -> Result<Option<RaggedStore>> {
    let path = if is_store(place) { place.with_file_name(NAMES) } else { place.join(NAMES) };
    if path == place || !is_store(&path) {
        return Ok(None);
    }
    match AnyStore::open(path)? {
        AnyStore::Ragged(names) if *names.dtype() == DType::U8 && names.len() == files.len() => {
            Ok(Some(names))
        }
        _ => Ok(None),
    }
}

/// A name that stays inside of the folder.
fn relative(name: &[u8]) -> Result<PathBuf> {
    let text = std::str::from_utf8(name).ok().filter(|text| !text.contains(['\\', '\0']));
    let path = text.map(PathBuf::from).filter(|path| {
        path.components().next().is_some()
            && path.components().all(|part| matches!(part, Component::Normal(_)))
    });
    path.ok_or_else(|| {
        let name = String::from_utf8_lossy(name).into_owned();
        Error::new(Code::InvalidArgument, format!("the name {name:?} of a file would lead out of the folder"))
    })
}

fn create(path: &Path, bytes: &[u8], undo: &mut Undo) -> Result<()> {
    let failed = |error| unwritable(path, error);
    let mut file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    undo.made_file(path);
    file.write_all(bytes).map_err(failed)
}
