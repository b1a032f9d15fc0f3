//! One physical record: from the map where there is one, else by positional reads; decoded into its place.

use alloc::format;
use alloc::vec::Vec;

use super::View;
use crate::codec::Decoder;
use crate::error::{Code, Error, Result};
use crate::format::zrecord::Entry;
use crate::plan::{Piece, ReadRange};
use crate::storage::{FileId, StorageFile};

/// Reads records one after the other with one decoder and one scratch buffer.
pub(crate) struct RecordReader<'v, 'd, F> {
    view: &'v View<F>,
    decoder: Option<&'d mut (dyn Decoder + 'static)>,
    frame: Vec<u8>,
}

impl<'v, 'd, F: StorageFile> RecordReader<'v, 'd, F> {
    pub(crate) fn new(view: &'v View<F>, decoder: Option<&'d mut (dyn Decoder + 'static)>) -> Self {
        RecordReader { view, decoder, frame: Vec::new() }
    }

    /// The entry of a record, checked. With `decoded`, it must have that many bytes.
    pub(crate) fn locate(&self, physical: u64, decoded: Option<u32>) -> Result<Piece> {
        let entry = self.view.entry(physical)?;
        self.piece(physical, &entry, decoded)
    }

    /// As [`RecordReader::locate`], for an entry that is at hand.
    pub(crate) fn piece(&self, physical: u64, entry: &Entry, decoded: Option<u32>) -> Result<Piece> {
        let rules = self.view.rules();
        let len = rules.fetch_len(physical, entry)?;
        if let Some(expected) = decoded.filter(|&expected| expected != entry.decoded) {
            let reason = format!("it has {} decoded bytes, a record has {expected}", entry.decoded);
            return Err(rules.refuse(physical, &reason));
        }
        let read = ReadRange { file: FileId::Chunk(entry.chunk), offset: u64::from(entry.offset), len };
        Ok(Piece { read, decoded: entry.decoded })
    }

    /// Fills `out`, which is as large as the decoded record.
    pub(crate) fn read(&mut self, piece: &Piece, out: &mut [u8]) -> Result<()> {
        let ReadRange { file: id, offset, .. } = piece.read;
        let FileId::Chunk(chunk) = id else { return Ok(()) };
        let file = self.view.chunk(chunk)?;
        if let Some(stored) = file.mapped(offset..piece.read.end()) {
            return piece.decode(stored, self.decoder.as_deref_mut(), out);
        }
        let Some(decoder) = self.decoder.as_deref_mut() else {
            return file.read_exact_at(offset, out).map_err(|error| error.in_file(id).at_offset(offset));
        };
        fill(file, &piece.read, &mut self.frame)?;
        piece.decode(&self.frame, Some(decoder), out)
    }

    /// The stored bytes of a record without decoding, from the map or in scratch.
    pub(crate) fn stored(&mut self, piece: &Piece) -> Result<&[u8]> {
        let ReadRange { file: id, offset, .. } = piece.read;
        let FileId::Chunk(chunk) = id else { return Ok(&[]) };
        let file = self.view.chunk(chunk)?;
        if let Some(stored) = file.mapped(offset..piece.read.end()) {
            return Ok(stored);
        }
        fill(file, &piece.read, &mut self.frame)?;
        Ok(&self.frame)
    }
}

/// Below this size a read just tries; above it, scratch is allocated only after the file is known to hold the bytes.
const TRUSTED: u32 = 1 << 16;

fn fill<F: StorageFile>(file: &F, read: &ReadRange, scratch: &mut Vec<u8>) -> Result<()> {
    let at = |error: crate::storage::StorageError| error.in_file(read.file).at_offset(read.offset);
    if read.len > TRUSTED && file.len().map_err(at)? < read.end() {
        let text = format!("{} ends before byte {}; the end of the file is lost", read.file, read.end());
        return Err(Error::new(Code::TruncatedFile, text).in_file(read.file).at_offset(read.offset));
    }
    scratch.resize(usize::try_from(read.len).unwrap_or(usize::MAX), 0);
    file.read_exact_at(read.offset, scratch).map_err(at)
}
