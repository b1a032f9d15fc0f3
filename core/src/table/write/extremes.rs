//! The least and the greatest value of a column in one record, for the footer of statistics.

use alloc::vec::Vec;

use half::f16;

use crate::dtype::{ByteOrder, DType, Kind};
use crate::format::cstore::{Extremes, Manifest};

/// Collects the extremes of one column, value by value as it is stored.
#[derive(Clone, Debug)]
pub(in crate::table) struct ColumnExtremes {
    kind: Kind,
    width: u64,
    is_big: bool,
    found: Found,
}

#[derive(Clone, Debug)]
enum Found {
    /// No value yet.
    Nothing,
    /// The least and the greatest so far.
    Range(Vec<u8>, Vec<u8>),
    /// A value that has no order, or a type that has none.
    Useless,
}

/// One for each column of a record.
pub(in crate::table) fn of_record(manifest: &Manifest) -> Vec<ColumnExtremes> {
    manifest.columns.iter().map(|column| ColumnExtremes::new(column.dtype())).collect()
}

impl ColumnExtremes {
    fn new(dtype: &DType) -> Self {
        let is_big = dtype.order() == ByteOrder::Big;
        ColumnExtremes { kind: dtype.kind(), width: dtype.itemsize(), is_big, found: Found::Nothing }
    }

    /// The extremes, where they say something of every value.
    pub(in crate::table) fn result(&self) -> Option<Extremes<'_>> {
        match &self.found {
            Found::Range(minimum, maximum) => Some(Extremes { minimum, maximum }),
            Found::Nothing | Found::Useless => None,
        }
    }

    /// Takes whole values into account.
    pub(in crate::table) fn add(&mut self, bytes: &[u8]) {
        macro_rules! number {
            ($number:ty, $is_ordered:expr) => {
                if self.is_big {
                    self.extend(bytes, <$number>::from_be_bytes, <$number>::to_be_bytes, $is_ordered)
                } else {
                    self.extend(bytes, <$number>::from_le_bytes, <$number>::to_le_bytes, $is_ordered)
                }
            };
        }
        match (self.kind, self.width) {
            (Kind::Bool, 1) | (Kind::UInt, 1) => number!(u8, |_| true),
            (Kind::UInt, 2) => number!(u16, |_| true),
            (Kind::UInt, 4) => number!(u32, |_| true),
            (Kind::UInt, 8) => number!(u64, |_| true),
            (Kind::Int, 1) => number!(i8, |_| true),
            (Kind::Int, 2) => number!(i16, |_| true),
            (Kind::Int, 4) => number!(i32, |_| true),
            (Kind::Int, 8) => number!(i64, |_| true),
            (Kind::Float, 2) => number!(f16, f16::is_finite),
            (Kind::Float, 4) => number!(f32, f32::is_finite),
            (Kind::Float, 8) => number!(f64, f64::is_finite),
            // The least number is NaT.
            (Kind::DateTime | Kind::TimeDelta, 8) => number!(i64, |ticks| ticks != i64::MIN),
            _ => self.found = Found::Useless,
        }
    }

    fn extend<T: Copy + PartialOrd, const N: usize>(
        &mut self,
        bytes: &[u8],
        decode: fn([u8; N]) -> T,
        encode: fn(T) -> [u8; N],
        is_ordered: fn(T) -> bool,
    ) {
        let known = match &self.found {
            Found::Nothing => None,
            Found::Range(least, greatest) => {
                let value = |bytes: &[u8]| bytes.first_chunk().copied().map(decode);
                value(least).zip(value(greatest))
            }
            Found::Useless => return,
        };
        let (values, _) = bytes.as_chunks::<N>();
        let mut values = values.iter().map(|value| decode(*value));
        let Some((mut least, mut greatest)) =
            known.or_else(|| values.clone().next().map(|first| (first, first)))
        else {
            return;
        };
        let all_ordered = is_ordered(least)
            && values.all(|value| {
                if value < least {
                    least = value;
                }
                if value > greatest {
                    greatest = value;
                }
                is_ordered(value)
            });
        self.found = if all_ordered {
            Found::Range(encode(least).into(), encode(greatest).into())
        } else {
            Found::Useless
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::bytes_of_slice;

    fn of(spelling: &str, pieces: &[&[u8]]) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut extremes = ColumnExtremes::new(&DType::parse(spelling).unwrap());
        pieces.iter().for_each(|piece| extremes.add(piece));
        extremes.result().map(|found| (found.minimum.into(), found.maximum.into()))
    }

    #[test]
    fn pieces_count_together() {
        let little = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let big = |values: &[i32]| values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<_>>();
        let (a, b) = ([3, -7, 200], [5, 70_000]);
        assert_eq!(of("<i4", &[&little(&a), &[], &little(&b)]), Some((little(&[-7]), little(&[70_000]))));
        assert_eq!(of(">i4", &[&big(&a), &big(&b)]), Some((big(&[-7]), big(&[70_000]))));
        assert_eq!(of("<u4", &[&little(&a)]), Some((little(&[3]), little(&[-7]))));
    }

    #[test]
    fn what_has_no_order_says_nothing() {
        let floats = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(of("<f8", &[&floats(&[1.0, -2.0])]), Some((floats(&[-2.0]), floats(&[1.0]))));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(of("<f8", &[&floats(&[1.0, odd])]), None);
            assert_eq!(of("<f8", &[&floats(&[odd]), &floats(&[1.0])]), None);
        }
        let ticks = [5i64, i64::MIN].map(i64::to_le_bytes).concat();
        assert_eq!(of("<M8[s]", &[&ticks]), None);
        assert!(of("<i8", &[&ticks]).is_some());
        assert_eq!(of("|S1", &[b"a"]), None);
        assert_eq!(of("<i4", &[]), None);
        assert_eq!(of("<f2", &[bytes_of_slice(&[1u8, 0x7c])]), None);
    }
}
