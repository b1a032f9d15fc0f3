//! Arrow arrays as columns of a table.

use std::borrow::Cow;
use std::ops::Deref;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, Field, TimeUnit as ArrowUnit};
use recask_core::dtype::{ByteOrder, Element as _, Kind, TimeUnit, Unit, bytes_of_slice};
use recask_core::{Code, DType, Error, Result};

use super::{at_row, no_type};
use crate::convert::table::width::{bytes_dtype, push_bytes};
use crate::convert::table::{Rules, TextAs};

/// A column of batches and how its values become those of a table.
#[derive(Clone, Debug)]
pub(crate) struct Inward {
    name: String,
    dtype: DType,
    how: How,
    rules: Rules,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Bool,
    /// The same bytes.
    Plain,
    /// Numbers of 32 bits become ticks of 64.
    Ticks,
    Text(TextAs, usize),
    Bytes(usize),
    Decimal,
}

/// What a field holds, before any width is known.
enum Found {
    Fixed(DType, How),
    Text,
    Bytes,
}

impl Inward {
    /// Whether the width of this column has to be measured.
    ///
    /// # Errors
    /// [`Code::InvalidDType`] for a type that no table has.
    pub(crate) fn needs_width(field: &Field, rules: &Rules) -> Result<bool> {
        Ok(rules.width.is_none() && !matches!(find(field, rules)?, Found::Fixed(..)))
    }

    /// The column that a field becomes; `measured` is the width of its longest value.
    pub(crate) fn new(field: &Field, rules: &Rules, measured: usize) -> Result<Self> {
        let width = match rules.width {
            Some(width) => usize::try_from(width).unwrap_or(usize::MAX),
            None => measured.max(1),
        };
        let (dtype, how) = match find(field, rules)? {
            Found::Fixed(dtype, how) => (dtype, how),
            Found::Text => (rules.text.dtype(width)?, How::Text(rules.text, width)),
            Found::Bytes => (bytes_dtype(width)?, How::Bytes(width)),
        };
        Ok(Inward { name: field.name().clone(), dtype, how, rules: rules.clone() })
    }

    /// The column of a table that a field is appended to.
    pub(crate) fn into_column(field: &Field, rules: &Rules, dtype: &DType) -> Result<Self> {
        let width = |unit: u64| usize::try_from(dtype.itemsize() / unit).unwrap_or(usize::MAX);
        let (given, how) = match (find(field, rules)?, dtype.kind()) {
            (Found::Text, Kind::Text) => (dtype.clone(), How::Text(TextAs::Unicode, width(4))),
            (Found::Text, Kind::Bytes) => (dtype.clone(), How::Text(TextAs::Utf8, width(1))),
            (Found::Bytes, Kind::Bytes) => (dtype.clone(), How::Bytes(width(1))),
            (Found::Fixed(given, how), _) => (given, how),
            (Found::Text | Found::Bytes, _) => (rules.text.dtype(1)?, How::Plain),
        };
        if given != *dtype {
            let text = format!(
                "column '{}' has {} where the table has '{dtype}'; both must be the same",
                field.name(),
                field.data_type()
            );
            return Err(Error::new(Code::DTypeMismatch, text));
        }
        Ok(Inward { name: field.name().clone(), dtype: given, how, rules: rules.clone() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The type of the values that [`Inward::values`] gives.
    pub(crate) fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The values of an array as bytes of [`Inward::dtype`], those of nulls as the rules say; `row` is the number of the
    /// first, for messages.
    pub(crate) fn values(&self, array: &ArrayRef, row: u64) -> Result<Values> {
        let array = unpacked(&self.name, array)?;
        let values = match self.how {
            How::Plain => Values::Shared(plain(&array, &self.dtype)),
            How::Bool => Values::Owned(array.as_boolean().values().iter().map(u8::from).collect()),
            How::Ticks => Values::Owned(ticks(&array)),
            How::Text(text_as, width) => self.packed(&array, row, |text, out| {
                // What is text and what bytes was found from the type.
                text_as.push(std::str::from_utf8(text).unwrap_or_default(), width, out)
            })?,
            How::Bytes(width) => self.packed(&array, row, |bytes, out| push_bytes(bytes, width, out))?,
            How::Decimal => Values::Owned(decimals(&array)),
        };
        match array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            Some(nulls) => self.fill(values, &nulls, row),
            None => Ok(values),
        }
    }

    /// Values of any length in the width of the column.
    fn packed(
        &self,
        array: &ArrayRef,
        row: u64,
        push: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), String>,
    ) -> Result<Values> {
        let width = usize::try_from(self.dtype.itemsize()).unwrap_or(usize::MAX);
        let mut out = Vec::new();
        let room = out.try_reserve_exact(width.saturating_mul(array.len()));
        room.map_err(|_| {
            Error::new(Code::TooLarge, format!("column '{}' does not fit in memory", self.name))
        })?;
        each_value(array, |at, value| {
            push(value, &mut out).map_err(|reason| at_row(&self.name, row + at as u64, reason))
        })?;
        if self.dtype.order() == ByteOrder::Big {
            out.as_chunks_mut::<4>().0.iter_mut().for_each(|unit| unit.reverse());
        }
        Ok(Values::Owned(out))
    }

    fn fill(&self, values: Values, nulls: &NullBuffer, row: u64) -> Result<Values> {
        let stand_in = self.rules.nulls.stand_in(&self.dtype).map_err(|reason| {
            let first = (0..nulls.len()).find(|&row| nulls.is_null(row)).unwrap_or(0);
            at_row(&self.name, row + first as u64, reason)
        })?;
        let mut values = match values {
            Values::Owned(values) => values,
            Values::Shared(values) => values.to_vec(),
        };
        for (row, value) in values.chunks_exact_mut(stand_in.len()).enumerate() {
            if nulls.is_null(row) {
                value.copy_from_slice(&stand_in);
            }
        }
        Ok(Values::Owned(values))
    }
}

/// Values of a column.
pub(crate) enum Values {
    /// Those of the array itself.
    Shared(Buffer),
    Owned(Vec<u8>),
}

impl Deref for Values {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Values::Shared(values) => values,
            Values::Owned(values) => values,
        }
    }
}

