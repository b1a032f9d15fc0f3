//! Compaction in place: payload slides down over the holes, in its physical order.
//!
//! Bytes are only ever written where no entry points. Where the hole in front of the next records is too small for
//! them, they first move behind the frontier, then back into the hole and the place that they left. Between two such
//! moves every record is where the table says, so an interruption costs nothing but the space that is not freed yet.

use alloc::format;
use alloc::vec::Vec;

use super::view::Overlay;
use super::{Store, read_only};
use crate::error::{Code, Error, Result};
use crate::format::zrecord::{Entry, Frontier, Header};
use crate::progress::{self, Progress};
use crate::storage::{FileId, Storage, StorageError, StorageErrorKind, StorageFile};

/// The most entries moved between two syncs.
const MOVE_ENTRIES: usize = 1 << 16;
/// A hole that holds less than this part of a move is not worth three syncs.
const WORTH: u64 = 4;
/// Bytes copied at once.
const BLOCK: usize = 1 << 20;

/// One table entry, sorted by where its payload lies.
#[derive(Clone, Copy, Debug)]
struct Placed {
    slot: u64,
    entry: Entry,
}

impl Placed {
    fn position(&self) -> (u32, u32) {
        (self.entry.chunk, self.entry.offset)
    }
}

impl<S: Storage> Store<S> {
    /// Frees what deleted records left. Records and their order stay; durable when it returns.
    ///
    /// Needs the store alone, 24 bytes of memory for each table entry, and up to 64 MiB of disk behind the frontier.
    /// Progress counts bytes of payload looked at; stopping leaves a valid store that is partly compacted.
    ///
    /// # Errors
    /// [`Code::StoreBusy`], [`Code::ReadOnly`], [`Code::OverlappingEntries`] or [`Code::CorruptEntry`] for a damaged
    /// table, which is left as it is; or what the storage says.
    pub fn compact(&mut self, progress: &dyn Progress) -> Result<()> {
        self.writer()?;
        self.alone(|store| store.compact_alone(progress))
    }

    fn compact_alone(&mut self, progress: &dyn Progress) -> Result<()> {
        self.sync()?;
        let mut placed = self.placed()?;
        let mut frontier = Frontier::default();
        let mut rest = placed.as_mut_slice();
        while !rest.is_empty() {
            progress::check(progress)?;
            // What lies where it should already needs no move.
            let still = self.settled(rest, &mut frontier)?;
            let (settled, moving) = rest.split_at_mut(still);
            progress.advance(payload(settled));
            if moving.is_empty() {
                break;
            }
            let count = self.move_some(moving, &mut frontier)?;
            let (moved, behind) = moving.split_at_mut(count);
            progress.advance(payload(moved));
            rest = behind;
        }
        self.cut(frontier)
    }

    /// The table in physical order; refused when entries overlap. Two entries for the very same bytes are allowed: an
    /// interrupted delete of loaderx leaves them.
    fn placed(&self) -> Result<Vec<Placed>> {
        let mut placed = Vec::new();
        let length = usize::try_from(self.header().length).unwrap_or(usize::MAX);
        placed.try_reserve_exact(length).map_err(|_| {
            Error::new(
                Code::TooLarge,
                format!("a table of {length} entries does not fit in memory for compaction"),
            )
        })?;
        let rules = *self.view.rules();
        self.scan(|first, entries| {
            for (slot, entry) in (first..).zip(entries) {
                rules.check_strictly(slot, entry).map_err(self.blame(slot))?;
                // It would move up instead of down, over records that are still in use.
                if entry.end() >= rules.geometry.chunk_bytes {
                    let reason = "it touches the end of its chunk, where no record is ever placed";
                    return Err(self.blame(slot)(rules.refuse(slot, reason)));
                }
                placed.push(Placed { slot, entry: *entry });
            }
            Ok(())
        })?;
        placed.sort_unstable_by_key(|placed| (placed.position(), placed.slot));
        for pair in placed.windows(2) {
            if let [a, b] = pair
                && let Some(error) = overlap(&a.entry, &b.entry)
            {
                return Err(error.at_record(b.slot / self.kind().entries()));
            }
        }
        Ok(placed)
    }

