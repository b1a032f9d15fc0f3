//! Reads as plans: lists of byte ranges out, bytes in.
//!
//! A gather is two dependent rounds: [`Locate`] asks for table entries, [`Fetch`] for the stored bytes they name.
//! Who drives them decides how the ranges are read: one by one from a file, or [`coalesce`]d over a network.

mod coalesce;
mod fetch;
mod locate;
mod order;

pub use coalesce::{Coalesce, Span, coalesce};
pub use fetch::{Fetch, Piece};
pub use locate::Locate;
pub(crate) use order::sort_by_offset;

use crate::storage::FileId;

/// Bytes that a plan needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRange {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub len: u32,
}

impl ReadRange {
    /// The offset behind the last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.len))
    }
}
