//! The values of a filter's parameters.

use napi::bindgen_prelude::{Array, BigInt, FromNapiValue as _, Object, Unknown};
use napi::{JsValue as _, ValueType};
use recask::table::filter::{Parameters, Value};
use recask::{Error, Result};

use crate::error::invalid;
use crate::numbers::EXACT;

/// A list for `?` and `$1`, an object for `:name`, nothing for neither. They are copied.
pub(crate) fn parameters_of(given: Option<Unknown<'_>>) -> Result<Parameters> {
    let Some(given) = given else { return Ok(Parameters::new()) };
    match given.get_type().map_err(|_| wrong())? {
        ValueType::Undefined | ValueType::Null => return Ok(Parameters::new()),
        ValueType::Object => {}
        _ => return Err(wrong()),
    }
    if given.is_array().map_err(|_| wrong())? {
        let list = Array::from_unknown(given).map_err(|_| wrong())?;
        return (0..list.len()).try_fold(Parameters::new(), |all, at| {
            let value = list.get::<Unknown<'_>>(at).map_err(|_| wrong())?;
            Ok(all.push(value_of(value.ok_or_else(wrong)?)?))
        });
    }
    let named = Object::from_unknown(given).map_err(|_| wrong())?;
    let names = Object::keys(&named).map_err(|_| wrong())?;
    names.into_iter().try_fold(Parameters::new(), |all, name| {
        let value = named.get::<Unknown<'_>>(&name).map_err(|_| wrong())?;
        Ok(all.with(name, value_of(value.ok_or_else(wrong)?)?))
    })
}

fn value_of(given: Unknown<'_>) -> Result<Value> {
    match given.get_type().map_err(|_| wrong())? {
        ValueType::Boolean => bool::from_unknown(given).map(Value::from).map_err(|_| wrong()),
        ValueType::String => String::from_unknown(given).map(Value::from).map_err(|_| wrong()),
        ValueType::Number => f64::from_unknown(given).map(number).map_err(|_| wrong()),
        ValueType::BigInt => {
            BigInt::from_unknown(given).map_err(|_| wrong()).and_then(|number| integer(&number))
        }
        _ => Err(wrong()),
    }
}

fn number(number: f64) -> Value {
    if number.fract() != 0.0 || number.abs() > EXACT || number.is_nan() {
        return Value::from(number);
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
    Value::from(number as i64)
}

fn integer(number: &BigInt) -> Result<Value> {
    let (low, high) = match number.words.as_slice() {
        [] => (0, 0),
        [low] => (*low, 0),
        [low, high] => (*low, *high),
        _ => return Err(beyond()),
    };
    let size = i128::try_from(u128::from(low) | u128::from(high) << 64).map_err(|_| beyond())?;
    Ok(Value::Integer(if number.sign_bit { -size } else { size }))
}

fn beyond() -> Error {
    invalid("an integer parameter of a filter has at most 127 bits")
}

fn wrong() -> Error {
    invalid("parameters of a filter are a list or an object of numbers, texts and booleans")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_integers() {
        assert_eq!(number(3.0), Value::Integer(3));
        assert_eq!(number(-EXACT), Value::Integer(-(1 << 53)));
        assert_eq!(number(0.5), Value::Float(0.5));
        assert_eq!(number(1e300), Value::Float(1e300));
        assert!(matches!(number(f64::NAN), Value::Float(number) if number.is_nan()));
    }

    #[test]
    fn big_integers_keep_sign_and_size() {
        let big = |sign_bit, words: &[u64]| integer(&BigInt { sign_bit, words: words.to_vec() });
        assert_eq!(big(true, &[5]).unwrap(), Value::Integer(-5));
        assert_eq!(big(false, &[0]).unwrap(), Value::Integer(0));
        assert_eq!(big(false, &[u64::MAX]).unwrap(), Value::Integer(u64::MAX.into()));
        assert_eq!(big(true, &[0, 1]).unwrap(), Value::Integer(-(1 << 64)));
        assert!(big(false, &[0, 1 << 63]).is_err());
        assert!(big(false, &[0, 0, 1]).is_err());
    }
}
