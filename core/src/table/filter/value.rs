//! Constants of filters: in a text, as parameters, in the builder.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::time::{Instant, Span};

/// A constant of a filter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// A whole number, exact.
    Integer(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A string.
    Text(String),
    /// `TIMESTAMP '2020-01-31 12:00:00.5'` or `DATE '2020-01-31'`.
    Instant(Instant),
    /// `INTERVAL '90' SECOND`.
    Span(Span),
}

macro_rules! integers {
    ($($integer:ty)+) => { $(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                Value::Integer(i128::from(value))
            }
        }
    )+ };
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 }

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Value::Float(f64::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Text(value)
    }
}

impl From<Instant> for Value {
    fn from(value: Instant) -> Self {
        Value::Instant(value)
    }
}

impl From<Span> for Value {
    fn from(value: Span) -> Self {
        Value::Span(value)
    }
}
