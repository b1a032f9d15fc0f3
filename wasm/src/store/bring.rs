//! The two rounds in which the bytes of a gather come.

use std::sync::{Mutex, PoisonError};

use recask_core::Result;
use recask_core::format::zrecord::StoreKind;
use recask_core::store::Payload;

use super::{Engine, not_here};
use crate::fetched::{Files, coalescing};

/// The second round of a gather whose first one was brought: the same call, made again with the bytes of both, need not read the
/// table another time to know what it wanted.
#[derive(Debug, Default)]
pub(crate) struct Planned(Mutex<Option<(Vec<u64>, Payload)>>);

impl Planned {
    fn keep(&self, records: &[u64], payload: Payload) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((records.to_vec(), payload));
    }

    fn take(&self, records: &[u64]) -> Option<Payload> {
        let mut planned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        planned.take_if(|(wanted, _)| wanted == records).map(|(_, payload)| payload)
    }
}

/// Makes sure that the stored bytes of records are here: table entries first, then payload, each round with all that it
/// needs. Answers how many bytes the records have when decoded.
pub(crate) fn bring(store: &Engine, files: &Files, records: &[u64]) -> Result<u64> {
    if store.kind() == StoreKind::Dense {
        crate::limit::check(store.record_bytes().saturating_mul(records.len() as u64))?;
    }
    let rule = coalescing();
    if let Some(payload) = files.planned().take(records).filter(|payload| files.hold(&payload.reads)) {
        return Ok(payload.decoded_bytes);
    }
    if files.want_ranges(&store.table_reads(records)?, rule) {
        return Err(not_here());
    }
    let payload = store.payload(records)?;
    let stored: u64 = payload.reads.iter().map(|read| u64::from(read.len)).sum();
    crate::limit::check(payload.decoded_bytes.saturating_add(stored))?;
    if files.want_ranges(&payload.reads, rule) {
        files.planned().keep(records, payload);
        return Err(not_here());
    }
    Ok(payload.decoded_bytes)
}
