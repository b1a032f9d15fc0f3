//! How much room records take, from the table alone.

use alloc::collections::BinaryHeap;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;

use spin::Mutex;

use super::RaggedStore;
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::exec::Executor as _;
use crate::format::zrecord::{Entry, shape_record};

/// Records that one task looks at.
const TASK: u64 = 1 << 15;

/// What the records of a batch take beside their offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes of elements.
    pub(crate) bytes: u64,
    /// Extents.
    pub(crate) extents: u64,
}

/// The room of all records, and the most that some of them need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extremes {
    pub(crate) all: Room,
    /// The largest ones together; the most bytes and the most extents may be those of different records.
    pub(crate) largest: Room,
}

impl<E: Environment> RaggedStore<E> {
    /// The room of all records and of the `most` largest, by one look at every table entry. Needs memory for `most` lengths of 4
    /// bytes. Records whose entries are impossible count as nothing: no batch has room for them.
    pub(crate) fn extremes(&self, most: u64) -> Result<Extremes> {
        self.store.check_attached()?;
        let found = Mutex::new(Lengths::new(most.min(self.len()))?);
        let firsts = (0..self.len().div_ceil(TASK)).map(|task| task * TASK);
        self.executor.try_for_each(firsts.collect(), |first| {
            let count = TASK.min(self.len() - first);
            let ranks_and_bytes = self.rooms(first, count)?;
            let mut found = found.lock();
            ranks_and_bytes.into_iter().try_for_each(|(rank, bytes)| found.add(rank, bytes))
        })?;
        found.into_inner().extremes()
    }

    /// The rank and the bytes of some records.
    fn rooms(&self, first: u64, count: u64) -> Result<Vec<(usize, u32)>> {
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        let size = usize::try_from(count * 2).unwrap_or(usize::MAX);
        self.store.view().entries(first * 2, size, &mut bytes, &mut entries)?;
        let pairs = (first..).zip(entries.as_chunks().0);
        Ok(pairs.filter_map(|(record, [payload, shape])| self.room(record, payload, shape)).collect())
    }

    fn room(&self, record: u64, payload: &Entry, shape: &Entry) -> Option<(usize, u32)> {
        let rules = self.store.view().rules();
        rules.fetch_len(record * 2, payload).ok()?;
        rules.fetch_len(record * 2 + 1, shape).ok()?;
        let rank = shape_record::rank_of(shape.decoded).ok()?;
        Some((rank, payload.decoded))
    }
}

/// What was seen so far.
struct Lengths {
    bytes: u64,
    /// How many records have each rank.
    ranks: [u64; shape_record::MAX_RANK + 1],
    /// The largest lengths, at most `most`, the smallest of them on top.
    largest: BinaryHeap<Reverse<u32>>,
    most: usize,
}

impl Lengths {
    fn new(most: u64) -> Result<Self> {
        let mut largest = BinaryHeap::new();
        let reserved = usize::try_from(most).ok().filter(|most| largest.try_reserve_exact(*most).is_ok());
        let most = reserved.ok_or_else(|| {
            let text = format!("the lengths of {most} records do not fit in memory; choose a smaller batch");
            Error::new(Code::TooLarge, text)
        })?;
        Ok(Lengths { bytes: 0, ranks: [0; _], largest, most })
    }

    fn add(&mut self, rank: usize, bytes: u32) -> Result<()> {
        self.bytes = self.bytes.checked_add(bytes.into()).ok_or_else(too_many)?;
        if let Some(records) = self.ranks.get_mut(rank) {
            *records += 1;
        }
        if self.largest.len() < self.most {
            self.largest.push(Reverse(bytes));
        } else if let Some(mut smallest) = self.largest.peek_mut()
            && smallest.0 < bytes
        {
            *smallest = Reverse(bytes);
        }
        Ok(())
    }

    fn extremes(&self) -> Result<Extremes> {
        let all = Room { bytes: self.bytes, extents: self.extents(u64::MAX)? };
        // A part of all bytes, whose sum has fitted.
        let bytes = self.largest.iter().map(|length| u64::from(length.0)).sum();
        let largest = Room { bytes, extents: self.extents(self.most as u64)? };
        Ok(Extremes { all, largest })
    }

    /// The extents of the `most` records of the highest ranks.
    fn extents(&self, most: u64) -> Result<u64> {
        let (mut left, mut extents) = (most, 0u64);
        for (rank, records) in self.ranks.iter().enumerate().rev() {
            let taken = left.min(*records);
            left -= taken;
            extents = taken
                .checked_mul(rank as u64)
                .and_then(|more| extents.checked_add(more))
                .ok_or_else(too_many)?;
        }
        Ok(extents)
    }
}

fn too_many() -> Error {
    Error::new(Code::TooLarge, "the records of the store have more than 2^64 bytes or extents together")
}
