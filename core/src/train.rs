//! Training a dictionary from a store, with the samples that loaderx takes.

use crate::buffer::Buffer;
use crate::codec::dictionary::{Samples, Tier, sample_positions};
use crate::dense::DenseStore;
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::ragged::RaggedStore;

/// Records that are read at once while sampling.
const STEP: usize = 64;

impl<E: Environment> DenseStore<E> {
    /// Evenly spread records to train a dictionary from; `samples(tier)?.train(tier)` is the dictionary.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for an empty store, or a data error.
    pub fn samples(&self, tier: Tier) -> Result<Samples> {
        let positions = sample_positions(self.len(), self.record_bytes(), tier);
        if positions.is_empty() {
            return Err(empty());
        }
        let mut samples = Samples::new();
        let mut buffer = Buffer::new();
        for step in positions.chunks(STEP) {
            buffer.resize(self.record_bytes().saturating_mul(step.len() as u64))?;
            self.gather_into(step, &mut buffer)?;
            buffer.chunks(buffer.len() / step.len()).for_each(|record| samples.push(record));
        }
        Ok(samples)
    }
}

impl<E: Environment> RaggedStore<E> {
    /// Evenly spread records, without their shapes, to train a dictionary from; the first 32 tell how large records
    /// are.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for an empty store, or a data error.
    pub fn samples(&self, tier: Tier) -> Result<Samples> {
        if self.is_empty() {
            return Err(empty());
        }
        let first = self.gather(..self.len().min(32))?;
        let mean = first.as_bytes().len() / first.len();
        let mut samples = Samples::new();
        for step in sample_positions(self.len(), mean as u64, tier).chunks(STEP) {
            self.gather(step)?.records().for_each(|record| samples.push(record.bytes));
        }
        Ok(samples)
    }
}

fn empty() -> Error {
    Error::new(Code::InvalidArgument, "an empty store has no samples to train a dictionary from")
}
