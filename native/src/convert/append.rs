//! Sources at the end of a store.

use std::path::Path;

use recask_core::store::OpenOptions;
use recask_core::{Code, DType, Error, Result, Shape};

use super::array::Array;
use super::dataset::{is_store, stream_name};
use super::import::{FILES, NAMES};
use super::npz::{Npz, Scratch};
use super::problem::{Site, check};
use super::reading::Meter;
use super::source::{SourceKind, append_units};
use super::{folder, idx, json, npy};
use crate::fs::check_writable;
use crate::{AnyStore, Progress, RaggedStore};

/// Appends a source to a store that it fits, and answers how many records that makes.
///
/// An array (npy, IDX, npz) needs the element type of the store, and of a dense one the shape; in a ragged store each
/// row is a record. A folder gives a ragged `|u1` store its files, and where that store is the `files` of an imported
/// folder, the `names` beside it get theirs. JSON lines are converted to the element type of the store where that is
/// exact (or, for `f4`, rounds); a list or text has to fit. Of an npz with several arrays, or lines with several
/// fields, the one that is named as the store's folder is taken.
///
/// Memory is bounded as for [`import`](super::import). When the append fails or is stopped, the store has the records
/// of the windows that were complete. Progress counts bytes of the source, about
/// [`append_units`](super::append_units) in all.
///
/// # Errors
/// [`Code::DTypeMismatch`], [`Code::ShapeMismatch`] and [`Code::KindMismatch`] where the source does not fit;
/// [`Code::InvalidSource`], [`Code::StoreNotFound`], [`Code::StoreBusy`], [`Code::Interrupted`], and what the
/// environment says.
pub fn append(store: &Path, source: &Path, progress: &dyn Progress) -> Result<u64> {
    check_writable(store)?;
    let kind = SourceKind::detect(source)?;
    check(progress)?;
    let options = OpenOptions { write: true, ..OpenOptions::default() };
    let mut target = AnyStore::open_with(store, &options)?;
    let before = target.len();
    let site = Site::file(source);
    let meter = Meter::default();
    match kind {
        SourceKind::Npy => append_array(&mut target, npy::open(site, &meter)?, site, &meter, progress)?,
        SourceKind::Idx => append_array(&mut target, idx::open(site, &meter)?, site, &meter, progress)?,
        SourceKind::Npz => {
            let meter = Meter::up_to(append_units(source)?);
            let mut archive = Npz::open(source, &meter)?;
            let name = array_for(&archive.names()?, store, site)?;
            let site = Site { path: source, member: Some(&name) };
            let scratch = Scratch::beside(store);
            let array = archive.array(&name, &scratch, progress)?;
            append_array(&mut target, array, site, &meter, progress)?;
        }
        SourceKind::Folder => append_folder(&mut target, store, source, progress)?,
        SourceKind::JsonLines => {
            let field = json::field_for(source, &stream_name(store)?)?;
            json::copy(source, &mut [json::Sink::new(field, &mut target)], progress)?;
        }
    }
    let added = target.len() - before;
    target.close()?;
    Ok(added)
}

fn append_array(
    target: &mut AnyStore,
    array: Array<'_>,
    site: Site<'_>,
    meter: &Meter,
    progress: &dyn Progress,
) -> Result<()> {
    same(target.dtype(), &array.layout.dtype, Code::DTypeMismatch, site)?;
    match target {
        AnyStore::Dense(store) => {
            same(store.item_shape(), &array.layout.item_shape, Code::ShapeMismatch, site)?;
            array.copy_to(store, site, meter, progress)
        }
        AnyStore::Ragged(store) => append_rows(store, array, site, meter, progress),
    }
}

fn append_rows(
    store: &mut RaggedStore,
    array: Array<'_>,
    site: Site<'_>,
    meter: &Meter,
    progress: &dyn Progress,
) -> Result<()> {
    let shape: Shape = array.layout.item_shape.clone();
    let width = usize::try_from(array.layout.record_bytes()?).unwrap_or(usize::MAX);
    meter.report(progress)?;
    array.each_window(site, |window| {
        let rows: Vec<_> = window.chunks_exact(width).map(|row| (shape.dims(), row)).collect();
        store.append_bytes(&rows)?;
        meter.report(progress)
    })?;
    meter.report(progress)
}

fn append_folder(target: &mut AnyStore, store: &Path, source: &Path, progress: &dyn Progress) -> Result<()> {
    let site = Site::file(source);
    let AnyStore::Ragged(files) = target else {
        return Err(Error::new(
            Code::KindMismatch,
            format!("{site}: files of a folder have different lengths, which a dense store cannot hold"),
        ));
    };
    same(files.dtype(), &DType::U8, Code::DTypeMismatch, site)?;
    let beside = store.with_file_name(NAMES);
    let has_names = stream_name(store)? == FILES && is_store(&beside);
    let mut names = if has_names { Some(RaggedStore::open_for_writing(beside)?) } else { None };
    if let Some(names) = &names {
        same(names.dtype(), &DType::U8, Code::DTypeMismatch, site)?;
        same(&names.len(), &files.len(), Code::ShapeMismatch, site)?;
    }
    folder::fill(source, files, names.as_mut(), progress)?;
    names.map_or(Ok(()), RaggedStore::close)
}

fn array_for(names: &[String], store: &Path, site: Site<'_>) -> Result<String> {
    let stream = stream_name(store)?;
    match names {
        [only] => Ok(only.clone()),
        _ if names.contains(&stream) => Ok(stream),
        _ => Err(site.invalid(format_args!(
            "there are the arrays {}, and none is named {stream:?} as the store is",
            names.join(", ")
        ))),
    }
}

fn same<T: PartialEq + std::fmt::Display>(store: &T, given: &T, code: Code, site: Site<'_>) -> Result<()> {
    if store == given {
        return Ok(());
    }
    Err(Error::new(code, format!("{site} has {given}, the store {store}; both must be the same")))
}
