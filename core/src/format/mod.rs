//! Bytes on disk, and nothing else: headers, table entries, identities and journals. `FORMAT.md` is the text.
//!
//! Everything here takes bytes that may be hostile, so nothing indexes, unwraps or wraps around.
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod checksum;
pub mod cstore;
mod fields;
pub mod identity;
pub mod zrecord;
