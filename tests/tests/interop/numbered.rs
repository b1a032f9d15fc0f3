//! Records that follow from their number alone, so that two processes agree on them.

use recask::StoreKind;

/// The shape of every dense record, of two-byte elements.
pub(crate) const ITEM_SHAPE: &[u64] = &[30];

/// Shape and bytes of the record with this number, of two-byte elements.
pub(crate) fn numbered(kind: StoreKind, number: u64) -> (Vec<u64>, Vec<u8>) {
    let shape = match kind {
        StoreKind::Dense => ITEM_SHAPE.to_vec(),
        StoreKind::Ragged => vec![1 + number % 7, 2],
    };
    let elements = shape.iter().product::<u64>();
    let bytes =
        (0..elements).flat_map(|i| ((number * 31 + i) % 65_536).to_le_bytes().into_iter().take(2)).collect();
    (shape, bytes)
}
