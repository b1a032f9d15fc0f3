//! Which records, as JavaScript says it.

use napi::bindgen_prelude::{Array, FromNapiValue as _, TypedArrayType, Unknown};
use napi::{JsValue as _, ValueType};
use recask::{Error, Index, Result};

use crate::error::invalid;
use crate::memory::Given;
use crate::numbers::EXACT;

/// A list (`Float64Array`, `BigUint64Array`), a mask (`Uint8Array`), or `[start, stop, step]` with `undefined` for an absent part.
/// It is copied.
pub(crate) fn index_of(value: Unknown<'_>) -> Result<Index<'static>> {
    if value.get_type().map_err(|_| wrong())? != ValueType::Object {
        return Err(wrong());
    }
    if value.is_typedarray().map_err(|_| wrong())? {
        return list_of(value);
    }
    if !value.is_array().map_err(|_| wrong())? {
        return Err(wrong());
    }
    let parts = Array::from_unknown(value).map_err(|_| wrong())?;
    let part = |at| match parts.get::<Unknown<'_>>(at) {
        Ok(None) => Ok(None),
        Ok(Some(part)) => match part.get_type().map_err(|_| wrong())? {
            ValueType::Undefined => Ok(None),
            ValueType::Number => f64::from_unknown(part).map_err(|_| wrong()).and_then(signed).map(Some),
            _ => Err(wrong()),
        },
        Err(_) => Err(wrong()),
    };
    if parts.len() != 3 {
        return Err(wrong());
    }
    Ok(Index::range(part(0)?, part(1)?, part(2)?.unwrap_or(1)))
}

fn list_of(value: Unknown<'_>) -> Result<Index<'static>> {
    let (kind, list) = Given::of_any(&value)?;
    list.read(|bytes| match kind {
        TypedArrayType::Float64 => {
            let numbers = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<f64>);
            numbers.map(signed).collect::<Result<Vec<_>>>().map(Index::from)
        }
        TypedArrayType::BigUint64 => {
            let numbers = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>);
            Ok(Index::from(numbers.collect::<Vec<_>>()))
        }
        TypedArrayType::Uint8 => {
            let mask: Vec<bool> = bytes.iter().map(|&flag| flag != 0).collect();
            Ok(Index::Mask(mask.into()))
        }
        _ => Err(wrong()),
    })
}

fn signed(number: f64) -> Result<i64> {
    if number.fract() != 0.0 || number.abs() > EXACT || number.is_nan() {
        return Err(invalid(format!("{number} is no index: it takes a whole number")));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
    Ok(number as i64)
}

fn wrong() -> Error {
    invalid("this is no index; give numbers, a slice or a mask")
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn only_whole_numbers_are_indices() {
        assert_eq!(signed(-3.0).unwrap(), -3);
        for number in [0.5, f64::NAN, f64::INFINITY, 1e300] {
            assert!(signed(number).is_err(), "{number}");
        }
    }
}
