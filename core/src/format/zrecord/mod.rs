//! The record store's files, as loaderx 1.7.2 writes them, and Recask's journal beside them.

mod entry;
mod header;
pub mod journal;
pub mod shape_record;
mod typed;

pub use entry::{Entry, EntryRules};
pub use header::{CodecKind, Frontier, Header};
pub use typed::{StoreKind, TypedHeader};

/// The sizes that the format fixes; tests make them small to reach the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Address space of one chunk. A chunk never holds more than one byte less.
    pub chunk_bytes: u64,
    /// Entries in one segment of the record table.
    pub segment_entries: u64,
    /// The largest record, decoded, in bytes.
    pub record_bytes: u64,
    /// Payload that compaction moves between two syncs.
    pub move_bytes: u64,
}

impl Geometry {
    /// What the format says: 4 GiB chunks, 2^28 entries a segment, 2 GiB records.
    pub const FORMAT: Geometry = Geometry {
        chunk_bytes: 1 << 32,
        segment_entries: 1 << 28,
        record_bytes: 1 << 31,
        move_bytes: 64 << 20,
    };

    /// The segment and the byte offset in it of a table entry; `None` past the addressable table.
    #[must_use]
    pub fn slot(&self, physical: u64) -> Option<(u32, u64)> {
        let segment = physical.checked_div(self.segment_entries)?;
        let within = physical.checked_rem(self.segment_entries)?;
        Some((u32::try_from(segment).ok()?, within.checked_mul(Entry::SIZE as u64)?))
    }

    /// How many segments a table of `length` entries needs.
    #[must_use]
    pub fn segments(&self, length: u64) -> u64 {
        length.div_ceil(self.segment_entries)
    }
}

impl Default for Geometry {
    fn default() -> Self {
        Geometry::FORMAT
    }
}
