//! The column table's file, as colstore 0.3.0 and 0.5.1 write it.

mod counters;
mod encoding;
pub mod json;
mod manifest;
mod record;
mod statistics;
mod text;

pub use counters::{Counters, Layout, MAGIC};
pub use json::Json;
pub use manifest::{Column, Manifest};
pub use record::{RecordHeader, body_len};
pub use statistics::{ColumnStatistics, Extremes, Statistics};
pub use text::Text;
