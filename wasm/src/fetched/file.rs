//! A file of which some bytes are here.

use std::sync::Arc;

use recask_core::storage::{FileId, StorageError, StorageErrorKind};

use super::{Files, head_len, not_fetched};

/// Answers from what was brought; what is missing is wanted, and fails with [`StorageErrorKind::NotFetched`].
#[derive(Debug)]
pub(crate) struct FetchedFile {
    files: Arc<Files>,
    id: FileId,
}

impl FetchedFile {
    pub(super) fn new(files: Arc<Files>, id: FileId) -> Self {
        FetchedFile { files, id }
    }

    pub(crate) fn len(&self) -> Result<u64, StorageError> {
        self.known_len()?.ok_or_else(|| {
            // The length comes with the first bytes, which are nearly always wanted too.
            let is_payload = matches!(self.id, FileId::Chunk(_) | FileId::Loc(_));
            self.files.want(self.id, 0..if is_payload { 0 } else { head_len(self.id) });
            not_fetched(self.id)
        })
    }

    pub(crate) fn known_len(&self) -> Result<Option<u64>, StorageError> {
        self.files.known().length(self.id)
    }

    pub(crate) fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> Result<(), StorageError> {
        let end = offset.saturating_add(out.len() as u64);
        let known = self.files.known();
        if let Some(length) = known.length(self.id)?.filter(|&length| end > length) {
            let text =
                format!("{} ends at byte {length}, before the {} bytes from {offset} on", self.id, out.len());
            return Err(StorageError::new(StorageErrorKind::UnexpectedEnd, text));
        }
        if out.is_empty() {
            return Ok(());
        }
        let read = known.spans.get(&self.id).map_or(Err(offset), |spans| spans.read(offset, out));
        drop(known);
        read.map_err(|from| {
            self.files.want_next(self.id, from..end);
            not_fetched(self.id)
        })
    }
}