/// The length of the longest text or byte string in an array, as the rules count it.
pub(crate) fn measure(name: &str, array: &ArrayRef, rules: &Rules) -> Result<usize> {
    let array = unpacked(name, array)?;
    let is_text = matches!(array.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let mut longest = 0;
    each_value(&array, |_, value| {
        let text = if is_text { std::str::from_utf8(value).ok() } else { None };
        longest = longest.max(text.map_or(value.len(), |text| rules.text.len(text)));
        Ok(())
    })?;
    Ok(longest)
}

/// Hands over the texts or byte strings of an array, empty ones for nulls.
fn each_value(array: &ArrayRef, mut take: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
    macro_rules! each {
        ($values:expr, $bytes:expr) => {
            $values.iter().enumerate().try_for_each(|(at, value)| take(at, value.map_or(&[], $bytes)))
        };
    }
    match array.data_type() {
        DataType::Utf8 => each!(array.as_string::<i32>(), str::as_bytes),
        DataType::LargeUtf8 => each!(array.as_string::<i64>(), str::as_bytes),
        DataType::Utf8View => each!(array.as_string_view(), str::as_bytes),
        DataType::Binary => each!(array.as_binary::<i32>(), |bytes| bytes),
        DataType::LargeBinary => each!(array.as_binary::<i64>(), |bytes| bytes),
        DataType::BinaryView => each!(array.as_binary_view(), |bytes| bytes),
        other => Err(Error::new(Code::InvalidDType, format!("{other} has no values of any length"))),
    }
}

/// The bytes of the values of a fixed width.
fn plain(array: &ArrayRef, dtype: &DType) -> Buffer {
    let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
    let data = array.to_data();
    data.buffers().first().map_or_else(Buffer::default, |values| {
        values.slice_with_length(data.offset() * width, data.len() * width)
    })
}

/// Days, or times of day, of 32 bits.
fn ticks(array: &ArrayRef) -> Vec<u8> {
    let narrow = plain(array, &i32::DTYPE);
    let wide = |value: &[u8; 4]| {
        if cfg!(target_endian = "big") {
            i64::from(i32::from_be_bytes(*value)).to_be_bytes()
        } else {
            i64::from(i32::from_le_bytes(*value)).to_le_bytes()
        }
    };
    narrow.as_chunks().0.iter().flat_map(wide).collect()
}

/// The floats that are nearest to decimals.
fn decimals(array: &ArrayRef) -> Vec<u8> {
    fn nearest<T: DecimalType>(array: &PrimitiveArray<T>) -> Vec<u8> {
        let values: Vec<f64> =
            (0..array.len()).map(|row| array.value_as_string(row).parse().unwrap_or(f64::NAN)).collect();
        bytes_of_slice(&values).to_vec()
    }
    match array.data_type() {
        DataType::Decimal32(..) => nearest::<Decimal32Type>(array.as_primitive()),
        DataType::Decimal64(..) => nearest::<Decimal64Type>(array.as_primitive()),
        DataType::Decimal128(..) => nearest::<Decimal128Type>(array.as_primitive()),
        _ => nearest::<Decimal256Type>(array.as_primitive()),
    }
}

fn find(field: &Field, rules: &Rules) -> Result<Found> {
    let fixed = |dtype| Ok(Found::Fixed(dtype, How::Plain));
    let values = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    match values {
        DataType::Boolean => Ok(Found::Fixed(DType::BOOL, How::Bool)),
        DataType::Int8 => fixed(i8::DTYPE),
        DataType::Int16 => fixed(i16::DTYPE),
        DataType::Int32 => fixed(i32::DTYPE),
        DataType::Int64 => fixed(i64::DTYPE),
        DataType::UInt8 => fixed(u8::DTYPE),
        DataType::UInt16 => fixed(u16::DTYPE),
        DataType::UInt32 => fixed(u32::DTYPE),
        DataType::UInt64 => fixed(u64::DTYPE),
        DataType::Float16 => fixed(native(DType::F16)),
        DataType::Float32 => fixed(f32::DTYPE),
        DataType::Float64 => fixed(f64::DTYPE),
        DataType::Date32 => {
            Ok(Found::Fixed(native(DType::datetime(Some(TimeUnit::of(Unit::Day)))), How::Ticks))
        }
        DataType::Date64 => fixed(native(DType::datetime(Some(TimeUnit::of(Unit::Millisecond))))),
        DataType::Timestamp(unit, _) => fixed(native(DType::datetime(Some(unit_of(*unit))))),
        DataType::Time32(unit) => {
            Ok(Found::Fixed(native(DType::timedelta(Some(unit_of(*unit)))), How::Ticks))
        }
        DataType::Time64(unit) | DataType::Duration(unit) => {
            fixed(native(DType::timedelta(Some(unit_of(*unit)))))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(Found::Text),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Ok(Found::Bytes),
        DataType::FixedSizeBinary(width) if *width > 0 => {
            fixed(bytes_dtype(usize::try_from(*width).unwrap_or(usize::MAX))?)
        }
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => {
            if rules.decimals_as_floats {
                return Ok(Found::Fixed(f64::DTYPE, How::Decimal));
            }
            let reason =
                format!("has {values}: a table has no exact decimals; ask for floats, or leave it out");
            Err(no_type(field.name(), reason))
        }
        other => {
            let reason = format!("has {other}, which no column of a table can hold; leave it out");
            Err(no_type(field.name(), reason))
        }
    }
}

fn unit_of(unit: ArrowUnit) -> TimeUnit {
    TimeUnit::of(match unit {
        ArrowUnit::Second => Unit::Second,
        ArrowUnit::Millisecond => Unit::Millisecond,
        ArrowUnit::Microsecond => Unit::Microsecond,
        ArrowUnit::Nanosecond => Unit::Nanosecond,
    })
}

/// Arrow's values have the byte order of this machine.
fn native(dtype: DType) -> DType {
    if cfg!(target_endian = "little") {
        return dtype;
    }
    let spelling = dtype.to_string().replacen('<', ">", 1);
    DType::parse(&spelling).unwrap_or(dtype)
}

/// The array with the values of a dictionary in place of its keys.
fn unpacked<'a>(name: &str, array: &'a ArrayRef) -> Result<Cow<'a, ArrayRef>> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return Ok(Cow::Borrowed(array));
    };
    let values = arrow_select::take::take(&**dictionary.values(), dictionary.keys(), None);
    values.map(Cow::Owned).map_err(|error| no_type(name, format_args!("cannot be unpacked: {error}")))
}
