//! Cases of samplers, which are the same in every Rust door.

use recask_core::sampler::{Mode, Sampler};
use recask_core::{Error, Result};

use super::{Checked, same, settle};
use crate::cases::{Appearances, Batches, Epoch, Expect, Integer, SamplerCase};

/// Each batch by `at` and by the iterator.
pub(super) fn batches(case: &SamplerCase<Batches>) -> Checked {
    let count = match &case.expect {
        Expect::Answer(wanted) => wanted.batches.len(),
        Expect::Refusal(_) => 1,
    };
    let got = sampler(case).and_then(|sampler| {
        let by_iterator: Vec<_> = sampler.iter_from(case.step.0).take(count).collect::<Result<_>>()?;
        let steps = (case.step.0..).take(count);
        let by_step = steps.map(|step| sampler.at(step)).collect::<Result<Vec<_>>>()?;
        Ok((by_step, by_iterator))
    });
    settle(got, &case.expect, |(by_step, by_iterator), wanted| {
        let wanted: Vec<Vec<u64>> =
            wanted.batches.iter().map(|batch| batch.iter().map(|index| index.0).collect()).collect();
        same("batches by step", &by_step, &wanted)?;
        same("batches by iterator", &by_iterator, &wanted)
    })
}

pub(super) fn steps_of(case: &SamplerCase<Appearances>) -> Checked {
    let count = case.count.unwrap_or(1);
    let record = case.record.ok_or("the case has no record")?.0;
    let got: Result<Vec<[u64; 2]>, Error> = sampler(case).and_then(|sampler| {
        let mut occurrences = sampler.steps_of(record)?;
        occurrences.seek(case.step.0);
        Ok(occurrences.take(count).map(|found| [found.step, found.position]).collect())
    });
    settle(got, &case.expect, |got, wanted| {
        let wanted: Vec<_> = wanted.occurrences.iter().map(|found| found.map(|Integer(it)| it)).collect();
        same("occurrences", &got, &wanted)
    })
}

pub(super) fn epoch(case: &SamplerCase<Epoch>) -> Checked {
    let epoch = case.epoch.ok_or("the case has no epoch")?.0;
    let steps = sampler(case).and_then(|sampler| sampler.epoch(epoch));
    settle(steps, &case.expect, |steps, wanted| {
        same("steps", &[steps.start, steps.end].map(Integer), &wanted.steps)
    })
}

fn sampler<T>(case: &SamplerCase<T>) -> Result<Sampler> {
    let mode: Mode = case.mode.parse()?;
    Sampler::builder(mode, case.length.0, case.batch).seed(case.seed.0).shard(case.rank, case.world).build()
}
