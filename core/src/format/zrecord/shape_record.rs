//! The second physical record of a ragged record: its shape.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::fields::u64_at;
use crate::shape::{Shape, elements_of};

/// The most extents, as in NumPy.
pub const MAX_RANK: usize = 64;
/// The most bytes of a shape record.
pub const MAX_BYTES: usize = 8 * (MAX_RANK + 1);

/// Bytes of the shape record of this rank.
#[must_use]
pub const fn len(rank: usize) -> usize {
    rank.saturating_add(1).saturating_mul(8)
}

/// The rank of a shape record of `bytes` bytes.
///
/// # Errors
/// A sentence, when no shape record is that long.
pub fn rank_of(bytes: u32) -> Result<usize, String> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    if bytes < 8 || !bytes.is_multiple_of(8) {
        return Err(format!(
            "its shape record has {bytes} bytes, which is no rank and extents of 8 bytes each"
        ));
    }
    if bytes > MAX_BYTES {
        return Err(format!("its shape record has {bytes} bytes, more than {MAX_RANK} extents need"));
    }
    Ok((bytes / 8).saturating_sub(1))
}

/// Appends the shape record of `dims` to `out`.
pub fn encode(dims: &[u64], out: &mut Vec<u8>) {
    out.extend_from_slice(&(dims.len() as u64).to_le_bytes());
    out.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
}

/// Reads the extents into `dims`, which is as long as the rank, and checks them against `payload` bytes of elements of
/// `itemsize` bytes.
///
/// # Errors
/// A sentence, when the record contradicts itself or the payload.
pub fn decode(bytes: &[u8], itemsize: u64, payload: u32, dims: &mut [u64]) -> Result<(), String> {
    if u64_at(bytes, 0) != Some(dims.len() as u64) || bytes.len() != len(dims.len()) {
        let rank = u64_at(bytes, 0).unwrap_or(0);
        return Err(format!("its shape record names rank {rank} and has room for {} extents", dims.len()));
    }
    let (extents, _) = bytes.get(8..).unwrap_or_default().as_chunks::<8>();
    for (dim, extent) in dims.iter_mut().zip(extents) {
        *dim = u64::from_le_bytes(*extent);
    }
    let expected = elements_of(dims).ok().and_then(|elements| elements.checked_mul(itemsize));
    if expected != Some(u64::from(payload)) || payload == 0 {
        return Err(format!(
            "its shape {} with elements of {itemsize} bytes does not give its {payload} bytes",
            Shape::from(&*dims)
        ));
    }
    Ok(())
}
