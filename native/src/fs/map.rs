//! A file as memory.

use std::fs::File;
use std::ops::Range;

use memmap2::Mmap;

use crate::tuning::Advice;

/// A file that is only read, mapped as far as it reached when it was opened.
#[derive(Debug)]
pub(super) struct Map(Mmap);

impl Map {
    /// Nothing where the file is empty or cannot be mapped; its reader then uses positional calls.
    pub(super) fn of(file: &File, advice: Advice) -> Option<Self> {
        let len = usize::try_from(file.metadata().ok()?.len()).ok()?;
        if len == 0 {
            return None;
        }
        // SAFETY: the bytes are exposed as `&[u8]`, so nobody may change or cut them while the map lives. Readers take
        // slices of committed records only, and of cooperating writers, an appender writes behind what is committed. It
        // changes the header in place: that of a store is never mapped, that of a table is left out of the slices. What
        // moves and cuts needs a store alone, whose readers hold a shared lock; of a table, it writes another file that
        // takes the name, and this one stays as it is. A foreign program that cuts the file under a reader ends it with
        // a bus error; this hazard of every mapped file is documented, and `len` asks the system for the real size, so
        // that it can be checked before the map is used.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file) }.ok()?;
        // A refused advice changes no answer.
        #[cfg(unix)]
        let _ = match advice {
            Advice::Normal => Ok(()),
            Advice::Sequential => map.advise(memmap2::Advice::Sequential),
            Advice::Random => map.advise(memmap2::Advice::Random),
            Advice::WillNeed => map.advise(memmap2::Advice::WillNeed),
        };
        #[cfg(not(unix))]
        let _ = advice;
        Some(Map(map))
    }

    pub(super) fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        self.0.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
    }
}
