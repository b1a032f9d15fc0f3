//! Gathering what is left of some records.

use alloc::vec::Vec;

use super::{Located, RaggedBatch, RaggedStore};
use crate::dense::too_large;
use crate::environment::{Environment, FileOf};
use crate::error::Result;
use crate::index::Index;
use crate::store::{CarefulReader, Lost, survivor};

/// A record that lies within the files as they are now.
struct Found {
    position: usize,
    record: u64,
    located: Located,
}

impl<E: Environment> RaggedStore<E> {
    /// As [`RaggedStore::gather_batch`], one record after the other and without those that are lost, which are added to
    /// `lost`. Touches no map, so it is of use where a file was cut.
    pub(crate) fn gather_surviving(
        &self,
        records: &[u64],
        batch: &mut RaggedBatch,
        lost: &mut Vec<Lost>,
    ) -> Result<()> {
        let index = Index::from(records);
        let records = index.resolve(self.len())?;
        self.store.with_careful_reader(|reader| {
            let mut found = Vec::new();
            for (position, &record) in records.iter().enumerate() {
                let read = self.find(reader, record).map_err(self.store.blame(record * 2));
                if let Some(located) = survivor(position, read, lost)? {
                    found.push(Found { position, record, located });
                }
            }
            // Only decoding shows whether a frame is whole, and without one the rest is laid out anew: twice at most, unless
            // the store is being damaged further.
            while !self.decode(reader, &mut found, batch, lost)? {}
            Ok(())
        })
    }

    /// Locates both halves of a record, so that memory may be taken for them.
    fn find(&self, reader: &CarefulReader<'_, '_, '_, FileOf<E>>, record: u64) -> Result<Located> {
        let located = self.locate(reader, record)?;
        reader.check_stored(&located.payload)?;
        reader.check_stored(&located.shape)?;
        Ok(located)
    }

    /// Fills the batch with the records that were found. `false`, with values that are unspecified, where some turn out to be
    /// lost, which are taken away.
    fn decode(
        &self,
        reader: &mut CarefulReader<'_, '_, '_, FileOf<E>>,
        found: &mut Vec<Found>,
        batch: &mut RaggedBatch,
        lost: &mut Vec<Lost>,
    ) -> Result<bool> {
        let count = found.len();
        let itemsize = self.dtype().itemsize();
        batch.dtype.clone_from(self.dtype());
        batch.reset(count)?;
        for ((elements, ranks), Found { located, .. }) in batch.lengths(1).zip(&*found) {
            elements.fill(u64::from(located.payload.decoded) / itemsize.max(1));
            ranks.fill(located.rank as u64);
        }
        batch.lengths_to_offsets(itemsize.max(1), &self.executor)?;
        let mut slots = batch.slots(count.max(1), itemsize).pop();
        let mut left = Vec::with_capacity(count);
        for Found { position, record, located } in found.drain(..) {
            let slot = slots.as_mut().and_then(|slots| slots.next(located.payload.decoded, located.rank));
            let (values, dims) = slot.ok_or_else(too_large)?;
            let read = self.read(reader, &located, values, dims).map_err(self.store.blame(record * 2));
            if survivor(position, read, lost)?.is_some() {
                left.push(Found { position, record, located });
            }
        }
        *found = left;
        Ok(found.len() == count)
    }
}
