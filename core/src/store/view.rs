//! A snapshot of a store: its committed header, its open files, and where each record lies.

use alloc::format;
use alloc::vec::Vec;

use crate::error::{Code, Error, Result};
use crate::format::zrecord::{Entry, EntryRules, Geometry, Header};
use crate::storage::{FileId, StorageFile};

/// Table entries that an interrupted change left to be written; they count before those of the table.
pub(crate) type Overlay = Vec<(u64, Entry)>;

pub(crate) struct View<F> {
    rules: EntryRules,
    pub(super) segments: Vec<F>,
    pub(super) chunks: Vec<F>,
    pub(super) overlay: Overlay,
}

impl<F: StorageFile> View<F> {
    pub(super) fn new(
        header: Header,
        geometry: Geometry,
        segments: Vec<F>,
        chunks: Vec<F>,
        overlay: Overlay,
    ) -> Self {
        View { rules: EntryRules { header, geometry }, segments, chunks, overlay }
    }

    pub(crate) fn header(&self) -> &Header {
        &self.rules.header
    }

    pub(crate) fn rules(&self) -> &EntryRules {
        &self.rules
    }

    pub(super) fn publish(&mut self, header: Header) {
        self.rules.header = header;
    }

    pub(super) fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// The entry of a physical record, as it stands in the table.
    pub(crate) fn entry(&self, physical: u64) -> Result<Entry> {
        if let Some(entry) = self.overlaid(physical) {
            return Ok(entry);
        }
        let (segment, offset) = self.slot(physical)?;
        let file = self.segment(segment)?;
        let end = offset + Entry::SIZE as u64;
        if let Some(Ok(bytes)) = file.mapped(offset..end).map(<&[u8; Entry::SIZE]>::try_from) {
            return Ok(Entry::decode(bytes));
        }
        let mut bytes = [0; Entry::SIZE];
        file.read_exact_at(offset, &mut bytes)
            .map_err(|error| error.in_file(FileId::Loc(segment)).at_offset(offset))?;
        Ok(Entry::decode(&bytes))
    }

    /// The entry that counts before the one in the table, where there is one.
    #[inline]
    pub(super) fn overlaid(&self, physical: u64) -> Option<Entry> {
        if self.overlay.is_empty() {
            return None;
        }
        let at = self.overlay.binary_search_by_key(&physical, |(slot, _)| *slot).ok()?;
        self.overlay.get(at).map(|(_, entry)| *entry)
    }

    /// The whole table without a copy, where it is one mapped segment and nothing overlays it.
    pub(crate) fn table(&self) -> Option<&[[u8; Entry::SIZE]]> {
        let [segment] = self.segments.as_slice() else { return None };
        let bytes =
            self.header().length.checked_mul(Entry::SIZE as u64).filter(|_| self.overlay.is_empty())?;
        Some(segment.mapped(0..bytes)?.as_chunks().0)
    }

    /// Entries `first..first + count`, as one read a segment; `bytes` is scratch.
    pub(crate) fn entries(
        &self,
        first: u64,
        count: usize,
        bytes: &mut Vec<u8>,
        entries: &mut Vec<Entry>,
    ) -> Result<()> {
        entries.clear();
        let mut at = first;
        let end = first.saturating_add(count as u64);
        while at < end {
            let (segment, offset) = self.slot(at)?;
            let left = self.rules.geometry.segment_entries - offset / Entry::SIZE as u64;
            let run = usize::try_from(left.min(end - at)).unwrap_or(usize::MAX);
            bytes.resize(run.saturating_mul(Entry::SIZE), 0);
            self.segment(segment)?
                .read_exact_at(offset, bytes)
                .map_err(|error| error.in_file(FileId::Loc(segment)).at_offset(offset))?;
            entries.extend(bytes.as_chunks::<{ Entry::SIZE }>().0.iter().map(Entry::decode));
            at += run as u64;
        }
        let from = self.overlay.partition_point(|(slot, _)| *slot < first);
        for (slot, entry) in self.overlay.iter().skip(from).take_while(|(slot, _)| *slot < end) {
            if let Some(place) = usize::try_from(slot - first).ok().and_then(|i| entries.get_mut(i)) {
                *place = *entry;
            }
        }
        Ok(())
    }

