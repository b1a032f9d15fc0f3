//! A file as memory.

use std::fs::File;
use std::ops::Range;

use memmap2::Mmap;

/// A file that is only read, mapped as far as it reached when it was opened.
#[derive(Debug)]
pub(super) struct Map(Mmap);

impl Map {
    /// Nothing where the file is empty or cannot be mapped; its reader then uses positional calls.
    pub(super) fn of(file: &File) -> Option<Self> {
        let len = usize::try_from(file.metadata().ok()?.len()).ok()?;
        if len == 0 {
            return None;
        }
        // SAFETY: the bytes are exposed as `&[u8]`, so nobody may change or cut them while the map lives. Readers
        // hold a shared lock on their store and take slices of committed records only. Of cooperating writers, an
        // appender writes behind what is committed (only the header changes in place, and is never mapped), and
        // delete and compact, which move and cut, need the store alone. A foreign program that cuts the file under a
        // reader ends it with a bus error; this hazard of every mapped file is documented, and `len` asks the system
        // for the real size, so that it can be checked before the map is used.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file) };
        map.ok().map(Map)
    }

    pub(super) fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        self.0.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
    }
}
