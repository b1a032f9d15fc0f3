//! Rows that follow from their number alone, so that two processes agree on them.

/// A row: its number, and something computed from it.
pub(crate) fn numbered(row: u64) -> (u64, f32) {
    let low = u16::try_from(row * 31 % 65_536).unwrap_or(0);
    (row, f32::from(low) / 4.0)
}
