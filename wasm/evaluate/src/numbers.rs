//! The numbers in the bytes of stores and tables.

use half::f16;
use recask::core::dtype::{ByteOrder, Kind};
use recask::{Code, DType, Error, Result};

/// How one number lies in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    kind: Number,
    width: usize,
    big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Bool,
    Signed,
    Unsigned,
    Float,
}

impl Format {
    /// Of integers, booleans and floats of up to 64 bits.
    pub(crate) fn of(dtype: &DType) -> Result<Self> {
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        let kind = match (dtype.kind(), width) {
            (Kind::Bool, 1) => Number::Bool,
            (Kind::Int, 1..=8) => Number::Signed,
            (Kind::UInt, 1..=8) => Number::Unsigned,
            (Kind::Float, 2 | 4 | 8) => Number::Float,
            _ => {
                let text =
                    format!("the values are '{dtype}'; integers, booleans and floats can be evaluated");
                return Err(Error::new(Code::DTypeMismatch, text));
            }
        };
        Ok(Format { kind, width, big_endian: dtype.order() == ByteOrder::Big })
    }

    pub(crate) fn width(self) -> usize {
        self.width
    }

    /// Whether the numbers can be those of classes.
    pub(crate) fn is_whole(self) -> bool {
        self.kind != Number::Float
    }

    /// The number of a class.
    pub(crate) fn class(self, bytes: &[u8]) -> Result<u64> {
        let bits = self.bits(bytes)?;
        match self.kind {
            Number::Signed => u64::try_from(self.signed(bits)).map_err(|_| {
                let text = format!("{} is no class; classes count from 0", self.signed(bits));
                Error::new(Code::IndexOutOfRange, text)
            }),
            Number::Bool | Number::Unsigned => Ok(bits),
            Number::Float => {
                Err(Error::new(Code::DTypeMismatch, "the number of a class has to be an integer"))
            }
        }
    }

    /// The nearest 64-bit float: the number itself but for integers beyond 2^53.
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is asked for")]
    #[expect(clippy::cast_possible_truncation, reason = "the bits are those of as many bytes")]
    pub(crate) fn number(self, bytes: &[u8]) -> Result<f64> {
        let bits = self.bits(bytes)?;
        Ok(match (self.kind, self.width) {
            (Number::Signed, _) => self.signed(bits) as f64,
            (Number::Bool | Number::Unsigned, _) => bits as f64,
            (Number::Float, 2) => f16::from_bits(bits as u16).to_f64(),
            (Number::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Number::Float, _) => f64::from_bits(bits),
        })
    }

    fn bits(self, bytes: &[u8]) -> Result<u64> {
        let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        let bits = if self.big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
        if self.kind == Number::Bool && bits > 1 {
            return Err(Error::new(Code::CorruptRecord, "a bool is stored as neither 0 nor 1"));
        }
        Ok(bits)
    }

    fn signed(self, bits: u64) -> i64 {
        let unused = 64 - 8 * u32::try_from(self.width).unwrap_or(8);
        (bits << unused).cast_signed() >> unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(dtype: &str) -> Format {
        Format::of(&DType::parse(dtype).unwrap()).unwrap()
    }

    #[test]
    fn numbers_of_every_type_are_read() {
        for (dtype, bytes, number) in [
            ("|b1", &[1u8][..], 1.0),
            ("|i1", &[0xfe], -2.0),
            ("<i2", &[0xfe, 0xff], -2.0),
            (">i4", &[0, 0, 1, 2], 258.0),
            ("<u8", &[255; 8], 18_446_744_073_709_551_615.0),
            ("<f2", &[0x00, 0xc0], -2.0),
            (">f4", &[0x3f, 0xc0, 0, 0], 1.5),
            ("<f8", &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f], 1.0),
        ] {
            assert_eq!(format(dtype).number(bytes).unwrap(), number, "{dtype}");
            assert_eq!(format(dtype).width(), bytes.len());
        }
    }

    #[test]
    fn classes_are_whole_and_not_negative() {
        assert_eq!(format("<i8").class(&[7, 0, 0, 0, 0, 0, 0, 0]).unwrap(), 7);
        assert_eq!(format("<u8").class(&[255; 8]).unwrap(), u64::MAX);
        assert_eq!(format("|i1").class(&[0xff]).unwrap_err().code(), Code::IndexOutOfRange);
        assert_eq!(format("<f4").class(&[0; 4]).unwrap_err().code(), Code::DTypeMismatch);
        assert_eq!(format("|b1").class(&[2]).unwrap_err().code(), Code::CorruptRecord);
        for dtype in ["<c8", "|S4", "<M8[s]", "<f16", "[('a', '<i4')]"] {
            let error = Format::of(&DType::parse(dtype).unwrap()).unwrap_err();
            assert_eq!(error.code(), Code::DTypeMismatch, "{dtype}");
        }
    }
}
