//! Types without fields: a kind, a byte order, a width.

use alloc::format;

use super::time::TimeUnit;
use crate::error::{Code, Error, Result};

/// What the bytes of an element mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One byte, 0 or 1.
    Bool,
    /// Signed integer of 1, 2, 4 or 8 bytes.
    Int,
    /// Unsigned integer of 1, 2, 4 or 8 bytes.
    UInt,
    /// IEEE float of 2, 4 or 8 bytes; 16 bytes are a `long double` of the machine that wrote it, kept as it is.
    Float,
    /// Two floats, real part first: 8 or 16 bytes, or 32 for two `long double`.
    Complex,
    /// Byte string of a fixed width.
    Bytes,
    /// UTF-32 text of a fixed width.
    Text,
    /// Point in time, 8 bytes signed.
    DateTime,
    /// Span of time, 8 bytes signed.
    TimeDelta,
    /// Raw bytes.
    Void,
    /// Named fields.
    Struct,
}

/// How the bytes of a number follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first: `<`.
    Little,
    /// Most significant byte first: `>`.
    Big,
    /// Single bytes only: `|`.
    Irrelevant,
}

impl ByteOrder {
    /// The order of this machine.
    pub const NATIVE: ByteOrder =
        if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };

    /// Whether this machine reads such bytes without swapping them.
    #[must_use]
    pub fn is_native(self) -> bool {
        self == ByteOrder::NATIVE || self == ByteOrder::Irrelevant
    }

    /// NumPy's character: `<`, `>` or `|`.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            ByteOrder::Little => '<',
            ByteOrder::Big => '>',
            ByteOrder::Irrelevant => '|',
        }
    }
}

/// A type without fields. Constructors keep it to what NumPy has, so every value can be spelled and read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scalar {
    kind: Kind,
    order: ByteOrder,
    itemsize: u32,
    unit: Option<TimeUnit>,
}

/// NumPy keeps the width of a scalar in a C `int`.
pub(super) const MAX_ITEMSIZE: u32 = i32::MAX.unsigned_abs();

impl Scalar {
    /// A number or bool, little-endian; the caller gives a width that the kind has.
    pub(super) const fn little(kind: Kind, itemsize: u32) -> Self {
        Scalar::ordered(kind, ByteOrder::Little, itemsize)
    }

    /// A number or bool in the order of this machine; the caller gives a width that the kind has.
    pub(super) const fn native(kind: Kind, itemsize: u32) -> Self {
        Scalar::ordered(kind, ByteOrder::NATIVE, itemsize)
    }

    /// A time type; `unit` is `None` for the unit-less one.
    pub(super) const fn time(kind: Kind, order: ByteOrder, unit: Option<TimeUnit>) -> Self {
        Scalar { kind, order, itemsize: 8, unit }
    }

    /// A number or bool, if the kind has this width in bytes.
    pub(super) fn number(kind: Kind, order: ByteOrder, itemsize: u32) -> Option<Self> {
        let widths: &[u32] = match kind {
            Kind::Bool => &[1],
            Kind::Int | Kind::UInt => &[1, 2, 4, 8],
            Kind::Float => &[2, 4, 8, 16],
            Kind::Complex => &[8, 16, 32],
            _ => &[],
        };
        widths.contains(&itemsize).then(|| Scalar::ordered(kind, order, itemsize))
    }

    /// A type of a chosen width, given in characters for text and in bytes for the others.
    pub(super) fn sized(kind: Kind, order: ByteOrder, units: u32) -> Result<Self> {
        let (width, order) = if kind == Kind::Text {
            (units.checked_mul(4), order)
        } else {
            (Some(units), ByteOrder::Irrelevant)
        };
        match width {
            Some(itemsize) if itemsize <= MAX_ITEMSIZE => Ok(Scalar { kind, order, itemsize, unit: None }),
            _ => Err(Error::new(
                Code::InvalidDType,
                format!("a width of {units} is too large: one element holds at most {MAX_ITEMSIZE} bytes"),
            )),
        }
    }

    const fn ordered(kind: Kind, order: ByteOrder, itemsize: u32) -> Self {
        let order = if itemsize == 1 { ByteOrder::Irrelevant } else { order };
        Scalar { kind, order, itemsize, unit: None }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn order(&self) -> ByteOrder {
        self.order
    }

    pub(super) fn itemsize(&self) -> u32 {
        self.itemsize
    }

    pub(super) fn unit(&self) -> Option<TimeUnit> {
        self.unit
    }
}
