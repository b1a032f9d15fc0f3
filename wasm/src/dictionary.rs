//! Training dictionaries.

use js_sys::{Float64Array, Uint8Array};
use recask_core::codec::dictionary::{Samples, Tier};
use recask_core::{Code, Error};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, fault};
use crate::numbers::whole;

/// Trains a dictionary of a tier (`fast`, `balanced` or `max`) from samples that lie one after the other.
#[wasm_bindgen(js_name = trainDictionary)]
pub fn train_dictionary(samples: &[u8], sizes: &Float64Array, tier: &str) -> Fallible<Uint8Array> {
    let tier = Tier::from_name(tier).ok_or_else(|| {
        let text = format!("there is no size of dictionaries '{tier}'; use fast, balanced or max");
        fault(&Error::new(Code::InvalidArgument, text))
    })?;
    let mut given = Samples::new();
    let mut rest = samples;
    for size in sizes.to_vec() {
        let size = usize::try_from(whole(size)?).unwrap_or(usize::MAX);
        let (sample, behind) = rest.split_at(size.min(rest.len()));
        given.push(sample);
        rest = behind;
    }
    let dictionary = given.train(tier).map_err(|error| fault(&error))?;
    Ok(Uint8Array::from(dictionary.as_slice()))
}
