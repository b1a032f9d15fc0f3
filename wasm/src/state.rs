//! Where a run stands, as a line of text.

use js_sys::{BigInt, BigUint64Array, Object};
use recask_core::Error;
use recask_core::loader::State;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, fault, object};
use crate::numbers::whole;
use crate::sampler::RawSampler;

/// The order of a state, for a rank.
#[wasm_bindgen(js_name = samplerOfState)]
pub fn sampler_of_state(state: &str, rank: f64, world: f64) -> Fallible<RawSampler> {
    let (rank, world) = (whole(rank)?, whole(world)?);
    let sampler = state.parse::<State>().and_then(|state| state.sampler(rank, world));
    sampler.map(RawSampler::new).map_err(|error: Error| fault(&error))
}

/// What a state says.
#[wasm_bindgen(js_name = readState)]
pub fn read_state(text: &str) -> Fallible<Object> {
    let state = text.parse::<State>().map_err(|error| fault(&error))?;
    let big = |value: u64| JsValue::from(BigInt::from(value));
    Ok(object([
        ("mode", JsValue::from(state.mode().as_str())),
        ("seed", big(state.seed())),
        ("batch", big(state.batch())),
        ("length", big(state.length())),
        ("step", big(state.step())),
        ("done", BigUint64Array::from(state.cursor().done()).into()),
        ("rank", big(state.rank())),
        ("world", big(state.world())),
        ("text", JsValue::from(state.to_string())),
    ]))
}
