//! Element types, as NumPy writes them.
//!
//! A [`DType`] is a scalar (`<f4`, `|u1`, `<M8[ns]`, `|S5`) or a structure of named fields. Its [`Display`] is the
//! spelling that NumPy prints and stores keep; [`DType::parse`] also understands the other spellings.
//!
//! [`Display`]: core::fmt::Display

use alloc::sync::Arc;
use core::str::FromStr;

use crate::error::{Error, Result};

mod alias;
mod display;
mod element;
mod excerpt;
mod literal;
mod scalar;
mod structure;
mod time;
mod typestr;

pub use element::{Element, bytes_of_slice, cast_slice, cast_slice_mut, to_vec};
pub(crate) use excerpt::excerpt;
use scalar::Scalar;
pub use scalar::{ByteOrder, Kind};
use structure::Structure;
pub use structure::{Field, FieldSpec, MAX_DEPTH, MAX_FIELDS};
pub use time::{TimeUnit, Unit};

/// The type of one element: what its bytes mean, how many there are, and in which order.
///
/// Cheap to clone. Two types are equal when NumPy's canonical spelling of both is the same.
///
/// ```
/// use recask_core::dtype::{DType, Kind, ByteOrder};
/// let pixel = DType::parse("uint8")?;
/// assert_eq!(pixel, DType::U8);
/// assert_eq!(pixel.to_string(), "|u1");
///
/// let row = DType::parse("[('id', '<i8'), ('xy', '>f4', (2,))]")?;
/// assert_eq!(row.itemsize(), 16);
/// assert_eq!(row.fields()[1].dtype().order(), ByteOrder::Big);
/// assert_eq!(row.fields()[1].offset(), 8);
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DType(Repr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Scalar(Scalar),
    Struct(Arc<Structure>),
}

