//! What becomes of missing values: columns of a table have none.

use recask_core::dtype::{ByteOrder, DType, Kind};

/// What is stored where a source has no value.
///
/// | | bool, integers | floats | times and spans | text, byte strings |
/// |---|---|---|---|---|
/// | `Refuse` | error | error | error | error |
/// | `Nan` | error | NaN | NaT | error |
/// | `Zero` | `false`, 0 | 0.0 | 1970, no time | empty |
/// | `Empty` | error | NaN | NaT | empty |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// Nothing: the first null is an error that names its column and row.
    #[default]
    Refuse,
    /// NaN and NaT.
    Nan,
    /// Zeros.
    Zero,
    /// What a type has for "nothing": empty text, NaN and NaT.
    Empty,
}

impl Nulls {
    /// `refuse`, `nan`, `zero` or `empty`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Nulls::Refuse => "refuse",
            Nulls::Nan => "nan",
            Nulls::Zero => "zero",
            Nulls::Empty => "empty",
        }
    }

    /// The rule of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Nulls::Refuse, Nulls::Nan, Nulls::Zero, Nulls::Empty].into_iter().find(|rule| rule.as_str() == name)
    }

    /// The value that stands for a null, in the byte order of `dtype`; what is wrong with it where there is none.
    pub(crate) fn stand_in(self, dtype: &DType) -> Result<Vec<u8>, String> {
        let kind = dtype.kind();
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        let is_text = matches!(kind, Kind::Text | Kind::Bytes);
        match (self, kind) {
            (Nulls::Zero, _) => Ok(vec![0; width]),
            (Nulls::Empty, _) if is_text => Ok(vec![0; width]),
            (Nulls::Nan | Nulls::Empty, Kind::DateTime | Kind::TimeDelta) => {
                Ok(ordered(dtype, &i64::MIN.to_le_bytes()))
            }
            (Nulls::Nan | Nulls::Empty, Kind::Float) => match width {
                2 => Ok(ordered(dtype, &0x7e00u16.to_le_bytes())),
                4 => Ok(ordered(dtype, &f32::NAN.to_le_bytes())),
                8 => Ok(ordered(dtype, &f64::NAN.to_le_bytes())),
                _ => Err(format!("is missing, and '{dtype}' has no value for that")),
            },
            (Nulls::Refuse, _) => {
                Err("is missing: choose what is stored instead (nulls: nan, zero or empty)".to_owned())
            }
            (Nulls::Nan, _) if is_text => {
                Err("is missing, and text has no NaN: choose empty text instead (nulls: empty or zero)"
                    .to_owned())
            }
            (Nulls::Nan | Nulls::Empty, _) => Err(format!(
                "is missing, and '{dtype}' has no value for that: choose 0 instead (nulls: zero), or leave the \
                 column out"
            )),
        }
    }
}

fn ordered(dtype: &DType, little: &[u8]) -> Vec<u8> {
    let mut bytes = little.to_vec();
    if dtype.order() == ByteOrder::Big {
        bytes.reverse();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_value_for_every_kind() {
        let kinds = ["|b1", "<i4", "<f4", "<M8[s]", "|S2", "<U1"];
        let nan = f32::NAN.to_le_bytes().to_vec();
        let nat = i64::MIN.to_le_bytes().to_vec();
        for (rule, expected) in [
            (Nulls::Refuse, [None, None, None, None, None, None]),
            (Nulls::Nan, [None, None, Some(nan.clone()), Some(nat.clone()), None, None]),
            (Nulls::Zero, [1, 4, 4, 8, 2, 4].map(|width| Some(vec![0; width]))),
            (Nulls::Empty, [None, None, Some(nan), Some(nat), Some(vec![0; 2]), Some(vec![0; 4])]),
        ] {
            for (kind, expected) in kinds.into_iter().zip(expected) {
                let dtype = DType::parse(kind).unwrap();
                assert_eq!(rule.stand_in(&dtype).ok(), expected, "{rule:?} {kind}");
            }
            assert_eq!(Nulls::named(rule.as_str()), Some(rule));
        }
        assert_eq!(Nulls::named("no"), None);
    }

    #[test]
    fn stand_ins_have_the_byte_order_of_the_column() {
        let value = Nulls::Nan.stand_in(&DType::parse(">M8[ns]").unwrap()).unwrap();
        assert_eq!(value, i64::MIN.to_be_bytes());
    }
}
