//! Copying records from store to store, which is how a store gets another codec.

use crate::dense::{DenseBatch, DenseStore};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::progress::{self, Progress};
use crate::ragged::{RaggedBatch, RaggedStore};

/// Decoded bytes that are copied at once.
const STEP_BYTES: u64 = 16 << 20;
/// Records that are copied at once.
const STEP_RECORDS: u64 = 1 << 14;

impl<E: Environment> DenseStore<E> {
    /// Appends all records to `target`, which has the same type and shape, in bounded memory. Progress counts records.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`], [`Code::ShapeMismatch`], [`Code::Interrupted`], and what reading and appending say; the
    /// target then has a part of the records.
    pub fn copy_to<F: Environment>(&self, target: &mut DenseStore<F>, progress: &dyn Progress) -> Result<()> {
        same(self.dtype(), target.dtype(), Code::DTypeMismatch)?;
        same(self.item_shape(), target.item_shape(), Code::ShapeMismatch)?;
        let step = (STEP_BYTES / self.record_bytes().max(1)).clamp(1, STEP_RECORDS);
        let mut batch: Option<DenseBatch> = None;
        for (first, end) in steps(self.len(), step) {
            progress::check(progress)?;
            let batch = match &mut batch {
                Some(batch) => {
                    self.gather_batch(first..end, batch)?;
                    batch
                }
                None => batch.insert(self.gather(first..end)?),
            };
            target.append_bytes(batch.as_bytes())?;
            progress.advance(end - first);
        }
        Ok(())
    }
}

impl<E: Environment> RaggedStore<E> {
    /// Appends all records to `target`, which has the same element type, in bounded memory. Progress counts records.
    ///
    /// # Errors
    /// As [`DenseStore::copy_to`].
    pub fn copy_to<F: Environment>(
        &self,
        target: &mut RaggedStore<F>,
        progress: &dyn Progress,
    ) -> Result<()> {
        same(self.dtype(), target.dtype(), Code::DTypeMismatch)?;
        let mut batch = RaggedBatch::new(self.dtype().clone());
        let mut step = 64;
        let mut first = 0;
        while first < self.len() {
            progress::check(progress)?;
            let end = (first + step).min(self.len());
            self.gather_batch(first..end, &mut batch)?;
            target.append_batch(&batch)?;
            progress.advance(end - first);
            first = end;
            // Records may be of any size: the last step tells how many make a good one.
            let mean = (batch.as_bytes().len() as u64 / batch.len() as u64).max(1);
            step = (STEP_BYTES / mean).clamp(1, STEP_RECORDS);
        }
        Ok(())
    }
}

fn steps(len: u64, step: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..len.div_ceil(step)).map(move |i| (i * step, ((i + 1) * step).min(len)))
}

fn same<T: PartialEq + core::fmt::Display>(source: &T, target: &T, code: Code) -> Result<()> {
    if source == target {
        return Ok(());
    }
    Err(Error::new(
        code,
        alloc::format!("the source has {source}, the target {target}; both must be the same"),
    ))
}
