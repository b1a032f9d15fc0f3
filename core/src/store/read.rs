//! One physical record: from the map where there is one, else by positional reads; decoded into its place.

use alloc::format;
use alloc::vec::Vec;

use super::View;
use super::lengths::Lengths;
use crate::codec::Decoder;
use crate::error::{Code, Error, Result};
use crate::exec::Copier;
use crate::format::zrecord::Entry;
use crate::plan::{Piece, ReadRange};
use crate::storage::{FileId, StorageError, StorageFile};

/// Reads records one after the other with one decoder and one scratch buffer.
pub(crate) struct RecordReader<'v, 'd, F> {
    pub(super) view: &'v View<F>,
    table: Option<&'v [[u8; Entry::SIZE]]>,
    decoder: Option<&'d mut (dyn Decoder + 'static)>,
    frame: Vec<u8>,
    copier: Option<Copier>,
    chunks: Lengths,
    segments: Lengths,
}

impl<'v, 'd, F: StorageFile> RecordReader<'v, 'd, F> {
    pub(crate) fn new(view: &'v View<F>, decoder: Option<&'d mut (dyn Decoder + 'static)>) -> Self {
        let (chunks, segments) = (Lengths::of(&view.chunks), Lengths::of(&view.segments));
        RecordReader { view, table: view.table(), decoder, frame: Vec::new(), copier: None, chunks, segments }
    }

    /// Copies records that are stored as they are by `copier` from now on.
    pub(crate) fn copy_by(&mut self, copier: Option<Copier>) {
        self.copier = copier;
    }

    /// The entry of a record, checked. With `decoded`, it must have that many bytes.
    pub(crate) fn locate(&self, physical: u64, decoded: Option<u32>) -> Result<Piece> {
        let entry = self.entry(physical)?;
        self.piece(physical, &entry, decoded)
    }

    /// The entries of many records, one load directly after the other.
    pub(crate) fn entries(&self, physical: &[u64], entries: &mut [Entry]) -> Result<()> {
        for (&record, entry) in physical.iter().zip(entries) {
            let loaded = self.table.and_then(|table| table.get(usize::try_from(record).ok()?));
            *entry = match loaded {
                Some(bytes) => Entry::decode(bytes),
                None => self.entry(record)?,
            };
        }
        Ok(())
    }

    /// As [`RecordReader::locate`], for an entry that is at hand.
    #[inline]
    pub(crate) fn piece(&self, physical: u64, entry: &Entry, decoded: Option<u32>) -> Result<Piece> {
        let rules = self.view.rules();
        let len = rules.fetch_len(physical, entry)?;
        if let Some(expected) = decoded.filter(|&expected| expected != entry.decoded) {
            let reason = format!("it has {} decoded bytes, a record has {expected}", entry.decoded);
            return Err(rules.refuse(physical, &reason));
        }
        let read = ReadRange { file: FileId::Chunk(entry.chunk), offset: u64::from(entry.offset), len };
        let piece = Piece { read, decoded: entry.decoded };
        if entry.chunk != rules.header.tail.chunk {
            // Only the tail was compared with the header; others may be of any size.
            self.check_chunk(entry.chunk, &read)?;
        }
        Ok(piece)
    }

    fn entry(&self, physical: u64) -> Result<Entry> {
        if let [_, _, ..] = self.view.segments.as_slice() {
            self.check_segment(physical)?;
        }
        self.view.entry(physical)
    }

    /// Refuses what lies behind the end of a chunk.
    fn check_chunk(&self, chunk: u32, read: &ReadRange) -> Result<()> {
        let file = self.view.chunk(chunk)?;
        let len = self.chunks.get(chunk, file).map_err(|error| error.in_file(read.file))?;
        if len.is_none_or(|len| len >= read.end()) { Ok(()) } else { within(file, read) }
    }

    /// Refuses an entry that lies behind the end of its segment. The last segment was compared with the header.
    fn check_segment(&self, physical: u64) -> Result<()> {
        let (segment, offset) = self.view.slot(physical)?;
        let (file, end) = (self.view.segment(segment)?, offset + Entry::SIZE as u64);
        let id = FileId::Loc(segment);
        let len = self.segments.get(segment, file).map_err(|error| error.in_file(id))?;
        let Some(len) = len.filter(|&len| len < end) else { return Ok(()) };
        let text = format!(
            "{id} has {len} bytes and ends before the entry of this record; the end of the file is lost"
        );
        Err(Error::new(Code::TruncatedFile, text).in_file(id).at_offset(offset).at_record(physical))
    }

    /// The stored bytes without a copy, where the chunk is mapped that far.
    #[inline]
    pub(crate) fn mapped(&self, piece: &Piece) -> Option<&'v [u8]> {
        let FileId::Chunk(chunk) = piece.read.file else { return None };
        self.view.chunk(chunk).ok()?.mapped(piece.read.offset..piece.read.end())
    }

    /// Fills `out`, which is as large as the decoded record.
    #[inline]
    pub(crate) fn read(&mut self, piece: &Piece, out: &mut [u8]) -> Result<()> {
        if self.decoder.is_none()
            && let Some(stored) = self.mapped(piece)
            && stored.len() == out.len()
        {
            match self.copier {
                Some(copy) => copy(stored, out),
                None => out.copy_from_slice(stored),
            }
            return Ok(());
        }
        self.read_slowly(piece, out)
    }

    fn read_slowly(&mut self, piece: &Piece, out: &mut [u8]) -> Result<()> {
        let ReadRange { file: id, offset, .. } = piece.read;
        let FileId::Chunk(chunk) = id else { return Ok(()) };
        let file = self.view.chunk(chunk)?;
        if let Some(stored) = file.mapped(offset..piece.read.end()) {
            return piece.decode(stored, self.decoder.as_deref_mut(), out);
        }
        let Some(decoder) = self.decoder.as_deref_mut() else {
            return file.read_exact_at(offset, out).map_err(|error| error.in_file(id).at_offset(offset));
        };
        let stored = fill(file, &piece.read, &mut self.frame)?;
        piece.decode(stored, Some(decoder), out)
    }
}

/// Below this size a read just tries; above it, scratch is allocated only after the file is known to hold the bytes.
const TRUSTED: u32 = 1 << 16;

/// The stored bytes, in scratch that only grows: it is not cleared for every record.
fn fill<'s, F: StorageFile>(file: &F, read: &ReadRange, scratch: &'s mut Vec<u8>) -> Result<&'s [u8]> {
    if read.len > TRUSTED {
        within(file, read)?;
    }
    let len = usize::try_from(read.len).unwrap_or(usize::MAX);
    if scratch.len() < len {
        scratch.resize(len, 0);
    }
    let stored = scratch.get_mut(..len).unwrap_or_default();
    file.read_exact_at(read.offset, stored)
        .map_err(|error| error.in_file(read.file).at_offset(read.offset))?;
    Ok(stored)
}

pub(super) fn within<F: StorageFile>(file: &F, read: &ReadRange) -> Result<()> {
    let at = |error: StorageError| error.in_file(read.file).at_offset(read.offset);
    if file.known_len().map_err(at)?.is_none_or(|len| len >= read.end()) {
        return Ok(());
    }
    let text = format!("{} ends before byte {}; the end of the file is lost", read.file, read.end());
    Err(Error::new(Code::TruncatedFile, text).in_file(read.file).at_offset(read.offset))
}
