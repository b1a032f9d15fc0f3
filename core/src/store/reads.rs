//! What reading some records needs, for who has to bring the bytes first: the two rounds of a gather as ranges.

use alloc::format;
use alloc::vec::Vec;

use super::Store;
use crate::error::{Code, Error, Result};
use crate::format::zrecord::Entry;
use crate::plan::{Locate, ReadRange};
use crate::storage::{FileId, Storage};

/// The second round: the stored bytes of some records.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    /// One range for each stored piece: a dense record has one, a ragged one two.
    pub reads: Vec<ReadRange>,
    /// Bytes of all pieces once they are decoded.
    pub decoded_bytes: u64,
}

impl<S: Storage> Store<S> {
    /// The first round: the table entries of `records`, which lie within the store.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`].
    pub fn table_reads(&self, records: &[u64]) -> Result<Vec<ReadRange>> {
        let physical = self.physical(records);
        Ok(Locate::new(*self.view().rules(), &physical, None)?.reads().collect())
    }

    /// The second round: the stored bytes of `records`. Reads their table entries. A record whose entry is impossible has no
    /// range: reading it says what is wrong.
    ///
    /// # Errors
    /// [`Code::NotFetched`] where the first round has not been brought, and what the storage says.
    pub fn payload(&self, records: &[u64]) -> Result<Payload> {
        let mut payload = Payload::default();
        for physical in self.physical(records) {
            match self.view().entry(physical) {
                Err(error) if error.code() == Code::TruncatedFile => {}
                entry => self.add(&mut payload, physical, &entry?),
            }
        }
        Ok(payload)
    }

    /// The same from the bytes of the first round, in the order of its ranges and one after the other.
    ///
    /// # Errors
    /// [`Code::BufferSize`] where `table` has another size than the ranges together.
    pub fn payload_of(&self, records: &[u64], table: &[u8]) -> Result<Payload> {
        let physical = self.physical(records);
        if table.len() != physical.len().saturating_mul(Entry::SIZE) {
            let text = format!("{} bytes of table entries for {} records", table.len(), physical.len());
            return Err(Error::new(Code::BufferSize, text));
        }
        let mut payload = Payload::default();
        payload.reads.reserve(physical.len());
        for (&physical, bytes) in physical.iter().zip(table.as_chunks().0) {
            let entry = self.view().overlaid(physical).unwrap_or_else(|| Entry::decode(bytes));
            self.add(&mut payload, physical, &entry);
        }
        Ok(payload)
    }

    fn add(&self, payload: &mut Payload, physical: u64, entry: &Entry) {
        if let Ok(len) = self.view().rules().fetch_len(physical, entry) {
            let file = FileId::Chunk(entry.chunk);
            payload.reads.push(ReadRange { file, offset: u64::from(entry.offset), len });
            payload.decoded_bytes = payload.decoded_bytes.saturating_add(u64::from(entry.decoded));
        }
    }

    /// The whole table, as one range a segment: what [`Store::stats`] reads.
    pub fn whole_table(&self) -> Vec<(FileId, u64)> {
        let geometry = self.geometry();
        let (mut left, mut segment, mut ranges) = (self.header().length, 0u32, Vec::new());
        while left > 0 {
            let entries = left.min(geometry.segment_entries);
            let bytes = entries.saturating_mul(u64::from(Entry::LEN));
            ranges.push((FileId::Loc(segment), bytes));
            left -= entries;
            segment = segment.saturating_add(1);
        }
        ranges
    }

    fn physical(&self, records: &[u64]) -> Vec<u64> {
        let per_record = self.kind().entries();
        let first = |&record: &u64| record.saturating_mul(per_record);
        records.iter().map(first).flat_map(|first| first..first.saturating_add(per_record)).collect()
    }
}
