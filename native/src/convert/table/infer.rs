//! The type of a column whose values are text or JSON: one that keeps every value.

use recask_core::dtype::{TimeUnit, Unit};
use recask_core::{DType, Result};
use serde_json::Value;

use super::iso::parse_iso;
use super::options::Rules;

/// What was seen in a column: the first line of each kind of value.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) bools: Option<u64>,
    integers: Option<u64>,
    negative: Option<u64>,
    /// Beyond 63 bits.
    huge: Option<u64>,
    /// Beyond 64 bits, or no float equals it.
    inexact: Option<u64>,
    /// Beyond 64 bits.
    beyond: Option<u64>,
    pub(super) floats: Option<u64>,
    /// `NaN` and the infinities, which JSON has as text.
    pub(super) float_names: Option<u64>,
    times: Option<u64>,
    /// `NaT`.
    no_times: Option<u64>,
    /// The shortest unit of time, if it is shorter than a day.
    unit: Option<Unit>,
    /// Beyond 64 bits of nanoseconds.
    far: Option<u64>,
    pub(super) texts: Option<u64>,
    /// Of everything as text, counted as the rules do.
    pub(super) widest: usize,
}

/// A number with digits before the fraction, without zeros that it does not need; or the name of a float.
pub(super) fn float_of(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits {
        "NaN" | "nan" | "inf" | "Infinity" | "Inf" => {}
        _ if has_spare_zeros(digits) => return None,
        _ if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {}
        _ => return None,
    }
    text.parse().ok()
}

pub(super) fn has_spare_zeros(digits: &str) -> bool {
    matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..])
}

impl Seen {
    /// Takes a value of JSON that is not null.
    pub(super) fn see_json(&mut self, value: &Value, line: u64, rules: &Rules) -> Result<(), String> {
        match value {
            Value::Null => {}
            Value::Bool(_) => _ = self.bools.get_or_insert(line),
            Value::Number(number) => {
                let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                match integer {
                    Some(integer) => self.see_integer(Some(integer), line),
                    None => _ = self.floats.get_or_insert(line),
                }
            }
            Value::String(text) => {
                self.widest = self.widest.max(rules.text.len(text));
                if matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") {
                    self.float_names.get_or_insert(line);
                } else {
                    self.see_time_or_text(text, line);
                }
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(
                    "holds a list or an object, which no column can; choose the other columns".to_owned()
                );
            }
        }
        Ok(())
    }

    pub(super) fn see_integer(&mut self, integer: Option<i128>, line: u64) {
        self.integers.get_or_insert(line);
        let exact = integer.filter(|&integer| {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "this is the question"
            )]
            let is_exact = integer as f64 as i128 == integer;
            is_exact
        });
        if exact.is_none() {
            self.inexact.get_or_insert(line);
        }
        match integer {
            Some(integer) if integer > i128::from(u64::MAX) || integer < i128::from(i64::MIN) => {
                self.beyond.get_or_insert(line);
            }
            Some(integer) if integer > i128::from(i64::MAX) => _ = self.huge.get_or_insert(line),
            Some(integer) if integer < 0 => _ = self.negative.get_or_insert(line),
            Some(_) => {}
            None => _ = self.beyond.get_or_insert(line),
        }
    }

    pub(super) fn see_time_or_text(&mut self, text: &str, line: u64) {
        if text == "NaT" {
            self.no_times.get_or_insert(line);
            return;
        }
        let Some((instant, unit)) = parse_iso(text) else {
            self.texts.get_or_insert(line);
            return;
        };
        self.times.get_or_insert(line);
        self.unit = match (self.unit, unit) {
            (known, Unit::Day) => known,
            (Some(known), unit) if rank(known) >= rank(unit) => Some(known),
            (_, unit) => Some(unit),
        };
        if instant.to_ticks(TimeUnit::of(Unit::Nanosecond)).is_none() {
            self.far.get_or_insert(line);
        }
    }

    /// The type of a JSON column; what is wrong where values of several kinds are mixed.
    pub(super) fn of_json(&self, rules: &Rules) -> Result<DType, String> {
        match self.kind()? {
            Some(dtype) => Ok(dtype),
            None => rules.text.dtype(self.width(rules)).map_err(|error| error.message().to_owned()),
        }
    }

    pub(super) fn width(&self, rules: &Rules) -> usize {
        rules.width.map_or(self.widest, |width| usize::try_from(width).unwrap_or(usize::MAX))
    }

    /// `None` for text.
    pub(super) fn kind(&self) -> Result<Option<DType>, String> {
        let both = |a: Option<u64>, what_a: &str, b: Option<u64>, what_b: &str| match (a, b) {
            (Some(a), Some(b)) => Err(format!(
                "has {what_a} at line {a} and {what_b} at line {b}; a column holds one kind of value"
            )),
            _ => Ok(()),
        };
        let numbers = self.integers.or(self.floats);
        let times = self.times.or(self.no_times);
        both(numbers, "a number", self.bools, "a bool")?;
        both(numbers, "a number", self.texts.or(times), "text")?;
        both(self.bools, "a bool", self.texts.or(times).or(self.float_names), "text")?;
        if self.texts.is_some() || (times.is_some() && self.float_names.is_some()) {
            return Ok(None);
        }
        if self.bools.is_some() {
            return Ok(Some(DType::BOOL));
        }
        if self.floats.or(self.float_names).is_some() {
            both(
                self.inexact,
                "an integer that no float equals",
                self.floats.or(self.float_names),
                "a float",
            )?;
            return Ok(Some(DType::F64));
        }
        if self.integers.is_some() {
            both(self.beyond, "an integer beyond 64 bits", self.integers, "integers")?;
            both(self.huge, "an integer beyond 63 bits", self.negative, "a negative one")?;
            return Ok(Some(if self.huge.is_some() { DType::U64 } else { DType::I64 }));
        }
        if times.is_some() {
            let unit = match (self.times, self.unit) {
                // Only `NaT`.
                (None, _) => Unit::Second,
                (Some(_), None) => Unit::Day,
                (Some(_), Some(unit)) => unit,
            };
            return Ok(match self.far {
                Some(_) if unit == Unit::Nanosecond => None,
                _ => Some(DType::datetime(Some(TimeUnit::of(unit)))),
            });
        }
        // There are no values: floats, so that the rules for nulls have most to choose from.
        Ok(Some(DType::F64))
    }
}

