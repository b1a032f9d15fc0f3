//! Where a run of a loader stands, to go on from there later.

mod difference;
mod json;
#[cfg(feature = "serde")]
mod serde;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::{Cursor, Identity};
use crate::error::Result;
use crate::sampler::{Mode, Sampler};

/// A small value from which a run goes on as if it had never stopped: the order, the steps that were delivered, and what the
/// streams hold.
///
/// Its text is one line of JSON. 64-bit numbers are strings in it, so that they survive programs whose numbers are floats;
/// reading takes whole JSON numbers as well, and passes over keys that it does not know.
///
/// ```text
/// {"recask_loader": 1, "mode": "cyclic", "seed": "42", "batch": "256", "length": "60000", "step": "1000", "done": ["1002"],
///  "rank": "0", "world": "8", "streams": [{"name": "image", "kind": "dense", "layout": "|u1 (28, 28)",
///  "samples": ["9f86d081", null, "d081884c", "7d659a2f", "eaa0c55a", "d015a3bf", "4f1b2b0b", "822cd15d"]}]}
/// ```
///
/// `step` is [`Cursor::next`], `done` is [`Cursor::done`], `rank` and `world` are those of the loader that took it; the order
/// does not depend on them. For samples see [`Identity`].
///
/// With the feature `serde` it serialises with the same fields; into formats that are not for people, such as MessagePack, as
/// the one line.
///
/// ```
/// use recask_core::loader::{Cursor, Feed, OnLoss, State};
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
/// use recask_core::{Code, DType, DenseStore, Sampler};
///
/// let mut labels = DenseStore::<MemoryEnvironment>::builder(DType::U8, ()).create(MemoryPlace::new())?;
/// labels.append(&[10u8, 11, 12, 13, 14])?;
/// let feed = Feed::new([("label", labels.into())], Sampler::cyclic(5, 2).seed(7).build()?)?;
/// let identities = feed.identities(OnLoss::Fail)?;
/// let text = State::new(feed.sampler(), &Cursor::at(3), &identities).to_string();
///
/// let state: State = text.parse()?;
/// state.check(5, &identities)?;
/// assert_eq!(state.cursor(), &Cursor::at(3));
/// assert_eq!(&state.sampler(0, 1)?, feed.sampler());
/// assert_eq!(state.check(6, &identities).unwrap_err().code(), Code::StateMismatch);
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// With the ranks of the loader that took it.
    sampler: Sampler,
    cursor: Cursor,
    streams: Vec<Identity>,
}

impl State {
    /// Where a run stands that reads these streams in this order. `identities` are those of the feed that has `sampler`.
    #[must_use]
    pub fn new(sampler: &Sampler, cursor: &Cursor, identities: &[Identity]) -> Self {
        State { sampler: sampler.clone(), cursor: cursor.clone(), streams: identities.to_vec() }
    }

    /// The order of the run, of which `rank` of `world` takes its slices: as many ranks as there were, or others.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Code::InvalidArgument) as in [`Sampler::shard`].
    pub fn sampler(&self, rank: u64, world: u64) -> Result<Sampler> {
        self.sampler.shard(rank, world)
    }

    /// Whether streams of `length` records with these identities, in any order, are those of the state. Samples that one of
    /// both could not read are not compared.
    ///
    /// # Errors
    /// [`StateMismatch`](crate::Code::StateMismatch), saying everything that differs.
    pub fn check(&self, length: u64, identities: &[Identity]) -> Result<()> {
        difference::check(self, length, identities)
    }

    /// The steps that were delivered.
    #[must_use]
    pub fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// The lowest step that was not delivered.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.cursor.next()
    }

    /// The order of the records.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.sampler.mode()
    }

    /// The seed of the order.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.sampler.seed()
    }

    /// The size of a global batch, as it was asked for.
    #[must_use]
    pub fn batch(&self) -> u64 {
        self.sampler.batch()
    }

    /// How many records every stream had.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.sampler.length()
    }

    /// The rank of the loader that took it.
    #[must_use]
    pub fn rank(&self) -> u64 {
        self.sampler.rank()
    }

    /// How many ranks there were.
    #[must_use]
    pub fn world(&self) -> u64 {
        self.sampler.world()
    }

    /// What the streams held, in the order of the loader that took it.
    #[must_use]
    pub fn streams(&self) -> &[Identity] {
        &self.streams
    }
}

impl fmt::Display for State {
    /// One line of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        json::document(self).write(false, &mut line);
        f.pad(&line)
    }
}

impl FromStr for State {
    type Err = crate::Error;

    /// Reads what [`Display`](fmt::Display) writes. Anything else is
    /// [`InvalidArgument`](crate::Code::InvalidArgument), saying where it is wrong;
    /// [`UnsupportedVersion`](crate::Code::UnsupportedVersion) for the state of a later version of this library;
    /// [`TooLarge`](crate::Code::TooLarge) beyond 16 MiB.
    fn from_str(text: &str) -> Result<Self> {
        json::parse(text)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("step", &self.step())
            .field("done", &self.cursor.done())
            .field("mode", &format_args!("{}", self.mode()))
            .field("seed", &self.seed())
            .field("batch", &self.batch())
            .field("length", &self.length())
            .field("rank", &self.rank())
            .field("world", &self.world())
            .field("streams", &self.streams)
            .finish()
    }
}
