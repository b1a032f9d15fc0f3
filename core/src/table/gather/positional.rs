//! Gathering from a file that is not mapped: neighbouring values are read together.

use alloc::vec::Vec;

use super::{BLOCK, Gather, Piece, Record, RunPart};
use crate::error::Result;
use crate::storage::StorageFile;

/// Some bytes of the file and where they go.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    file: usize,
    offset: u64,
    len: usize,
    column: usize,
    at: usize,
}

impl Wanted {
    fn end(&self) -> u64 {
        self.offset + self.len as u64
    }
}

/// Wanted pieces that are collected before they are read.
const COLLECTED: usize = 1 << 14;
/// Unwanted bytes that are rather read than skipped.
const GAP: u64 = 4 << 10;
/// The most bytes that are read together.
const TOGETHER: u64 = 256 << 10;

impl<F: StorageFile> Gather<'_, F> {
    pub(super) fn read_run(&self, first: u64, count: usize, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut wanted = Vec::new();
        let mut done = 0;
        for RunPart { record, row, count, .. } in self.parts_of_run(first, count) {
            for (number, column) in self.columns.iter().enumerate() {
                let offset = column.at(&record, row);
                let (len, at) = (count * column.width, done * column.width);
                wanted.push(Wanted { file: record.file, offset, len, column: number, at });
            }
            done += count;
            if wanted.len() >= COLLECTED {
                self.read(&mut wanted, outs)?;
            }
        }
        self.read(&mut wanted, outs)
    }

    pub(super) fn read_scattered(&self, piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut wanted = Vec::new();
        let mut done = 0;
        let mut found = [Record::default(); BLOCK];
        piece.for_each_block::<BLOCK>(|rows| {
            self.records.find_all(rows, &mut found);
            for ((position, &row), record) in (done..).zip(rows).zip(&found) {
                for (number, column) in self.columns.iter().enumerate() {
                    let (len, at) = (column.width, position * column.width);
                    let offset = column.at(record, row);
                    wanted.push(Wanted { file: record.file, offset, len, column: number, at });
                }
            }
            done += rows.len();
            if wanted.len() >= COLLECTED { self.read(&mut wanted, outs) } else { Ok(()) }
        })?;
        self.read(&mut wanted, outs)
    }

    fn read(&self, wanted: &mut Vec<Wanted>, outs: &mut [&mut [u8]]) -> Result<()> {
        wanted.sort_unstable_by_key(|piece| (piece.file, piece.offset));
        let mut scratch = Vec::new();
        let mut rest = wanted.as_slice();
        while let Some(first) = rest.first() {
            let mut end = first.end();
            let mut members = 1;
            for piece in &rest[1..] {
                let joined = end.max(piece.end());
                if piece.file != first.file
                    || piece.offset > end.saturating_add(GAP)
                    || joined - first.offset > TOGETHER
                {
                    break;
                }
                end = joined;
                members += 1;
            }
            let (together, behind) = rest.split_at(members);
            rest = behind;
            let file = self.file(first.file)?;
            if let [alone] = together {
                let out = &mut outs[alone.column][alone.at..][..alone.len];
                file.read_exact_at(alone.offset, out)?;
                continue;
            }
            let len = usize::try_from(end - first.offset).map_err(|_| crate::dense::too_large())?;
            scratch.resize(len, 0);
            file.read_exact_at(first.offset, &mut scratch)?;
            for piece in together {
                let from =
                    usize::try_from(piece.offset - first.offset).map_err(|_| crate::dense::too_large())?;
                outs[piece.column][piece.at..][..piece.len].copy_from_slice(&scratch[from..][..piece.len]);
            }
        }
        wanted.clear();
        Ok(())
    }
}
