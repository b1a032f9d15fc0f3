//! What a loader tells about its run.

use std::time::Duration;

use recask_core::loader::Loss;

use super::batch::Size;

/// What a loader delivered since it was started, how long its caller waited, and what was lost.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Batches that were delivered.
    pub batches: u64,
    /// Records in them.
    pub records: u64,
    /// Bytes of values in them, as they were read: before the transform.
    pub value_bytes: u64,
    /// How long the caller waited for them altogether; with no workers, how long making them took.
    pub waited: Duration,
    /// Records that could not be read and were left out, each counted in every stream and step.
    pub lost_records: u64,
    /// Steps that were left out.
    pub skipped_steps: u64,
    /// The first [`Report::LOSSES`] of the losses: stream, record and reason.
    pub losses: Vec<Loss>,
}

impl Report {
    /// How many losses are kept; [`Report::lost_records`] counts all.
    pub const LOSSES: usize = 100;

    pub(super) fn add(&mut self, size: Option<Size>, losses: Vec<Loss>) {
        match size {
            Some(size) => {
                self.batches += 1;
                self.records += size.records;
                self.value_bytes += size.value_bytes;
            }
            None => self.skipped_steps += 1,
        }
        self.lost_records += losses.len() as u64;
        let room = Self::LOSSES - self.losses.len();
        self.losses.extend(losses.into_iter().take(room));
    }
}
