//! A figure about a column, such as its least value or its mean, in every form.

use recask::DType;
use recask::core::dtype::{ByteOrder, Kind, TimeUnit};
use recask::core::table::Number;
use serde_json::Value;

use super::{Form, cell};

/// A figure with the type in which it is shown.
#[derive(Debug)]
pub(crate) enum Figure {
    /// There is none.
    Absent,
    /// A value as the column has them.
    Value { dtype: DType, bytes: Vec<u8> },
    /// One of the texts of a column.
    Text(String),
    /// A computed number, of times in ticks.
    Real { value: f64, unit: Option<TimeUnit> },
}

impl Figure {
    /// One of the values of a column.
    pub(crate) fn value(number: Option<Number>, dtype: &DType) -> Self {
        match number {
            None => Figure::Absent,
            Some(Number::Int(value)) => Figure::Value { dtype: dtype.clone(), bytes: integer(value, dtype) },
            Some(Number::NotATime) => Self::value(Some(Number::Int(i64::MIN.into())), dtype),
            Some(Number::Float(value)) if dtype.itemsize() == 8 => Self::float(value),
            // As short as the column has it: 0.1 and not 0.10000000149011612.
            #[expect(clippy::cast_possible_truncation, reason = "it was widened from this type")]
            Some(Number::Float(value)) => {
                Figure::Value { dtype: DType::F32, bytes: recask::bytes_of_slice(&[value as f32]).to_vec() }
            }
        }
    }

    /// One of the values of a column, a number or a text.
    pub(crate) fn extreme(number: Option<Number>, text: Option<String>, dtype: &DType) -> Self {
        text.map_or_else(|| Self::value(number, dtype), Figure::Text)
    }

    /// The mean of a column: of points in time one of them, else a number.
    pub(crate) fn mean(mean: Option<f64>, dtype: &DType) -> Self {
        match (mean, dtype.kind()) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a tick is as exact as it gets; NaN has no mean"
            )]
            (Some(ticks), Kind::DateTime) => {
                Self::value(Some(Number::Int(i128::from(ticks.round() as i64))), dtype)
            }
            _ => Self::spread(mean, dtype),
        }
    }

    /// The standard deviation of a column: of times a span.
    pub(crate) fn spread(value: Option<f64>, dtype: &DType) -> Self {
        value.map_or(Figure::Absent, |value| Figure::Real { value, unit: dtype.unit() })
    }

    fn float(value: f64) -> Self {
        Figure::Value { dtype: DType::F64, bytes: recask::bytes_of_slice(&[value]).to_vec() }
    }

    /// `null` where there is none.
    pub(crate) fn json(&self) -> Value {
        let mut text = String::new();
        match self {
            Figure::Absent => text.push_str("null"),
            Figure::Text(value) => return Value::from(value.as_str()),
            Figure::Value { dtype, bytes } => cell::json(dtype, bytes, &mut text),
            Figure::Real { value, .. } => {
                cell::json(&DType::F64, recask::bytes_of_slice(&[*value]), &mut text);
            }
        }
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }

    /// Nothing where there is none.
    pub(crate) fn text(&self, form: Form) -> String {
        match (self, form) {
            (Figure::Absent, _) => String::new(),
            (Figure::Text(value), Form::People) => cell::shown(value),
            (Figure::Text(value), _) => value.clone(),
            (Figure::Value { dtype, bytes }, Form::People) => cell::text(dtype, bytes),
            (Figure::Value { dtype, bytes }, _) => cell::csv(dtype, bytes),
            (Figure::Real { value, unit: Some(unit) }, Form::People) => {
                let value = value * f64::from(unit.multiple());
                format!("{} {}", short(value), unit.unit().symbol())
            }
            (Figure::Real { value, unit: None }, Form::People) => short(*value),
            (Figure::Real { value, .. }, _) => cell::csv(&DType::F64, recask::bytes_of_slice(&[*value])),
        }
    }
}

fn integer(value: i128, dtype: &DType) -> Vec<u8> {
    let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX).min(size_of::<i128>());
    match dtype.order() {
        ByteOrder::Big => value.to_be_bytes()[size_of::<i128>() - width..].to_vec(),
        ByteOrder::Little | ByteOrder::Irrelevant => value.to_le_bytes()[..width].to_vec(),
    }
}

/// Six digits.
fn short(value: f64) -> String {
    const DIGITS: i32 = 6;
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.5e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match exponent {
        Some(exponent) if value != 0.0 && (-5..16).contains(&exponent) => {
            let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
            let text = format!("{value:.decimals$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ if value == 0.0 => "0".to_owned(),
        _ => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_numbers_have_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (2.0 / 3.0, "0.666667"),
            (1_234.567_89, "1234.57"),
            (999_999.5, "1000000"),
            (123_456_789.4, "123456789"),
            (0.000_012_345_67, "0.0000123457"),
            (1e-9, "1.00000e-9"),
            (1.5e300, "1.50000e300"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn values_look_as_the_column_has_them() {
        let shown = |number, dtype: &str| {
            let figure = Figure::value(Some(number), &DType::parse(dtype).unwrap());
            (figure.text(Form::People), figure.json().to_string())
        };
        let both = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(shown(Number::Int(i128::from(u64::MAX)), "<u8"), both("18446744073709551615"));
        assert_eq!(shown(Number::Int(-7), ">i2"), both("-7"));
        assert_eq!(shown(Number::Int(1), "|b1"), both("true"));
        assert_eq!(shown(Number::Float(f64::from(0.1f32)), "<f4"), both("0.1"));
        assert_eq!(shown(Number::Float(0.1), "<f8"), both("0.1"));
        let day = (String::from("1970-01-03"), String::from("\"1970-01-03\""));
        assert_eq!(shown(Number::Int(2), "<M8[D]"), day);
        let mean = Figure::mean(Some(1.5), &DType::parse("<M8[D]").unwrap());
        assert_eq!((mean.text(Form::People), mean.json().to_string()), day);
    }

    #[test]
    fn deviations_of_times_are_spans() {
        let spread = Figure::spread(Some(2.5), &DType::parse("<M8[25us]").unwrap());
        assert_eq!([spread.text(Form::People), spread.text(Form::Csv)], ["62.5 us", "2.5"]);
        assert_eq!(spread.json(), 2.5);
        let none = Figure::spread(None, &DType::parse("<U3").unwrap());
        assert_eq!((none.text(Form::People), none.json()), (String::new(), Value::Null));
    }
}
