//! One value of a column as text: for people, in JSON, in CSV.

use std::borrow::Cow;

use recask::DType;
use recask::core::dtype::Kind;

use crate::grid::Align;
use crate::value;

/// Characters of one value that people see.
const SHOWN: usize = 60;

/// Numbers and spans stand to the right, everything else to the left.
pub(crate) fn align(dtype: &DType) -> Align {
    match dtype.kind() {
        Kind::Int | Kind::UInt | Kind::Float | Kind::Complex | Kind::TimeDelta => Align::Right,
        _ => Align::Left,
    }
}

/// The JSON of a value, as `show` has it for records.
pub(crate) fn json(dtype: &DType, bytes: &[u8], out: &mut String) {
    value::write(dtype, &[], bytes, out);
}

/// For people: numbers in full, dates as ISO 8601, `NaN` and `NaT`, spans with their unit, text without quotes where it
/// needs none and at most 60 characters of it.
pub(crate) fn text(dtype: &DType, bytes: &[u8]) -> String {
    let text = plain(dtype, bytes);
    if matches!(dtype.kind(), Kind::Bytes | Kind::Text) { shown(&text) } else { text }
}

/// Text for people.
pub(crate) fn shown(text: &str) -> String {
    let shown = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    };
    if needs_quotes(&shown) { format!("{shown:?}") } else { shown.into_owned() }
}

/// The value alone, without quotes and in full, as a cell of CSV has it. Spans are a number of ticks.
pub(crate) fn csv(dtype: &DType, bytes: &[u8]) -> String {
    match dtype.kind() {
        Kind::TimeDelta => unquoted(&json_text(dtype, bytes)),
        _ => plain(dtype, bytes),
    }
}

/// The title of a column.
pub(crate) fn name(name: &str) -> String {
    if needs_quotes(name) { format!("{name:?}") } else { name.to_owned() }
}

fn plain(dtype: &DType, bytes: &[u8]) -> String {
    let json = json_text(dtype, bytes);
    match dtype.kind() {
        Kind::Bytes | Kind::Text => serde_json::from_str(&json).unwrap_or(json),
        Kind::Float | Kind::Complex => json.replace("\"nan\"", "NaN").replace('"', ""),
        Kind::TimeDelta => span(dtype, &unquoted(&json)),
        Kind::DateTime => unquoted(&json),
        _ => json,
    }
}

fn json_text(dtype: &DType, bytes: &[u8]) -> String {
    let mut out = String::new();
    json(dtype, bytes, &mut out);
    out
}

fn unquoted(json: &str) -> String {
    json.trim_matches('"').to_owned()
}

/// `90 s`; of ticks that are several units long, the units.
fn span(dtype: &DType, ticks: &str) -> String {
    match (ticks.parse::<i128>(), dtype.unit()) {
        (Ok(ticks), Some(unit)) => {
            format!("{} {}", ticks * i128::from(unit.multiple()), unit.unit().symbol())
        }
        _ => ticks.to_owned(),
    }
}

/// Whether text without quotes would look like something else: like nothing, a gap, or several cells.
fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.starts_with([' ', '"'])
        || text.ends_with(' ')
        || text.contains("  ")
        || text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(dtype: &str, bytes: &[u8]) -> [String; 2] {
        let dtype = DType::parse(dtype).unwrap();
        [text(&dtype, bytes), csv(&dtype, bytes)]
    }

    #[test]
    fn numbers_are_exact_and_missing_ones_have_names() {
        assert_eq!(both("<i8", &i64::MIN.to_le_bytes()), ["-9223372036854775808"; 2]);
        assert_eq!(both("<u8", &u64::MAX.to_le_bytes()), ["18446744073709551615"; 2]);
        assert_eq!(both("<f4", &0.1f32.to_le_bytes()), ["0.1"; 2]);
        assert_eq!(both("<f8", &f64::NAN.to_le_bytes()), ["NaN"; 2]);
        assert_eq!(both("<f8", &f64::NEG_INFINITY.to_le_bytes()), ["-inf"; 2]);
        assert_eq!(both("|b1", &[1]), ["true"; 2]);
        assert_eq!(both("<M8[D]", &i64::MIN.to_le_bytes()), ["NaT"; 2]);
        assert_eq!(both("<M8[s]", &1i64.to_le_bytes()), ["1970-01-01T00:00:01"; 2]);
    }

    #[test]
    fn spans_have_their_unit_for_people() {
        assert_eq!(both("<m8[s]", &90i64.to_le_bytes()), ["90 s", "90"]);
        assert_eq!(both("<m8[25us]", &(-2i64).to_le_bytes()), ["-50 us", "-2"]);
        assert_eq!(both("<m8", &7i64.to_le_bytes()), ["7", "7"]);
        assert_eq!(both("<m8[s]", &i64::MIN.to_le_bytes()), ["NaT"; 2]);
    }

    #[test]
    fn text_has_quotes_where_it_would_be_misread() {
        for (value, shown) in [
            ("rain", "rain"),
            ("heavy rain", "heavy rain"),
            ("", "\"\""),
            (" rain", "\" rain\""),
            ("a\nb", "\"a\\nb\""),
            ("\"a\"", "\"\\\"a\\\"\""),
        ] {
            let mut bytes = value.as_bytes().to_vec();
            bytes.resize(10, 0);
            assert_eq!(both("|S10", &bytes), [shown, value], "{value:?}");
        }
        let long = "x".repeat(70);
        assert_eq!(both("|S70", long.as_bytes()), [format!("{}…", "x".repeat(60)), long]);
    }
}
