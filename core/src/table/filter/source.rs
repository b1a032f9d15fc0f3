//! One column as the filter reads it: which of its bytes are which values.

use alloc::vec::Vec;

use half::f16;

use crate::dtype::{ByteOrder, DType, Kind};

/// A column whose values a filter can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) index: usize,
    /// Bytes of one value.
    pub(super) width: usize,
    pub(super) native: Native,
    pub(super) order: ByteOrder,
}

/// How a value is stored, but for its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Native {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bytes,
    Text,
}

/// Runs `$body` with `$read` as the function from bytes to the integer that the column holds; times are their ticks.
macro_rules! with_integer {
    ($source:expr, $read:ident => $body:expr, else $other:expr) => {{
        use crate::dtype::ByteOrder::Big;
        use crate::table::filter::source::Native;
        match ($source.native, $source.order) {
            (Native::I8, _) => {
                let $read = i8::from_le_bytes;
                $body
            }
            (Native::U8, _) => {
                let $read = u8::from_le_bytes;
                $body
            }
            (Native::I16, Big) => {
                let $read = i16::from_be_bytes;
                $body
            }
            (Native::I16, _) => {
                let $read = i16::from_le_bytes;
                $body
            }
            (Native::U16, Big) => {
                let $read = u16::from_be_bytes;
                $body
            }
            (Native::U16, _) => {
                let $read = u16::from_le_bytes;
                $body
            }
            (Native::I32, Big) => {
                let $read = i32::from_be_bytes;
                $body
            }
            (Native::I32, _) => {
                let $read = i32::from_le_bytes;
                $body
            }
            (Native::U32, Big) => {
                let $read = u32::from_be_bytes;
                $body
            }
            (Native::U32, _) => {
                let $read = u32::from_le_bytes;
                $body
            }
            (Native::I64, Big) => {
                let $read = i64::from_be_bytes;
                $body
            }
            (Native::I64, _) => {
                let $read = i64::from_le_bytes;
                $body
            }
            (Native::U64, Big) => {
                let $read = u64::from_be_bytes;
                $body
            }
            (Native::U64, _) => {
                let $read = u64::from_le_bytes;
                $body
            }
            _ => $other,
        }
    }};
}

/// The same for floats, as `f64`, which holds each of them exactly.
macro_rules! with_float {
    ($source:expr, $read:ident => $body:expr, else $other:expr) => {{
        use crate::dtype::ByteOrder::Big;
        use crate::table::filter::source::Native;
        match ($source.native, $source.order) {
            (Native::F16, Big) => {
                let $read = |b| half::f16::from_be_bytes(b).to_f64();
                $body
            }
            (Native::F16, _) => {
                let $read = |b| half::f16::from_le_bytes(b).to_f64();
                $body
            }
            (Native::F32, Big) => {
                let $read = |b| f64::from(f32::from_be_bytes(b));
                $body
            }
            (Native::F32, _) => {
                let $read = |b| f64::from(f32::from_le_bytes(b));
                $body
            }
            (Native::F64, Big) => {
                let $read = f64::from_be_bytes;
                $body
            }
            (Native::F64, _) => {
                let $read = f64::from_le_bytes;
                $body
            }
            _ => $other,
        }
    }};
}

pub(super) use {with_float, with_integer};

impl Source {
    /// `None` for types that a filter has no values for: complex, void, structures, and floats of 16 bytes.
    pub(super) fn new(index: usize, dtype: &DType) -> Option<Self> {
        let native = match (dtype.kind(), dtype.itemsize()) {
            (Kind::Bool, _) => Native::Bool,
            (Kind::Int, 1) => Native::I8,
            (Kind::Int, 2) => Native::I16,
            (Kind::Int, 4) => Native::I32,
            (Kind::Int, 8) | (Kind::DateTime | Kind::TimeDelta, _) => Native::I64,
            (Kind::UInt, 1) => Native::U8,
            (Kind::UInt, 2) => Native::U16,
            (Kind::UInt, 4) => Native::U32,
            (Kind::UInt, 8) => Native::U64,
            (Kind::Float, 2) => Native::F16,
            (Kind::Float, 4) => Native::F32,
            (Kind::Float, 8) => Native::F64,
            (Kind::Bytes, _) => Native::Bytes,
            (Kind::Text, _) => Native::Text,
            _ => return None,
        };
        let width = usize::try_from(dtype.itemsize()).ok()?;
        Some(Source { index, width, native, order: dtype.order() })
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self.native, Native::F16 | Native::F32 | Native::F64)
    }

    /// The least and greatest integer that it can hold.
    pub(super) fn limits(self) -> (i128, i128) {
        fn of<T: Into<i128>>(least: T, greatest: T) -> (i128, i128) {
            (least.into(), greatest.into())
        }
        match self.native {
            Native::I8 => of(i8::MIN, i8::MAX),
            Native::I16 => of(i16::MIN, i16::MAX),
            Native::I32 => of(i32::MIN, i32::MAX),
            Native::U8 => of(u8::MIN, u8::MAX),
            Native::U16 => of(u16::MIN, u16::MAX),
            Native::U32 => of(u32::MIN, u32::MAX),
            Native::U64 => of(u64::MIN, u64::MAX),
            _ => of(i64::MIN, i64::MAX),
        }
    }

    /// A constant in the precision of the column, as NumPy takes it; one that the column cannot hold stays as it is.
    pub(super) fn in_precision(self, constant: f64) -> f64 {
        let rounded = match self.native {
            Native::F16 => f16::from_f64(constant).to_f64(),
            #[expect(clippy::cast_possible_truncation, reason = "rounds, which is the point")]
            Native::F32 => f64::from(constant as f32),
            _ => constant,
        };
        if rounded.is_infinite() { constant } else { rounded }
    }

    /// A text as a value of this column; `None` where it does not fit.
    pub(super) fn encode(self, text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match (self.native, self.order) {
            (Native::Text, ByteOrder::Big) => {
                bytes.extend(text.chars().flat_map(|c| u32::from(c).to_be_bytes()));
            }
            (Native::Text, _) => bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes())),
            _ => bytes.extend_from_slice(text.as_bytes()),
        }
        if bytes.len() > self.width {
            return None;
        }
        bytes.resize(self.width, 0);
        Some(bytes)
    }
}
