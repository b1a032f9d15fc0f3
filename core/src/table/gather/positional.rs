//! Gathering from a file that is not mapped: neighbouring values are read together.

use alloc::vec::Vec;
use core::ops::Range;

use super::{BLOCK, Gather, Piece, Record, RunPart};
use crate::error::{Code, Result};
use crate::plan::{Coalesce, sort_by_offset};
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
        self.want_run(first, count, |wanted| self.read(wanted, outs))
    }

    pub(super) fn read_scattered(&self, piece: Piece<'_>, outs: &mut [&mut [u8]]) -> Result<()> {
        self.want_scattered(piece, |wanted| self.read(wanted, outs))
    }

    /// The bytes that [`Gather::fill`] needs where nothing is mapped, joined by `rule`; the same bytes may be named twice.
    pub(in crate::table) fn reads(
        &self,
        piece: Piece<'_>,
        rule: Coalesce,
        mut each: impl FnMut(usize, Range<u64>),
    ) -> Result<()> {
        let note = |wanted: &mut Vec<Wanted>| {
            for_each_join(wanted, rule, |together, bytes| {
                each(together.first().map_or(0, |piece| piece.file), bytes);
                Ok(())
            })
        };
        match piece.as_run() {
            Some((first, count)) => self.want_run(first, count, note),
            None => self.want_scattered(piece, note),
        }
    }

    /// Hands out what neighbouring rows need, in portions; taking one empties the list.
    fn want_run(
        &self,
        first: u64,
        count: usize,
        mut take: impl FnMut(&mut Vec<Wanted>) -> Result<()>,
    ) -> Result<()> {
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
                take(&mut wanted)?;
            }
        }
        take(&mut wanted)
    }

    /// The same of any rows.
    fn want_scattered(
        &self,
        piece: Piece<'_>,
        mut take: impl FnMut(&mut Vec<Wanted>) -> Result<()>,
    ) -> Result<()> {
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
            if wanted.len() >= COLLECTED { take(&mut wanted) } else { Ok(()) }
        })?;
        take(&mut wanted)
    }

    fn read(&self, wanted: &mut Vec<Wanted>, outs: &mut [&mut [u8]]) -> Result<()> {
        let mut scratch: Vec<u8> = Vec::new();
        for_each_join(wanted, Coalesce { gap: GAP, max: TOGETHER }, |together, bytes| {
            let Some(first) = together.first() else { return Ok(()) };
            let file = self.file(first.file)?;
            if let [alone] = together {
                let out = &mut outs[alone.column][alone.at..][..alone.len];
                return file.read_exact_at(alone.offset, out);
            }
            let len = usize::try_from(bytes.end - bytes.start).map_err(|_| crate::dense::too_large())?;
            if scratch.len() < len {
                scratch = alloc::vec![0; len];
            }
            match file.read_exact_at(bytes.start, &mut scratch[..len]) {
                // Only what is wanted was brought, not what lies between.
                Err(error) if error.code() == Code::NotFetched => {
                    return together.iter().try_for_each(|piece| {
                        let out = &mut outs[piece.column][piece.at..][..piece.len];
                        file.read_exact_at(piece.offset, out)
                    });
                }
                read => read?,
            }
            for piece in together {
                let from =
                    usize::try_from(piece.offset - bytes.start).map_err(|_| crate::dense::too_large())?;
                outs[piece.column][piece.at..][..piece.len].copy_from_slice(&scratch[from..][..piece.len]);
            }
            Ok(())
        })
    }
}

/// Sorts the pieces, hands out those that are read together and the bytes that hold them, and empties the list.
fn for_each_join(
    wanted: &mut Vec<Wanted>,
    rule: Coalesce,
    mut each: impl FnMut(&[Wanted], Range<u64>) -> Result<()>,
) -> Result<()> {
    if wanted.iter().all(|piece| piece.file == wanted[0].file) {
        sort_by_offset(wanted, |piece| piece.offset);
    } else {
        wanted.sort_unstable_by_key(|piece| (piece.file, piece.offset));
    }
    let mut rest = wanted.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end();
        let mut members = 1;
        for piece in &rest[1..] {
            let joined = end.max(piece.end());
            if piece.file != first.file
                || piece.offset > end.saturating_add(rule.gap)
                || joined - first.offset > rule.max
            {
                break;
            }
            end = joined;
            members += 1;
        }
        let (together, behind) = rest.split_at(members);
        rest = behind;
        each(together, first.offset..end)?;
    }
    wanted.clear();
    Ok(())
}
