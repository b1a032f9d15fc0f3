//! Cases that read golden stores.

use recask_core::environment::Environment;
use recask_core::format::identity::Identity;
use recask_core::format::zrecord::CodecKind;
use recask_core::store::OpenOptions;
use recask_core::{AnyStore, DenseStore, Error, Index, RaggedStore};

use super::{Checked, fault_of, same, same_faults, settle};
use crate::cases::{Contents, Fault, Figures, Kind, OneRecord, OpenedAs, Picked, StoreCase, Verified};
use crate::door::Door;
use crate::folder::{golden, hex, sha256};

pub(super) fn open<D: Door>(door: &D, case: &StoreCase<OpenedAs>) -> Checked {
    settle(opened(door, case), &case.expect, |store, wanted| {
        same("records", &store.len(), &wanted.records)?;
        same("codec", store.codec().kind().as_str(), wanted.codec.as_str())?;
        let dtype = store.dtype().clone();
        let identity = match store.item_shape() {
            Some(item_shape) => Identity::Dense { dtype, item_shape: item_shape.clone() },
            None => Identity::Ragged { dtype },
        };
        same("identity", &hex(&identity.encode()), &wanted.identity_hex)?;
        if let Some(dtype) = &wanted.dtype {
            same("dtype", &store.dtype().to_string(), dtype)?;
        }
        same("item shape", &store.item_shape().map(|shape| shape.dims().to_vec()), &wanted.item_shape)
    })
}

pub(super) fn read<D: Door>(door: &D, case: &StoreCase<Contents>) -> Checked {
    settle(opened(door, case), &case.expect, |store, wanted| {
        let found = contents(&store);
        same("records", &store.len(), &wanted.records)?;
        same_faults(found.faults, &wanted.faults)?;
        if let Some(each) = &wanted.sha256_each {
            same("digests", &found.each, each)?;
        }
        if let Some(shapes) = &wanted.shapes {
            same("shapes", &found.shapes, shapes)?;
        }
        same("digest of the readable records", &sha256(&found.readable), &wanted.sha256)
    })
}

pub(super) fn gather<D: Door>(door: &D, case: &StoreCase<Picked>) -> Checked {
    let index = &case.index.as_ref().ok_or("the case has no index")?.0;
    let gathered = opened(door, case).and_then(|store| match store {
        AnyStore::Dense(store) => {
            let batch = store.gather(index.clone())?;
            let mut again = vec![0; batch.as_bytes().len()];
            store.gather_into(index.clone(), &mut again)?;
            assert_eq!(again, batch.as_bytes(), "gather and gather_into differ");
            Ok((sha256(batch.as_bytes()), Some(batch.shape().to_vec()), None))
        }
        AnyStore::Ragged(store) => {
            let batch = store.gather(index.clone())?;
            let shapes = batch.records().map(|record| record.shape.to_vec()).collect();
            Ok((sha256(batch.as_bytes()), None, Some(shapes)))
        }
    });
    settle(gathered, &case.expect, |(digest, shape, shapes), wanted| {
        same("shape", &shape, &wanted.shape)?;
        same("shapes", &shapes, &wanted.shapes)?;
        same("digest", &digest, &wanted.sha256)
    })
}

pub(super) fn record<D: Door>(door: &D, case: &StoreCase<OneRecord>) -> Checked {
    let index = &case.index.as_ref().ok_or("the case has no index")?.0;
    let read = opened(door, case).and_then(|store| one(&store, index.clone()));
    settle(read, &case.expect, |(shape, bytes), wanted| {
        same("shape", &shape, &wanted.shape)?;
        same("digest", &sha256(&bytes), &wanted.sha256)
    })
}

pub(super) fn stats<D: Door>(door: &D, case: &StoreCase<Figures>) -> Checked {
    let stats = opened(door, case).and_then(|store| store.stats());
    settle(stats, &case.expect, |stats, wanted| {
        same("records", &stats.records, &wanted.records)?;
        same("live bytes", &stats.live_bytes, &wanted.live_bytes)?;
        same("chunk bytes", &stats.chunk_bytes, &wanted.chunk_bytes)?;
        same("reclaimable", &stats.reclaimable, &wanted.reclaimable)
    })
}

pub(super) fn verify<D: Door>(door: &D, case: &StoreCase<Verified>) -> Checked {
    let checked = opened(door, case).and_then(|store| store.verify(&()));
    settle(checked, &case.expect, |checked, wanted| {
        same("records", &checked.records, &wanted.records)?;
        same_faults(checked.problems.iter().map(fault_of).collect(), &wanted.faults)
    })
}

fn opened<D: Door, T>(door: &D, case: &StoreCase<T>) -> Result<AnyStore<D::Environment>, Error> {
    let codec = case.codec.as_deref().and_then(CodecKind::from_name);
    let options = OpenOptions { codec, ..OpenOptions::default() };
    open_as(door.original(&golden(&case.store)), case.kind, &options)
}

pub(super) fn open_as<E: Environment>(
    place: E::Place,
    kind: Kind,
    options: &OpenOptions,
) -> Result<AnyStore<E>, Error> {
    Ok(match kind {
        Kind::Dense => AnyStore::Dense(DenseStore::open_with(place, options)?),
        Kind::Ragged => AnyStore::Ragged(RaggedStore::open_with(place, options)?),
    })
}

/// Every record, read on its own.
pub(super) struct Found {
    pub(super) readable: Vec<u8>,
    pub(super) faults: Vec<Fault>,
    each: Vec<String>,
    shapes: Vec<Vec<u64>>,
}

pub(super) fn contents<E: Environment>(store: &AnyStore<E>) -> Found {
    let mut found = Found { readable: Vec::new(), faults: Vec::new(), each: Vec::new(), shapes: Vec::new() };
    for record in 0..store.len() {
        match one(store, record.into()) {
            Ok((shape, bytes)) => {
                found.each.push(sha256(&bytes));
                found.readable.extend_from_slice(&bytes);
                found.shapes.push(shape);
            }
            Err(error) => found.faults.push(fault_of(&error)),
        }
    }
    found
}

/// Shape and bytes of one record.
fn one<E: Environment>(store: &AnyStore<E>, index: Index<'static>) -> Result<(Vec<u64>, Vec<u8>), Error> {
    match store {
        AnyStore::Dense(store) => Ok((store.item_shape().dims().to_vec(), store.record(index)?.into_owned())),
        AnyStore::Ragged(store) => {
            let batch = store.record(index)?;
            let record = batch.record(0).expect("a batch of one record has a record");
            Ok((record.shape.to_vec(), record.bytes.to_vec()))
        }
    }
}