macro_rules! constants {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:ident, $itemsize:literal;)+) => {
        /// The fixed-width types, little-endian.
        impl DType {
            $($(#[doc = $doc])+ pub const $name: DType = DType::scalar(Scalar::little(Kind::$kind, $itemsize));)+
        }
    };
}

constants! {
    /// `|b1`: one byte, 0 or 1.
    BOOL = Bool, 1;
    /// `|i1`
    I8 = Int, 1;
    /// `<i2`
    I16 = Int, 2;
    /// `<i4`
    I32 = Int, 4;
    /// `<i8`
    I64 = Int, 8;
    /// `|u1`
    U8 = UInt, 1;
    /// `<u2`
    U16 = UInt, 2;
    /// `<u4`
    U32 = UInt, 4;
    /// `<u8`
    U64 = UInt, 8;
    /// `<f2`: IEEE half precision.
    F16 = Float, 2;
    /// `<f4`
    F32 = Float, 4;
    /// `<f8`
    F64 = Float, 8;
    /// `<c8`: two `f32`, real part first.
    C64 = Complex, 8;
    /// `<c16`: two `f64`, real part first.
    C128 = Complex, 16;
}

impl DType {
    const fn scalar(scalar: Scalar) -> Self {
        DType(Repr::Scalar(scalar))
    }

    /// Reads any spelling that NumPy understands and that names one fixed meaning on every machine: type strings
    /// (`<f4`, `f4`, `=f4`, `|S5`, `<M8[25us]`), names (`float32`, `double`, `datetime64[ns]`, `?`), lists
    /// (`f4,2i4`), and the literal of a structure (`[('a', '<i4'), ('b', '<f8', (2,))]`), also with JSON's brackets
    /// and quotes. Without a byte order, or with `=`, the type is little-endian. C's `long`, `intp` and their
    /// relatives have 8 bytes, as on 64-bit Linux.
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) for unknown spellings, object types, and structures beyond
    /// [`MAX_DEPTH`] or [`MAX_FIELDS`].
    pub fn parse(text: &str) -> Result<Self> {
        literal::parse(text)
    }

    /// `|S{bytes}`: byte strings of a fixed width, padded with zeros.
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) beyond 2^31 - 1 bytes.
    pub fn bytes(bytes: u32) -> Result<Self> {
        Scalar::sized(Kind::Bytes, ByteOrder::Little, bytes).map(DType::scalar)
    }

    /// `<U{characters}`: text of a fixed width in UTF-32, 4 bytes for each character.
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) beyond 2^29 - 1 characters.
    pub fn text(characters: u32) -> Result<Self> {
        Scalar::sized(Kind::Text, ByteOrder::Little, characters).map(DType::scalar)
    }

    /// `|V{bytes}`: raw bytes without a meaning.
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) beyond 2^31 - 1 bytes.
    pub fn void(bytes: u32) -> Result<Self> {
        Scalar::sized(Kind::Void, ByteOrder::Little, bytes).map(DType::scalar)
    }

    /// `<M8[unit]`: a point in time as a count of `unit` since 1970; `None` is NumPy's unit-less `<M8`.
    #[must_use]
    pub const fn datetime(unit: Option<TimeUnit>) -> Self {
        DType::scalar(Scalar::time(Kind::DateTime, ByteOrder::Little, unit))
    }

    /// `<m8[unit]`: a span of time as a count of `unit`; `None` is NumPy's unit-less `<m8`.
    #[must_use]
    pub const fn timedelta(unit: Option<TimeUnit>) -> Self {
        DType::scalar(Scalar::time(Kind::TimeDelta, ByteOrder::Little, unit))
    }

    /// A structure whose fields follow each other without gaps, unless [`FieldSpec::padding`] makes one.
    ///
    /// ```
    /// use recask_core::dtype::{DType, FieldSpec};
    /// let label = DType::structure([("id", DType::I64), ("score", DType::F32)])?;
    /// assert_eq!(label.to_string(), "[('id', '<i8'), ('score', '<f4')]");
    ///
    /// let pose = DType::structure([
    ///     FieldSpec::new("joints", DType::F32).shape([25, 3]),
    ///     FieldSpec::padding(4),
    ///     FieldSpec::new("time", DType::F64).title("seconds"),
    /// ])?;
    /// assert_eq!(pose.itemsize(), 312);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) for repeated names or titles, a width beyond 64 bits, and
    /// structures beyond [`MAX_DEPTH`] or [`MAX_FIELDS`].
    pub fn structure<F: Into<FieldSpec>>(fields: impl IntoIterator<Item = F>) -> Result<Self> {
        Structure::of(fields.into_iter().map(Into::into))
            .map(|structure| DType(Repr::Struct(Arc::new(structure))))
    }

    /// The width of one element in bytes. `S0`, `U0`, `V0` and empty structures have none, and cannot be stored.
    #[must_use]
    pub fn itemsize(&self) -> u64 {
        match &self.0 {
            Repr::Scalar(scalar) => u64::from(scalar.itemsize()),
            Repr::Struct(structure) => structure.itemsize(),
        }
    }

    /// What the bytes mean; [`Kind::Struct`] for every structure.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.0 {
            Repr::Scalar(scalar) => scalar.kind(),
            Repr::Struct(_) => Kind::Struct,
        }
    }

    /// The byte order; [`ByteOrder::Irrelevant`] for types of single bytes and for structures, whose fields have
    /// their own.
    #[must_use]
    pub fn order(&self) -> ByteOrder {
        match &self.0 {
            Repr::Scalar(scalar) => scalar.order(),
            Repr::Struct(_) => ByteOrder::Irrelevant,
        }
    }

    /// The unit of a [`Kind::DateTime`] or [`Kind::TimeDelta`]; `None` for unit-less ones and all other kinds.
    #[must_use]
    pub fn unit(&self) -> Option<TimeUnit> {
        match &self.0 {
            Repr::Scalar(scalar) => scalar.unit(),
            Repr::Struct(_) => None,
        }
    }

    /// The fields of a structure in the order of their offsets, without padding; empty for a scalar.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        match &self.0 {
            Repr::Scalar(_) => &[],
            Repr::Struct(structure) => structure.fields(),
        }
    }

    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.name() == name)
    }

    /// Whether this is a structure, possibly without fields.
    #[must_use]
    pub fn is_struct(&self) -> bool {
        matches!(self.0, Repr::Struct(_))
    }

    /// Whether this machine reads every part of the element without swapping bytes.
    #[must_use]
    pub fn is_native_order(&self) -> bool {
        match &self.0 {
            Repr::Scalar(scalar) => scalar.order().is_native(),
            Repr::Struct(structure) => structure.fields().iter().all(|field| field.dtype().is_native_order()),
        }
    }

    /// The parts of a structure as NumPy's `descr` lists them: fields and the gaps between them.
    pub(crate) fn parts(&self) -> Option<impl Iterator<Item = Part<'_>>> {
        match &self.0 {
            Repr::Scalar(_) => None,
            Repr::Struct(structure) => Some(structure.parts()),
        }
    }
}

/// One entry of NumPy's `descr`.
pub(crate) enum Part<'a> {
    /// A named field.
    Field(&'a Field),
    /// This many bytes that belong to no field.
    Padding(u64),
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        DType::parse(text)
    }
}
