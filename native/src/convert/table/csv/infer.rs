//! The type of a column of CSV.
//!
//! Integers that do not fit 64 bits together, or are no floats beside floats, make text of a column, as do integers with
//! leading zeros.

use recask_core::{DType, Result};

use super::super::infer::{Seen, float_of, has_spare_zeros};
use super::super::options::Rules;

/// A number without a fraction or exponent, and what it is.
fn integer_of(text: &str) -> Option<Option<i128>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_integer.then(|| text.parse().ok())
}

pub(super) fn bool_of(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

impl Seen {
    /// Takes a field of CSV that is not empty.
    pub(super) fn see_cell(&mut self, cell: &str, line: u64, rules: &Rules) {
        self.widest = self.widest.max(rules.text.len(cell));
        let value = cell.trim_ascii();
        if self.texts.is_some() {
            return;
        }
        if bool_of(value).is_some() {
            self.bools.get_or_insert(line);
        } else if let Some(integer) = integer_of(value) {
            if has_spare_zeros(value.trim_start_matches('-')) {
                self.texts.get_or_insert(line);
            }
            self.see_integer(integer, line);
        } else if let Some(float) = float_of(value) {
            let seen = if float.is_finite() { &mut self.floats } else { &mut self.float_names };
            seen.get_or_insert(line);
        } else {
            self.see_time_or_text(value, line);
        }
    }

    /// The type of a CSV column: text where the others do not keep every value.
    pub(super) fn of_cells(&self, rules: &Rules) -> Result<DType> {
        match self.kind() {
            Ok(Some(dtype)) => Ok(dtype),
            Ok(None) | Err(_) => rules.text.dtype(self.width(rules)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cells(cells: &[&str], expected: &str) {
        let mut seen = Seen::default();
        let rules = Rules::default();
        cells.iter().zip(1..).for_each(|(cell, line)| seen.see_cell(cell, line, &rules));
        assert_eq!(seen.of_cells(&rules).unwrap().to_string(), expected, "{cells:?}");
    }

    #[test]
    fn cells_get_the_type_that_keeps_them() {
        cells(&["1", "-2", "0"], "<i8");
        cells(&["9223372036854775807", "-9223372036854775808"], "<i8");
        cells(&["18446744073709551615", "0"], "<u8");
        cells(&["18446744073709551616"], "<U20");
        cells(&["9223372036854775808", "-1"], "<U19");
        cells(&["1", "2.5", "NaN", "-inf", "1e-7"], "<f8");
        cells(&["9007199254740993", "0.5"], "<U16");
        cells(&["9007199254740992", "0.5"], "<f8");
        cells(&["007", "8"], "<U3");
        cells(&["-007"], "<U4");
        cells(&["0", "-0", "0.0"], "<f8");
        cells(&["00.5"], "<U4");
        cells(&["true", "False"], "|b1");
        cells(&["true", "1"], "<U4");
        cells(&["2012-01-01"], "<M8[D]");
        cells(&["2012-01-01", "2012-01-01T00:00"], "<M8[s]");
        cells(&["2012-01-01 00:00:00.5", "2012-01-01T00:00:00.000001"], "<M8[us]");
        cells(&["2012-01-01T00:00:00.000000001", "NaT"], "<M8[ns]");
        cells(&["2012-01-01T00:00:00.000000001", "9999-01-01"], "<U29");
        cells(&["NaT"], "<M8[s]");
        cells(&["NaT", "NaN"], "<U3");
        cells(&["2012-01-01", "rain"], "<U10");
        cells(&["1", "2012-01-01"], "<U10");
        cells(&["é", "日本語"], "<U3");
        cells(&["+1", "infinity", "_", "0x10"], "<U8");
        cells(&[], "<f8");
    }
}
