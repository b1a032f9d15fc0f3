//! A table that is copied into a new file.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use super::WriteOptions;
use crate::error::{Code, Error, Result};
use crate::format::cstore::Statistics;
use crate::progress::{self, Progress};
use crate::storage::{StorageError, StorageFile};
use crate::table::open::Head;
use crate::table::records::Records;
use crate::table::verify::read_statistics;

/// Bytes that are copied at once: a multiple of every width that a number has.
const BLOCK: usize = 4 << 20;
/// So many mapped bytes are written from where they are; fewer are joined.
const LARGE: u64 = 256 << 10;

/// An open table, every record of which was found.
pub(in crate::table) struct Source<F> {
    file: F,
    pub(in crate::table) head: Head,
    pub(in crate::table) records: Records,
    /// Where the last record ends.
    pub(in crate::table) end: u64,
}

impl<F: StorageFile> Source<F> {
    pub(in crate::table) fn read(file: F) -> Result<Self> {
        let head = Head::read(&file)?;
        let (records, end) = head.records(&file)?;
        Ok(Source { file, head, records, end })
    }

    /// The layout that it has.
    pub(in crate::table) fn options(&self) -> WriteOptions {
        let counters = self.head.counters;
        WriteOptions { layout: counters.layout, statistics: counters.statistics_at != 0 }
    }

    /// The footer, where it has one in order.
    pub(in crate::table) fn statistics(&self) -> Result<Option<Statistics>> {
        Ok(read_statistics(&self.file, &self.head, self.end)?.and_then(core::result::Result::ok))
    }

    /// The place of the values of one column in one record: the columns before it have `before` bytes in a row, and it has
    /// `width`.
    pub(in crate::table) fn values(&self, record: usize, before: u64, width: u64) -> Range<u64> {
        // The walk found the whole record inside of the file.
        let record = self.records.get(record);
        let start = record.body + record.rows * before;
        start..start + record.rows * width
    }

    /// Hands out the bytes of `ranges` one after the other, in pieces of a few MiB. Progress counts them.
    pub(in crate::table) fn copy(
        &self,
        ranges: impl IntoIterator<Item = Range<u64>>,
        progress: &dyn Progress,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        // A map must not be touched where the file was cut.
        let len = self.file.len().map_err(StorageError::in_only_file)?;
        if len < self.end {
            let text = format!("the file was cut to {len} bytes while it was copied");
            return Err(Error::new(Code::TruncatedFile, text).at_offset(len));
        }
        let mut hand_out = |bytes: &[u8]| {
            progress::check(progress)?;
            write(bytes)?;
            progress.advance(bytes.len() as u64);
            Ok(())
        };
        let mut joined: Vec<u8> = Vec::new();
        for Range { start: mut at, end } in ranges {
            while at < end {
                let room = BLOCK - joined.len();
                let len = usize::try_from(end - at).unwrap_or(room).min(room);
                let piece = at..at + len as u64;
                at = piece.end;
                match self.file.mapped(piece.clone()) {
                    Some(bytes) if joined.is_empty() && bytes.len() as u64 >= LARGE => hand_out(bytes)?,
                    Some(bytes) => joined.extend_from_slice(bytes),
                    None => {
                        let before = joined.len();
                        joined.resize(before + len, 0);
                        let room = joined.get_mut(before..).unwrap_or_default();
                        self.file.read_exact_at(piece.start, room).map_err(StorageError::in_only_file)?;
                    }
                }
                if joined.len() == BLOCK {
                    hand_out(&joined)?;
                    joined.clear();
                }
            }
        }
        if joined.is_empty() { Ok(()) } else { hand_out(&joined) }
    }
}
