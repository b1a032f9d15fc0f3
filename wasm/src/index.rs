//! Which records, as JavaScript says it.

use js_sys::{Array, BigUint64Array, Float64Array, Uint8Array};
use recask_core::{Code, Error, Index, Result};
use wasm_bindgen::{JsCast as _, JsValue};

/// A list, a mask, or `[start, stop, step]` with `undefined` for an absent part.
pub(crate) fn index_of(value: &JsValue) -> Result<Index<'static>> {
    if let Some(list) = value.dyn_ref::<Float64Array>() {
        return list.to_vec().into_iter().map(signed).collect::<Result<Vec<_>>>().map(Index::from);
    }
    if let Some(list) = value.dyn_ref::<BigUint64Array>() {
        return Ok(Index::from(list.to_vec()));
    }
    if let Some(mask) = value.dyn_ref::<Uint8Array>() {
        let mask: Vec<bool> = mask.to_vec().into_iter().map(|flag| flag != 0).collect();
        return Ok(Index::Mask(mask.into()));
    }
    if let Some(parts) = value.dyn_ref::<Array>().filter(|parts| parts.length() == 3) {
        let part = |at| {
            let part = parts.get(at);
            if part.is_undefined() {
                Ok(None)
            } else {
                part.as_f64().ok_or_else(wrong).and_then(signed).map(Some)
            }
        };
        return Ok(Index::range(part(0)?, part(1)?, part(2)?.unwrap_or(1)));
    }
    Err(wrong())
}

fn signed(number: f64) -> Result<i64> {
    if number.fract() != 0.0 || number.abs() > 9_007_199_254_740_992.0 || number.is_nan() {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("{number} is no index: it takes a whole number"),
        ));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
    Ok(number as i64)
}

fn wrong() -> Error {
    Error::new(Code::InvalidArgument, "this is no index; give numbers, a slice or a mask")
}
