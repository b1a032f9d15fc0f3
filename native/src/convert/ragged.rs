//! Collecting ragged records until they make a good append.

use recask_core::Result;

use super::array::WINDOW;
use crate::RaggedStore;

/// Records that are appended at once.
const MOST_RECORDS: usize = 1 << 16;

/// A ragged store with the records that are next.
pub(super) struct Filling<'s> {
    store: &'s mut RaggedStore,
    pending: Pending,
}

/// Records one after the other.
#[derive(Default)]
pub(super) struct Pending {
    bytes: Vec<u8>,
    shapes: Vec<u64>,
    /// Where each record ends in both.
    ends: Vec<(usize, usize)>,
}

impl Pending {
    pub(super) fn push(&mut self, shape: &[u64], bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.shapes.extend_from_slice(shape);
        self.ends.push((self.bytes.len(), self.shapes.len()));
    }

    /// How much memory the records hold.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len() + (self.shapes.len() + 2 * self.ends.len()) * size_of::<u64>()
    }

    /// Appends the records and forgets them.
    pub(super) fn flush(&mut self, store: &mut RaggedStore) -> Result<()> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let (mut bytes, mut shapes) = (self.bytes.as_slice(), self.shapes.as_slice());
        let (mut byte, mut dim) = (0, 0);
        let mut records = Vec::with_capacity(self.ends.len());
        for &(byte_end, dim_end) in &self.ends {
            let (values, more) = bytes.split_at(byte_end - byte);
            let (shape, more_shapes) = shapes.split_at(dim_end - dim);
            records.push((shape, values));
            (bytes, shapes, byte, dim) = (more, more_shapes, byte_end, dim_end);
        }
        store.append_bytes(&records)?;
        self.bytes.clear();
        self.shapes.clear();
        self.ends.clear();
        Ok(())
    }
}

impl<'s> Filling<'s> {
    pub(super) fn new(store: &'s mut RaggedStore) -> Self {
        Filling { store, pending: Pending::default() }
    }

    pub(super) fn push(&mut self, shape: &[u64], bytes: &[u8]) {
        self.pending.push(shape, bytes);
    }

    pub(super) fn is_full(&self) -> bool {
        self.pending.bytes.len() as u64 >= WINDOW || self.pending.ends.len() >= MOST_RECORDS
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.pending.flush(self.store)
    }
}
