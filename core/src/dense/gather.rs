//! The hot loop of dense gathers.

use alloc::vec::Vec;
use core::hint::black_box;

use super::{DenseStore, too_large};
use crate::codec::Codec;
use crate::environment::Environment;
use crate::error::Result;
use crate::exec::Executor;
use crate::format::zrecord::{CodecKind, Entry};
use crate::plan::{Piece, ReadRange};
use crate::storage::{FileId, StorageFile};
use crate::store::RecordReader;

/// Records that are located together. Their table entries, and then the first bytes of their payload, are loaded one
/// directly after the other, so that the processor waits for many cache misses at once instead of for each in turn.
const BLOCK: usize = 64;

/// Not yet located.
const NOWHERE: Piece = Piece { read: ReadRange { file: FileId::Store, offset: 0, len: 0 }, decoded: 0 };

impl<E: Environment> DenseStore<E> {
    /// Reads `records`, which are within the store, into `out`, which is as large as they are together.
    pub(super) fn fill(&self, records: &[u64], out: &mut [u8]) -> Result<()> {
        self.store.check_attached()?;
        self.store.view().check_sizes()?;
        let width = self.width()?;
        let bytes = usize::try_from(width).map_err(|_| too_large())?;
        let copier = self.executor.copier(bytes, out.len());
        let share = share(records.len(), out.len(), self.store.codec(), &self.executor);
        let tasks: Vec<_> = records.chunks(share).zip(out.chunks_mut(share.saturating_mul(bytes))).collect();
        self.executor.try_for_each(tasks, |(records, out)| {
            self.store.with_reader(|reader| {
                reader.copy_by(copier);
                let mut entries = [Entry::default(); BLOCK];
                let mut pieces = [NOWHERE; BLOCK];
                for (records, out) in records.chunks(BLOCK).zip(out.chunks_mut(BLOCK.saturating_mul(bytes))) {
                    reader.entries(records, &mut entries)?;
                    for ((&record, entry), piece) in records.iter().zip(&entries).zip(&mut pieces) {
                        *piece =
                            reader.piece(record, entry, Some(width)).map_err(self.store.blame(record))?;
                    }
                    touch(reader, &pieces[..records.len()]);
                    for ((slot, piece), &record) in out.chunks_exact_mut(bytes).zip(&pieces).zip(records) {
                        reader.read(piece, slot).map_err(self.store.blame(record))?;
                    }
                }
                Ok(())
            })
        })
    }
}

fn touch<F: StorageFile>(reader: &RecordReader<'_, '_, F>, pieces: &[Piece]) {
    let first_bytes = pieces.iter().filter_map(|piece| reader.mapped(piece)?.first());
    black_box(first_bytes.fold(0u8, |sum, byte| sum ^ byte));
}

/// Records of one task: few enough that tasks spread, many enough to be worth one.
pub(crate) fn share(records: usize, bytes: usize, codec: &Codec, executor: &impl Executor) -> usize {
    const RAW_TASK: usize = 128 << 10;
    const FRAME_TASK: usize = 32 << 10;
    let raw = codec.kind() == CodecKind::Raw;
    // Copies take equally long, frames do not.
    let (least, tasks) = if raw { (RAW_TASK, 2) } else { (FRAME_TASK, 8) };
    let width = executor.width().get();
    let tasks = if width == 1 { 1 } else { (bytes / least).clamp(1, width.saturating_mul(tasks)) };
    records.div_ceil(tasks).max(1)
}
