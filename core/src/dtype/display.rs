//! The canonical spelling.

use core::fmt::{self, Write as _};

use super::scalar::Kind;
use super::{DType, Field, Part, Repr, Scalar};

impl fmt::Display for DType {
    /// NumPy's `dtype.str` for a scalar, its `dtype.descr` for a structure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Scalar(scalar) => scalar.fmt(f),
            Repr::Struct(structure) => {
                f.write_char('[')?;
                for (i, part) in structure.parts().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    part.fmt(f)?;
                }
                f.write_char(']')
            }
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(self.order().symbol())?;
        let (letter, width) = match self.kind() {
            Kind::Bool => ('b', self.itemsize()),
            Kind::Int => ('i', self.itemsize()),
            Kind::UInt => ('u', self.itemsize()),
            Kind::Float => ('f', self.itemsize()),
            Kind::Complex => ('c', self.itemsize()),
            Kind::Bytes => ('S', self.itemsize()),
            Kind::Text => ('U', self.itemsize() / 4),
            Kind::DateTime => ('M', self.itemsize()),
            Kind::TimeDelta => ('m', self.itemsize()),
            Kind::Void | Kind::Struct => ('V', self.itemsize()),
        };
        write!(f, "{letter}{width}")?;
        match self.unit() {
            Some(unit) => write!(f, "[{unit}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Padding(bytes) => write!(f, "('', '|V{bytes}')"),
            Part::Field(field) => field.fmt(f),
        }
    }
}

impl fmt::Display for Field {
    /// The entry of NumPy's `descr`: `('x', '<f4', (2, 3))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Quoted(self.name());
        match self.title() {
            Some(title) => write!(f, "(({}, {name}), ", Quoted(title))?,
            None => write!(f, "({name}, ")?,
        }
        match &self.dtype().0 {
            Repr::Scalar(scalar) => write!(f, "'{scalar}'")?,
            Repr::Struct(_) => self.dtype().fmt(f)?,
        }
        if self.shape().rank() > 0 {
            write!(f, ", {}", self.shape())?;
        }
        f.write_char(')')
    }
}

/// A string as Python's `repr` writes it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains('\'') && !self.0.contains('"') { '"' } else { '\'' };
        f.write_char(quote)?;
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\\' => f.write_str("\\\\")?,
                c if c == quote => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\x{:02x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char(quote)
    }
}
