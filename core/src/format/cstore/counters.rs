//! The block behind the magic: how much is committed, in one of two layouts.

use alloc::format;
use alloc::vec::Vec;

use super::super::checksum::crc32;
use super::super::fields::{array_at, u32_at, u64_at};
use crate::error::{Code, Error, Result};

/// The first bytes of every table: `CSTORE`, 0, 1.
pub const MAGIC: [u8; 8] = *b"CSTORE\x00\x01";

/// Where the block starts.
const START: usize = 8;
/// The boundary of the first record.
const DATA_ALIGNMENT: u64 = 64;

/// Which release's header a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Of colstore 0.3: a block of 32 bytes.
    #[default]
    V03,
    /// Of colstore 0.5.1: a block of 64 bytes, which may point to a footer of statistics.
    V05,
}

impl Layout {
    /// The most bytes that [`Counters::decode`] looks at.
    pub const LONGEST_HEAD: usize = 72;

    /// `0.3` or `0.5`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Layout::V03 => "0.3",
            Layout::V05 => "0.5",
        }
    }

    /// The layout with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Layout::V03, Layout::V05].into_iter().find(|layout| layout.as_str() == name)
    }

    /// Where the length of the manifest stands, 8 bytes; the manifest follows it.
    #[must_use]
    pub const fn manifest_len_at(self) -> u64 {
        match self {
            Layout::V03 => 40,
            Layout::V05 => 72,
        }
    }

    /// Where the first record starts behind a manifest of `manifest_len` bytes; `None` beyond 64 bits.
    #[must_use]
    pub fn data_offset(self, manifest_len: u64) -> Option<u64> {
        let manifest_at = self.manifest_len_at().checked_add(8)?;
        manifest_at.checked_add(manifest_len)?.checked_next_multiple_of(DATA_ALIGNMENT)
    }

    /// How many bytes the checksum covers.
    const fn covered(self) -> usize {
        match self {
            Layout::V03 => 16,
            Layout::V05 => 24,
        }
    }

    fn matches(self, head: &[u8]) -> Option<bool> {
        let sum_at = START.checked_add(self.covered())?;
        Some(crc32(head.get(START..sum_at)?) == u32_at(head, sum_at)?)
    }
}

/// What a table has committed. Writing them is what publishes records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The layout of the block.
    pub layout: Layout,
    /// Committed records.
    pub records: u64,
    /// Rows in those records.
    pub rows: u64,
    /// Where the footer of statistics starts; 0 where there is none, and always in the older layout.
    pub statistics_at: u64,
}

impl Counters {
    /// Where the block starts in the file.
    pub const OFFSET: u64 = START as u64;

    /// Reads the counters from the first [`Layout::LONGEST_HEAD`] bytes of a file, or all of a shorter one.
    ///
    /// # Errors
    /// [`Code::CorruptHeader`] or [`Code::TruncatedFile`], with the offset.
    pub fn decode(head: &[u8]) -> Result<Self> {
        if array_at(head, 0) != Some(MAGIC) {
            let text = "the file does not start with CSTORE 0 1: this is no column table of a known version";
            return Err(Error::new(Code::CorruptHeader, text).at_offset(0));
        }
        let layout = [Layout::V03, Layout::V05].into_iter().find(|layout| layout.matches(head) == Some(true));
        let (layout, records, rows) = match (layout, u64_at(head, 8), u64_at(head, 16)) {
            (Some(layout), Some(records), Some(rows)) => (layout, records, rows),
            _ if head.len() < 40 => {
                let text = format!("the file ends inside its counters, after {} bytes", head.len());
                return Err(Error::new(Code::TruncatedFile, text).at_offset(8));
            }
            _ => {
                let text =
                    "the checksum of the counters is wrong in both known layouts: the number of rows is lost";
                return Err(Error::new(Code::CorruptHeader, text).at_offset(8));
            }
        };
        let negative = |what: &str, value: u64, at| {
            let text = format!("the counters name {} {what}", value.cast_signed());
            Error::new(Code::CorruptHeader, text).at_offset(at)
        };
        if i64::try_from(records).is_err() {
            return Err(negative("records", records, 8));
        }
        if i64::try_from(rows).is_err() {
            return Err(negative("rows", rows, 16));
        }
        // The footer is optional: a place that cannot be is as good as none.
        let statistics_at = match layout {
            Layout::V03 => 0,
            Layout::V05 => u64_at(head, 24).filter(|&at| i64::try_from(at).is_ok()).unwrap_or(0),
        };
        Ok(Counters { layout, records, rows, statistics_at })
    }

    /// The block as it is written at [`Counters::OFFSET`]: 32 or 64 bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut block = Vec::with_capacity(64);
        block.extend_from_slice(&self.records.to_le_bytes());
        block.extend_from_slice(&self.rows.to_le_bytes());
        let len = match self.layout {
            Layout::V03 => 32,
            Layout::V05 => {
                block.extend_from_slice(&self.statistics_at.to_le_bytes());
                64
            }
        };
        block.extend_from_slice(&crc32(&block).to_le_bytes());
        block.resize(len, 0);
        block
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use super::*;

    fn head(counters: Counters) -> Vec<u8> {
        [&MAGIC[..], &counters.encode()].concat()
    }

    #[test]
    fn checksums_of_the_specification() {
        for (records, rows, sum) in [(0, 0, 0xecbb_4b55_u32), (1, 3, 0xcc5c_dd27), (3, 4, 0x4139_f15d)] {
            let block = Counters { records, rows, ..Counters::default() }.encode();
            assert_eq!(block.len(), 32);
            assert_eq!(block[16..20], sum.to_le_bytes());
        }
    }

    #[test]
    fn the_checksum_tells_the_layouts_apart() {
        for layout in [Layout::V03, Layout::V05] {
            let statistics_at = if layout == Layout::V05 { 4096 } else { 0 };
            let counters = Counters { layout, records: 2, rows: 9, statistics_at };
            assert_eq!(Counters::decode(&head(counters)).unwrap(), counters);
        }
    }

    #[test]
    fn impossible_counters_are_refused_where_they_stand() {
        let refused = |records, rows| {
            let error =
                Counters::decode(&head(Counters { records, rows, ..Counters::default() })).unwrap_err();
            (error.code(), error.offset())
        };
        assert_eq!(refused(u64::MAX, 0), (Code::CorruptHeader, Some(8)));
        assert_eq!(refused(0, 1 << 63), (Code::CorruptHeader, Some(16)));
        let cut = Counters::decode(&head(Counters::default())[..20]).unwrap_err();
        assert_eq!((cut.code(), cut.offset()), (Code::TruncatedFile, Some(8)));
    }

    #[test]
    fn the_first_record_is_aligned() {
        assert_eq!(Layout::V03.data_offset(202), Some(256));
        assert_eq!(Layout::V03.data_offset(16), Some(64));
        assert_eq!(Layout::V05.data_offset(0), Some(128));
        assert_eq!(Layout::V03.data_offset(u64::MAX - 50), None);
    }
}
