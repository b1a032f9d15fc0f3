//! The order of training.

use js_sys::BigUint64Array;
use recask_core::sampler::Mode;
use recask_core::{Code, Error, Result, Sampler};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, fault};
use crate::numbers::count;

/// Batches as a function of seed and step.
#[wasm_bindgen]
pub struct RawSampler(Sampler);

/// An order over `length` records.
#[wasm_bindgen]
pub fn sampler(
    mode: &str,
    length: u64,
    batch: f64,
    seed: Option<u64>,
    rank: f64,
    world: f64,
) -> Fallible<RawSampler> {
    let (batch, rank, world) =
        (crate::numbers::whole(batch)?, crate::numbers::whole(rank)?, crate::numbers::whole(world)?);
    let made = mode.parse::<Mode>().and_then(|mode| {
        let builder = Sampler::builder(mode, length, batch).shard(rank, world);
        match seed {
            Some(seed) => builder.seed(seed).build(),
            None => builder.build(),
        }
    });
    thrown(made.map(RawSampler))
}

#[wasm_bindgen]
impl RawSampler {
    /// The name of the order.
    #[wasm_bindgen(getter)]
    pub fn mode(&self) -> String {
        self.0.mode().to_string()
    }

    /// Records.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> u64 {
        self.0.length()
    }

    /// Records of one global batch.
    #[wasm_bindgen(getter)]
    pub fn batch(&self) -> f64 {
        count(self.0.batch())
    }

    /// What the order depends on.
    #[wasm_bindgen(getter)]
    pub fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// Whose slices these are.
    #[wasm_bindgen(getter)]
    pub fn rank(&self) -> f64 {
        count(self.0.rank())
    }

    /// How many ranks share a batch.
    #[wasm_bindgen(getter)]
    pub fn world(&self) -> f64 {
        count(self.0.world())
    }

    /// Steps of a pass, where the order has passes.
    #[wasm_bindgen(getter, js_name = stepsPerCycle)]
    pub fn steps_per_cycle(&self) -> Option<u64> {
        self.0.steps_per_cycle()
    }

    /// The records of a step.
    pub fn at(&self, step: u64) -> Fallible<BigUint64Array> {
        thrown(self.0.at(step)).map(|records| BigUint64Array::from(records.as_slice()))
    }

    /// Where a record appears from a step on: pairs of step and position.
    #[wasm_bindgen(js_name = stepsOf)]
    pub fn steps_of(&self, record: u64, from: u64, at_most: f64) -> Fallible<BigUint64Array> {
        let at_most = usize::try_from(crate::numbers::whole(at_most)?).unwrap_or(usize::MAX);
        let mut occurrences = thrown(self.0.steps_of(record))?;
        occurrences.seek(from);
        let pairs: Vec<u64> = occurrences.take(at_most).flat_map(|at| [at.step, at.position]).collect();
        Ok(BigUint64Array::from(pairs.as_slice()))
    }

    /// The first step of an epoch, and the step behind its last.
    pub fn epoch(&self, number: u64) -> Fallible<BigUint64Array> {
        let steps = thrown(self.0.epoch(number))?;
        Ok(BigUint64Array::from([steps.start, steps.end].as_slice()))
    }

    /// The same order for another rank.
    pub fn shard(&self, rank: f64, world: f64) -> Fallible<RawSampler> {
        let (rank, world) = (crate::numbers::whole(rank)?, crate::numbers::whole(world)?);
        thrown(self.0.shard(rank, world).map(RawSampler))
    }
}

impl RawSampler {
    pub(crate) fn new(sampler: Sampler) -> Self {
        RawSampler(sampler)
    }

    pub(crate) fn sampler(&self) -> &Sampler {
        &self.0
    }
}

fn thrown<T>(result: Result<T>) -> Fallible<T> {
    result.map_err(|error| fault(&error))
}

/// Not a step of any run.
pub(crate) fn unknown_policy(name: &str) -> Error {
    let text = format!(
        "there is no policy '{name}' for records that cannot be read; use fail, skip_records or skip_steps"
    );
    Error::new(Code::InvalidArgument, text)
}
