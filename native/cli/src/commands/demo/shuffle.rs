//! Reading a whole store in shuffled batches, and comparing every record.

use std::time::{Duration, Instant};

use recask::convert::write_json;
use recask::core::sampler::Sampler;
use recask::{AnyStore, Code, DType, DenseBatch, Error, RaggedBatch};

use super::truth::{Records, Truth};
use crate::interrupt;

const BATCH: u64 = 256;
/// Any number: the tour is the same each time.
const SEED: u64 = 42;

/// What reading a store took.
pub(super) struct Read {
    pub(super) bytes: u64,
    /// Without the comparison.
    pub(super) time: Duration,
}

/// Memory for batches.
enum Batch {
    Dense(DenseBatch),
    Ragged(RaggedBatch),
}

/// Reads one cycle of a shuffled order, and the records that it dropped; every record has to come exactly once and be
/// what the source says.
pub(super) fn read_all(store: &AnyStore, truth: &Truth) -> recask::Result<Read> {
    let len = truth.records.len() as u64;
    if store.len() != len {
        let text = format!("the store has {} records, the source {len}", store.len());
        return Err(Error::new(Code::CorruptRecord, text));
    }
    let sampler = Sampler::cyclic(len, BATCH).seed(SEED).build()?;
    let mut unseen = vec![true; truth.records.len()];
    let mut read = Read { bytes: 0, time: Duration::ZERO };
    let mut batch = Batch::for_store(store)?;
    for step in 0..sampler.steps_per_cycle().unwrap_or(0) {
        batch.check(store, &sampler.at(step)?, truth, &mut unseen, &mut read)?;
    }
    let dropped: Vec<u64> =
        (0..).zip(&unseen).filter(|(_, unseen)| **unseen).map(|(record, _)| record).collect();
    batch.check(store, &dropped, truth, &mut unseen, &mut read)?;
    Ok(read)
}

impl Batch {
    fn for_store(store: &AnyStore) -> recask::Result<Self> {
        Ok(match store {
            AnyStore::Dense(store) => Batch::Dense(store.gather(..0)?),
            AnyStore::Ragged(store) => Batch::Ragged(RaggedBatch::new(store.dtype().clone())),
        })
    }

    fn check(
        &mut self,
        store: &AnyStore,
        indices: &[u64],
        truth: &Truth,
        unseen: &mut [bool],
        read: &mut Read,
    ) -> recask::Result<()> {
        interrupt::check()?;
        let started = Instant::now();
        match (store, &mut *self) {
            (AnyStore::Dense(store), Batch::Dense(batch)) => store.gather_batch(indices, batch)?,
            (AnyStore::Ragged(store), Batch::Ragged(batch)) => store.gather_batch(indices, batch)?,
            // The batch was made for this store.
            _ => {}
        }
        read.time += started.elapsed();
        for (position, &index) in indices.iter().enumerate() {
            let (shape, bytes) = match self {
                Batch::Dense(batch) => (batch.shape().get(1..), batch.record(position)),
                Batch::Ragged(batch) => {
                    let record = batch.record(position);
                    (record.map(|record| record.shape), record.map(|record| record.bytes))
                }
            };
            let fresh =
                usize::try_from(index).ok().and_then(|index| unseen.get_mut(index)).map(std::mem::take);
            let same =
                shape.zip(bytes).is_some_and(|(shape, bytes)| truth.has(index, store.dtype(), shape, bytes));
            if fresh != Some(true) {
                return Err(wrong("the record came twice in one cycle", index));
            }
            if !same {
                return Err(wrong("the record differs from its source", index));
            }
            read.bytes += bytes.map_or(0, |bytes| bytes.len() as u64);
        }
        Ok(())
    }
}

pub(super) fn wrong(text: &'static str, record: u64) -> Error {
    Error::new(Code::CorruptRecord, text).at_record(record)
}

impl Truth {
    /// Whether the source's record is this one.
    pub(super) fn has(&self, index: u64, dtype: &DType, shape: &[u64], bytes: &[u8]) -> bool {
        let Ok(index) = usize::try_from(index) else { return false };
        match &self.records {
            Records::Bytes(records) => records.get(index).is_some_and(|record| record == bytes),
            Records::Texts(records) => {
                let mut json = String::new();
                write_json(dtype, shape, bytes, &mut json);
                let read = serde_json::from_str::<Vec<String>>(&json);
                read.is_ok_and(|read| records.get(index) == Some(&read))
            }
        }
    }
}
