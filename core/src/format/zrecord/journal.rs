//! `recask.journal`: what makes an interrupted operation end in the old or the new state.
//!
//! The first sector is a head: a state, and the header of `meta.zr` that is known to be durable. Behind it lie, from
//! byte [`BODY`], either the appends since then or the redo list of one change of the table. A head is always
//! written alone, inside one sector; a body counts only if its checksum agrees. `FORMAT.md` has the protocol.

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::super::fields::{Fields, array_at, u32_at, u64_at};
use super::{Entry, Frontier, Header};
use crate::error::{Code, Error, Result};
use crate::storage::FileId;

/// Where the body starts: behind the sector of the head.
pub const BODY: u64 = 512;

/// What the store was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing: `meta.zr` was durable as it is. Appends may have followed; the body lists them.
    Clean,
    /// A store was being created.
    Creating,
    /// The same, written by a writer that found no durable journal.
    Appending,
    /// The table was being changed; the body says to what.
    Redo {
        /// Bytes of the body.
        body_len: u64,
        /// Its checksum.
        body_hash: u64,
    },
}

/// The first sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What the store was doing.
    pub state: State,
    /// Grows with every head; appends of another generation are left-overs.
    pub generation: u64,
    /// `meta.zr` as it was durable when this head was written.
    pub base: [u8; Header::SIZE],
}

impl Head {
    /// Bytes of the head.
    pub const SIZE: usize = 72;
    const MAGIC: [u8; 4] = *b"RCKJ";
    const VERSION: u8 = 1;

    /// Reads the head from the first bytes of the journal. `None` where there is none yet: an empty file, or zeros.
    ///
    /// # Errors
    /// [`Code::CorruptJournal`] or [`Code::UnsupportedVersion`].
    pub fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        let corrupt = || {
            let text = "the journal of an interrupted operation is damaged; restore the store, or remove recask.journal to open it as it is";
            Error::new(Code::CorruptJournal, text).in_file(FileId::Journal)
        };
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let magic: [u8; 4] = array_at(bytes, 0).ok_or_else(corrupt)?;
        let [version, state] = array_at(bytes, 4).ok_or_else(corrupt)?;
        let generation = u64_at(bytes, 8).ok_or_else(corrupt)?;
        let base = array_at(bytes, 16).ok_or_else(corrupt)?;
        let body_len = u64_at(bytes, 48).ok_or_else(corrupt)?;
        let body_hash = u64_at(bytes, 56).ok_or_else(corrupt)?;
        let checksum = u64_at(bytes, 64).ok_or_else(corrupt)?;
        if magic != Self::MAGIC || bytes.get(..64).map(xxh3_64) != Some(checksum) {
            return Err(corrupt());
        }
        if version != Self::VERSION {
            let text = "the journal was written by a newer version of recask; use that version";
            return Err(Error::new(Code::UnsupportedVersion, text).in_file(FileId::Journal));
        }
        let state = match state {
            0 => State::Clean,
            1 => State::Creating,
            2 => State::Appending,
            3 => State::Redo { body_len, body_hash },
            _ => return Err(corrupt()),
        };
        Ok(Some(Head { state, generation, base }))
    }

    /// The bytes of the head.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let (state, body_len, body_hash) = match self.state {
            State::Clean => (0, 0, 0),
            State::Creating => (1, 0, 0),
            State::Appending => (2, 0, 0),
            State::Redo { body_len, body_hash } => (3, body_len, body_hash),
        };
        let fields = Fields::new()
            .put(&Self::MAGIC)
            .put(&[Self::VERSION, state, 0, 0])
            .put(&self.generation.to_le_bytes())
            .put(&self.base)
            .put(&body_len.to_le_bytes())
            .put(&body_hash.to_le_bytes());
        let checksum = xxh3_64(fields.so_far());
        fields.put(&checksum.to_le_bytes()).done()
    }
}

/// One committed append: the header that it made, and a digest of the bytes that it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Of the head that it belongs to.
    pub generation: u64,
    /// Counts from 0 in its generation.
    pub number: u64,
    /// The frontier afterwards.
    pub tail: Frontier,
    /// Physical records afterwards.
    pub length: u64,
    /// Of the stored bytes and the entries that it added; see `FORMAT.md`.
    pub digest: u64,
}

impl Appended {
    /// Bytes in the journal. It divides a sector, so that no entry is torn.
    pub const SIZE: usize = 64;

