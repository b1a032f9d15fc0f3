//! Appending: payload behind the frontier, entries behind the table, then one header that commits all of it.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use super::Store;
use super::recover::Digest;
use crate::codec::Coders;
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::format::zrecord::{CodecKind, Entry, Frontier, Geometry, Header};
use crate::storage::{FileId, Storage, StorageFile};

/// Bytes of input that are encoded and written at once, for each task that runs at once. With the encoders it is
/// all that an append needs beside its input.
const WINDOW: usize = 2 << 20;
/// Records of one window, which bounds the entries that wait to be written.
const WINDOW_RECORDS: usize = 1 << 16;
/// Tasks of one window for each that runs at once, so that uneven records spread.
const TASKS: usize = 4;

/// An append under way. Dropping it without [`Append::commit`] leaves the store as it was.
pub(crate) struct Append<'s, S: Storage> {
    store: &'s mut Store<S>,
    frontier: Frontier,
    length: u64,
    digest: Digest,
    entries: Vec<Entry>,
    frames: Vec<Frames>,
    table: Vec<u8>,
}

/// The frames of one task, one after the other.
#[derive(Default)]
struct Frames {
    bytes: Vec<u8>,
    used: usize,
    sizes: Vec<u32>,
}

impl<S: Storage> Store<S> {
    /// Begins an append.
    pub(crate) fn append(&mut self) -> Result<Append<'_, S>> {
        self.writer()?;
        self.attach()?;
        let Header { tail, length, .. } = *self.view.header();
        Ok(Append {
            frontier: tail,
            length,
            store: self,
            digest: Digest::new(),
            entries: Vec::new(),
            frames: Vec::new(),
            table: Vec::new(),
        })
    }
}

