//! Records as JSON.

use std::fmt::Write as _;

use recask_core::DType;
use recask_core::dtype::{ByteOrder, Field, Kind};

/// Writes a record of this shape as JSON, behind what `out` holds: an element for a scalar, else nested lists.
///
/// Integers are exact at every width; floats are the shortest text that reads back to the same value, and `"NaN"`,
/// `"Infinity"` or `"-Infinity"` as text; complex numbers are `[real, imaginary]`; times are their counts of ticks, or
/// `"NaT"`; `S` and `U` are text without the zeros at the end (of `S` bytes that are not UTF-8, each is the character
/// with its number); `V` and `long double` are their bytes in hexadecimal; structures are objects. `bytes` that are too
/// few for the shape leave out elements.
///
/// ```
/// use recask::{DType, convert::write_json};
/// let mut text = String::new();
/// write_json(&DType::I16, &[2, 2], &[1, 0, 2, 0, 255, 255, 4, 0], &mut text);
/// assert_eq!(text, "[[1, 2], [-1, 4]]");
/// ```
pub fn write_json(dtype: &DType, shape: &[u64], bytes: &[u8], out: &mut String) {
    let mut rest = bytes;
    nested(dtype, shape, &mut rest, out);
}

fn nested(dtype: &DType, shape: &[u64], rest: &mut &[u8], out: &mut String) {
    let Some((&extent, inner)) = shape.split_first() else {
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        if let Some((element, behind)) = rest.split_at_checked(width) {
            *rest = behind;
            write_element(dtype, element, out);
        }
        return;
    };
    out.push('[');
    for i in 0..extent {
        // A zero extent further in would make any number of empty lists.
        if rest.is_empty() {
            break;
        }
        if i > 0 {
            out.push_str(", ");
        }
        nested(dtype, inner, rest, out);
    }
    out.push(']');
}

fn write_element(dtype: &DType, bytes: &[u8], out: &mut String) {
    match dtype.kind() {
        Kind::Bool => out.push_str(if bytes == [0] { "false" } else { "true" }),
        Kind::Int => write_display(integer(dtype.order(), bytes), out),
        Kind::UInt => write_display(unsigned(dtype.order(), bytes), out),
        Kind::Float => write_float(dtype.order(), bytes, out),
        Kind::Complex => {
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            out.push('[');
            write_float(dtype.order(), real, out);
            out.push_str(", ");
            write_float(dtype.order(), imaginary, out);
            out.push(']');
        }
        Kind::DateTime | Kind::TimeDelta => match integer(dtype.order(), bytes) {
            i64::MIN => out.push_str("\"NaT\""),
            ticks => write_display(ticks, out),
        },
        Kind::Text => {
            let units = bytes.chunks_exact(4).map(|unit| unsigned(dtype.order(), unit));
            let text: String = units
                .map(|unit| {
                    u32::try_from(unit).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
                })
                .collect();
            write_text(text.trim_end_matches('\0'), out);
        }
        Kind::Bytes => {
            let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            let bytes = bytes.get(..end).unwrap_or_default();
            match std::str::from_utf8(bytes) {
                Ok(text) => write_text(text, out),
                Err(_) => write_text(&bytes.iter().copied().map(char::from).collect::<String>(), out),
            }
        }
        Kind::Void => write_hex(bytes, out),
        Kind::Struct => {
            out.push('{');
            for (i, field) in dtype.fields().iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_text(field.name(), out);
                out.push_str(": ");
                write_json(field.dtype(), field.shape().dims(), part(field, bytes), out);
            }
            out.push('}');
        }
    }
}

fn part<'b>(field: &Field, bytes: &'b [u8]) -> &'b [u8] {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let start = place(field.offset());
    bytes.get(start..start.saturating_add(place(field.byte_len()))).unwrap_or_default()
}