    /// How many of `rest` already lie at the frontier, which moves behind them.
    fn settled(&self, rest: &[Placed], frontier: &mut Frontier) -> Result<usize> {
        let mut count = 0;
        for group in rest.chunk_by(|a, b| a.position() == b.position()) {
            let Some(first) = group.first() else { break };
            let mut next = *frontier;
            if next.place(first.entry.stored, self.geometry().chunk_bytes)? != first.entry.start() {
                break;
            }
            *frontier = next;
            count += group.len();
        }
        Ok(count)
    }

    /// Moves the first of `moving` to the frontier; how many were moved.
    fn move_some(&mut self, moving: &mut [Placed], frontier: &mut Frontier) -> Result<usize> {
        let source = moving.first().map(|first| first.entry.start()).unwrap_or_default();
        let wanted = self.batch(moving, *frontier, |_, bytes| bytes <= self.geometry().move_bytes)?;
        let fitting =
            self.batch(moving, *frontier, |end, bytes| bytes <= self.geometry().move_bytes && end <= source)?;
        let direct = fitting.bytes > 0 && fitting.bytes >= wanted.bytes / WORTH;
        let batch = if direct { fitting } else { wanted };
        let (batch_records, _) = moving.split_at_mut(batch.count);
        if !direct {
            let tail = self.header().tail;
            let mut scratch = tail;
            self.relocate(batch_records, &mut scratch, None)?;
            self.relocate(batch_records, frontier, Some(tail))?;
        } else {
            self.relocate(batch_records, frontier, None)?;
        }
        Ok(batch.count)
    }

    /// The longest start of `moving` for which `accept(end of the last destination, bytes so far)` holds; at least one
    /// record unless the first is refused for its end.
    fn batch(
        &self,
        moving: &[Placed],
        from: Frontier,
        accept: impl Fn(Frontier, u64) -> bool,
    ) -> Result<Batch> {
        let mut batch = Batch { count: 0, bytes: 0 };
        let mut frontier = from;
        for group in moving.chunk_by(|a, b| a.position() == b.position()) {
            let Some(first) = group.first() else { break };
            frontier.place(first.entry.stored, self.geometry().chunk_bytes)?;
            let bytes = batch.bytes + u64::from(first.entry.stored);
            // The size limit never refuses a single record, however large.
            let counted = if batch.count == 0 { 0 } else { bytes };
            if !accept(frontier, counted) || (batch.count > 0 && batch.count + group.len() > MOVE_ENTRIES) {
                break;
            }
            batch = Batch { count: batch.count + group.len(), bytes };
        }
        Ok(batch)
    }

    /// Copies payload to `to`, which is free, then changes the entries; `tail` is the new end of the payload in use,
    /// by default where it was or behind what was written.
    fn relocate(&mut self, records: &mut [Placed], to: &mut Frontier, tail: Option<Frontier>) -> Result<()> {
        let mut touched = Vec::new();
        let mut block = Vec::new();
        for group in records.chunk_by_mut(|a, b| a.position() == b.position()) {
            let Some(first) = group.first().copied() else { break };
            let start = to.place(first.entry.stored, self.geometry().chunk_bytes)?;
            self.copy(&first.entry, start, &mut block)?;
            if touched.last() != Some(&start.chunk) {
                touched.push(start.chunk);
            }
            for placed in group {
                placed.entry.chunk = start.chunk;
                placed.entry.offset = start.offset;
            }
        }
        for &chunk in &touched {
            self.view.chunk(chunk)?.sync().map_err(|error| error.in_file(FileId::Chunk(chunk)))?;
        }
        // Should a chunk be new, the sync before the change of the table makes its name durable.
        let mut overlay: Overlay = records.iter().map(|placed| (placed.slot, placed.entry)).collect();
        overlay.sort_unstable_by_key(|(slot, _)| *slot);
        let tail = tail.unwrap_or_else(|| self.header().tail.max(*to));
        let header = Header { tail, ..*self.header() };
        self.change_table(header, overlay)
    }

