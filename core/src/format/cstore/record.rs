//! The header before each record's rows, and the sizes that follow from it.

use alloc::format;
use alloc::string::String;

use super::super::checksum::crc32;
use super::super::fields::{Fields, array_at, u32_at, u64_at};
use crate::error::{Code, Error, Result};

/// The 32 bytes before the rows of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// Its number, from 0.
    pub index: u64,
    /// Its rows; there may be none.
    pub rows: u64,
}

impl RecordHeader {
    /// Bytes in the file.
    pub const SIZE: usize = 32;
    const MAGIC: [u8; 4] = *b"REC\x01";
    const COVERED: usize = 28;

    /// Reads the header that should be the one of record `index`.
    ///
    /// # Errors
    /// [`Code::CorruptRecord`] naming the record; the caller knows the offset.
    pub fn decode(bytes: &[u8; Self::SIZE], index: u64) -> Result<Self> {
        let wrong = |what: String| Err(Error::new(Code::CorruptRecord, what).at_record(index));
        if array_at(bytes, 0) != Some(Self::MAGIC) {
            return wrong("the record header does not start with REC 1: its bytes were overwritten".into());
        }
        let fields = (u64_at(bytes, 4), u64_at(bytes, 12), u32_at(bytes, Self::COVERED));
        let (Some(stored), Some(rows), Some(sum)) = fields else {
            return wrong("the record header is too short".into());
        };
        if stored != index {
            return wrong(format!(
                "the record header says record {}, this is record {index}",
                stored.cast_signed()
            ));
        }
        let covered = bytes.get(..Self::COVERED).unwrap_or_default();
        if crc32(covered) != sum {
            return wrong("the checksum of the record header is wrong: its number of rows is lost".into());
        }
        if i64::try_from(rows).is_err() {
            return wrong(format!("the record header says {} rows", rows.cast_signed()));
        }
        Ok(RecordHeader { index, rows })
    }

    /// The 32 bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let fields = Fields::new()
            .put(&Self::MAGIC)
            .put(&self.index.to_le_bytes())
            .put(&self.rows.to_le_bytes())
            .put(&[0; 8]);
        let sum = crc32(fields.so_far());
        fields.put(&sum.to_le_bytes()).done()
    }
}

/// The bytes of `rows` rows of `row_width` bytes with their padding, headers apart; `None` beyond 64 bits.
#[must_use]
pub fn body_len(rows: u64, row_width: u64) -> Option<u64> {
    rows.checked_mul(row_width)?.checked_next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn checksums_of_the_specification() {
        for (index, rows, sum) in [(0, 3, 0xe29b_6e75_u32), (1, 0, 0x4a76_bfa0), (2, 1, 0xbc00_8719)] {
            let header = RecordHeader { index, rows };
            let bytes = header.encode();
            assert_eq!(bytes[28..], sum.to_le_bytes());
            assert_eq!(RecordHeader::decode(&bytes, index).unwrap(), header);
        }
    }

    #[test]
    fn every_changed_byte_is_seen() {
        let bytes = RecordHeader { index: 1, rows: 7 }.encode();
        for at in 0..bytes.len() {
            let mut changed = bytes;
            changed[at] ^= 1;
            assert_eq!(
                RecordHeader::decode(&changed, 1).unwrap_err().code(),
                Code::CorruptRecord,
                "byte {at}"
            );
        }
        assert_eq!(RecordHeader::decode(&bytes, 2).unwrap_err().record(), Some(2));
    }

    #[test]
    fn bodies_are_padded_to_eight() {
        assert_eq!(body_len(3, 12), Some(40));
        assert_eq!(body_len(0, 12), Some(0));
        assert_eq!(body_len(1 << 62, 12), None);
    }
}