impl<S: Storage> Append<'_, S> {
    /// How many bytes and records one push should have.
    pub(crate) fn window(executor: &impl Executor) -> (usize, usize) {
        (WINDOW.saturating_mul(executor.width().get()), WINDOW_RECORDS)
    }

    /// Adds physical records that lie one after the other in `bytes`, each `width` bytes.
    pub(crate) fn push_equal(&mut self, executor: &impl Executor, bytes: &[u8], width: usize) -> Result<()> {
        let (window, records) = Self::window(executor);
        let per_window = (window / width.max(1)).clamp(1, records);
        for window in bytes.chunks(per_window.saturating_mul(width.max(1))) {
            if self.store.coders.codec().kind() == CodecKind::Raw {
                self.push_raw_run(executor, window, width)?;
            } else {
                let records: Vec<&[u8]> = window.chunks(width.max(1)).collect();
                self.push(executor, &records)?;
            }
        }
        Ok(())
    }

    /// Adds physical records. The caller keeps to [`Append::window`].
    pub(crate) fn push(&mut self, executor: &impl Executor, records: &[&[u8]]) -> Result<()> {
        for record in records {
            check_size(record.len(), &self.store.geometry())?;
        }
        if self.store.coders.codec().kind() == CodecKind::Raw {
            self.place(records.iter().map(|record| (record.len(), record.len())))?;
            self.write(executor, records, <[Entry]>::len, records)
        } else {
            self.push_encoded(executor, records)
        }
    }

    fn push_raw_run(&mut self, executor: &impl Executor, bytes: &[u8], width: usize) -> Result<()> {
        check_size(width, &self.store.geometry())?;
        self.place(core::iter::repeat_n((width, width), bytes.len() / width.max(1)))?;
        // Records of one chunk lie side by side in both places.
        let mut rest = bytes;
        let mut parts = Vec::new();
        for run in self.entries.chunk_by(|a, b| a.chunk == b.chunk) {
            let (part, behind) = rest.split_at(run.len().saturating_mul(width).min(rest.len()));
            parts.push(part);
            rest = behind;
        }
        self.write(executor, &parts, |_| 1, &parts)
    }

    fn push_encoded(&mut self, executor: &impl Executor, records: &[&[u8]]) -> Result<()> {
        let tasks = executor.width().get().saturating_mul(TASKS).clamp(1, records.len().max(1));
        let mut frames = core::mem::take(&mut self.frames);
        if frames.len() < tasks {
            frames.resize_with(tasks, Frames::default);
        }
        let shares = share_by_size(records, tasks);
        let work: Vec<_> = shares.into_iter().zip(frames.iter_mut()).collect();
        let used = work.len();
        let coders = &self.store.coders;
        executor.try_for_each(work, |(records, frames)| frames.encode(coders, records))?;
        let done = frames.get(..used).unwrap_or_default();
        let sizes = done.iter().flat_map(|frames| frames.sizes.iter().copied());
        self.place(records.iter().map(|record| record.len()).zip(sizes.map(|size| size as usize)))?;
        let parts: Vec<&[u8]> = done.iter().flat_map(Frames::each).collect();
        let whole: Vec<&[u8]> = done.iter().map(Frames::written).collect();
        self.write(executor, &parts, <[Entry]>::len, &whole)?;
        self.frames = frames;
        Ok(())
    }

    /// Finds a place for records of these decoded and stored sizes.
    fn place(&mut self, sizes: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let chunk_bytes = self.store.geometry().chunk_bytes;
        self.entries.clear();
        for (decoded, stored) in sizes {
            let (decoded, stored) = (fits(decoded)?, fits(stored)?);
            if u64::from(stored) >= chunk_bytes {
                let text = format!("a stored record of {stored} bytes fits in no chunk");
                return Err(Error::new(Code::RecordTooLarge, text));
            }
            let start = self.frontier.place(stored, chunk_bytes)?;
            self.entries.push(Entry { offset: start.offset, stored, decoded, chunk: start.chunk });
        }
        Ok(())
    }

    /// Writes the entries just placed, and the payload: `parts`, of which each run of entries in one chunk has as many
    /// as `parts_of` says. `whole` is the same payload for the digest. All of it may happen at once: nothing counts
    /// before the header does.
    fn write(
        &mut self,
        executor: &impl Executor,
        parts: &[&[u8]],
        parts_of: impl Fn(&[Entry]) -> usize,
        whole: &[&[u8]],
    ) -> Result<()> {
        self.table.resize(self.entries.len().saturating_mul(Entry::SIZE), 0);
        for (bytes, entry) in self.table.as_chunks_mut().0.iter_mut().zip(&self.entries) {
            *bytes = entry.encode();
        }
        let pieces = self.table_pieces()?;
        for run in self.entries.chunk_by(|a, b| a.chunk == b.chunk) {
            if let Some(first) = run.first() {
                self.store.chunk_for_writing(first.chunk)?;
                self.store.writer()?.unsynced.chunks.insert(first.chunk);
            }
        }
        let mut tasks =
            alloc::vec![Work::Digest { digest: &mut self.digest, stored: whole, table: &self.table }];
        let mut rest = parts;
        for run in self.entries.chunk_by(|a, b| a.chunk == b.chunk) {
            let (parts, behind) = rest.split_at(parts_of(run).min(rest.len()));
            rest = behind;
            if let Some(first) = run.first() {
                tasks.push(Work::Payload {
                    file: self.store.view.chunk(first.chunk)?,
                    at: first.start(),
                    parts,
                });
            }
        }
        for Piece { segment, offset, bytes } in pieces {
            let bytes = self.table.get(bytes).unwrap_or_default();
            tasks.push(Work::Table { file: self.store.view.segment(segment)?, segment, offset, bytes });
        }
        executor.try_for_each(tasks, Work::run)
    }

    /// Where the encoded entries go: usually one piece, more where a segment ends. They count as appended from here on.
    fn table_pieces(&mut self) -> Result<Vec<Piece>> {
        let geometry = self.store.geometry();
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < self.entries.len() {
            let Some((segment, offset)) = geometry.slot(self.length) else {
                return Err(Error::new(Code::StoreFull, "the record table is full; start another store"));
            };
            let room = geometry.segment_entries - offset / Entry::SIZE as u64;
            let count = usize::try_from(room).unwrap_or(usize::MAX).min(self.entries.len() - done);
            self.store.segment_for_writing(segment)?;
            self.store.writer()?.unsynced.segments.insert(segment);
            let bytes = done * Entry::SIZE..(done + count) * Entry::SIZE;
            pieces.push(Piece { segment, offset, bytes });
            done += count;
            self.length = self.length.checked_add(count as u64).ok_or_else(|| {
                Error::new(Code::StoreFull, "the store has as many records as it can number")
            })?;
        }
        Ok(pieces)
    }

    /// Makes everything pushed visible at once, and returns the index of its first record, as the user counts them.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when nothing was pushed, or what the storage says; the store then is as it was.
    pub(crate) fn commit(self) -> Result<u64> {
        let before = *self.store.view.header();
        if self.length == before.length {
            return Err(Error::new(Code::InvalidArgument, "an append needs at least one record"));
        }
        let header = Header { tail: self.frontier, length: self.length, ..before };
        self.store.commit_append(header, self.digest.finish())?;
        Ok(before.length / self.store.kind().entries())
    }
}