/// As a JSON string.
pub(in super::super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => write_display(format_args!("\\u{:04x}", u32::from(c)), out),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_display(value: impl std::fmt::Display, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{value}");
}

/// At most 8 bytes as an unsigned number.
fn unsigned(order: ByteOrder, bytes: &[u8]) -> u64 {
    let append = |number: u64, &byte: &u8| (number << 8) | u64::from(byte);
    match order {
        ByteOrder::Big => bytes.iter().fold(0, append),
        ByteOrder::Little | ByteOrder::Irrelevant => bytes.iter().rev().fold(0, append),
    }
}

/// At most 8 bytes as a number with a sign.
fn integer(order: ByteOrder, bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len().clamp(1, 8);
    (unsigned(order, bytes) << unused).cast_signed() >> unused
}

fn write_float(order: ByteOrder, bytes: &[u8], out: &mut String) {
    let bits = unsigned(order, bytes);
    match bytes.len() {
        8 => write_number(f64::from_bits(bits), f64::from_bits(bits), out),
        4 => {
            let value = f32::from_bits(u32::try_from(bits).unwrap_or_default());
            write_number(f64::from(value), value, out);
        }
        2 => {
            // The shortest text of a half would need its own algorithm; this one reads back the same.
            let value = half_to_f32(u16::try_from(bits).unwrap_or_default());
            write_number(f64::from(value), value, out);
        }
        _ => write_hex(bytes, out),
    }
}

/// `shown` is the value in its own width, which decides how many digits tell it apart.
fn write_number(value: f64, shown: impl std::fmt::Debug, out: &mut String) {
    if value.is_nan() {
        out.push_str("\"NaN\"");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" });
    } else {
        // `1.0`, `-0.0`, `1e-7`: also numbers in JSON.
        write_display(format_args!("{shown:?}"), out);
    }
}

fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

fn write_hex(bytes: &[u8], out: &mut String) {
    out.push('"');
    for byte in bytes {
        write_display(format_args!("{byte:02x}"), out);
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn json(dtype: &str, shape: &[u64], bytes: &[u8]) -> String {
        let mut out = String::new();
        write_json(&DType::parse(dtype).unwrap(), shape, bytes, &mut out);
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&out);
        assert!(parsed.is_ok(), "{out} is no JSON");
        out
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(json("<u8", &[], &u64::MAX.to_le_bytes()), "18446744073709551615");
        assert_eq!(json(">i8", &[], &i64::MIN.to_be_bytes()), "-9223372036854775808");
        assert_eq!(json("|i1", &[3], &[0x80, 0xff, 0x7f]), "[-128, -1, 127]");
        assert_eq!(json(">i2", &[], &(-2i16).to_be_bytes()), "-2");
        assert_eq!(json("|b1", &[2], &[0, 1]), "[false, true]");
    }

    #[test]
    fn floats_are_as_short_as_their_width_allows() {
        assert_eq!(json("<f4", &[], &0.1f32.to_le_bytes()), "0.1");
        assert_eq!(json(">f8", &[], &0.1f64.to_be_bytes()), "0.1");
        assert_eq!(json("<f8", &[], &1e300f64.to_le_bytes()), "1e300");
        assert_eq!(json("<f8", &[], &(-0.0f64).to_le_bytes()), "-0.0");
        assert_eq!(json("<f4", &[], &f32::NAN.to_le_bytes()), "\"NaN\"");
        assert_eq!(json("<f8", &[], &f64::NEG_INFINITY.to_le_bytes()), "\"-Infinity\"");
        // 1.5, the least positive half, infinity.
        assert_eq!(
            json("<f2", &[3], &[0x00, 0x3e, 0x01, 0x00, 0x00, 0x7c]),
            "[1.5, 5.9604645e-8, \"Infinity\"]"
        );
        assert_eq!(json("<c8", &[], &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]), "[1.0, -2.0]");
        assert_eq!(json("<f16", &[], &[7; 16]), format!("\"{}\"", "07".repeat(16)));
    }

    #[test]
    fn text_and_times() {
        assert_eq!(json("|S4", &[], b"a\"\n\0"), "\"a\\\"\\n\"");
        assert_eq!(json("|S2", &[], &[0xff, 0]), "\"ÿ\"");
        assert_eq!(json(">U2", &[], &[0, 0, 0, 0xe4, 0, 0, 0, 0]), "\"ä\"");
        assert_eq!(
            json("<M8[ns]", &[2], &[[1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0x80]].concat()),
            "[1, \"NaT\"]"
        );
        assert_eq!(json("|V2", &[], &[0xab, 1]), "\"ab01\"");
    }

    #[test]
    fn structures_are_objects() {
        let dtype = "[('a', '|u1'), ('', '|V1'), ('b', [('c', '>u2', (2,))])]";
        assert_eq!(json(dtype, &[1], &[7, 99, 0, 1, 1, 0]), r#"[{"a": 7, "b": {"c": [1, 256]}}]"#);
    }

    #[test]
    fn too_few_bytes_leave_out_elements() {
        assert_eq!(json("|u1", &[u64::MAX, 2], &[1, 2]), "[[1, 2]]");
        assert_eq!(json("|u1", &[3, 0], &[]), "[]");
    }
}
