//! Reading what is left of a store whose files were cut or damaged while it is open.
//!
//! A map still reaches as far as its file once did, and touching what was cut away would end the process. So nothing is read
//! through a map here: every read asks the file, which answers with an error, and the error is about one record.

use alloc::vec::Vec;

use super::read::within;
use super::{RecordReader, Store, View};
use crate::error::{Code, Error, Fault, Result};
use crate::format::zrecord::{Entry, StoreKind};
use crate::plan::Piece;
use crate::storage::{FileId, Storage, StorageError, StorageFile};

/// A record of a list that cannot be read.
#[derive(Debug)]
pub(crate) struct Lost {
    /// Where it stands in the list.
    pub(crate) position: usize,
    /// Why, with the record as the user counts it.
    pub(crate) error: Error,
}

/// Whether the data is at fault, so that other records may still be read; neither the caller, nor a lock, nor memory.
pub(crate) fn is_loss(error: &Error) -> bool {
    error.code().fault() == Fault::Data || error.code() == Code::Io
}

/// What was read of one record; `None` where it is lost, which is noted.
pub(crate) fn survivor<T>(position: usize, read: Result<T>, lost: &mut Vec<Lost>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_loss(&error) => {
            lost.push(Lost { position, error });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A file without its map.
pub(crate) struct Unmapped<'f, F>(&'f F);

impl<F: StorageFile> StorageFile for Unmapped<'_, F> {
    fn len(&self) -> Result<u64, StorageError> {
        self.0.len()
    }

    fn known_len(&self) -> Result<Option<u64>, StorageError> {
        self.0.known_len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        self.0.read_exact_at(offset, buf)
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        self.0.write_all_at(offset, data)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.0.set_len(len)
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.0.sync()
    }
}

/// A reader that trusts no map.
pub(crate) type CarefulReader<'v, 'd, 'f, F> = RecordReader<'v, 'd, Unmapped<'f, F>>;

impl<F: StorageFile> View<F> {
    fn unmapped(&self) -> View<Unmapped<'_, F>> {
        let segments = self.segments.iter().map(Unmapped).collect();
        let chunks = self.chunks.iter().map(Unmapped).collect();
        View::new(*self.header(), self.rules().geometry, segments, chunks, self.overlay.clone())
    }
}

impl<F: StorageFile> CarefulReader<'_, '_, '_, F> {
    /// As [`RecordReader::locate`], and the stored bytes are within their file as long as it is now: memory may be taken
    /// for them.
    pub(crate) fn find(&self, physical: u64, decoded: Option<u32>) -> Result<Piece> {
        let piece = self.locate(physical, decoded)?;
        self.check_stored(&piece)?;
        Ok(piece)
    }

    pub(crate) fn check_stored(&self, piece: &Piece) -> Result<()> {
        let FileId::Chunk(chunk) = piece.read.file else { return Ok(()) };
        within(self.view.chunk(chunk)?, &piece.read)
    }
}

impl<S: Storage> Store<S> {
    /// A reader for records of which some are lost.
    pub(crate) fn with_careful_reader<T>(
        &self,
        work: impl FnOnce(&mut CarefulReader<'_, '_, '_, S::File>) -> Result<T>,
    ) -> Result<T> {
        self.check_attached()?;
        let view = self.view.unmapped();
        self.coders.with_decoder(|decoder| work(&mut RecordReader::new(&view, decoder)))
    }

    /// Why the first record that is lost is lost, by the table and the lengths of the files alone: nothing is decoded.
    ///
    /// # Errors
    /// [`Code::StoreBusy`], and what keeps files from being read at all.
    pub(crate) fn first_lost(&self) -> Result<Option<Error>> {
        /// Entries that are read at once: 64 KiB.
        const TOGETHER: usize = 1 << 12;
        self.check_attached()?;
        let view = self.view.unmapped();
        let reader = RecordReader::new(&view, None);
        let width = match self.kind() {
            StoreKind::Dense => Some(u32::try_from(self.record_bytes()).unwrap_or(u32::MAX)),
            StoreKind::Ragged => None,
        };
        // Asked once each; what seems to lie behind them is looked at again.
        let ends: Vec<u64> = view
            .chunks
            .iter()
            .map(|chunk| chunk.known_len().map_or(0, |len| len.unwrap_or(u64::MAX)))
            .collect();
        let look = |physical, entry: &Entry| {
            let end = usize::try_from(entry.chunk).ok().and_then(|chunk| ends.get(chunk));
            let len = view.rules().fetch_len(physical, entry)?;
            let is_there = end.is_some_and(|&end| u64::from(entry.offset) + u64::from(len) <= end);
            if is_there && width.is_none_or(|width| width == entry.decoded) {
                return Ok(());
            }
            reader.check_stored(&reader.piece(physical, entry, width)?)
        };
        let length = view.header().length;
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        for first in (0..length).step_by(TOGETHER) {
            let end = length.min(first.saturating_add(TOGETHER as u64));
            let count = usize::try_from(end - first).unwrap_or(TOGETHER);
            if view.entries(first, count, &mut bytes, &mut entries).is_err() {
                // Some of them are lost: which, their own reads say.
                entries.clear();
            }
            for (at, physical) in (first..end).enumerate() {
                let seen = match entries.get(at) {
                    Some(entry) => look(physical, entry),
                    None => reader.find(physical, width).map(drop),
                };
                match seen.map_err(self.blame(physical)) {
                    Err(error) if is_loss(&error) => return Ok(Some(error)),
                    seen => seen?,
                }
            }
        }
        Ok(None)
    }
}
