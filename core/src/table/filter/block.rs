//! The rows that are evaluated in one go: few enough that what is computed for them stays in the cache.

use super::schema::Batch;
use super::source::Source;

pub(super) const BLOCK_ROWS: usize = 4_096;

pub(super) struct Block<'a> {
    pub(super) batch: &'a dyn Batch,
    pub(super) start: usize,
    pub(super) rows: usize,
}

impl<'a> Block<'a> {
    /// The bytes of a column for these rows. The length of the column has been checked.
    pub(super) fn bytes(&self, source: Source) -> &'a [u8] {
        let start = self.start * source.width;
        self.batch.column(source.index).get(start..start + self.rows * source.width).unwrap_or_default()
    }
}
