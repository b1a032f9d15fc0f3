//! How long files are now: a map still reaches as far as its file once did, and reading behind its end ends the process.

use alloc::vec::Vec;
use core::cell::Cell;

use crate::storage::{StorageError, StorageFile};

/// The lengths of numbered files, each asked when it is first needed. One file's is compared with the header before every
/// batch, so where there is no other, none is kept.
pub(super) struct Lengths(Vec<Cell<Option<Option<u64>>>>);

impl Lengths {
    pub(super) fn of<F>(files: &[F]) -> Self {
        let count = if files.len() > 1 { files.len() } else { 0 };
        Lengths(core::iter::repeat_with(Cell::default).take(count).collect())
    }

    /// The length of `file`, which has this number; `None` where it is not known.
    #[inline]
    pub(super) fn get<F: StorageFile>(&self, number: u32, file: &F) -> Result<Option<u64>, StorageError> {
        let kept = usize::try_from(number).ok().and_then(|number| self.0.get(number));
        if let Some(len) = kept.and_then(Cell::get) {
            return Ok(len);
        }
        let len = file.known_len()?;
        if let Some(kept) = kept {
            kept.set(Some(len));
        }
        Ok(len)
    }
}
