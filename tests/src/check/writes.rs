//! Cases that change a store of their own and look at the files afterwards.

use recask_core::environment::Environment;
use recask_core::store::OpenOptions;
use recask_core::{AnyStore, Code, DType, DenseStore, Error, RaggedStore, Result};

use super::reads::{contents, open_as};
use super::{Checked, same, same_faults};
use crate::cases::{FileContent, Kind, Step, WriteCase, Written};
use crate::door::{Door, Files};
use crate::folder::{golden, hex, sha256};

pub(super) fn write<D: Door>(door: &D, case: &WriteCase) -> Checked {
    let place = match &case.copy_of {
        Some(folder) => door.copy(&golden(folder)),
        None => door.nowhere(),
    };
    let done = all_steps(door, case, &place);
    match (&done, &case.expect.error) {
        (Ok(()), None) => {}
        (Err(error), Some(code)) => same("error", error.code().as_str(), code.as_str())?,
        (Ok(()), Some(code)) => return Err(format!("no error, expected {code}")),
        (Err(error), None) => return Err(format!("{error:?}")),
    }
    let created = case.steps.iter().any(|step| matches!(step, Step::Create { .. }));
    compare_files(door.files(&place), &case.expect, done.is_err() && created)?;
    let Some(records) = case.expect.records else { return Ok(()) };
    let store = open_as::<D::Environment>(place, case.kind, &OpenOptions::default())
        .map_err(|error| format!("opening the result: {error:?}"))?;
    let found = contents(&store);
    same_faults(found.faults, &[])?;
    same("records", &store.len(), &records)?;
    same("digest", &Some(sha256(&found.readable)), &case.expect.sha256)?;
    let checked = store.verify(&()).map_err(|error| format!("{error:?}"))?;
    if checked.is_ok() { Ok(()) } else { Err(format!("verify: {:?}", checked.problems)) }
}

type PlaceOf<D> = <<D as Door>::Environment as Environment>::Place;

fn all_steps<D: Door>(door: &D, case: &WriteCase, place: &PlaceOf<D>) -> Result<()> {
    let mut open = None;
    for step in &case.steps {
        let mut store = match (step, open.take()) {
            (Step::Create { like }, _) => create(door, like, case.kind, place)?,
            (Step::Reopen, Some(store)) => {
                AnyStore::close(store)?;
                for_writing(place, case.kind)?
            }
            (_, Some(store)) => store,
            (_, None) => for_writing(place, case.kind)?,
        };
        let done = change(door, &mut store, step, case.kind);
        if done.is_err() {
            store.close()?;
            return done;
        }
        open = Some(store);
    }
    open.map_or(Ok(()), AnyStore::close)
}

fn for_writing<E: Environment<Place: Clone>>(place: &E::Place, kind: Kind) -> Result<AnyStore<E>> {
    open_as(place.clone(), kind, &OpenOptions { write: true, ..OpenOptions::default() })
}

fn create<D: Door>(door: &D, like: &str, kind: Kind, place: &PlaceOf<D>) -> Result<AnyStore<D::Environment>> {
    let model: AnyStore<D::Environment> =
        open_as(door.original(&golden(like)), kind, &OpenOptions::default())?;
    let (dtype, codec) = (model.dtype().clone(), model.codec().clone());
    Ok(match model.item_shape() {
        Some(shape) => {
            AnyStore::Dense(DenseStore::builder(dtype, shape.clone()).codec(codec).create(place.clone())?)
        }
        None => AnyStore::Ragged(RaggedStore::builder(dtype).codec(codec).create(place.clone())?),
    })
}

fn change<D: Door>(door: &D, store: &mut AnyStore<D::Environment>, step: &Step, kind: Kind) -> Result<()> {
    match step {
        Step::Create { .. } | Step::Reopen => Ok(()),
        Step::Append { from, index } => {
            let source: AnyStore<D::Environment> =
                open_as(door.original(&golden(from)), kind, &OpenOptions::default())?;
            match (store, source) {
                (AnyStore::Dense(store), AnyStore::Dense(source)) => {
                    store.append_bytes(source.gather(index.0.clone())?.as_bytes())
                }
                (AnyStore::Ragged(store), AnyStore::Ragged(source)) => {
                    store.append_batch(&source.gather(index.0.clone())?)
                }
                _ => Err(Error::new(Code::KindMismatch, "source and target are of different kinds")),
            }
            .map(drop)
        }
        Step::AppendZeros { dtype, count } => append_zeros(store, dtype, *count),
        Step::Delete { index } => store.delete(index.0.clone()),
        Step::Compact => store.compact(&()),
    }
}

fn append_zeros<E: Environment>(store: &mut AnyStore<E>, dtype: &str, count: usize) -> Result<()> {
    let dtype = DType::parse(dtype)?;
    match store {
        AnyStore::Dense(store) if dtype == DType::U8 => store.append(&vec![0u8; count]),
        AnyStore::Dense(store) if dtype == DType::I32 => store.append(&vec![0i32; count]),
        AnyStore::Ragged(store) if dtype == DType::U8 => store.append(&[vec![0u8; count]]),
        AnyStore::Ragged(store) if dtype == DType::I32 => store.append(&[vec![0i32; count]]),
        _ => {
            let text = format!("the runner makes no zeros of type {dtype}");
            return Err(Error::new(Code::Unsupported, text));
        }
    }
    .map(drop)
}

/// Recask's own files may be there, unless a creation failed: that leaves nothing behind.
fn compare_files(mut files: Files, wanted: &Written, failed_creation: bool) -> Checked {
    let own: Vec<String> = files.keys().filter(|name| name.starts_with("recask.")).cloned().collect();
    if failed_creation {
        same("files left by the failed creation", &own, &Vec::<String>::new())?;
    }
    own.iter().for_each(|name| drop(files.remove(name)));
    if let Some(expected) = &wanted.meta_without_frontier_hex {
        let meta = files.get("meta.zr").ok_or("meta.zr is missing")?;
        let around: Vec<u8> = meta.iter().take(6).chain(meta.iter().skip(14)).copied().collect();
        same("meta.zr without the frontier", &hex(&around), expected)?;
        files.retain(|name, _| wanted.files.contains_key(name));
    }
    same("names", &files.keys().collect::<Vec<_>>(), &wanted.files.keys().collect::<Vec<_>>())?;
    files.iter().zip(wanted.files.values()).try_for_each(|((name, content), wanted)| {
        let FileContent { size, first, sha256: digest } = wanted;
        same(&format!("size of {name}"), &(content.len() as u64), size)?;
        let covered = content.get(..first.unwrap_or(content.len())).unwrap_or(content);
        same(&format!("digest of {name}"), &sha256(covered), digest)
    })
}
