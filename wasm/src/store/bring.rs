//! The two rounds in which the bytes of a gather come.

use recask_core::Result;
use recask_core::format::zrecord::StoreKind;

use super::{Engine, not_here};
use crate::fetched::{Files, coalescing};

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
