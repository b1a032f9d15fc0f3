//! Text and JSON values as values of a column.

use half::f16;
use recask_core::dtype::{Kind, TimeUnit};
use recask_core::table::ColumnInput;
use recask_core::{DType, Result};
use serde_json::Value;

use super::infer::float_of;
use super::iso::parse_iso;
use super::options::Rules;
use super::source::{Take, window};
use super::width::TextAs;

/// Rows that are gathered before they are handed over.
pub(super) struct Block {
    names: Vec<String>,
    cells: Vec<Cells>,
    rows: usize,
    /// Rows that are handed over at once.
    window: usize,
}

impl Block {
    pub(super) fn new(columns: &[(String, DType)], rules: &Rules) -> Self {
        Block {
            names: columns.iter().map(|(name, _)| name.clone()).collect(),
            cells: columns.iter().map(|(_, dtype)| Cells::new(dtype.clone(), rules)).collect(),
            rows: 0,
            window: window(columns),
        }
    }

    /// The columns, each of which takes one value for the current row.
    pub(super) fn cells(&mut self) -> impl Iterator<Item = &mut Cells> {
        self.cells.iter_mut()
    }

    /// The current row is complete.
    pub(super) fn end_row(&mut self, take: Take<'_>) -> Result<()> {
        self.rows += 1;
        if self.rows < self.window {
            return Ok(());
        }
        self.hand_over(take)
    }

    /// Hands over what was gathered.
    pub(super) fn hand_over(&mut self, take: Take<'_>) -> Result<()> {
        if self.rows > 0 {
            let columns = self.names.iter().zip(&self.cells);
            let inputs: Vec<_> = columns
                .map(|(name, cells)| ColumnInput::new(name, cells.dtype.clone(), &cells.bytes))
                .collect();
            take(&inputs)?;
        }
        self.cells.iter_mut().for_each(|cells| cells.bytes.clear());
        self.rows = 0;
        Ok(())
    }
}

/// Gathers the values of one column, little-endian.
pub(super) struct Cells {
    pub(super) dtype: DType,
    pub(super) width: usize,
    stand_in: Result<Vec<u8>, String>,
    pub(super) bytes: Vec<u8>,
}

impl Cells {
    pub(super) fn new(dtype: DType, rules: &Rules) -> Self {
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        let stand_in = rules.nulls.stand_in(&dtype);
        Cells { dtype, width, stand_in, bytes: Vec::new() }
    }

    pub(super) fn push_null(&mut self) -> Result<(), String> {
        self.bytes.extend_from_slice(self.stand_in.as_ref().map_err(String::clone)?);
        Ok(())
    }

    /// A value of JSON; null is none.
    pub(super) fn push_json(&mut self, value: &Value) -> Result<(), String> {
        let done = match (self.dtype.kind(), value) {
            (_, Value::Null) => return self.push_null(),
            (Kind::Text | Kind::Bytes, Value::String(text)) => return self.text(text),
            (Kind::Bool, Value::Bool(flag)) => {
                self.bytes.push(u8::from(*flag));
                Some(())
            }
            (Kind::Int | Kind::UInt | Kind::TimeDelta, Value::Number(number)) => {
                let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                integer.and_then(|integer| self.integer(integer))
            }
            (Kind::Float, Value::Number(number)) => number.as_f64().and_then(|float| self.float(float)),
            (Kind::Float, Value::String(name)) => float_of(name).and_then(|float| self.float(float)),
            (Kind::DateTime, Value::String(text)) => self.time(text),
            (Kind::TimeDelta, Value::String(text)) if text == "NaT" => self.integer(i64::MIN.into()),
            _ => None,
        };
        done.ok_or_else(|| self.refused(&value.to_string()))
    }

    pub(super) fn refused(&self, value: &str) -> String {
        let shown: String = value.chars().take(60).collect();
        format!("has the value {shown}, which '{}' cannot hold", self.dtype)
    }

    pub(super) fn integer(&mut self, integer: i128) -> Option<()> {
        let bits = u32::try_from(self.width).ok()?.checked_mul(8)?;
        let is_signed = self.dtype.kind() != Kind::UInt;
        let (low, high) = if is_signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        if !(low..=high).contains(&integer) {
            return None;
        }
        self.bytes.extend_from_slice(integer.to_le_bytes().get(..self.width)?);
        Some(())
    }

    pub(super) fn float(&mut self, float: f64) -> Option<()> {
        match self.width {
            8 => self.bytes.extend_from_slice(&float.to_le_bytes()),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what a narrower type means")]
            4 if float.is_finite() == (float as f32).is_finite() => {
                self.bytes.extend_from_slice(&(float as f32).to_le_bytes());
            }
            2 if float.is_finite() == f16::from_f64(float).is_finite() => {
                self.bytes.extend_from_slice(&f16::from_f64(float).to_le_bytes());
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn time(&mut self, text: &str) -> Option<()> {
        let unit: TimeUnit = self.dtype.unit()?;
        let ticks = if text == "NaT" { i64::MIN } else { parse_iso(text)?.0.to_ticks(unit)? };
        self.bytes.extend_from_slice(&ticks.to_le_bytes());
        Some(())
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), String> {
        let (text_as, width) = match self.dtype.kind() {
            Kind::Text => (TextAs::Unicode, self.width / 4),
            _ => (TextAs::Utf8, self.width),
        };
        text_as.push(text, width, &mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(dtype: &str) -> Cells {
        Cells::new(DType::parse(dtype).unwrap(), &Rules::default())
    }

    #[test]
    fn json_needs_the_kind_of_the_column() {
        let mut column = cells("<i8");
        column.push_json(&Value::from(i64::MIN)).unwrap();
        assert_eq!(column.bytes, i64::MIN.to_le_bytes());
        assert_eq!(
            column.push_json(&Value::from("1")).unwrap_err(),
            "has the value \"1\", which '<i8' cannot hold"
        );
        assert!(column.push_json(&Value::Null).unwrap_err().starts_with("is missing"));
    }
}