    /// Where entry `number` lies.
    #[must_use]
    pub const fn position(number: u64) -> u64 {
        BODY.saturating_add(number.saturating_mul(Self::SIZE as u64))
    }

    /// Reads an entry; `None` for anything that is not one.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let checksum = u64_at(bytes, 40)?;
        (xxh3_64(bytes.get(..40)?) == checksum).then_some(())?;
        Some(Appended {
            generation: u64_at(bytes, 0)?,
            number: u64_at(bytes, 8)?,
            tail: Frontier { chunk: u32_at(bytes, 16)?, offset: u32_at(bytes, 20)? },
            length: u64_at(bytes, 24)?,
            digest: u64_at(bytes, 32)?,
        })
    }

    /// The bytes of the entry.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let fields = Fields::new()
            .put(&self.generation.to_le_bytes())
            .put(&self.number.to_le_bytes())
            .put(&self.tail.chunk.to_le_bytes())
            .put(&self.tail.offset.to_le_bytes())
            .put(&self.length.to_le_bytes())
            .put(&self.digest.to_le_bytes());
        let checksum = xxh3_64(fields.so_far());
        fields.put(&checksum.to_le_bytes()).done()
    }
}

/// The new header and the table entries of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redo {
    /// The content of `meta.zr` afterwards.
    pub header: [u8; Header::SIZE],
    /// Physical record and its new entry, ascending by record.
    pub entries: Vec<(u64, Entry)>,
}

impl Redo {
    const ITEM: usize = 8 + Entry::SIZE;

    /// The body; its length and [`xxh3_64`] go into the head.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(Header::SIZE.saturating_add(self.entries.len().saturating_mul(Self::ITEM)));
        bytes.extend_from_slice(&self.header);
        for (slot, entry) in &self.entries {
            bytes.extend_from_slice(&slot.to_le_bytes());
            bytes.extend_from_slice(&entry.encode());
        }
        bytes
    }

    /// The checksum of a body.
    #[must_use]
    pub fn hash(body: &[u8]) -> u64 {
        xxh3_64(body)
    }

    /// Reads a body whose checksum agreed; `None` where it is no list.
    #[must_use]
    pub fn decode(body: &[u8]) -> Option<Self> {
        let header = array_at(body, 0)?;
        let items = body.get(Header::SIZE..)?;
        let mut entries = Vec::with_capacity(items.len().checked_div(Self::ITEM)?);
        for item in items.chunks(Self::ITEM) {
            entries.push((u64_at(item, 0)?, Entry::decode(&array_at(item, 8)?)));
        }
        entries.is_sorted_by(|a, b| a.0 < b.0).then_some(Redo { header, entries })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn heads_and_bodies_survive_the_trip() {
        for state in
            [State::Clean, State::Creating, State::Appending, State::Redo { body_len: 9, body_hash: 7 }]
        {
            let head = Head { state, generation: 3, base: [5; 32] };
            assert_eq!(Head::decode(&head.encode()).unwrap(), Some(head));
        }
        let entry = Entry { offset: 1, stored: 2, decoded: 3, chunk: 4 };
        let redo = Redo { header: [9; 32], entries: alloc::vec![(1, entry), (7, entry)] };
        assert_eq!(Redo::decode(&redo.encode()), Some(redo));
        let appended = Appended {
            generation: 1,
            number: 2,
            tail: Frontier { chunk: 3, offset: 4 },
            length: 5,
            digest: 6,
        };
        assert_eq!(Appended::decode(&appended.encode()), Some(appended));
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let head = Head { state: State::Appending, generation: 3, base: [5; 32] }.encode();
        let appended = Appended {
            generation: 1,
            number: 2,
            tail: Frontier { chunk: 3, offset: 4 },
            length: 5,
            digest: 6,
        }
        .encode();
        for bit in 0..head.len() * 8 {
            let mut damaged = head;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Head::decode(&damaged).is_err(), "bit {bit}");
        }
        for bit in 0..48 * 8 {
            let mut damaged = appended;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Appended::decode(&damaged), None, "bit {bit}");
        }
    }

    #[test]
    fn an_empty_or_zeroed_journal_is_none() {
        assert_eq!(Head::decode(&[]).unwrap(), None);
        assert_eq!(Head::decode(&[0; 512]).unwrap(), None);
        assert!(Head::decode(&[1; 40]).is_err());
    }
}
