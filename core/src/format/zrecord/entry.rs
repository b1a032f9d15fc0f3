//! One entry of the record table, and what makes it possible.

use alloc::format;
use alloc::string::String;

use super::super::fields::u32_at;
use super::{CodecKind, Frontier, Geometry, Header};
use crate::error::{Code, Error, Result};
use crate::storage::FileId;

/// Where one physical record lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Offset inside the chunk.
    pub offset: u32,
    /// Stored bytes.
    pub stored: u32,
    /// Decoded bytes.
    pub decoded: u32,
    /// The chunk.
    pub chunk: u32,
}

impl Entry {
    /// Bytes in the table.
    pub const SIZE: usize = 16;

    /// Bytes in the table, as plans count.
    pub const LEN: u32 = 16;

    /// Reads the entry from its 16 bytes.
    #[inline]
    #[must_use]
    pub fn decode(bytes: &[u8; Self::SIZE]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        Entry {
            offset: u32::from_le_bytes([a, b, c, d]),
            stored: u32::from_le_bytes([e, f, g, h]),
            decoded: u32::from_le_bytes([i, j, k, l]),
            chunk: u32::from_le_bytes([m, n, o, p]),
        }
    }

    /// Reads entry number `at` of a piece of the table.
    #[must_use]
    pub fn nth(table: &[u8], at: usize) -> Option<Self> {
        let start = at.checked_mul(Self::SIZE)?;
        let field = |i: usize| u32_at(table, start.checked_add(i)?);
        Some(Entry { offset: field(0)?, stored: field(4)?, decoded: field(8)?, chunk: field(12)? })
    }

    /// The 16 bytes of the table.
    #[inline]
    #[must_use]
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let [a, b, c, d] = self.offset.to_le_bytes();
        let [e, f, g, h] = self.stored.to_le_bytes();
        let [i, j, k, l] = self.decoded.to_le_bytes();
        let [m, n, o, p] = self.chunk.to_le_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    /// Where it starts.
    #[must_use]
    pub fn start(&self) -> Frontier {
        Frontier { chunk: self.chunk, offset: self.offset }
    }

    /// The offset behind its stored bytes.
    #[must_use]
    pub fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.stored)
    }
}

const MOST_BYTES_PER_STORED: u64 = (128 << 10) / 3 + 1;

/// What a possible entry looks like in one store: checked whenever an entry is used.
#[derive(Clone, Copy, Debug)]
pub struct EntryRules {
    /// The committed frontier and the codec.
    pub header: Header,
    /// Sizes of the format.
    pub geometry: Geometry,
}

impl EntryRules {
    /// The stored bytes to fetch for `entry`.
    ///
    /// A raw record is as long as its decoded length says, as in loaderx, which ignores the stored length there.
    ///
    /// # Errors
    /// [`Code::CorruptEntry`], naming the table file and the offset of the entry.
    #[inline]
    pub fn fetch_len(&self, physical: u64, entry: &Entry) -> Result<u32> {
        let len = if self.header.codec == CodecKind::Raw { entry.decoded } else { entry.stored };
        let end = u64::from(entry.offset) + u64::from(len.max(entry.stored));
        let tail = self.header.tail;
        let bound =
            if entry.chunk == tail.chunk { u64::from(tail.offset) } else { self.geometry.chunk_bytes };
        if entry.chunk <= tail.chunk
            && entry.stored != 0
            && entry.decoded != 0
            && u64::from(entry.decoded) <= self.geometry.record_bytes
            && end <= bound
            && !self.too_dense(entry)
        {
            return Ok(len);
        }
        Err(self.impossible(physical, entry, end, bound))
    }

    #[cold]
    fn impossible(&self, physical: u64, entry: &Entry, end: u64, bound: u64) -> Error {
        self.refuse(physical, &self.reason(entry, end, bound))
    }

    /// Also refuses what only structure shows and loaderx reads all the same: for [`verify`](crate::store::Store::verify).
    ///
    /// # Errors
    /// As [`EntryRules::fetch_len`].
    pub fn check_strictly(&self, physical: u64, entry: &Entry) -> Result<u32> {
        let len = self.fetch_len(physical, entry)?;
        if self.header.codec == CodecKind::Raw && entry.stored != entry.decoded {
            let text =
                format!("a raw record of {} bytes claims {} stored bytes", entry.decoded, entry.stored);
            return Err(self.refuse(physical, &text));
        }
        Ok(len)
    }

    /// An error about this entry of the table.
    #[must_use]
    pub fn refuse(&self, physical: u64, reason: &str) -> Error {
        let error = Error::new(Code::CorruptEntry, format!("the table entry is impossible: {reason}"));
        match self.geometry.slot(physical) {
            Some((segment, offset)) => error.in_file(FileId::Loc(segment)).at_offset(offset),
            None => error,
        }
    }

    /// A block of three bytes decodes to 128 KiB at most (RFC 8878, section 3.1.1.2), so a short frame cannot ask for
    /// much memory.
    fn too_dense(&self, entry: &Entry) -> bool {
        self.header.codec != CodecKind::Raw
            && u64::from(entry.decoded) > u64::from(entry.stored).saturating_mul(MOST_BYTES_PER_STORED)
    }

    fn reason(&self, entry: &Entry, end: u64, bound: u64) -> String {
        if entry.chunk > self.header.tail.chunk {
            format!("it names chunk {}, the last one is {}", entry.chunk, self.header.tail.chunk)
        } else if entry.stored == 0 || entry.decoded == 0 {
            format!("it has {} stored and {} decoded bytes", entry.stored, entry.decoded)
        } else if u64::from(entry.decoded) > self.geometry.record_bytes {
            format!("it has {} decoded bytes, the limit is {}", entry.decoded, self.geometry.record_bytes)
        } else if self.too_dense(entry) {
            format!("no frame of {} bytes decodes to {} bytes", entry.stored, entry.decoded)
        } else {
            format!("it ends at {end}, behind the last committed byte {bound} of chunk {}", entry.chunk)
        }
    }
}
