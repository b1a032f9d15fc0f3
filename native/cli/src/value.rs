//! Values as `show` and `head` print them: the JSON of an export, with times in words that people read.

use std::fmt::Write as _;

use recask::DType;
use recask::convert::table::iso_time;
use recask::convert::write_json;
use recask::core::dtype::{ByteOrder, Kind};

/// Writes a part of a record as JSON, behind what `out` holds: an element, or nested lists as `shape` says.
///
/// What [`write_json`] says, but for points in time as ISO 8601 text, and `"nan"`, `"inf"` and `"-inf"`.
pub(crate) fn write(dtype: &DType, shape: &[u64], bytes: &[u8], out: &mut String) {
    match dtype.kind() {
        Kind::Struct | Kind::DateTime => nested(dtype, shape, bytes, out),
        Kind::Float | Kind::Complex => {
            let mut text = String::new();
            write_json(dtype, shape, bytes, &mut text);
            // Numbers have no other quoted text.
            for (long, short) in [("NaN\"", "nan\""), ("Infinity\"", "inf\"")] {
                if text.contains(long) {
                    text = text.replace(long, short);
                }
            }
            out.push_str(&text);
        }
        _ => write_json(dtype, shape, bytes, out),
    }
}

fn nested(dtype: &DType, shape: &[u64], bytes: &[u8], out: &mut String) {
    let Some((&extent, inner)) = shape.split_first() else { return element(dtype, bytes, out) };
    let items = usize::try_from(extent).unwrap_or(usize::MAX);
    let width = bytes.len().checked_div(items).unwrap_or(0);
    out.push('[');
    if width > 0 {
        for (i, item) in bytes.chunks_exact(width).enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            nested(dtype, inner, item, out);
        }
    }
    out.push(']');
}

fn element(dtype: &DType, bytes: &[u8], out: &mut String) {
    if dtype.kind() == Kind::DateTime {
        return time(dtype, bytes, out);
    }
    out.push('{');
    for (i, field) in dtype.fields().iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        // Text always has a JSON form.
        out.push_str(&serde_json::to_string(field.name()).unwrap_or_default());
        out.push_str(": ");
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let start = place(field.offset());
        let part = bytes.get(start..start.saturating_add(place(field.byte_len()))).unwrap_or_default();
        write(field.dtype(), field.shape().dims(), part, out);
    }
    out.push('}');
}

fn time(dtype: &DType, bytes: &[u8], out: &mut String) {
    let Ok(bytes) = bytes.try_into() else { return };
    let ticks = match dtype.order() {
        ByteOrder::Big => i64::from_be_bytes(bytes),
        ByteOrder::Little | ByteOrder::Irrelevant => i64::from_le_bytes(bytes),
    };
    // Writing to a string cannot fail.
    let _ = match dtype.unit() {
        _ if ticks == i64::MIN => write!(out, "\"NaT\""),
        Some(unit) => write!(out, "\"{}\"", iso_time(ticks, unit)),
        None => write!(out, "{ticks}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(dtype: &str, shape: &[u64], bytes: &[u8]) -> String {
        let mut text = String::new();
        write(&DType::parse(dtype).unwrap(), shape, bytes, &mut text);
        text
    }

    #[test]
    fn non_finite_floats_are_short_words() {
        let bytes = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.5].map(f32::to_le_bytes).concat();
        assert_eq!(json("<f4", &[4], &bytes), "[\"nan\", \"inf\", \"-inf\", 0.5]");
        assert_eq!(json("<c8", &[2], &bytes), "[[\"nan\", \"inf\"], [\"-inf\", 0.5]]");
    }

    #[test]
    fn times_are_iso_text_in_structures_too() {
        let bytes = [0i64, i64::MIN].map(i64::to_be_bytes).concat();
        assert_eq!(json(">M8[D]", &[2], &bytes), "[\"1970-01-01\", \"NaT\"]");
        assert_eq!(
            json("[('t', '>M8[h]', (2,)), ('n', 'u1')]", &[], &[&bytes[..], &[7]].concat()),
            "{\"t\": [\"1970-01-01T00\", \"NaT\"], \"n\": 7}"
        );
        assert_eq!(json("<M8", &[], &5i64.to_le_bytes()), "5");
    }
}
