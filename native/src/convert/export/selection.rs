//! The records of one stream that are to be written, a window at a time.

use std::borrow::Cow;

use recask_core::{DenseBatch, Index, RaggedBatch, Result};

use super::super::array::WINDOW;
use super::super::problem::check;
use super::wrong_kind;
use crate::{AnyStore, DenseStore, Progress, RaggedStore};

/// Records that are read at once.
const MOST_RECORDS: u64 = 1 << 14;

/// Which records of a store.
pub(super) enum Selection<'s> {
    /// All of them; a list would need memory for each.
    All(u64),
    Listed(Cow<'s, [u64]>),
}

/// A stream to export.
pub(super) struct Source<'s> {
    pub(super) name: String,
    pub(super) store: AnyStore,
    pub(super) selection: Selection<'s>,
}

impl<'s> Selection<'s> {
    pub(super) fn of(index: &'s Index<'_>, len: u64) -> Result<Self> {
        if *index == Index::ALL { Ok(Selection::All(len)) } else { index.resolve(len).map(Selection::Listed) }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Selection::All(len) => *len,
            Selection::Listed(list) => list.len() as u64,
        }
    }

    /// The records from `first` of the selection on, at most `count`.
    pub(super) fn part(&self, first: u64, count: u64) -> Index<'_> {
        match self {
            Selection::All(len) => Index::from(first..first.saturating_add(count).min(*len)),
            Selection::Listed(list) => {
                let first = usize::try_from(first).unwrap_or(usize::MAX);
                let rest = list.get(first..).unwrap_or_default();
                let count = usize::try_from(count).unwrap_or(usize::MAX).min(rest.len());
                Index::from(rest.get(..count).unwrap_or_default())
            }
        }
    }
}

impl Source<'_> {
    pub(super) fn dense(&self) -> Result<&DenseStore> {
        match &self.store {
            AnyStore::Dense(store) => Ok(store),
            AnyStore::Ragged(_) => Err(wrong_kind(format!(
                "the records of {:?} differ in shape, which this format cannot hold; export to .npz or .jsonl",
                self.name
            ))),
        }
    }

    /// Reads the selected records of a dense store.
    pub(super) fn each_dense(
        &self,
        progress: &dyn Progress,
        mut take: impl FnMut(&DenseBatch) -> Result<()>,
    ) -> Result<()> {
        let store = self.dense()?;
        let step = (WINDOW / store.record_bytes().max(1)).clamp(1, MOST_RECORDS);
        let mut batch: Option<DenseBatch> = None;
        let mut next = 0;
        while next < self.selection.len() {
            check(progress)?;
            let part = self.selection.part(next, step);
            let batch = match &mut batch {
                Some(batch) => {
                    store.gather_batch(part, batch)?;
                    batch
                }
                None => batch.insert(store.gather(part)?),
            };
            take(batch)?;
            progress.advance(batch.len() as u64);
            next += batch.len() as u64;
        }
        check(progress)
    }

    /// Reads the selected records of a ragged store.
    pub(super) fn each_ragged(
        store: &RaggedStore,
        selection: &Selection<'_>,
        progress: &dyn Progress,
        mut take: impl FnMut(&RaggedBatch) -> Result<()>,
    ) -> Result<()> {
        let mut batch = RaggedBatch::new(store.dtype().clone());
        let mut next = 0;
        let mut step = 64;
        while next < selection.len() {
            check(progress)?;
            store.gather_batch(selection.part(next, step), &mut batch)?;
            take(&batch)?;
            progress.advance(batch.len() as u64);
            next += batch.len() as u64;
            // Records may be of any size: the last step tells how many make a window.
            let mean = (batch.as_bytes().len() as u64).checked_div(batch.len() as u64).unwrap_or(1).max(1);
            step = (WINDOW / mean).clamp(1, MOST_RECORDS);
        }
        check(progress)
    }
}
