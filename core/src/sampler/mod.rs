//! Which records make up the batch of a step.
//!
//! A [`Sampler`] holds parameters only: [`Sampler::at`] is a pure function of mode, length, batch, seed and step.
//! The modes [`Mode::Sequential`], [`Mode::Iid`] and [`Mode::Cyclic`] give the streams of loaderx 1.7.2, value for
//! value. No mode holds an index list, so memory does not grow with the length.
//!
//! Nothing here depends on how many processes share the work: the global batch of a step is fixed, and a rank takes
//! a contiguous slice of it ([`Sampler::shard`]). And the way back, from a record to its steps, is arithmetic too
//! ([`Sampler::steps_of`]).

mod bounded;
mod builder;
mod cyclic;
mod epoch;
mod feistel;
mod iid;
mod iid_seek;
mod inverse;
mod mix;
mod mode;
mod ranks;
mod residue;
mod sequential;
mod sfc64;
mod steps;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

pub use builder::SamplerBuilder;
pub use inverse::{Occurrence, Occurrences};
pub use mode::Mode;
pub use steps::Steps;

use crate::error::{Code, Error, Result};
use cyclic::Cyclic;
use iid::Stream;
use ranks::Shard;

/// The indices of every step, as a pure function.
///
/// ```
/// use recask_core::sampler::Sampler;
///
/// let sampler = Sampler::cyclic(10, 4).seed(123).build()?;
/// let mut cycle = [sampler.at(0)?, sampler.at(1)?].concat();
/// cycle.sort();
/// cycle.dedup();
/// assert_eq!(cycle.len(), 8); // two batches without repetition; two records wait for another cycle
///
/// for (step, batch) in sampler.iter_from(5).take(3).enumerate() {
///     assert_eq!(batch?, sampler.at(5 + step as u64)?);
/// }
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    mode: Mode,
    length: u64,
    batch: u64,
    seed: u64,
    shard: Shard,
}

impl Sampler {
    /// Starts a sampler of `length` records in global batches of `batch` indices.
    pub const fn builder(mode: Mode, length: u64, batch: u64) -> SamplerBuilder {
        SamplerBuilder::new(mode, length, batch)
    }

