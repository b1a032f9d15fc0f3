//! Little-endian fields at fixed places.

/// The `N` bytes at `at`, if there are as many.
pub(super) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// Fields written one after the other into `N` zeroed bytes.
pub(super) struct Fields<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Fields<N> {
    pub(super) fn new() -> Self {
        Fields { bytes: [0; N], at: 0 }
    }

    /// Appends `field`; what does not fit in `N` is left out, which the size constants rule out.
    pub(super) fn put(mut self, field: &[u8]) -> Self {
        let end = self.at.saturating_add(field.len());
        if let Some(place) = self.bytes.get_mut(self.at..end) {
            place.copy_from_slice(field);
        }
        self.at = end;
        self
    }

    pub(super) fn so_far(&self) -> &[u8] {
        self.bytes.get(..self.at).unwrap_or(&self.bytes)
    }

    pub(super) fn done(self) -> [u8; N] {
        self.bytes
    }
}
