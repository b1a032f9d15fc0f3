//! The second round: the stored bytes, and how they become records.

use alloc::format;
use alloc::vec::Vec;

use super::ReadRange;
use crate::codec::Decoder;
use crate::error::{Code, Error, Result};

/// One record to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its stored bytes.
    pub read: ReadRange,
    /// Its size when decoded.
    pub decoded: u32,
}

impl Piece {
    /// Decodes the stored bytes into `out`, which is exactly as large as the record. Raw records take no decoder.
    ///
    /// # Errors
    /// [`Code::CorruptRecord`], naming the chunk and the offset.
    pub fn decode(
        &self,
        stored: &[u8],
        decoder: Option<&mut (dyn Decoder + '_)>,
        out: &mut [u8],
    ) -> Result<()> {
        match decoder {
            Some(decoder) => decoder.decode(stored, out).map_err(|error| self.corrupt(&error.0)),
            None if stored.len() == out.len() => {
                out.copy_from_slice(stored);
                Ok(())
            }
            None => Err(self.corrupt(&format!("{} bytes were read instead of {}", stored.len(), out.len()))),
        }
    }

    fn corrupt(&self, reason: &str) -> Error {
        Error::new(Code::CorruptRecord, format!("the record cannot be decoded: {reason}"))
            .in_file(self.read.file)
            .at_offset(self.read.offset)
    }
}

/// The stored bytes of some records.
#[derive(Clone, Debug)]
pub struct Fetch {
    pieces: Vec<Piece>,
}

impl Fetch {
    pub(super) fn new(pieces: Vec<Piece>) -> Self {
        Fetch { pieces }
    }

    /// The records, in the order that was asked for.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// One range for each record, in their order.
    pub fn reads(&self) -> impl ExactSizeIterator<Item = ReadRange> {
        self.pieces.iter().map(|piece| piece.read)
    }

    /// The decoded bytes of all records together.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| u64::from(piece.decoded)).sum()
    }

    /// Cuts `out`, which has [`Fetch::decoded_bytes`] bytes, into one slot a record.
    ///
    /// # Errors
    /// [`Code::BufferSize`] where it has another size.
    pub fn slots<'o>(&self, out: &'o mut [u8]) -> Result<Vec<&'o mut [u8]>> {
        let (given, wanted) = (out.len(), self.decoded_bytes());
        if given as u64 != wanted {
            return Err(Error::new(
                Code::BufferSize,
                format!("the buffer has {given} bytes, the records {wanted}"),
            ));
        }
        let mut rest = out;
        let mut slots = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let len = usize::try_from(piece.decoded).unwrap_or(usize::MAX);
            let (slot, behind) = rest.split_at_mut(len.min(rest.len()));
            slots.push(slot);
            rest = behind;
        }
        Ok(slots)
    }
}