    /// [`Sampler::builder`] with [`Mode::Sequential`].
    ///
    /// ```
    /// let sampler = recask_core::sampler::Sampler::sequential(10, 4).build()?;
    /// assert_eq!(sampler.at(2)?, [8, 9, 0, 1]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    pub const fn sequential(length: u64, batch: u64) -> SamplerBuilder {
        Self::builder(Mode::Sequential, length, batch)
    }

    /// [`Sampler::builder`] with [`Mode::Iid`].
    pub const fn iid(length: u64, batch: u64) -> SamplerBuilder {
        Self::builder(Mode::Iid, length, batch)
    }

    /// [`Sampler::builder`] with [`Mode::Cyclic`].
    pub const fn cyclic(length: u64, batch: u64) -> SamplerBuilder {
        Self::builder(Mode::Cyclic, length, batch)
    }

    /// [`Sampler::builder`] with [`Mode::IidSeek`].
    pub const fn iid_seek(length: u64, batch: u64) -> SamplerBuilder {
        Self::builder(Mode::IidSeek, length, batch)
    }

    /// The indices of `step`, of this rank: [`Sampler::slice`] says how many.
    ///
    /// It answers what loaderx answers after a seek to `step`, whose `step · batch` wraps at 2^64 in the sequential
    /// and iid modes. A call costs one batch in all modes but [`Mode::Iid`], where it costs `(step + 1) · batch`
    /// draws and cannot be interrupted; read that mode with [`Sampler::iter`].
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the indices do not fit into memory.
    pub fn at(&self, step: u64) -> Result<Vec<u64>> {
        let mut out = Vec::new();
        self.at_into(step, &mut out)?;
        Ok(out)
    }

    /// [`Sampler::at`] into a buffer that is cleared first and reused.
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the indices do not fit into memory; the buffer is empty then.
    pub fn at_into(&self, step: u64, out: &mut Vec<u64>) -> Result<()> {
        let slice = self.reserve(out)?;
        match self.mode {
            Mode::Sequential => sequential::fill(self.length, self.batch, step, slice, out),
            Mode::Iid => Stream::new(self.length, self.seed).fill(self.batch, step, slice, out),
            Mode::Cyclic => self.order().fill(step, slice, out),
            Mode::IidSeek => iid_seek::fill(self.length, self.batch, self.seed, step, slice, out),
        }
        Ok(())
    }

    /// The batches from step 0 on.
    #[must_use]
    pub fn iter(&self) -> Steps {
        self.iter_from(0)
    }

    /// The batches from `step` on. The start costs what [`Steps::seek`] costs.
    #[must_use]
    pub fn iter_from(&self, step: u64) -> Steps {
        Steps::new(self.clone(), step)
    }

    /// The same order, of which `rank` of a world of `world` ranks takes its contiguous slice of every global batch.
    ///
    /// The slices of ranks `0..world`, one after the other, are the global batch. Where it does not divide evenly,
    /// the first ranks take one index more; with more ranks than indices, the last ranks take none. The slice is
    /// cut from the global batch, also when this sampler is a shard already.
    ///
    /// ```
    /// let global = recask_core::sampler::Sampler::sequential(100, 5).build()?;
    /// assert_eq!(global.shard(0, 2)?.at(1)?, [5, 6, 7]);
    /// assert_eq!(global.shard(1, 2)?.at(1)?, [8, 9]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when `world` is 0 or `rank` is not below it.
    pub fn shard(&self, rank: u64, world: u64) -> Result<Sampler> {
        Ok(Sampler { shard: Shard::new(rank, world)?, ..self.clone() })
    }

    /// The steps at which `record` appears, and its positions, without a search through the batches.
    ///
    /// A shard answers for its own slice. In the sequential mode an answer takes a logarithmic number of
    /// operations. In the cyclic mode it takes one look into the permutation per cycle, and a cycle has no answer
    /// when the record is among the dropped ones or belongs to another rank.
    ///
    /// ```
    /// use recask_core::sampler::{Occurrence, Sampler};
    ///
    /// let sampler = Sampler::sequential(10, 4).build()?;
    /// let steps: Vec<_> = sampler.steps_of(1)?.take(2).collect();
    /// assert_eq!(steps, [Occurrence { step: 0, position: 1 }, Occurrence { step: 2, position: 3 }]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] when there is no such record, and [`Code::InvalidArgument`] in the iid modes, which
    /// have no inverse.
    pub fn steps_of(&self, record: u64) -> Result<Occurrences> {
        if record >= self.length {
            let message = format!("the sampler has {} records, counted from 0", self.length);
            return Err(Error::new(Code::IndexOutOfRange, message).at_record(record));
        }
        match self.mode {
            Mode::Sequential => Ok(Occurrences::sequential(self.length, self.batch, record, self.slice())),
            Mode::Cyclic => Ok(Occurrences::cyclic(self.order(), record, self.slice())),
            Mode::Iid | Mode::IidSeek => Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "the sampler mode {} has no inverse; only sequential and cyclic tell a record's steps",
                    self.mode
                ),
            )),
        }
    }

    /// The order.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// How many records there are to choose from; at least 1.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// The global batch size as it was asked for; at least 1.
    ///
    /// All global batches have this size, except in the cyclic mode when it exceeds the length.
    #[must_use]
    pub const fn batch(&self) -> u64 {
        self.batch
    }

    /// The seed; 0 when a sequential sampler was built without one.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The rank whose slices these are; 0 when the sampler is not sharded.
    #[must_use]
    pub fn rank(&self) -> u64 {
        self.shard.rank()
    }

    /// How many ranks share a global batch; 1 when the sampler is not sharded.
    #[must_use]
    pub fn world(&self) -> u64 {
        self.shard.world()
    }

    /// The positions of the global batch that this rank takes, the same in every step.
    #[must_use]
    pub fn slice(&self) -> Range<u64> {
        self.shard.slice(if self.mode == Mode::Cyclic { self.batch.min(self.length) } else { self.batch })
    }

    /// After how many steps a new permutation begins; `None` in the other modes, which have no cycles. [`Sampler::epoch`] gives
    /// the steps of one.
    ///
    /// ```
    /// use recask_core::sampler::Sampler;
    ///
    /// assert_eq!(Sampler::cyclic(10, 4).seed(1).build()?.steps_per_cycle(), Some(2));
    /// assert_eq!(Sampler::cyclic(3, 4).seed(1).build()?.steps_per_cycle(), Some(1));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    #[must_use]
    pub fn steps_per_cycle(&self) -> Option<u64> {
        (self.mode == Mode::Cyclic).then(|| self.order().steps_per_cycle())
    }

    /// How many draws [`Mode::Iid`] must make and drop to reach `step` from the start: `step · batch`, modulo 2^64.
    /// 0 in all other modes.
    #[must_use]
    pub const fn draws_before(&self, step: u64) -> u64 {
        match self.mode {
            Mode::Iid => step.wrapping_mul(self.batch),
            Mode::Sequential | Mode::Cyclic | Mode::IidSeek => 0,
        }
    }

    /// [`Sampler::at_into`] in the iid mode, from a generator that may stand at the step already.
    fn fill_from(&self, stream: &mut Stream, step: u64, out: &mut Vec<u64>) -> Result<()> {
        let slice = self.reserve(out)?;
        stream.fill(self.batch, step, slice, out);
        Ok(())
    }

    /// Clears `out`, makes room for one step and returns its slice.
    fn reserve(&self, out: &mut Vec<u64>) -> Result<Range<u64>> {
        out.clear();
        let slice = self.slice();
        let count = slice.end - slice.start;
        let reserved = usize::try_from(count).is_ok_and(|count| out.try_reserve_exact(count).is_ok());
        if reserved {
            Ok(slice)
        } else {
            let message =
                format!("a batch of {count} indices does not fit into memory; choose a smaller batch");
            Err(Error::new(Code::TooLarge, message))
        }
    }

    fn order(&self) -> Cyclic {
        Cyclic::new(self.length, self.batch, self.seed)
    }
}