    fn copy(&mut self, from: &Entry, to: Frontier, block: &mut Vec<u8>) -> Result<()> {
        self.chunk_for_writing(to.chunk)?;
        let (source, target) = (self.view.chunk(from.chunk)?, self.view.chunk(to.chunk)?);
        let total = u64::from(from.stored);
        let mut done = 0;
        while done < total {
            let size = usize::try_from(total - done).unwrap_or(BLOCK).min(BLOCK);
            block.resize(size, 0);
            let at = u64::from(from.offset) + done;
            source
                .read_exact_at(at, block)
                .map_err(|error| error.in_file(FileId::Chunk(from.chunk)).at_offset(at))?;
            let at = u64::from(to.offset) + done;
            target.write_all_at(at, block).map_err(|error| error.in_file(FileId::Chunk(to.chunk)))?;
            done += size as u64;
        }
        Ok(())
    }

    /// The new end of the payload, first durable in the header, then of the files.
    fn cut(&mut self, end: Frontier) -> Result<()> {
        let header = Header { tail: end, ..*self.header() };
        self.or_break(|store| {
            let writer = store.writer.as_ref().ok_or_else(read_only)?;
            writer.write_header(&header)?;
            writer.sync_header()
        })?;
        self.view.publish(header);
        let segments = self.geometry().segments(header.length);
        let keep = |id: &FileId| match id {
            FileId::Chunk(chunk) => *chunk <= end.chunk,
            FileId::Loc(segment) => u64::from(*segment) < segments,
            _ => true,
        };
        self.view.chunks.truncate(usize::try_from(end.chunk).unwrap_or(usize::MAX).saturating_add(1));
        self.view.segments.truncate(usize::try_from(segments).unwrap_or(usize::MAX));
        let names = self.storage.names().map_err(|error| error.in_file(FileId::Meta))?;
        for id in names.iter().filter_map(|name| FileId::from_name(name)).filter(|id| !keep(id)) {
            match self.storage.remove(id) {
                Err(error) if error.kind() != StorageErrorKind::NotFound => return Err(error.in_file(id)),
                _ => {}
            }
        }
        let in_chunk = |error: StorageError| error.in_file(FileId::Chunk(end.chunk));
        let chunk = self.view.chunk(end.chunk)?;
        if chunk.len().map_err(in_chunk)? > u64::from(end.offset) {
            chunk.set_len(u64::from(end.offset)).map_err(in_chunk)?;
        }
        if let Some(last) = header.length.checked_sub(1)
            && let Some((segment, offset)) = self.geometry().slot(last)
        {
            let in_table = |error: StorageError| error.in_file(FileId::Loc(segment));
            self.view.segment(segment)?.set_len(offset + Entry::SIZE as u64).map_err(in_table)?;
            self.writer()?.unsynced.segments.insert(segment);
        }
        let writer = self.writer()?;
        writer.unsynced.chunks.insert(end.chunk);
        writer.unsynced.names = true;
        self.sync()
    }
}

#[derive(Clone, Copy)]
struct Batch {
    count: usize,
    bytes: u64,
}

fn payload(placed: &[Placed]) -> u64 {
    placed.iter().map(|placed| u64::from(placed.entry.stored)).sum()
}

/// The error for two entries, in physical order, that share some bytes but are not the same.
pub(super) fn overlap(a: &Entry, b: &Entry) -> Option<Error> {
    let shared = a.chunk == b.chunk && a.end() > u64::from(b.offset);
    let same = a.offset == b.offset && a.stored == b.stored;
    (shared && !same).then(|| {
        let text = format!(
            "two records share bytes: one ends at {}, the next starts at {} of chunk {}",
            a.end(),
            b.offset,
            b.chunk
        );
        Error::new(Code::OverlappingEntries, text)
            .in_file(FileId::Chunk(b.chunk))
            .at_offset(u64::from(b.offset))
    })
}