/// Encoded entries of one segment.
struct Piece {
    segment: u32,
    offset: u64,
    bytes: Range<usize>,
}

/// What happens to a window.
enum Work<'w, F> {
    Digest { digest: &'w mut Digest, stored: &'w [&'w [u8]], table: &'w [u8] },
    Payload { file: &'w F, at: Frontier, parts: &'w [&'w [u8]] },
    Table { file: &'w F, segment: u32, offset: u64, bytes: &'w [u8] },
}

impl<F: StorageFile> Work<'_, F> {
    fn run(self) -> Result<()> {
        match self {
            Work::Digest { digest, stored, table } => {
                stored.iter().for_each(|bytes| digest.stored(bytes));
                digest.table(table);
                Ok(())
            }
            Work::Payload { file, at, parts } => file
                .write_all_vectored_at(u64::from(at.offset), parts)
                .map_err(|error| error.in_file(FileId::Chunk(at.chunk))),
            Work::Table { file, segment, offset, bytes } => {
                file.write_all_at(offset, bytes).map_err(|error| error.in_file(FileId::Loc(segment)))
            }
        }
    }
}

impl Frames {
    fn encode(&mut self, coders: &Coders, records: &[&[u8]]) -> Result<()> {
        self.used = 0;
        self.sizes.clear();
        coders.with_encoder(|encoder| {
            let Some(encoder) = encoder else { return Ok(()) };
            for record in records {
                let end = self.used.saturating_add(encoder.bound(record.len()));
                if self.bytes.len() < end {
                    self.bytes.resize(end, 0);
                }
                let room = self.bytes.get_mut(self.used..).unwrap_or_default();
                let size = encoder.encode(record, room).map_err(|error| {
                    Error::new(
                        Code::Io,
                        format!("a record of {} bytes cannot be encoded: {}", record.len(), error.0),
                    )
                })?;
                self.sizes.push(fits(size)?);
                self.used += size;
            }
            Ok(())
        })
    }

    fn written(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    fn each(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        let mut rest = self.written();
        Box::new(self.sizes.iter().map(move |&size| {
            let (frame, behind) = rest.split_at((size as usize).min(rest.len()));
            rest = behind;
            frame
        }))
    }
}

/// Cuts `records` into at most `shares` runs of about equally many bytes.
fn share_by_size<'r, 'b>(records: &'r [&'b [u8]], shares: usize) -> Vec<&'r [&'b [u8]]> {
    let total: usize = records.iter().map(|record| record.len()).sum();
    let target = total / shares.max(1) + 1;
    let mut cut = Vec::with_capacity(shares);
    let mut rest = records;
    while !rest.is_empty() {
        let mut bytes = 0;
        let last = cut.len() + 1 >= shares;
        let count = rest
            .iter()
            .take_while(|record| {
                let within = last || bytes < target;
                bytes += record.len();
                within
            })
            .count();
        let (share, behind) = rest.split_at(count.max(1));
        cut.push(share);
        rest = behind;
    }
    cut
}

fn check_size(bytes: usize, geometry: &Geometry) -> Result<()> {
    if bytes == 0 {
        return Err(Error::new(
            Code::InvalidShape,
            "a record has no bytes; a record needs at least one element",
        ));
    }
    if bytes as u64 > geometry.record_bytes {
        let text =
            format!("a record of {bytes} bytes is too large; the limit is {} bytes", geometry.record_bytes);
        return Err(Error::new(Code::RecordTooLarge, text));
    }
    Ok(())
}

fn fits(size: usize) -> Result<u32> {
    u32::try_from(size).map_err(|_| {
        Error::new(Code::RecordTooLarge, format!("a stored record of {size} bytes fits in no chunk"))
    })
}
