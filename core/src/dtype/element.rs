//! Rust's own types as elements: typed views of bytes, without unsafe code.

use alloc::format;
use alloc::vec::Vec;

use bytemuck::checked::{self, CheckedCastError};
use bytemuck::{CheckedBitPattern, NoUninit, PodCastError};
use half::f16;
use num_complex::Complex;

use super::{ByteOrder, DType, Kind, Scalar};
use crate::error::{Code, Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values can be seen in the bytes of records: `bool`, `u8` to `u64`, `i8` to `i64`,
/// [`half::f16`], `f32`, `f64`, and [`num_complex::Complex`] of the last two.
pub trait Element: CheckedBitPattern + NoUninit + Send + Sync + sealed::Sealed + 'static {
    /// The element type with the bytes that this type has in memory: little-endian on a little-endian machine.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty = $kind:ident, $itemsize:literal;)+) => { $(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::scalar(Scalar::native(Kind::$kind, $itemsize));
        }
        const _: () = assert!(size_of::<$rust>() == $itemsize);
    )+ };
}

elements! {
    bool = Bool, 1;
    i8 = Int, 1;
    i16 = Int, 2;
    i32 = Int, 4;
    i64 = Int, 8;
    u8 = UInt, 1;
    u16 = UInt, 2;
    u32 = UInt, 4;
    u64 = UInt, 8;
    f16 = Float, 2;
    f32 = Float, 4;
    f64 = Float, 8;
    Complex<f32> = Complex, 8;
    Complex<f64> = Complex, 16;
}

/// The bytes of values of type `dtype` as a typed slice, without a copy.
///
/// `T` has to match `dtype` in kind, width and byte order; `i64` also sees times as their counts of ticks.
///
/// ```
/// use recask_core::dtype::{DType, bytes_of_slice, cast_slice};
/// let pixels = [1u8, 2, 3];
/// assert_eq!(cast_slice::<u8>(&DType::U8, bytes_of_slice(&pixels))?, pixels);
/// assert!(cast_slice::<i8>(&DType::U8, &pixels).is_err());
/// # Ok::<(), recask_core::Error>(())
/// ```
///
/// # Errors
/// [`Code::DTypeMismatch`] when `T` does not match, [`Code::BufferSize`] when the bytes are not a whole number of
/// values, [`Code::InvalidArgument`] when they are not aligned for `T`, [`Code::CorruptRecord`] for a `bool` that is
/// neither 0 nor 1.
pub fn cast_slice<'a, T: Element>(dtype: &DType, bytes: &'a [u8]) -> Result<&'a [T]> {
    check_view::<T>(dtype, bytes)?;
    if bytes.is_empty() {
        return Ok(&[]);
    }
    checked::try_cast_slice(bytes).map_err(|error| refused::<T>(error, dtype, bytes.len()))
}

/// As [`cast_slice`], to change the values in place.
///
/// # Errors
/// Those of [`cast_slice`].
pub fn cast_slice_mut<'a, T: Element>(dtype: &DType, bytes: &'a mut [u8]) -> Result<&'a mut [T]> {
    check_view::<T>(dtype, bytes)?;
    if bytes.is_empty() {
        return Ok(&mut []);
    }
    let len = bytes.len();
    checked::try_cast_slice_mut(bytes).map_err(|error| refused::<T>(error, dtype, len))
}

/// The bytes of values of type `dtype` as a vector of values, whatever their alignment.
///
/// # Errors
/// Those of [`cast_slice`], but for the alignment.
pub fn to_vec<T: Element>(dtype: &DType, bytes: &[u8]) -> Result<Vec<T>> {
    check_view::<T>(dtype, bytes)?;
    bytes
        .chunks_exact(size_of::<T>())
        .map(|value| checked::try_pod_read_unaligned(value).map_err(|_| not_a_bool()))
        .collect()
}

/// The bytes of values, as a store keeps them where [`Element::DTYPE`] is its type.
#[must_use]
pub fn bytes_of_slice<T: Element>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

fn check_view<T: Element>(dtype: &DType, bytes: &[u8]) -> Result<()> {
    let wanted = T::DTYPE;
    let is_ticks = wanted.kind() == Kind::Int && matches!(dtype.kind(), Kind::DateTime | Kind::TimeDelta);
    let same_values = (dtype.kind() == wanted.kind() || is_ticks) && dtype.itemsize() == wanted.itemsize();
    if !same_values {
        return Err(Error::new(
            Code::DTypeMismatch,
            format!("the values are '{dtype}' and cannot be seen as '{wanted}'"),
        ));
    }
    if !dtype.order().is_native() {
        let order = if dtype.order() == ByteOrder::Big { "big" } else { "little" };
        return Err(Error::new(
            Code::DTypeMismatch,
            format!(
                "the values are {order}-endian '{dtype}', this machine needs '{wanted}': swap their bytes first"
            ),
        ));
    }
    if bytes.len().is_multiple_of(size_of::<T>()) { Ok(()) } else { Err(not_whole(dtype, bytes.len())) }
}

fn refused<T>(error: CheckedCastError, dtype: &DType, len: usize) -> Error {
    match error {
        CheckedCastError::InvalidBitPattern => not_a_bool(),
        CheckedCastError::PodCastError(PodCastError::TargetAlignmentGreaterAndInputNotAligned) => Error::new(
            Code::InvalidArgument,
            format!(
                "the bytes do not start at a multiple of {}: copy the values out with to_vec",
                align_of::<T>()
            ),
        ),
        CheckedCastError::PodCastError(_) => not_whole(dtype, len),
    }
}

fn not_whole(dtype: &DType, len: usize) -> Error {
    Error::new(Code::BufferSize, format!("{len} bytes are not a whole number of '{dtype}' values"))
}

fn not_a_bool() -> Error {
    Error::new(
        Code::CorruptRecord,
        "a bool is stored as neither 0 nor 1: view the bytes as u8 values instead",
    )
}
