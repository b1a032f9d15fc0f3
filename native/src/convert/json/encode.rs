//! One JSON value as the bytes of a record.

use recask_core::DType;
use recask_core::dtype::{ByteOrder, Kind};
use serde_json::{Number, Value};

/// One line cannot honestly make more.
const MAX_BYTES: usize = 256 << 20;

/// Turns values into elements of one type, and finds their shape.
pub(super) struct Encoder {
    dtype: DType,
    shape: Vec<u64>,
    bytes: Vec<u8>,
    /// Whether the first element, and so the rank, is known.
    is_shaped: bool,
}

impl Encoder {
    pub(super) fn new(dtype: DType) -> Self {
        Encoder { dtype, shape: Vec::new(), bytes: Vec::new(), is_shaped: false }
    }

    /// The extents of the last value.
    pub(super) fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The elements of the last value.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes a value. A text is a list of its UTF-8 bytes where bytes are wanted.
    pub(super) fn encode(&mut self, value: &Value) -> Result<(), String> {
        self.shape.clear();
        self.bytes.clear();
        self.is_shaped = false;
        match value {
            Value::String(text) if self.dtype == DType::U8 => {
                if text.is_empty() {
                    return Err("is an empty text; a record needs at least one byte".to_owned());
                }
                self.shape.push(text.len() as u64);
                self.bytes.extend_from_slice(text.as_bytes());
                Ok(())
            }
            _ => self.nested(value, 0),
        }
    }

    fn nested(&mut self, value: &Value, depth: usize) -> Result<(), String> {
        let Value::Array(list) = value else {
            self.is_shaped = true;
            if self.shape.len() != depth {
                return Err(uneven());
            }
            return self.element(value);
        };
        if list.is_empty() {
            return Err("has an empty list; a record needs at least one element".to_owned());
        }
        match self.shape.get(depth) {
            Some(&extent) if extent == list.len() as u64 => {}
            None if !self.is_shaped => self.shape.push(list.len() as u64),
            _ => return Err(uneven()),
        }
        list.iter().try_for_each(|value| self.nested(value, depth + 1))
    }

    fn element(&mut self, value: &Value) -> Result<(), String> {
        let start = self.bytes.len();
        let width = usize::try_from(self.dtype.itemsize()).unwrap_or(usize::MAX);
        if start.saturating_add(width) > MAX_BYTES {
            return Err(format!("makes a record of more than {MAX_BYTES} bytes"));
        }
        let done = match (self.dtype.kind(), value) {
            (Kind::Bool, &Value::Bool(flag)) => {
                self.bytes.push(u8::from(flag));
                Some(())
            }
            (Kind::Int | Kind::UInt, Value::Number(number)) => self.integer(number, width),
            (Kind::Float, Value::Number(number)) => {
                float_of(number).and_then(|value| self.float(value, width))
            }
            (Kind::Float, Value::String(name)) => {
                named_float(name).and_then(|value| self.float(value, width))
            }
            // The end of a fixed-width text is the first of its final zeros.
            (Kind::Text | Kind::Bytes, Value::String(text)) if !text.ends_with('\0') => {
                self.text(text, width)
            }
            _ => None,
        };
        match done {
            Some(()) if self.bytes.len() == start + width => Ok(()),
            _ => Err(format!("has the value {}, which {} cannot hold", shortened(value), self.dtype)),
        }
    }

    fn integer(&mut self, number: &Number, width: usize) -> Option<()> {
        let value = widen(number)?;
        let bits = u32::try_from(width).ok()?.checked_mul(8)?;
        let (low, high) = match self.dtype.kind() {
            Kind::Int => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (0, (1i128 << bits) - 1),
        };
        if value < low || value > high {
            return None;
        }
        self.number(value.to_le_bytes().get(..width)?);
        Some(())
    }

    fn float(&mut self, value: f64, width: usize) -> Option<()> {
        match width {
            8 => self.number(&value.to_le_bytes()),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what a narrower type means")]
            4 if value.is_finite() == (value as f32).is_finite() => {
                self.number(&(value as f32).to_le_bytes());
            }
            _ => return None,
        }
        Some(())
    }

    fn text(&mut self, text: &str, width: usize) -> Option<()> {
        let end = self.bytes.len() + width;
        if self.dtype.kind() == Kind::Bytes {
            self.bytes.extend(text.bytes().take(width + 1));
        } else {
            for c in text.chars().take(width / 4 + 1) {
                self.number(&u32::from(c).to_le_bytes());
            }
        }
        if self.bytes.len() > end {
            return None;
        }
        self.bytes.resize(end, 0);
        Some(())
    }

    /// Little-endian bytes in the order of the type.
    fn number(&mut self, little: &[u8]) {
        if self.dtype.order() == ByteOrder::Big {
            self.bytes.extend(little.iter().rev());
        } else {
            self.bytes.extend(little);
        }
    }
}

fn uneven() -> String {
    "has lists of different lengths inside of each other; a record is rectangular".to_owned()
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// An integer of either sign; `None` for a float.
pub(super) fn widen(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// A number as a float, unless it is an integer that no float equals.
fn float_of(number: &Number) -> Option<f64> {
    let Some(integer) = widen(number) else {
        return number.as_f64();
    };
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked right here")]
    Some(integer as f64).filter(|&float| float as i128 == integer)
}

/// The floats that JSON has no number for, as exports spell them.
fn named_float(name: &str) -> Option<f64> {
    match name {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

pub(super) fn is_float_name(text: &str) -> bool {
    named_float(text).is_some()
}
