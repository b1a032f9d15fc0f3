//! Choosing samples for a dictionary, exactly as loaderx does. What libzstd makes of them differs between its versions.

use alloc::format;
use alloc::vec::Vec;

// Who trains in this build: the C library before pure Rust, which needs the standard library for it.
#[cfg(all(
    any(feature = "compact", all(feature = "structured-zstd", feature = "std")),
    not(feature = "zstd")
))]
use super::structured::train;
#[cfg(feature = "zstd")]
use super::zstd::train;
use crate::error::{Code, Error, Result};

/// How large a dictionary may become, and how much is sampled for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// 32 KiB from 4 MiB of samples.
    Fast,
    /// 128 KiB from 16 MiB of samples.
    #[default]
    Balanced,
    /// 1 MiB from 64 MiB of samples.
    Max,
}

impl Tier {
    /// Every tier, smallest first.
    pub const ALL: [Tier; 3] = [Tier::Fast, Tier::Balanced, Tier::Max];

    /// The most bytes of the dictionary.
    #[must_use]
    pub const fn capacity(self) -> usize {
        match self {
            Tier::Fast => 32 << 10,
            Tier::Balanced => 128 << 10,
            Tier::Max => 1 << 20,
        }
    }

    /// The bytes of samples that are enough.
    #[must_use]
    pub const fn budget(self) -> u64 {
        match self {
            Tier::Fast => 4 << 20,
            Tier::Balanced => 16 << 20,
            Tier::Max => 64 << 20,
        }
    }

    /// `fast`, `balanced` or `max`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Tier::Fast => "fast",
            Tier::Balanced => "balanced",
            Tier::Max => "max",
        }
    }

    /// The tier with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.as_str() == name)
    }
}

/// The records to sample out of `count` records of about `item_bytes` bytes: evenly spread, first and last
/// included (spec, section 8: `unique(trunc(linspace(0, n - 1, k)))`).
#[must_use]
pub fn sample_positions(count: u64, item_bytes: u64, tier: Tier) -> Vec<u64> {
    if count == 0 {
        return Vec::new();
    }
    let samples = (tier.budget() / item_bytes.max(1)).max(1).min(count);
    if samples == 1 {
        return alloc::vec![0];
    }
    let last = count - 1;
    // NumPy computes start + j * step in float64, and sets the last one exactly.
    let step = last as f64 / (samples - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "truncation is NumPy's rule")]
    let mut positions: Vec<u64> = (0..samples).map(|j| ((j as f64 * step) as u64).min(last)).collect();
    if let Some(end) = positions.last_mut() {
        *end = last;
    }
    positions.dedup();
    positions
}

/// Samples that lie one after the other, as training takes them.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
}

impl Samples {
    /// No samples yet.
    #[must_use]
    pub fn new() -> Self {
        Samples::default()
    }

    /// Adds one record.
    pub fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.sizes.push(record.len());
    }

    /// Takes records from the front of `records` until the budget of `tier` is reached, the one that crosses it
    /// included.
    #[must_use]
    pub fn from_records<R: AsRef<[u8]>>(records: impl IntoIterator<Item = R>, tier: Tier) -> Self {
        let mut samples = Samples::new();
        for record in records {
            samples.push(record.as_ref());
            if samples.bytes.len() as u64 >= tier.budget() {
                break;
            }
        }
        samples
    }

    /// Samples equally wide records that lie one after the other, as loaderx samples an array.
    ///
    /// # Errors
    /// [`Code::ShapeMismatch`] where `values` is not a whole number of records.
    pub fn from_array(values: &[u8], record_bytes: usize, tier: Tier) -> Result<Self> {
        if record_bytes == 0 || !values.len().is_multiple_of(record_bytes) {
            let text =
                format!("{} bytes are not a whole number of records of {record_bytes} bytes", values.len());
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        let records: Vec<&[u8]> = values.chunks_exact(record_bytes).collect();
        let mut samples = Samples::new();
        for position in sample_positions(records.len() as u64, record_bytes as u64, tier) {
            if let Some(record) = usize::try_from(position).ok().and_then(|position| records.get(position)) {
                samples.push(record);
            }
        }
        Ok(samples)
    }

    /// How many samples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Trains a dictionary. It may come out smaller than the tier allows.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] without samples, [`Code::TrainingFailed`] where they are too few or too small,
    /// [`Code::Unsupported`] where this build cannot train.
    pub fn train(&self, tier: Tier) -> Result<Vec<u8>> {
        if self.is_empty() {
            return Err(Error::new(Code::InvalidArgument, "a dictionary needs samples; none were given"));
        }
        train(&self.bytes, &self.sizes, tier.capacity())
    }
}

#[cfg(not(any(feature = "zstd", feature = "compact", all(feature = "structured-zstd", feature = "std"))))]
fn train(_samples: &[u8], _sizes: &[usize], _capacity: usize) -> Result<Vec<u8>> {
    let text = "this build trains no dictionaries; train one with another build and give its bytes";
    Err(Error::new(Code::Unsupported, text))
}

/// The failure of training from too little.
#[cfg(any(feature = "zstd", feature = "compact", all(feature = "structured-zstd", feature = "std")))]
pub(super) fn untrainable(samples: &[u8], sizes: &[usize], reason: impl core::fmt::Display) -> Error {
    let text = format!(
        "no dictionary can be trained from {} samples of {} bytes together ({reason}); give more or larger samples",
        sizes.len(),
        samples.len(),
    );
    Error::new(Code::TrainingFailed, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_records_are_all_taken() {
        assert_eq!(sample_positions(5, 10, Tier::Fast), [0, 1, 2, 3, 4]);
        assert_eq!(sample_positions(0, 10, Tier::Fast), [0u64; 0]);
    }

    #[test]
    fn many_records_are_spread_from_first_to_last() {
        // numpy.unique(numpy.linspace(0, 99, 4).astype("u8"))
        assert_eq!(sample_positions(100, 1 << 20, Tier::Fast), [0, 33, 66, 99]);
        assert_eq!(sample_positions(100, 5 << 20, Tier::Fast), [0]);
    }
}
