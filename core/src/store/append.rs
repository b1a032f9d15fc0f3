//! Appending: payload behind the frontier, entries behind the table, then one header that commits all of it.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::recover::Digest;
use super::{Store, read_only};
use crate::codec::Coders;
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::format::zrecord::{CodecKind, Entry, Frontier, Geometry, Header};
use crate::storage::{FileId, Storage, StorageFile};

/// Bytes of input that are encoded and written at once, for each task that runs at once. With the encoders it is
/// all that an append needs beside its input.
const WINDOW: usize = 2 << 20;
/// Records of one window, which bounds the entries that wait to be written.
const WINDOW_RECORDS: usize = 1 << 14;
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
    bytes: Vec<u8>,
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
            bytes: Vec::new(),
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
                self.push_raw_run(window, width)?;
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
            for record in records {
                self.digest.stored(record);
            }
            self.write_payload(records)
        } else {
            self.push_encoded(executor, records)
        }
    }

    fn push_raw_run(&mut self, bytes: &[u8], width: usize) -> Result<()> {
        check_size(width, &self.store.geometry())?;
        self.place(core::iter::repeat_n((width, width), bytes.len() / width.max(1)))?;
        self.digest.stored(bytes);
        // Records of one chunk lie side by side in both places.
        let mut rest = bytes;
        let mut parts = Vec::new();
        for run in self.entries.chunk_by(|a, b| a.chunk == b.chunk) {
            let (run, behind) = rest.split_at(run.len().saturating_mul(width).min(rest.len()));
            parts.push(run);
            rest = behind;
        }
        self.write_runs(&parts)
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
        for frames in done {
            self.digest.stored(frames.written());
        }
        let parts: Vec<&[u8]> = done.iter().flat_map(Frames::each).collect();
        self.write_payload(&parts)?;
        self.frames = frames;
        Ok(())
    }

    /// Finds a place for records of these decoded and stored sizes, and writes their entries.
    fn place(&mut self, sizes: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let geometry = self.store.geometry();
        self.entries.clear();
        for (decoded, stored) in sizes {
            let (decoded, stored) = (fits(decoded)?, fits(stored)?);
            if u64::from(stored) >= geometry.chunk_bytes {
                return Err(Error::new(
                    Code::RecordTooLarge,
                    format!("a stored record of {stored} bytes fits in no chunk"),
                ));
            }
            let start = self.frontier.place(stored, geometry.chunk_bytes)?;
            self.entries.push(Entry { offset: start.offset, stored, decoded, chunk: start.chunk });
        }
        let mut left = self.entries.as_slice();
        while let Some(first) = left.first() {
            let _ = first;
            let Some((segment, offset)) = geometry.slot(self.length) else {
                return Err(Error::new(Code::StoreFull, "the record table is full; start another store"));
            };
            let room = geometry.segment_entries - offset / Entry::SIZE as u64;
            let count = usize::try_from(room).unwrap_or(usize::MAX).min(left.len());
            let (run, behind) = left.split_at(count);
            self.bytes.clear();
            self.bytes.extend(run.iter().flat_map(Entry::encode));
            self.digest.table(&self.bytes);
            self.store.segment_for_writing(segment)?;
            self.store
                .view
                .segment(segment)?
                .write_all_at(offset, &self.bytes)
                .map_err(|error| error.in_file(FileId::Loc(segment)))?;
            self.store.writer()?.unsynced.segments.insert(segment);
            self.length = self.length.checked_add(count as u64).ok_or_else(|| {
                Error::new(Code::StoreFull, "the store has as many records as it can number")
            })?;
            left = behind;
        }
        Ok(())
    }

    /// Writes one part for each entry just placed.
    fn write_payload(&mut self, parts: &[&[u8]]) -> Result<()> {
        let mut rest = parts;
        let entries = core::mem::take(&mut self.entries);
        for run in entries.chunk_by(|a, b| a.chunk == b.chunk) {
            let (parts, behind) = rest.split_at(run.len().min(rest.len()));
            self.write_run(run, parts)?;
            rest = behind;
        }
        self.entries = entries;
        Ok(())
    }

    /// Writes one part for each run of entries in the same chunk.
    fn write_runs(&mut self, parts: &[&[u8]]) -> Result<()> {
        let entries = core::mem::take(&mut self.entries);
        for (run, part) in entries.chunk_by(|a, b| a.chunk == b.chunk).zip(parts) {
            self.write_run(run, core::slice::from_ref(part))?;
        }
        self.entries = entries;
        Ok(())
    }

    fn write_run(&mut self, run: &[Entry], parts: &[&[u8]]) -> Result<()> {
        let Some(first) = run.first() else { return Ok(()) };
        self.store.chunk_for_writing(first.chunk)?;
        self.store.writer()?.unsynced.chunks.insert(first.chunk);
        self.store
            .view
            .chunk(first.chunk)?
            .write_all_vectored_at(u64::from(first.offset), parts)
            .map_err(|error| error.in_file(FileId::Chunk(first.chunk)))
    }

    /// Makes everything pushed visible at once.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when nothing was pushed, or what the storage says; the store then is as it was.
    pub(crate) fn commit(self) -> Result<()> {
        let header = Header { tail: self.frontier, length: self.length, ..*self.store.view.header() };
        if header.length == self.store.view.header().length {
            return Err(Error::new(Code::InvalidArgument, "an append needs at least one record"));
        }
        if !self.store.is_writable() {
            return Err(read_only());
        }
        self.store.commit_append(header, self.digest.finish())
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
