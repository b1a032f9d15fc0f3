//! What a call wanted when it was made before.

use std::sync::{Mutex, PoisonError};

use recask_core::store::Payload;

/// The second round of a gather whose first one was brought: the same call, made again with the bytes of both, need not read the
/// table another time to know what it wanted.
#[derive(Debug, Default)]
pub(crate) struct Planned(Mutex<Option<(Vec<u64>, Payload)>>);

impl Planned {
    pub(crate) fn keep(&self, records: &[u64], payload: Payload) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((records.to_vec(), payload));
    }

    pub(crate) fn take(&self, records: &[u64]) -> Option<Payload> {
        let mut planned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        planned.take_if(|(wanted, _)| wanted == records).map(|(_, payload)| payload)
    }
}
