//! Gathering what is left of some records.

use super::{DenseBatch, DenseStore};
use crate::dense::too_large;
use crate::environment::Environment;
use crate::error::Result;
use crate::index::Index;
use crate::store::{Lost, survivor};

impl<E: Environment> DenseStore<E> {
    /// As [`DenseStore::gather_batch`], one record after the other and without those that are lost, which are added to `lost`
    /// in the order of `records`. Touches no map, so it is of use where a file was cut.
    pub(crate) fn gather_surviving(
        &self,
        records: &[u64],
        batch: &mut DenseBatch,
        lost: &mut alloc::vec::Vec<Lost>,
    ) -> Result<()> {
        let index = Index::from(records);
        let records = index.resolve(self.len())?;
        let width = self.width()?;
        let bytes = usize::try_from(width).map_err(|_| too_large())?;
        self.make_room(records.len(), batch)?;
        let mut kept = 0;
        self.store.with_careful_reader(|reader| {
            for (position, &record) in records.iter().enumerate() {
                // What a lost record left in its slot, the next one overwrites.
                let slot = &mut batch.bytes[kept * bytes..][..bytes];
                let read = reader.find(record, Some(width)).and_then(|piece| reader.read(&piece, slot));
                let read = read.map_err(self.store.blame(record));
                kept += usize::from(survivor(position, read, lost)?.is_some());
            }
            Ok(())
        })?;
        self.make_room(kept, batch)
    }
}
