//! Columns of a table as Arrow arrays.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, TimeUnit as ArrowUnit};
use recask_core::dtype::{Kind, TimeUnit, Unit, to_vec};
use recask_core::table::SchemaColumn;
use recask_core::table::filter::Instant;
use recask_core::{Code, DType, Error, Result};

use super::{at_row, no_type};

/// A column and how its values become Arrow's.
pub(super) struct Outward {
    name: String,
    dtype: DType,
    data_type: DataType,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Bool,
    /// The same bytes.
    Plain,
    /// The same bytes, where NaT is null.
    Ticks,
    /// Ticks of another unit.
    Scaled {
        multiply: i64,
        divide: i64,
    },
    Days(TimeUnit),
    Bytes,
    Text,
}

impl Outward {
    pub(super) fn of(column: &SchemaColumn) -> Result<Self> {
        let (name, dtype) = (column.name().to_owned(), column.dtype().clone());
        let refused = |reason: &str| Err(no_type(&name, format_args!("has the type '{dtype}': {reason}")));
        let (data_type, how) = match (dtype.kind(), dtype.itemsize()) {
            (Kind::Bool, _) => (DataType::Boolean, How::Bool),
            (Kind::Int, 1) => (DataType::Int8, How::Plain),
            (Kind::Int, 2) => (DataType::Int16, How::Plain),
            (Kind::Int, 4) => (DataType::Int32, How::Plain),
            (Kind::Int, _) => (DataType::Int64, How::Plain),
            (Kind::UInt, 1) => (DataType::UInt8, How::Plain),
            (Kind::UInt, 2) => (DataType::UInt16, How::Plain),
            (Kind::UInt, 4) => (DataType::UInt32, How::Plain),
            (Kind::UInt, _) => (DataType::UInt64, How::Plain),
            (Kind::Float, 2) => (DataType::Float16, How::Plain),
            (Kind::Float, 4) => (DataType::Float32, How::Plain),
            (Kind::Float, 8) => (DataType::Float64, How::Plain),
            (Kind::Bytes, _) => (DataType::Binary, How::Bytes),
            (Kind::Text, _) => (DataType::Utf8, How::Text),
            (Kind::DateTime, _) => match dtype.unit() {
                None => return refused("a time without a unit is no point in time"),
                Some(unit) if is_calendar(unit.unit()) => (DataType::Date32, How::Days(unit)),
                Some(unit) => {
                    let (target, how) = scale(unit);
                    (DataType::Timestamp(target, None), how)
                }
            },
            (Kind::TimeDelta, _) => match dtype.unit() {
                None => return refused("a span without a unit has no length"),
                Some(unit) if matches!(unit.unit(), Unit::Year | Unit::Month) => {
                    return refused("months and years have no fixed length");
                }
                Some(unit) => {
                    let (target, how) = scale(unit);
                    (DataType::Duration(target), how)
                }
            },
            (Kind::Float | Kind::Complex | Kind::Void | Kind::Struct, _) => {
                return refused("Arrow has nothing like it");
            }
        };
        Ok(Outward { name, dtype, data_type, how })
    }

    /// Times in seconds become milliseconds.
    #[cfg(feature = "parquet")]
    pub(super) fn without_seconds(mut self) -> Self {
        if self.data_type == DataType::Timestamp(ArrowUnit::Second, None) {
            self.data_type = DataType::Timestamp(ArrowUnit::Millisecond, None);
            self.how = match self.how {
                How::Scaled { multiply, divide } => How::Scaled { multiply: multiply * 1_000, divide },
                _ => How::Scaled { multiply: 1_000, divide: 1 },
            };
        }
        self
    }

    /// Only times can be null.
    pub(super) fn field(&self) -> Field {
        let nullable = matches!(self.how, How::Ticks | How::Scaled { .. } | How::Days(_));
        Field::new(&self.name, self.data_type.clone(), nullable)
    }

    /// Whether Arrow can use the bytes as they are, at addresses that are a multiple of the answer.
    pub(super) fn alignment(&self) -> Option<usize> {
        match self.how {
            How::Plain | How::Ticks => usize::try_from(self.dtype.itemsize()).ok(),
            How::Bool | How::Scaled { .. } | How::Days(_) | How::Bytes | How::Text => None,
        }
    }

