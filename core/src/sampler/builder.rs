use alloc::format;

use super::ranks::Shard;
use super::{Mode, Sampler};
use crate::error::{Code, Error, Result};

/// Collects the parameters of a [`Sampler`]; made by [`Sampler::builder`] and its four short forms.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct SamplerBuilder {
    mode: Mode,
    length: u64,
    batch: u64,
    seed: Option<u64>,
    shard: (u64, u64),
}

impl SamplerBuilder {
    pub(super) const fn new(mode: Mode, length: u64, batch: u64) -> Self {
        SamplerBuilder { mode, length, batch, seed: None, shard: (0, 1) }
    }

    /// The seed of the order. All modes but [`Mode::Sequential`] need one; there it only is kept.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Takes the slice of `rank` out of every global batch, as [`Sampler::shard`] does.
    pub const fn shard(mut self, rank: u64, world: u64) -> Self {
        self.shard = (rank, world);
        self
    }

    /// The sampler.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when the length, the batch or the world is 0, when the rank is not in the world,
    /// and when the mode needs a seed and got none.
    pub fn build(self) -> Result<Sampler> {
        let SamplerBuilder { mode, length, batch, seed, shard: (rank, world) } = self;
        if length == 0 {
            return Err(Error::new(
                Code::InvalidArgument,
                "there is nothing to sample from 0 records; give a length of at least 1",
            ));
        }
        if batch == 0 {
            return Err(Error::new(
                Code::InvalidArgument,
                "a batch of 0 indices never gets anywhere; give a batch of at least 1",
            ));
        }
        let seed = match seed {
            Some(seed) => seed,
            None if mode.needs_seed() => {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!(
                        "the sampler mode {mode} needs a seed; give one, and keep it to get the same order again"
                    ),
                ));
            }
            None => 0,
        };
        Ok(Sampler { mode, length, batch, seed, shard: Shard::new(rank, world)? })
    }
}
