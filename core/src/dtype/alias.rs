//! NumPy's other names for its types.

use super::scalar::Kind;

/// The names that take no byte order. C's types have the widths of 64-bit Linux, where NumPy's stores come from.
pub(super) fn from_name(name: &str) -> Option<(Kind, u32)> {
    Some(match name {
        "bool" | "bool_" => (Kind::Bool, 1),
        "int8" | "byte" => (Kind::Int, 1),
        "int16" | "short" => (Kind::Int, 2),
        "int32" | "intc" => (Kind::Int, 4),
        "int64" | "int" | "int_" | "intp" | "long" | "longlong" => (Kind::Int, 8),
        "uint8" | "ubyte" => (Kind::UInt, 1),
        "uint16" | "ushort" => (Kind::UInt, 2),
        "uint32" | "uintc" => (Kind::UInt, 4),
        "uint64" | "uint" | "uintp" | "ulong" | "ulonglong" => (Kind::UInt, 8),
        "float16" | "half" => (Kind::Float, 2),
        "float32" | "single" => (Kind::Float, 4),
        "float64" | "float" | "double" => (Kind::Float, 8),
        "float128" | "longdouble" => (Kind::Float, 16),
        "complex64" | "csingle" => (Kind::Complex, 8),
        "complex128" | "complex" | "cdouble" => (Kind::Complex, 16),
        "complex256" | "clongdouble" => (Kind::Complex, 32),
        _ => return None,
    })
}

/// The single characters of `numpy.typecodes`, which may follow a byte order.
pub(super) fn from_char(text: &str) -> Option<(Kind, u32)> {
    Some(match text {
        "?" => (Kind::Bool, 1),
        "b" => (Kind::Int, 1),
        "h" => (Kind::Int, 2),
        "i" => (Kind::Int, 4),
        "l" | "q" | "p" | "n" => (Kind::Int, 8),
        "B" => (Kind::UInt, 1),
        "H" => (Kind::UInt, 2),
        "I" => (Kind::UInt, 4),
        "L" | "Q" | "P" | "N" => (Kind::UInt, 8),
        "e" => (Kind::Float, 2),
        "f" => (Kind::Float, 4),
        "d" => (Kind::Float, 8),
        "g" => (Kind::Float, 16),
        "F" => (Kind::Complex, 8),
        "D" => (Kind::Complex, 16),
        "G" => (Kind::Complex, 32),
        _ => return None,
    })
}

/// Python objects and strings of any length, in all their spellings.
pub(super) fn is_object(text: &str) -> bool {
    matches!(text, "O" | "O4" | "O8" | "object" | "object_" | "T" | "T16" | "StringDType()")
}
