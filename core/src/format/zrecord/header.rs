//! `meta.zr`: the physical header. Writing it is what commits an append.

use alloc::format;
use alloc::string::String;

use super::super::fields::{Fields, array_at, u32_at, u64_at};
use crate::error::{Code, Error, Result};
use crate::storage::FileId;

/// How records are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodecKind {
    /// The bytes themselves.
    Raw,
    /// One zstd frame a record.
    Zstd,
    /// One zstd frame a record, against the store's dictionary.
    ZstdDict,
}

impl CodecKind {
    /// `raw`, `zstd` or `zstd_dict`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            CodecKind::Raw => "raw",
            CodecKind::Zstd => "zstd",
            CodecKind::ZstdDict => "zstd_dict",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [CodecKind::Raw, CodecKind::Zstd, CodecKind::ZstdDict].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Where the next payload byte goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frontier {
    /// The chunk.
    pub chunk: u32,
    /// The offset inside it.
    pub offset: u32,
}

impl Frontier {
    /// Finds the place of the next `stored` bytes and moves behind them. A record that would touch the end of
    /// its chunk starts the next one, so that offsets always fit 32 bits (spec, section 7, step 2).
    ///
    /// # Errors
    /// [`Code::StoreFull`] when no chunk is left.
    pub fn place(&mut self, stored: u32, chunk_bytes: u64) -> Result<Frontier> {
        let mut at = *self;
        if u64::from(at.offset) + u64::from(stored) >= chunk_bytes {
            let next = at.chunk.checked_add(1).filter(|&chunk| chunk != u32::MAX);
            let Some(chunk) = next else {
                return Err(Error::new(Code::StoreFull, "the store has no chunk left; start another store"));
            };
            at = Frontier { chunk, offset: 0 };
        }
        let Some(end) = at.offset.checked_add(stored) else {
            return Err(Error::new(Code::RecordTooLarge, "a stored record does not fit in one chunk"));
        };
        *self = Frontier { chunk: at.chunk, offset: end };
        Ok(at)
    }
}

/// The 32 bytes of `meta.zr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How records are stored.
    pub codec: CodecKind,
    /// The write frontier: everything committed lies before it.
    pub tail: Frontier,
    /// Physical records (a ragged store has two for each record).
    pub length: u64,
    /// Never checked, carried along.
    pub reserved: [u8; 10],
}

impl Header {
    /// Bytes of the file.
    pub const SIZE: usize = 32;
    const MAGIC: [u8; 4] = *b"ZREC";
    const VERSION: u8 = 4;

    /// The header of an empty store.
    #[must_use]
    pub const fn empty(codec: CodecKind) -> Self {
        Header { codec, tail: Frontier { chunk: 0, offset: 0 }, length: 0, reserved: [0; 10] }
    }

    /// Reads the header from the whole content of `meta.zr`.
    ///
    /// # Errors
    /// [`Code::CorruptHeader`] or [`Code::UnsupportedVersion`].
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let corrupt = |what: String| Error::new(Code::CorruptHeader, what).in_file(FileId::Meta);
        if bytes.len() != Self::SIZE {
            return Err(corrupt(format!("meta.zr has {} bytes instead of 32", bytes.len())));
        }
        let short = || corrupt("meta.zr is too short".into());
        let magic: [u8; 4] = array_at(bytes, 0).ok_or_else(short)?;
        let [version, codec] = array_at(bytes, 4).ok_or_else(short)?;
        let chunk = u32_at(bytes, 6).ok_or_else(short)?;
        let offset = u32_at(bytes, 10).ok_or_else(short)?;
        let length = u64_at(bytes, 14).ok_or_else(short)?;
        let reserved = array_at(bytes, 22).ok_or_else(short)?;
        if magic != Self::MAGIC {
            return Err(
                corrupt("meta.zr does not start with ZREC; this is not a record store".into()).at_offset(0)
            );
        }
        if version != Self::VERSION {
            let text = format!("meta.zr has version {version}, only version 4 is known");
            return Err(Error::new(Code::UnsupportedVersion, text).in_file(FileId::Meta).at_offset(4));
        }
        let codec = match codec {
            0 => CodecKind::Raw,
            1 => CodecKind::Zstd,
            2 => CodecKind::ZstdDict,
            other => return Err(corrupt(format!("meta.zr names the unknown codec {other}")).at_offset(5)),
        };
        if chunk == u32::MAX {
            return Err(corrupt("meta.zr names an impossible tail chunk".into()).at_offset(6));
        }
        Ok(Header { codec, tail: Frontier { chunk, offset }, length, reserved })
    }

    /// The content of `meta.zr`.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let codec = match self.codec {
            CodecKind::Raw => 0,
            CodecKind::Zstd => 1,
            CodecKind::ZstdDict => 2,
        };
        Fields::new()
            .put(&Self::MAGIC)
            .put(&[Self::VERSION, codec])
            .put(&self.tail.chunk.to_le_bytes())
            .put(&self.tail.offset.to_le_bytes())
            .put(&self.length.to_le_bytes())
            .put(&self.reserved)
            .done()
    }

    /// All payload bytes before the frontier, as the format counts them.
    #[must_use]
    pub fn addressed_bytes(&self, chunk_bytes: u64) -> u64 {
        u64::from(self.tail.chunk).saturating_mul(chunk_bytes).saturating_add(u64::from(self.tail.offset))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn header_of_the_specification() {
        let bytes = [
            0x5a, 0x52, 0x45, 0x43, 4, 0, 0, 0, 0, 0, 0x48, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0,
        ];
        let header = Header::decode(&bytes).unwrap();
        assert_eq!(header.length, 3);
        assert_eq!(header.tail, Frontier { chunk: 0, offset: 72 });
        assert_eq!(header.encode(), bytes);
    }

    #[test]
    fn an_exact_fit_starts_the_next_chunk() {
        let mut frontier = Frontier { chunk: 0, offset: u32::MAX - 999 };
        assert_eq!(frontier.place(1000, 1 << 32).unwrap(), Frontier { chunk: 1, offset: 0 });
        assert_eq!(frontier, Frontier { chunk: 1, offset: 1000 });
        let mut frontier = Frontier { chunk: 0, offset: u32::MAX - 1000 };
        assert_eq!(frontier.place(1000, 1 << 32).unwrap().chunk, 0);
        assert_eq!(frontier, Frontier { chunk: 0, offset: u32::MAX });
    }

    #[test]
    fn the_last_chunk_is_the_end_of_the_store() {
        let mut frontier = Frontier { chunk: u32::MAX - 1, offset: u32::MAX };
        assert_eq!(frontier.place(1, 1 << 32).unwrap_err().code(), Code::StoreFull);
    }
}
