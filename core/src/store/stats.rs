//! The four figures of a store.

use alloc::format;
use alloc::vec::Vec;

use super::Store;
use crate::error::{Code, Error, Result};
use crate::format::zrecord::Entry;
use crate::storage::{FileId, Storage};

/// Entries read at once by whole-table scans.
pub(super) const SCAN: usize = 1 << 16;

/// How much of a store is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Records.
    pub records: u64,
    /// Stored bytes of all records, shapes of ragged records included.
    pub live_bytes: u64,
    /// Bytes before the frontier, as the format counts them: 2^32 for every full chunk.
    pub chunk_bytes: u64,
    /// What compaction would free.
    pub reclaimable: u64,
}

impl<S: Storage> Store<S> {
    /// Reads the whole table and adds it up.
    ///
    /// # Errors
    /// [`Code::OverlappingEntries`] where records have more bytes than there are, which happens when two entries name
    /// the same ones.
    pub fn stats(&self) -> Result<Stats> {
        let mut live_bytes = 0u64;
        self.scan(|_, entries| {
            live_bytes += entries.iter().map(|entry| u64::from(entry.stored)).sum::<u64>();
            Ok(())
        })?;
        let chunk_bytes = self.header().addressed_bytes(self.geometry().chunk_bytes);
        let reclaimable = chunk_bytes.checked_sub(live_bytes).ok_or_else(|| {
            let text = format!(
                "the records claim {live_bytes} bytes of {chunk_bytes}: entries share bytes; verify names them"
            );
            Error::new(Code::OverlappingEntries, text).in_file(FileId::Loc(0))
        })?;
        Ok(Stats { records: self.len(), live_bytes, chunk_bytes, reclaimable })
    }

    /// Hands over the table in pieces: the first physical record of the piece, and its entries.
    pub(super) fn scan(&self, mut each: impl FnMut(u64, &[Entry]) -> Result<()>) -> Result<()> {
        self.check_attached()?;
        self.view.check_sizes()?;
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        let length = self.header().length;
        let mut first = 0;
        while first < length {
            let count = usize::try_from(length - first).unwrap_or(SCAN).min(SCAN);
            self.view.entries(first, count, &mut bytes, &mut entries)?;
            each(first, &entries)?;
            first += count as u64;
        }
        Ok(())
    }
}
