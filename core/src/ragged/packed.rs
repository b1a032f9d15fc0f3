//! Records as other languages hand them over: packed, one behind the other.

use alloc::vec::Vec;

use super::RaggedStore;
use crate::environment::Environment;
use crate::error::{Code, Error, Result};

/// Ragged records in three runs, each record behind the one before.
///
/// ```
/// use recask_core::dtype::DType;
/// use recask_core::ragged::{PackedRecords, RaggedStore};
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
///
/// let mut store = RaggedStore::<MemoryEnvironment>::builder(DType::U8).create(MemoryPlace::new())?;
/// let packed = PackedRecords { bytes: &[1, 2, 3, 4, 5, 6, 7], extents: &[3, 2, 2], ranks: &[1, 2] };
/// store.append_packed(&packed)?;
/// let batch = store.record(1)?;
/// assert_eq!(batch.record(0).unwrap().shape, [2, 2]);
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PackedRecords<'a> {
    /// Their elements, in the store's own element type and byte order.
    pub bytes: &'a [u8],
    /// Their shapes.
    pub extents: &'a [u64],
    /// How many of the extents each has.
    pub ranks: &'a [u8],
}

impl<E: Environment> RaggedStore<E> {
    /// Appends packed records, and returns the index of the first.
    ///
    /// # Errors
    /// As [`RaggedStore::append_shaped`]; [`Code::ShapeMismatch`] also where bytes or extents are left over.
    pub fn append_packed(&mut self, packed: &PackedRecords<'_>) -> Result<u64> {
        let records = packed.split(self.dtype().itemsize())?;
        self.append_bytes(&records)
    }
}

impl<'a> PackedRecords<'a> {
    /// The shape and the bytes of each.
    fn split(&self, itemsize: u64) -> Result<Vec<(&'a [u64], &'a [u8])>> {
        let wrong = || Error::new(Code::ShapeMismatch, "the shapes of the records do not fit their values");
        let (mut bytes, mut extents) = (self.bytes, self.extents);
        let mut records = Vec::with_capacity(self.ranks.len());
        for &rank in self.ranks {
            let (shape, other) = extents.split_at_checked(usize::from(rank)).ok_or_else(wrong)?;
            let size = shape.iter().try_fold(itemsize, |size, &extent| size.checked_mul(extent));
            let size = size.and_then(|size| usize::try_from(size).ok()).ok_or_else(wrong)?;
            let (record, rest) = bytes.split_at_checked(size).ok_or_else(wrong)?;
            records.push((shape, record));
            (bytes, extents) = (rest, other);
        }
        if bytes.is_empty() && extents.is_empty() { Ok(records) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn what_fits_is_cut_and_what_does_not_is_refused() {
        let bytes = [0, 1, 2, 3, 4, 5];
        let split = |extents: &[u64], ranks: &[u8]| {
            let records = PackedRecords { bytes: &bytes, extents, ranks }.split(2)?;
            Ok::<_, Error>(
                records.iter().map(|(shape, bytes)| (shape.len(), bytes.len())).collect::<Vec<_>>(),
            )
        };
        assert_eq!(split(&[1, 2, 1], &[1, 2]).unwrap(), vec![(1, 2), (2, 4)]);
        assert_eq!(split(&[2], &[0, 1]).unwrap(), vec![(0, 2), (1, 4)]);
        for (extents, ranks) in
            [(&[3, 1][..], &[1][..]), (&[2], &[1]), (&[4], &[1]), (&[3], &[2]), (&[u64::MAX, 2], &[2])]
        {
            assert_eq!(
                split(extents, ranks).unwrap_err().code(),
                Code::ShapeMismatch,
                "{extents:?} {ranks:?}"
            );
        }
    }
}
