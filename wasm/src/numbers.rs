//! Counts and offsets as the numbers of JavaScript, which are exact up to 2^53.

use recask_core::{Code, Error};
use wasm_bindgen::JsValue;

use crate::answer::{Fallible, fault};

/// A count, an offset or an index as JavaScript has it.
pub(crate) fn number(value: u64) -> JsValue {
    JsValue::from(count(value))
}

/// The same as a number of Rust.
#[expect(clippy::cast_precision_loss, reason = "counts of a browser are below 2^53")]
pub(crate) fn count(value: u64) -> f64 {
    value as f64
}

/// A number of bytes as JavaScript gives it.
pub(crate) fn whole(number: f64) -> Fallible<u64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if (0.0..=LIMIT).contains(&number) && number.fract() == 0.0 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just now")]
        return Ok(number as u64);
    }
    Err(fault(&Error::new(Code::InvalidArgument, format!("{number} is no whole number between 0 and 2^53"))))
}
