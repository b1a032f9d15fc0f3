//! The order of training.

use napi::Env;
use napi::bindgen_prelude::{BigInt, Unknown};
use napi_derive::napi;
use recask::{Mode, Sampler};

use crate::numbers::{count, long, whole};
use crate::task::now;
use crate::values::longs;

/// Batches as a function of seed and step.
#[napi]
#[derive(Debug)]
pub struct NativeSampler(Sampler);

/// An order over `length` records. Without a seed, one from the system.
///
/// # Errors
/// `invalid_argument`.
#[napi]
pub fn sampler(
    mode: String,
    length: BigInt,
    batch: f64,
    seed: Option<BigInt>,
    rank: f64,
    world: f64,
) -> napi::Result<NativeSampler> {
    now(|| {
        let builder = recask::sampler(mode.parse::<Mode>()?, long(&length)?, whole(batch)?);
        let builder = builder.shard(whole(rank)?, whole(world)?);
        let sampler = match seed {
            Some(seed) => builder.seed(long(&seed)?).build()?,
            None => builder.build()?,
        };
        Ok(NativeSampler(sampler))
    })
}

#[napi]
impl NativeSampler {
    /// The name of the order.
    #[must_use]
    #[napi(getter, ts_return_type = "'sequential' | 'iid' | 'cyclic' | 'iid_seek'")]
    pub fn mode(&self) -> String {
        self.0.mode().to_string()
    }

    /// Records.
    #[must_use]
    #[napi(getter)]
    pub fn length(&self) -> BigInt {
        self.0.length().into()
    }

    /// Records of one global batch.
    #[must_use]
    #[napi(getter)]
    pub fn batch(&self) -> f64 {
        count(self.0.batch())
    }

    /// What the order depends on.
    #[must_use]
    #[napi(getter)]
    pub fn seed(&self) -> BigInt {
        self.0.seed().into()
    }

    /// Whose slices these are.
    #[must_use]
    #[napi(getter)]
    pub fn rank(&self) -> f64 {
        count(self.0.rank())
    }

    /// How many ranks share a batch.
    #[must_use]
    #[napi(getter)]
    pub fn world(&self) -> f64 {
        count(self.0.world())
    }

    /// Steps of a pass, where the order has passes.
    #[must_use]
    #[napi(getter, ts_return_type = "bigint | null")]
    pub fn steps_per_cycle(&self) -> Option<BigInt> {
        self.0.steps_per_cycle().map(BigInt::from)
    }

    /// The records of a step.
    ///
    /// # Errors
    /// `invalid_argument`.
    #[napi(ts_return_type = "BigUint64Array")]
    pub fn at<'e>(&self, env: &'e Env, step: BigInt) -> napi::Result<Unknown<'e>> {
        longs(env, &now(|| self.0.at(long(&step)?))?)
    }

    /// Where a record appears from a step on: pairs of step and position.
    ///
    /// # Errors
    /// `invalid_argument`; `unsupported` for an order that does not know.
    #[napi(ts_return_type = "BigUint64Array")]
    pub fn steps_of<'e>(
        &self,
        env: &'e Env,
        record: BigInt,
        from: BigInt,
        at_most: f64,
    ) -> napi::Result<Unknown<'e>> {
        let pairs = now(|| {
            let at_most = usize::try_from(whole(at_most)?).unwrap_or(usize::MAX);
            let mut occurrences = self.0.steps_of(long(&record)?)?;
            occurrences.seek(long(&from)?);
            Ok(occurrences.take(at_most).flat_map(|at| [at.step, at.position]).collect::<Vec<_>>())
        })?;
        longs(env, &pairs)
    }

    /// The first step of an epoch, and the step behind its last.
    ///
    /// # Errors
    /// `invalid_argument`; `unsupported` for an order without epochs.
    #[napi(ts_return_type = "BigUint64Array")]
    pub fn epoch<'e>(&self, env: &'e Env, number: BigInt) -> napi::Result<Unknown<'e>> {
        let steps = now(|| self.0.epoch(long(&number)?))?;
        longs(env, &[steps.start, steps.end])
    }

    /// The same order for another rank.
    ///
    /// # Errors
    /// `invalid_argument`.
    #[napi]
    pub fn shard(&self, rank: f64, world: f64) -> napi::Result<NativeSampler> {
        now(|| self.0.shard(whole(rank)?, whole(world)?).map(NativeSampler))
    }
}

impl NativeSampler {
    pub(crate) fn new(sampler: Sampler) -> Self {
        NativeSampler(sampler)
    }
}