    /// The array of some values, the first of which is that of `row`, counted for messages.
    pub(super) fn array(&self, values: Buffer, row: u64) -> Result<ArrayRef> {
        let width = usize::try_from(self.dtype.itemsize()).unwrap_or(usize::MAX);
        let len = values.len() / width.max(1);
        let each = |convert: &mut dyn FnMut(&[u8]) -> Result<(), String>| {
            (row..)
                .zip(values.chunks_exact(width))
                .try_for_each(|(row, value)| convert(value).map_err(|reason| at_row(&self.name, row, reason)))
        };
        match self.how {
            How::Bool => {
                let bits = BooleanBuffer::collect_bool(len, |i| values.get(i).is_some_and(|&byte| byte != 0));
                Ok(Arc::new(BooleanArray::new(bits, None)))
            }
            How::Plain => self.fixed(values, len, None),
            How::Ticks => {
                let nulls = present(&self.ticks(&values)?);
                self.fixed(values, len, nulls)
            }
            How::Scaled { multiply, divide } => {
                let ticks = self.ticks(&values)?;
                let mut scaled = Vec::with_capacity(len);
                for (row, &tick) in (row..).zip(&ticks) {
                    let value = if tick == i64::MIN { Some(0) } else { rescaled(tick, multiply, divide) };
                    scaled.push(value.ok_or_else(|| self.between(row))?);
                }
                self.fixed(Buffer::from_vec(scaled), len, present(&ticks))
            }
            How::Days(unit) => {
                let ticks = self.ticks(&values)?;
                let mut days = Vec::with_capacity(len);
                for (row, &tick) in (row..).zip(&ticks) {
                    let day = if tick == i64::MIN { Some(0) } else { day(tick, unit) };
                    days.push(day.ok_or_else(|| self.between(row))?);
                }
                self.fixed(Buffer::from_vec(days), len, present(&ticks))
            }
            How::Bytes => {
                check_offsets(values.len())?;
                let mut builder = BinaryBuilder::with_capacity(len, values.len());
                each(&mut |value| {
                    let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                    builder.append_value(value.get(..end).unwrap_or_default());
                    Ok(())
                })?;
                Ok(Arc::new(builder.finish()))
            }
            How::Text => {
                // Four bytes of UTF-32 are at most four of UTF-8.
                check_offsets(values.len())?;
                let mut builder = StringBuilder::with_capacity(len, values.len() / 4);
                let mut text = String::new();
                each(&mut |value| {
                    read_text(value, &mut text)?;
                    builder.append_value(&text);
                    Ok(())
                })?;
                Ok(Arc::new(builder.finish()))
            }
        }
    }

    fn fixed(&self, values: Buffer, len: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let data = ArrayData::builder(self.data_type.clone())
            .len(len)
            .nulls(nulls)
            .add_buffer(values)
            .align_buffers(true)
            .build()
            .map_err(|error| no_type(&self.name, format_args!("cannot be shown to Arrow: {error}")))?;
        Ok(make_array(data))
    }

    fn ticks(&self, values: &[u8]) -> Result<Vec<i64>> {
        to_vec(&self.dtype, values)
    }

    fn between(&self, row: u64) -> Error {
        let reason = format!("is a time of '{}' that {} cannot name exactly", self.dtype, self.data_type);
        at_row(&self.name, row, reason)
    }
}

/// Units of whole days, or of months and years.
fn is_calendar(unit: Unit) -> bool {
    matches!(unit, Unit::Year | Unit::Month | Unit::Week | Unit::Day)
}

fn scale(unit: TimeUnit) -> (ArrowUnit, How) {
    let (target, multiply, divide) = match unit.unit() {
        Unit::Year | Unit::Month => (ArrowUnit::Second, 0, 1),
        Unit::Week => (ArrowUnit::Second, 7 * 86_400, 1),
        Unit::Day => (ArrowUnit::Second, 86_400, 1),
        Unit::Hour => (ArrowUnit::Second, 3_600, 1),
        Unit::Minute => (ArrowUnit::Second, 60, 1),
        Unit::Second => (ArrowUnit::Second, 1, 1),
        Unit::Millisecond => (ArrowUnit::Millisecond, 1, 1),
        Unit::Microsecond => (ArrowUnit::Microsecond, 1, 1),
        Unit::Nanosecond => (ArrowUnit::Nanosecond, 1, 1),
        Unit::Picosecond => (ArrowUnit::Nanosecond, 1, 1_000),
        Unit::Femtosecond => (ArrowUnit::Nanosecond, 1, 1_000_000),
        Unit::Attosecond => (ArrowUnit::Nanosecond, 1, 1_000_000_000),
    };
    match (multiply * i64::from(unit.multiple()), divide) {
        (1, 1) => (target, How::Ticks),
        (multiply, divide) => (target, How::Scaled { multiply, divide }),
    }
}

fn rescaled(tick: i64, multiply: i64, divide: i64) -> Option<i64> {
    let scaled = i128::from(tick) * i128::from(multiply);
    let divide = i128::from(divide);
    if scaled % divide == 0 { i64::try_from(scaled / divide).ok() } else { None }
}

fn day(tick: i64, unit: TimeUnit) -> Option<i32> {
    const DAY: TimeUnit = TimeUnit::of(Unit::Day);
    let days = if unit == DAY { tick } else { Instant::from_ticks(tick, unit)?.to_ticks(DAY)? };
    i32::try_from(days).ok()
}

fn present(ticks: &[i64]) -> Option<NullBuffer> {
    let has_gaps = ticks.contains(&i64::MIN);
    has_gaps.then(|| NullBuffer::from_iter(ticks.iter().map(|&tick| tick != i64::MIN)))
}

/// Arrow's offsets of `Utf8` and `Binary` have 31 bits.
fn check_offsets(bytes: usize) -> Result<()> {
    if i32::try_from(bytes).is_ok() {
        return Ok(());
    }
    let text = format!("{bytes} bytes of text are more than one Arrow array holds; take fewer rows at once");
    Err(Error::new(Code::TooLarge, text))
}

/// UTF-32 in the byte order of this machine, as columns are read.
fn read_text(value: &[u8], text: &mut String) -> Result<(), String> {
    text.clear();
    for unit in value.as_chunks().0 {
        let code =
            if cfg!(target_endian = "big") { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
        text.push(char::from_u32(code).ok_or_else(|| format!("holds 0x{code:x}, which is no character"))?);
    }
    text.truncate(text.trim_end_matches('\0').len());
    Ok(())
}
