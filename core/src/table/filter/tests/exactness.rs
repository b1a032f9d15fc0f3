use super::Table;
use crate::error::Code;
use crate::table::filter::Parameters;

const ODD: i64 = (1 << 53) + 1;

#[test]
fn integers_beyond_53_bits_are_not_rounded() {
    let table = Table::default()
        .with("i", "<i8", [ODD - 1, ODD, ODD + 1, i64::MIN, i64::MAX].map(i64::to_le_bytes))
        .with("f", ">f8", [9_007_199_254_740_992f64; 5].map(f64::to_be_bytes))
        .with("u", ">u8", [0, 1, 1 << 63, u64::MAX - 1, u64::MAX].map(u64::to_be_bytes));
    for (text, mask) in [
        ("i = 9007199254740993", "01000"),
        ("i = 9007199254740993.0", "10000"),
        ("i > 9007199254740992.0", "01101"),
        ("i = f", "10000"),
        ("i > f", "01101"),
        ("f < i", "01101"),
        ("f = 9007199254740993", "00000"),
        ("f < 9007199254740993", "11111"),
        ("f <= 9007199254740991", "00000"),
        ("f >= 9007199254740993", "00000"),
        ("f <> 9007199254740993", "11111"),
        ("f IN (9007199254740993)", "00000"),
        ("f IN (9007199254740992)", "11111"),
        ("i = -9223372036854775808", "00010"),
        ("i < -9223372036854775808", "00000"),
        ("i < -9223372036854775807", "00010"),
        ("i = 9223372036854775807", "00001"),
        ("i >= 9223372036854775807", "00001"),
        ("i < 9223372036854775808", "11111"),
        ("i < 9223372036854775807.0", "11111"),
        ("i >= 9223372036854775808.0", "00000"),
        ("i IN (9223372036854775808, -9223372036854775808)", "00010"),
        ("u = 18446744073709551615", "00001"),
        ("u > 18446744073709551614", "00001"),
        ("u < 18446744073709551616", "11111"),
        ("u >= 18446744073709551616.0", "00000"),
        ("u < 18446744073709551616.0", "11111"),
        ("u >= 0", "11111"),
        ("u < 0", "00000"),
        ("u = -1", "00000"),
        ("u <> -1", "11111"),
        ("u > i", "00111"),
        ("u IN (18446744073709551615, 1)", "01001"),
        ("u - 1 = 18446744073709551614", "00001"),
        ("u + 1 = 18446744073709551616", "00001"),
        ("-u = -18446744073709551615", "00001"),
        ("i + i = 18446744073709551614", "00001"),
        ("-i = 9223372036854775808", "00010"),
        ("abs(i) = 9223372036854775808", "00010"),
        ("i * i = 85070591730234615847396907784232501249", "00001"),
        ("i > 2.5", "11101"),
        ("i < 1e300", "11111"),
        ("i > -1e999", "11111"),
        ("i = 1e999", "00000"),
        ("i > 170141183460469231731687303715884105727", "00000"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

#[test]
fn fractions_bound_integers_on_both_sides_of_zero() {
    let table = Table::default().with("i", "|i1", [-3i8, -2, 2, 3].map(i8::to_le_bytes));
    for (text, mask) in [
        ("i < -2.5", "1000"),
        ("i <= -2.5", "1000"),
        ("i > -2.5", "0111"),
        ("i >= -2.5", "0111"),
        ("i < 2.5", "1110"),
        ("i >= 2.5", "0001"),
        ("i = 2.5", "0000"),
        ("i <> 2.5", "1111"),
        ("i <= -2.0", "1100"),
        ("i > 127.5", "0000"),
        ("i > 1000", "0000"),
        ("i > -1000", "1111"),
        ("i NOT BETWEEN -1000 AND 1000", "0000"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

#[test]
fn decimals_have_the_precision_of_narrow_columns() {
    let half = [0.1f32, 0.2, 65504.0, f32::INFINITY].map(|v| half::f16::from_f32(v).to_le_bytes());
    let table = Table::default()
        .with("h", "<f2", half)
        .with("s", "<f4", [0.1f32, 0.3, 1.0, f32::INFINITY].map(f32::to_le_bytes))
        .with("d", "<f8", [0.1f64, 0.3, 1.0, f64::INFINITY].map(f64::to_le_bytes));
    for (text, mask) in [
        ("h = 0.1", "1000"),
        ("h <= 0.1", "1000"),
        ("h >= 65504", "0011"),
        ("h >= 65505", "0001"),
        ("h > 100000.0", "0001"),
        ("s = 0.1", "1000"),
        ("s > 0.1", "0111"),
        ("s IN (0.1, 0.3)", "1100"),
        ("s BETWEEN 0.1 AND 0.3", "1100"),
        ("s = 1e300", "0000"),
        ("s < 1e300", "1110"),
        ("d = 0.1", "1000"),
        ("s = d", "0011"),
        ("s > d", "1100"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

#[test]
fn arithmetic_beyond_128_bits_is_an_error() {
    let table = Table::default().with("i", "<i8", [1i64, i64::MAX].map(i64::to_le_bytes));
    let filter = table.filter("i * i * i > 0").unwrap();
    let error = filter.evaluate(&table, &mut alloc::vec![]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidFilter);
    assert!(error.message().contains("(row 1 of the batch)"), "{error}");
    // Whatever the rest of the filter says: a block must not decide.
    let guarded = table.filter("FALSE AND i * i * i > 0").unwrap();
    assert!(guarded.evaluate(&table, &mut alloc::vec![]).is_err());
    let constant = table.mistake("170141183460469231731687303715884105727 + 1 > i");
    assert!(constant.contains("leaves 128 bits"), "{constant}");
    let large = table.mistake("i < 999999999999999999999999999999999999999999");
    assert!(large.contains("larger than 128 bits hold (at character 5"), "{large}");
}

#[test]
fn parameters_are_as_exact_as_constants() {
    let table = Table::default().with("u", "<u8", [u64::MAX - 1, u64::MAX].map(u64::to_le_bytes));
    assert_eq!(table.with_parameters("u = ?", &Parameters::new().push(u64::MAX)).unwrap(), "01");
    assert_eq!(table.with_parameters("u > ?", &Parameters::new().push(i64::MIN)).unwrap(), "11");
}