fn rank(unit: Unit) -> Option<usize> {
    Unit::ALL.iter().position(|&other| other == unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_one_kind_of_value_in_a_column() {
        let find = |values: &str| {
            let mut seen = Seen::default();
            let rules = Rules::default();
            let values: Vec<Value> = serde_json::from_str(values).unwrap();
            for (value, line) in values.iter().zip(1..) {
                seen.see_json(value, line, &rules)?;
            }
            seen.of_json(&rules).map(|dtype| dtype.to_string())
        };
        for (values, expected) in [
            ("[1, null, -2]", "<i8"),
            ("[18446744073709551615]", "<u8"),
            ("[1, 2.5, \"NaN\", \"-Infinity\"]", "<f8"),
            ("[true]", "|b1"),
            ("[\"2012-01-01\", \"NaT\"]", "<M8[D]"),
            ("[\"2012-01-01\", \"x\"]", "<U10"),
            ("[\"\"]", "<U1"),
            ("[\"true\", \"1\"]", "<U4"),
        ] {
            assert_eq!(find(values).as_deref(), Ok(expected), "{values}");
        }
        for (values, expected) in [
            ("[1, \"x\"]", "has a number at line 1 and text at line 2"),
            ("[true, 1]", "has a number at line 2 and a bool at line 1"),
            ("[\"x\", true]", "has a bool at line 2 and text at line 1"),
            ("[9007199254740993, 0.5]", "has an integer that no float equals at line 1"),
            ("[9223372036854775808, -1]", "has an integer beyond 63 bits at line 1"),
            ("[[1]]", "holds a list"),
            ("[{}]", "holds a list or an object"),
        ] {
            let reason = find(values).unwrap_err();
            assert!(reason.starts_with(expected), "{values}: {reason}");
        }
    }
}
