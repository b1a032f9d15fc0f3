//! What a loader reads: a record store or the rows of a table.

use alloc::sync::Arc;
use core::fmt;

use super::{Columns, StreamBatch};
use crate::any::AnyStore;
use crate::dense::{DenseBatch, DenseStore};
use crate::environment::Environment;
use crate::error::Result;
use crate::ragged::{RaggedBatch, RaggedStore};
use crate::table::{Selection, Table};

/// Records of one kind. A row of a selection is a record. Cheap to clone; clones share the open files.
pub enum Stream<E: Environment> {
    /// Records of one shape, stacked in a batch.
    Dense(Arc<DenseStore<E>>),
    /// Records of any shape, packed in a batch.
    Ragged(Arc<RaggedStore<E>>),
    /// Rows, as columns in a batch.
    Table(Selection<E>),
}

impl<E: Environment> Stream<E> {
    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Stream::Dense(store) => store.len(),
            Stream::Ragged(store) => store.len(),
            Stream::Table(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `dense`, `ragged` or `table`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Stream::Dense(_) => "dense",
            Stream::Ragged(_) => "ragged",
            Stream::Table(_) => "table",
        }
    }

    /// Memory for batches of this stream.
    pub(super) fn new_batch(&self) -> StreamBatch {
        match self {
            Stream::Dense(store) => StreamBatch::Dense(DenseBatch::new(store.dtype().clone())),
            Stream::Ragged(store) => StreamBatch::Ragged(RaggedBatch::new(store.dtype().clone())),
            Stream::Table(_) => StreamBatch::Table(Columns::new()),
        }
    }

    /// Reads records into memory that is used again; it may come from another stream.
    pub(super) fn gather(&self, records: &[u64], batch: &mut StreamBatch) -> Result<()> {
        match (self, &mut *batch) {
            (Stream::Dense(store), StreamBatch::Dense(batch)) => store.gather_batch(records, batch),
            (Stream::Ragged(store), StreamBatch::Ragged(batch)) => store.gather_batch(records, batch),
            (Stream::Table(rows), StreamBatch::Table(batch)) => batch.gather(rows, records),
            _ => {
                *batch = self.new_batch();
                self.gather(records, batch)
            }
        }
    }
}

impl<E: Environment> Clone for Stream<E> {
    fn clone(&self) -> Self {
        match self {
            Stream::Dense(store) => Stream::Dense(Arc::clone(store)),
            Stream::Ragged(store) => Stream::Ragged(Arc::clone(store)),
            Stream::Table(rows) => Stream::Table(rows.clone()),
        }
    }
}

impl<E: Environment> fmt::Debug for Stream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stream::Dense(store) => store.fmt(f),
            Stream::Ragged(store) => store.fmt(f),
            Stream::Table(rows) => rows.fmt(f),
        }
    }
}

macro_rules! streams {
    ($($source:ty, $value:ident => $stream:expr;)+) => { $(
        impl<E: Environment> From<$source> for Stream<E> {
            fn from($value: $source) -> Self {
                $stream
            }
        }
    )+ };
}

streams! {
    DenseStore<E>, store => Stream::Dense(Arc::new(store));
    Arc<DenseStore<E>>, store => Stream::Dense(store);
    RaggedStore<E>, store => Stream::Ragged(Arc::new(store));
    Arc<RaggedStore<E>>, store => Stream::Ragged(store);
    Selection<E>, rows => Stream::Table(rows);
    Table<E>, table => Stream::Table(table.all());
    AnyStore<E>, store => match store {
        AnyStore::Dense(store) => store.into(),
        AnyStore::Ragged(store) => store.into(),
    };
}