    pub(crate) fn chunk(&self, chunk: u32) -> Result<&F> {
        usize::try_from(chunk)
            .ok()
            .and_then(|i| self.chunks.get(i))
            .ok_or_else(|| not_open(FileId::Chunk(chunk)))
    }

    pub(crate) fn segment(&self, segment: u32) -> Result<&F> {
        usize::try_from(segment)
            .ok()
            .and_then(|i| self.segments.get(i))
            .ok_or_else(|| not_open(FileId::Loc(segment)))
    }

    pub(super) fn slot(&self, physical: u64) -> Result<(u32, u64)> {
        // Nearly every store has one segment, and a division costs as much as the rest of the look-up.
        if physical < self.rules.geometry.segment_entries {
            return Ok((0, physical * Entry::SIZE as u64));
        }
        self.rules.geometry.slot(physical).ok_or_else(|| {
            Error::new(Code::StoreFull, format!("table entry {physical} lies behind the last segment"))
        })
    }

    /// Refuses files that became shorter than the header says: reading a mapped file behind its end would end the
    /// process. Cheap, done once for each batch.
    pub(crate) fn check_sizes(&self) -> Result<()> {
        let header = self.header();
        if let Some((segment, end)) = self.last_segment_end() {
            require(self.segment(segment)?, FileId::Loc(segment), end)?;
        }
        if header.length > 0 {
            require(
                self.chunk(header.tail.chunk)?,
                FileId::Chunk(header.tail.chunk),
                u64::from(header.tail.offset),
            )?;
        }
        Ok(())
    }

    /// The files of the table, then those of the payload.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &F)> {
        let segments = (0..).map(FileId::Loc).zip(&self.segments);
        segments.chain((0..).map(FileId::Chunk).zip(&self.chunks))
    }

    /// Checks every file of the header at open, in the order of the specification (section 5, steps 6 and 7).
    pub(super) fn check_files(&self) -> Result<()> {
        let Header { tail, length, .. } = *self.header();
        let geometry = &self.rules.geometry;
        for (id, file) in (0..).zip(&self.chunks) {
            let len = file.known_len().map_err(|error| error.in_file(FileId::Chunk(id)))?;
            if let Some(len) = len.filter(|&len| len > geometry.chunk_bytes && id <= tail.chunk) {
                let text = format!("{id}.chunk has {len} bytes, more than a chunk can have");
                return Err(Error::new(Code::CorruptHeader, text).in_file(FileId::Chunk(id)));
            }
        }
        require(self.chunk(tail.chunk)?, FileId::Chunk(tail.chunk), u64::from(tail.offset))?;
        for (id, file) in (0u32..).zip(&self.segments) {
            let before = u64::from(id).saturating_mul(geometry.segment_entries);
            let entries = length.saturating_sub(before).min(geometry.segment_entries);
            require(file, FileId::Loc(id), entries.saturating_mul(Entry::SIZE as u64))?;
        }
        Ok(())
    }

    fn last_segment_end(&self) -> Option<(u32, u64)> {
        let (segment, offset) = self.rules.geometry.slot(self.header().length.checked_sub(1)?)?;
        Some((segment, offset + Entry::SIZE as u64))
    }
}

fn not_open(file: FileId) -> Error {
    Error::new(Code::MissingFile, format!("{file} is not part of the store")).in_file(file)
}

fn require<F: StorageFile>(file: &F, id: FileId, needed: u64) -> Result<()> {
    let len = file.known_len().map_err(|error| error.in_file(id))?;
    let Some(len) = len.filter(|&len| len < needed) else { return Ok(()) };
    let text = format!("{id} has {len} bytes, the header needs {needed}; the end of the file is lost");
    Err(Error::new(Code::TruncatedFile, text).in_file(id).at_offset(len))
}
