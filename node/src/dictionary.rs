//! Training dictionaries.

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::{Result, Samples, Tier};

use crate::error::invalid;
use crate::memory::{Given, copied};
use crate::numbers::counts;
use crate::task::{Job, later, now};
use crate::watch::{NativeStop, Watch};

/// Trains a dictionary of a tier (`fast`, `balanced` or `max`) from samples that lie one after the other.
///
/// # Errors
/// `training_failed`, `invalid_argument`.
#[napi(
    ts_args_type = "samples: Uint8Array, sizes: Float64Array, tier: string, stop?: NativeStop | null",
    ts_return_type = "Promise<Uint8Array>"
)]
pub fn train_dictionary(
    samples: Unknown<'_>,
    sizes: Unknown<'_>,
    tier: String,
    stop: Option<&NativeStop>,
) -> napi::Result<AsyncTask<Job<Vec<u8>>>> {
    let (samples, tier, watch) =
        now(|| Ok((samples_of(&samples, &sizes)?, tier_of(&tier)?, Watch::new(stop, None)?)))?;
    let train = move || {
        watch.check()?;
        samples.train(tier)
    };
    Ok(later(train, |env, dictionary| copied(env, &dictionary)))
}

/// The same at once.
///
/// # Errors
/// As `trainDictionary`.
#[napi(
    ts_args_type = "samples: Uint8Array, sizes: Float64Array, tier: string",
    ts_return_type = "Uint8Array"
)]
pub fn train_dictionary_sync<'e>(
    env: &'e Env,
    samples: Unknown<'_>,
    sizes: Unknown<'_>,
    tier: String,
) -> napi::Result<Unknown<'e>> {
    let dictionary = now(|| samples_of(&samples, &sizes)?.train(tier_of(&tier)?))?;
    copied(env, &dictionary)
}

fn tier_of(name: &str) -> Result<Tier> {
    Tier::from_name(name).ok_or_else(|| {
        invalid(format!("there is no size of dictionaries '{name}'; use fast, balanced or max"))
    })
}

fn samples_of(samples: &Unknown<'_>, sizes: &Unknown<'_>) -> Result<Samples> {
    let sizes = counts(sizes)?;
    Given::of(samples)?.read(|mut rest| {
        let mut given = Samples::new();
        for size in sizes {
            let size = usize::try_from(size).ok().filter(|&size| size <= rest.len());
            let (sample, behind) =
                rest.split_at(size.ok_or_else(|| invalid("there are fewer samples than sizes"))?);
            given.push(sample);
            rest = behind;
        }
        Ok(given)
    })
}
