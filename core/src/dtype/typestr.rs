//! One scalar from its type string: `<f4`, `|S5`, `M8[25us]`, or a name.

use alloc::format;

use super::alias;
use super::excerpt::excerpt;
use super::scalar::{ByteOrder, Kind, Scalar};
use super::structure::invalid;
use super::time::TimeUnit;
use crate::error::Result;

/// Reads one scalar; anything else is an error that quotes it.
pub(super) fn parse(text: &str) -> Result<Scalar> {
    let (order, rest) = match text.split_at_checked(1) {
        Some((">", rest)) => (ByteOrder::Big, rest),
        Some(("<" | "=" | "|", rest)) => (ByteOrder::Little, rest),
        _ => (ByteOrder::Little, text),
    };
    let has_order = rest.len() < text.len();
    if alias::is_object(rest) {
        return Err(invalid(format!(
            "object dtypes cannot be persisted: '{rest}' holds references, not values"
        )));
    }
    let named = if has_order { None } else { alias::from_name(rest) };
    let number = named.or_else(|| alias::from_char(rest)).or_else(|| sized_number(rest));
    if let Some((kind, itemsize)) = number {
        return Scalar::number(kind, order, itemsize).ok_or_else(|| unknown(text));
    }
    if let Some(scalar) = time(rest, order) {
        return Ok(scalar);
    }
    match sized(rest, has_order) {
        Some((kind, units)) => Scalar::sized(kind, order, units),
        None => Err(unknown(text)),
    }
}

/// `f4`: a kind and a width in bytes.
fn sized_number(text: &str) -> Option<(Kind, u32)> {
    let (letter, width) = text.split_at_checked(1)?;
    let kind = match letter {
        "b" => Kind::Bool,
        "i" => Kind::Int,
        "u" => Kind::UInt,
        "f" => Kind::Float,
        "c" => Kind::Complex,
        _ => return None,
    };
    Some((kind, number(width)?))
}

/// `M8[ns]`, `m`, `datetime64[ns]`.
fn time(text: &str, order: ByteOrder) -> Option<Scalar> {
    let (name, unit) = match text.split_once('[') {
        Some((name, unit)) => (name, TimeUnit::parse(unit.strip_suffix(']')?)?),
        None => (text, None),
    };
    let kind = match name {
        "M" | "M8" | "datetime64" => Kind::DateTime,
        "m" | "m8" | "timedelta64" => Kind::TimeDelta,
        _ => return None,
    };
    Some(Scalar::time(kind, order, unit))
}

/// `S5`, `U3`, `V7`, `a5` with their width, which is 0 when left out; and their names, which have none.
fn sized(text: &str, has_order: bool) -> Option<(Kind, u32)> {
    match text {
        "c" => return Some((Kind::Bytes, 1)),
        "bytes" | "bytes_" if !has_order => return Some((Kind::Bytes, 0)),
        "str" | "str_" | "unicode" if !has_order => return Some((Kind::Text, 0)),
        "void" if !has_order => return Some((Kind::Void, 0)),
        _ => {}
    }
    let (letter, width) = text.split_at_checked(1)?;
    let kind = match letter {
        "S" | "a" => Kind::Bytes,
        "U" => Kind::Text,
        "V" => Kind::Void,
        _ => return None,
    };
    Some((kind, if width.is_empty() { 0 } else { number(width)? }))
}

/// Digits only: `str::parse` would take a sign too.
fn number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn unknown(text: &str) -> crate::Error {
    invalid(format!("the dtype '{}' is not known", excerpt(text)))
}
