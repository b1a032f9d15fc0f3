//! Fields of CSV as values of a column.

use recask_core::dtype::Kind;

use super::super::cell::Cells;
use super::super::infer::float_of;
use super::infer::bool_of;

impl Cells {
    /// Takes a field that is not empty.
    pub(super) fn push_cell(&mut self, cell: &str) -> Result<(), String> {
        let value = cell.trim_ascii();
        let done = match self.dtype.kind() {
            Kind::Bool => bool_of(value).map(|flag| self.bytes.push(u8::from(flag))),
            Kind::Int | Kind::UInt | Kind::TimeDelta => {
                value.parse().ok().and_then(|integer| self.integer(integer))
            }
            // Rounded once, not by way of a wider float.
            Kind::Float if self.width == 4 => float_of(value)
                .and_then(|wide| {
                    value.parse::<f32>().ok().filter(|narrow| narrow.is_infinite() == wide.is_infinite())
                })
                .map(|narrow| self.bytes.extend_from_slice(&narrow.to_le_bytes())),
            Kind::Float => float_of(value).and_then(|float| self.float(float)),
            Kind::DateTime => self.time(value),
            Kind::Text | Kind::Bytes => return self.text(cell),
            Kind::Complex | Kind::Void | Kind::Struct => None,
        };
        done.ok_or_else(|| self.refused(&format!("{cell:?}")))
    }
}

#[cfg(test)]
mod tests {
    use recask_core::DType;

    use super::super::super::options::Rules;
    use super::*;

    fn cells(dtype: &str) -> Cells {
        Cells::new(DType::parse(dtype).unwrap(), &Rules::default())
    }

    #[test]
    fn a_value_is_kept_exactly_or_refused() {
        for (dtype, good, bytes) in [
            ("|i1", "-128", &[0x80][..]),
            ("<u2", "65535", &[0xff, 0xff]),
            ("<u8", "18446744073709551615", &[0xff; 8]),
            ("<f4", "0.1", &0.1f32.to_le_bytes()),
            ("<f2", "1.5", &[0x00, 0x3e]),
            ("<f8", "inf", &f64::INFINITY.to_le_bytes()),
            ("|b1", "TRUE", &[1]),
            ("<M8[h]", "1970-01-02", &24i64.to_le_bytes()),
            ("<M8[Y]", "1971-01-01", &1i64.to_le_bytes()),
            ("<M8[s]", "NaT", &i64::MIN.to_le_bytes()),
            ("|S3", "ab", b"ab\0"),
            ("<m8[s]", "-7", &(-7i64).to_le_bytes()),
        ] {
            let mut column = cells(dtype);
            column.push_cell(good).unwrap();
            assert_eq!(column.bytes, bytes, "{dtype} {good}");
        }
        for (dtype, bad) in [
            ("|i1", "128"),
            ("<u2", "-1"),
            ("<i8", "1.0"),
            ("<i8", "x"),
            ("<f4", "1e39"),
            ("<f2", "70000"),
            ("<f8", "1,5"),
            ("|b1", "yes"),
            ("<M8[D]", "1970-01-01T12:00"),
            ("<M8[Y]", "1971-02-01"),
            ("<M8[ns]", "9999-01-01"),
            ("|S3", "abcd"),
        ] {
            let mut column = cells(dtype);
            assert!(column.push_cell(bad).is_err(), "{dtype} {bad}");
        }
    }
}
