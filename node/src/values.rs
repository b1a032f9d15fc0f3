//! Results as values of JavaScript.

use napi::bindgen_prelude::{BigUint64ArraySlice, Float64ArraySlice, Object, ToNapiValue, Unknown};
use napi::{Env, JsValue as _};

use crate::memory::copied;
use crate::numbers::count;

/// Counts in a new `Float64Array`; exact up to 2^53.
pub(crate) fn numbers<'e>(env: &'e Env, values: &[u64]) -> napi::Result<Unknown<'e>> {
    let values: Vec<f64> = values.iter().map(|&value| count(value)).collect();
    Ok(Float64ArraySlice::copy_from(env, values)?.to_unknown())
}

/// Numbers of 64 bits in a new `BigUint64Array`.
pub(crate) fn longs<'e>(env: &'e Env, values: &[u64]) -> napi::Result<Unknown<'e>> {
    Ok(BigUint64ArraySlice::copy_from(env, values)?.to_unknown())
}

/// Any simple value.
pub(crate) fn value<T: ToNapiValue>(env: &Env, value: T) -> napi::Result<Unknown<'_>> {
    value.into_unknown(env)
}

/// A dense batch around its values: `{ bytes, shape }`.
pub(crate) fn dense<'e>(env: &'e Env, bytes: Unknown<'e>, shape: &[u64]) -> napi::Result<Object<'e>> {
    let mut object = Object::new(env)?;
    object.set("bytes", bytes)?;
    object.set("shape", numbers(env, shape)?)?;
    Ok(object)
}

/// A ragged batch around its values: `{ bytes, offsets, extents, ranks }`.
pub(crate) fn ragged<'e>(env: &'e Env, bytes: Unknown<'e>, shapes: &Shapes) -> napi::Result<Object<'e>> {
    let mut object = Object::new(env)?;
    object.set("bytes", bytes)?;
    object.set("offsets", numbers(env, &shapes.offsets)?)?;
    object.set("extents", numbers(env, &shapes.extents)?)?;
    object.set("ranks", copied(env, &shapes.ranks)?)?;
    Ok(object)
}

/// What a ragged batch has beside its values.
#[derive(Debug)]
pub struct Shapes {
    /// In elements; one more than there are records.
    pub(crate) offsets: Vec<u64>,
    /// Of all shapes, one after the other.
    pub(crate) extents: Vec<u64>,
    /// How many extents each record has.
    pub(crate) ranks: Vec<u8>,
}
