//! States of runs, as JavaScript reads them.

use napi::Env;
use napi::bindgen_prelude::{BigInt, Object};
use napi_derive::napi;
use recask::loader::State;

use crate::numbers::whole;
use crate::sampler::NativeSampler;
use crate::task::now;
use crate::values::longs;

/// The order of a state, for a rank.
///
/// # Errors
/// `state_mismatch`, `invalid_argument`.
#[napi]
pub fn sampler_of_state(state: String, rank: f64, world: f64) -> napi::Result<NativeSampler> {
    now(|| state.parse::<State>()?.sampler(whole(rank)?, whole(world)?).map(NativeSampler::new))
}

/// What a state says.
///
/// # Errors
/// As `samplerOfState`.
#[napi(
    ts_return_type = "{ mode: string; seed: bigint; batch: bigint; length: bigint; step: bigint; done: BigUint64Array; rank: bigint; world: bigint; text: string }"
)]
pub fn read_state<'e>(env: &'e Env, text: String) -> napi::Result<Object<'e>> {
    let state = now(|| text.parse::<State>())?;
    let mut object = Object::new(env)?;
    object.set("mode", state.mode().as_str())?;
    let numbers = [
        ("seed", state.seed()),
        ("batch", state.batch()),
        ("length", state.length()),
        ("step", state.step()),
        ("rank", state.rank()),
        ("world", state.world()),
    ];
    for (name, number) in numbers {
        object.set(name, BigInt::from(number))?;
    }
    object.set("done", longs(env, state.cursor().done())?)?;
    object.set("text", state.to_string())?;
    Ok(object)
}
