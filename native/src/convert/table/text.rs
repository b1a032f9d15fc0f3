//! Values of a column as text.

use recask_core::DType;
use recask_core::dtype::{ByteOrder, Kind};

use super::super::export::{write_json, write_text};
use super::iso::iso_time;

/// Writes a value as JSON: as [`write_json`] has it, but times as ISO 8601 text.
pub(super) fn write_value(dtype: &DType, bytes: &[u8], out: &mut String) {
    match (dtype.kind(), dtype.unit(), bytes.first_chunk::<8>()) {
        (Kind::DateTime, Some(unit), Some(ticks)) => {
            let ticks = match dtype.order() {
                ByteOrder::Big => i64::from_be_bytes(*ticks),
                ByteOrder::Little | ByteOrder::Irrelevant => i64::from_le_bytes(*ticks),
            };
            write_text(&iso_time(ticks, unit), out);
        }
        _ => write_json(dtype, &[], bytes, out),
    }
}
