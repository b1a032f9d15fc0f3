//! How much memory a loader needs at most, before it starts.

#[cfg(test)]
mod tests;

use alloc::string::String;

use super::{Batch, Feed, Stream, StreamBatch};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::ragged::Room;
use crate::sampler::{Mode, Sampler};
use crate::table::ColumnData;

/// The most memory that the batches of a loader take.
///
/// It counts what grows with the data: values, offsets, extents and indices, in the 8 bytes that memory is made of. The few
/// words that describe a batch are not counted, nor is what decoders need, nor what a transform makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    batch_bytes: u64,
    batches: u64,
    bytes: u64,
}

impl Budget {
    /// The most bytes that one batch takes: a bound for every step, and reached where the largest records come together. A
    /// batch whose memory is used again keeps to it.
    #[must_use]
    pub const fn batch_bytes(&self) -> u64 {
        self.batch_bytes
    }

    /// The most batches that exist at once: `depth + workers + 1`, of which the caller may hold one or more. Without workers the
    /// caller's thread counts as one.
    #[must_use]
    pub const fn batches(&self) -> u64 {
        self.batches
    }

    /// The most bytes of all batches together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<E: Environment> Feed<E> {
    /// The most memory that a loader needs which works `depth` steps ahead with so many workers, for the slices of this rank.
    ///
    /// Looks at every table entry of ragged streams, and reads no record.
    ///
    /// ```
    /// use recask_core::loader::Feed;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::{DType, RaggedStore, Sampler};
    ///
    /// let mut words = RaggedStore::<MemoryEnvironment>::builder(DType::U8).create(MemoryPlace::new())?;
    /// words.append(&["never", "more", "than", "that"])?;
    /// let feed = Feed::new([("word", words.into())], Sampler::cyclic(4, 2).seed(1).build()?)?;
    ///
    /// let budget = feed.budget(4, 2)?;
    /// // 9 bytes of the two longest words in 16, one extent of each, offsets to both, and two indices.
    /// assert_eq!(budget.batch_bytes(), 16 + 2 * 8 + 2 * 3 * 8 + 2 * 8);
    /// assert_eq!((budget.batches(), budget.bytes()), (7, 7 * 96));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::TooLarge`] where it exceeds 64 bits; what reading the table of a ragged store says, with the name of the stream.
    pub fn budget(&self, depth: usize, workers: usize) -> Result<Budget> {
        let draws = Draws::of(self.sampler());
        let mut batch_bytes = words(draws.records).ok_or_else(too_large)?;
        for (name, stream) in self.streams() {
            let bytes = stream.batch_bytes(&draws).map_err(|error| error.in_stream(String::from(name)))?;
            batch_bytes = batch_bytes.checked_add(bytes).ok_or_else(too_large)?;
        }
        let batches =
            (depth as u64).checked_add(workers.max(1) as u64).and_then(|ahead| ahead.checked_add(1));
        let batches = batches.ok_or_else(too_large)?;
        let bytes = batches.checked_mul(batch_bytes).ok_or_else(too_large)?;
        Ok(Budget { batch_bytes, batches, bytes })
    }
}

impl<E: Environment> Stream<E> {
    fn batch_bytes(&self, draws: &Draws) -> Result<u64> {
        let records = draws.records;
        let packed = |width: u64| records.checked_mul(width)?.checked_next_multiple_of(WORD);
        let bytes = match self {
            Stream::Dense(store) => packed(store.record_bytes()),
            Stream::Table(rows) => rows
                .columns_selected()
                .try_fold(0u64, |sum, column| sum.checked_add(packed(column.dtype().itemsize())?)),
            Stream::Ragged(store) => {
                let extremes = store.extremes(draws.different())?;
                let room = draws.room(extremes.all, extremes.largest);
                room.and_then(|Room { bytes, extents }| {
                    let offsets = words(records.checked_add(1)?)?.checked_mul(2)?;
                    bytes.checked_next_multiple_of(WORD)?.checked_add(words(extents)?)?.checked_add(offsets)
                })
            }
        };
        bytes.ok_or_else(too_large)
    }
}

impl Batch {
    /// The bytes of memory that it keeps for values, offsets, extents and indices: what [`Budget::batch_bytes`] bounds.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let indices = (self.indices.capacity() as u64).saturating_mul(WORD);
        let streams = self.streams.iter().map(|stream| match stream {
            StreamBatch::Dense(batch) => batch.memory_bytes(),
            StreamBatch::Ragged(batch) => batch.memory_bytes(),
            StreamBatch::Table(columns) => {
                columns.iter().map(ColumnData::memory_bytes).fold(0, u64::saturating_add)
            }
        });
        streams.fold(indices, u64::saturating_add)
    }
}

/// Memory comes in so many bytes.
const WORD: u64 = 8;

/// The bytes of so many 64-bit numbers.
fn words(count: u64) -> Option<u64> {
    count.checked_mul(WORD)
}

/// Which records may come together in one batch of a rank.
struct Draws {
    records: u64,
    repeats: Repeats,
}

enum Repeats {
    /// Every record comes `passes` times, and `rest` different ones once more.
    Evenly { passes: u64, rest: u64 },
    /// One record may be all of them.
    Freely,
}

impl Draws {
    fn of(sampler: &Sampler) -> Self {
        let (slice, length) = (sampler.slice(), sampler.length());
        let records = slice.end - slice.start;
        let repeats = match sampler.mode() {
            Mode::Cyclic => Repeats::Evenly { passes: 0, rest: records },
            // Else its counter may wrap inside of a batch, and a record come back early.
            Mode::Sequential if length.checked_add(slice.end).is_some() => {
                Repeats::Evenly { passes: records / length, rest: records % length }
            }
            Mode::Sequential | Mode::Iid | Mode::IidSeek => Repeats::Freely,
        };
        Draws { records, repeats }
    }

    /// How many of the largest records have to be known.
    fn different(&self) -> u64 {
        match self.repeats {
            Repeats::Evenly { rest, .. } => rest,
            Repeats::Freely => self.records.min(1),
        }
    }

    /// The most room of a batch, from that of all records and that of the largest ones; `None` beyond 64 bits.
    fn room(&self, all: Room, largest: Room) -> Option<Room> {
        let most = |all: u64, largest: u64| match self.repeats {
            Repeats::Evenly { passes, .. } => all.checked_mul(passes)?.checked_add(largest),
            Repeats::Freely => largest.checked_mul(self.records),
        };
        Some(Room { bytes: most(all.bytes, largest.bytes)?, extents: most(all.extents, largest.extents)? })
    }
}

fn too_large() -> Error {
    Error::new(
        Code::TooLarge,
        "the batches of the loader take more than 2^64 bytes; choose smaller ones, or fewer",
    )
}
