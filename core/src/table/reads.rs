//! What reading rows of a table needs, for who has to bring the bytes first.

use alloc::vec::Vec;
use core::ops::Range;

use super::gather::Gather;
use super::select::Selection;
use crate::environment::Environment;
use crate::error::Result;
use crate::plan::Coalesce;

/// Bytes of one file of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRead {
    /// The number of the file.
    pub file: usize,
    /// Its bytes.
    pub bytes: Range<u64>,
}

impl<E: Environment> Selection<E> {
    /// The bytes of the selected columns and rows, joined by `rule`, in the order of files and offsets. With them
    /// [`Selection::columns`], [`Selection::summary`] and [`Selection::distinct`] need nothing else.
    ///
    /// # Errors
    /// [`TooLarge`](crate::Code::TooLarge).
    pub fn reads(&self, rule: Coalesce) -> Result<Vec<TableRead>> {
        let gather = Gather::new(&self.table, &self.columns)?;
        let mut reads = Reads { rule, list: Vec::new() };
        gather.reads(self.rows.piece(0, usize::MAX), rule, |file, bytes| reads.add(file, bytes))?;
        Ok(reads.joined())
    }
}

/// Ranges that are being collected.
pub(super) struct Reads {
    pub(super) rule: Coalesce,
    pub(super) list: Vec<TableRead>,
}

impl Reads {
    pub(super) fn add(&mut self, file: usize, bytes: Range<u64>) {
        if !bytes.is_empty() {
            self.list.push(TableRead { file, bytes });
        }
    }

    /// Portions were joined each for itself; now all together.
    pub(super) fn joined(mut self) -> Vec<TableRead> {
        self.list.sort_unstable_by_key(|read| (read.file, read.bytes.start));
        let mut joined: Vec<TableRead> = Vec::new();
        for read in self.list {
            if let Some(last) = joined.last_mut().filter(|last| last.file == read.file) {
                let end = last.bytes.end.max(read.bytes.end);
                let near = read.bytes.start <= last.bytes.end.saturating_add(self.rule.gap);
                if read.bytes.end <= last.bytes.end || near && end - last.bytes.start <= self.rule.max {
                    last.bytes.end = end;
                    continue;
                }
            }
            joined.push(read);
        }
        joined
    }
}
