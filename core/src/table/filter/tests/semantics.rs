use alloc::vec::Vec;

use super::Table;
use crate::error::Code;
use crate::table::filter::{Filter, Parameters, Value, col, lit};

fn flights() -> Table {
    Table::default()
        .with("delay", "<i2", [-7i16, 0, 61, 90, 61].map(i16::to_le_bytes))
        .with("distance", "<f4", [100f32, 250.5, f32::NAN, 499.0, 900.0].map(f32::to_le_bytes))
        .with("late", "|b1", [[0u8], [0], [1], [2], [1]])
        .with("a b", ">u4", [1u32, 2, 3, 4, u32::MAX].map(u32::to_be_bytes))
}

#[test]
fn conditions_are_those_of_sql() {
    let table = flights();
    for (text, mask) in [
        ("delay = 61", "00101"),
        ("delay == 61", "00101"),
        ("delay <> 61", "11010"),
        ("delay != 61", "11010"),
        ("delay < 61", "11000"),
        ("delay <= 61", "11101"),
        ("delay > 61", "00010"),
        ("delay >= 61", "00111"),
        ("61 < delay", "00010"),
        ("delay BETWEEN 0 AND 61", "01101"),
        ("delay NOT BETWEEN 0 AND 61", "10010"),
        ("delay BETWEEN 61 AND 0", "00000"),
        ("delay IN (0, 61, 99999999)", "01101"),
        ("delay NOT IN (0, 61)", "10010"),
        ("delay IN (0.0, 61.5)", "01000"),
        ("delay IN (\"a b\" - 2)", "01000"),
        ("delay > 60 AND distance < 500", "00010"),
        ("delay > 60 OR distance < 200", "10111"),
        ("NOT delay > 60", "11000"),
        ("NOT (delay > 60 AND distance < 500)", "11101"),
        ("delay < 0 OR delay > 0 AND delay > 80", "10010"),
        ("(delay < 0 OR delay > 0) AND delay > 80", "00010"),
        ("late", "00111"),
        ("NOT late", "11000"),
        ("late = TRUE", "00111"),
        ("late <> true", "11000"),
        ("late IS TRUE", "00111"),
        ("late IS NOT TRUE", "11000"),
        ("late IS FALSE", "11000"),
        ("late IS NOT FALSE", "00111"),
        ("late = (delay > 80)", "11010"),
        ("TRUE", "11111"),
        ("FALSE OR delay = 0", "01000"),
        ("1 < 2", "11111"),
        ("\"a b\" = 4294967295", "00001"),
        ("\"a b\" > -1", "11111"),
        ("\"a b\" < 4294967296", "11111"),
        ("delay > 60 -- and so on", "00111"),
        ("delay\n  > /* not much */ 60", "00111"),
        ("delay > +60", "00111"),
        ("delay = -7", "10000"),
        ("- delay = 7", "10000"),
        ("abs(delay) = 7", "10000"),
        ("ABS(distance) > 499.5", "00001"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

/// The expected values are NumPy's.
#[test]
fn arithmetic_is_that_of_numpy() {
    let table = Table::default()
        .with("a", "<i8", [-7i64, 7, -7, 7, 5].map(i64::to_le_bytes))
        .with("b", "<i4", [3i32, -3, -3, 3, 0].map(i32::to_le_bytes))
        .with("x", "<f8", [-7.5f64, 7.5, -7.5, 5.0, 0.0].map(f64::to_le_bytes))
        .with("y", "<f8", [2f64, -2.0, -2.0, 0.0, 0.0].map(f64::to_le_bytes));
    for (text, mask) in [
        ("a % b = 2", "10000"),
        ("a % b = -2", "01000"),
        ("a % b = -1", "00100"),
        ("a % b = 1", "00010"),
        ("a % b = 0", "00001"),
        ("a / b < -2.3", "11000"),
        ("a / b = 7 / 3", "00110"),
        ("a / b = 1e999", "00001"),
        ("7 / 2 = 3.5", "11111"),
        ("x % y = 0.5", "10000"),
        ("x % y = -0.5", "01000"),
        ("x % y = -1.5", "00100"),
        ("x % y IS NULL", "00011"),
        ("a + b * 2 = -1", "10000"),
        ("(a + b) * 2 = -8", "10000"),
        ("a - b - 1 = -11", "10000"),
        ("a - (b - 1) = -9", "10000"),
        ("x + a = -14.5", "10100"),
        ("a + b = b + a", "11111"),
        ("b <> 0 AND a % b = 1", "00010"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

/// The expected values are NumPy's.
#[test]
fn only_unequal_holds_for_nan() {
    let table = Table::default()
        .with("f", "<f8", [1f64, f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0.0, -0.0].map(f64::to_le_bytes))
        .with(
            "g",
            "<f4",
            [1f32, f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.0, -0.0].map(f32::to_le_bytes),
        );
    for (comparison, with_zero) in [
        ("<", "001000"),
        ("<=", "001011"),
        (">", "100100"),
        (">=", "100111"),
        ("=", "000011"),
        ("<>", "111100"),
    ] {
        for column in ["f", "g"] {
            assert_eq!(table.mask(&alloc::format!("{column} {comparison} 0")), with_zero);
            assert_eq!(table.mask(&alloc::format!("{column} {comparison} -0.0")), with_zero);
            assert_eq!(table.mask(&alloc::format!("{column} {comparison} 0 * {column}")).len(), 6);
            let with_nan = if comparison == "<>" { "111111" } else { "000000" };
            let text = alloc::format!("{column} {comparison} ?");
            let parameters = Parameters::new().push(f64::NAN);
            assert_eq!(table.with_parameters(&text, &parameters).unwrap(), with_nan);
        }
    }
    assert_eq!(table.mask("f = g"), "101111");
    assert_eq!(table.mask("f <> g"), "010000");
    assert_eq!(table.mask("f < 1e999"), "101011");
    assert_eq!(table.mask("f > -1e999"), "100111");
    assert_eq!(table.mask("NOT f < 0"), "110111");
    assert_eq!(table.mask("f IS NULL"), "010000");
    assert_eq!(table.mask("f IS NOT NULL"), "101111");
    assert_eq!(table.mask("f + g IS NULL"), "010000");
    assert_eq!(table.mask("f BETWEEN -1 AND 1"), "100011");
    assert_eq!(table.mask("f NOT BETWEEN -1 AND 1"), "011100");
    assert_eq!(table.mask("f IN (0.0, 1)"), "100011");
    assert_eq!(table.mask("f NOT IN (0.0, 1)"), "011100");
}

#[test]
fn the_builder_makes_what_the_text_says() {
    let table = flights();
    for (built, text) in [
        (col("delay").gt(60).and(col("distance").lt(500)), "delay > 60 AND distance < 500"),
        (col("delay").between(0, 61).or(col("late")).or(lit(true)), "delay BETWEEN 0 AND 61 OR late OR TRUE"),
        (!col("delay").is_in([1, 2]), "NOT delay IN (1, 2)"),
        (col("delay").is_in([0i32; 0]), "FALSE"),
        ((col("delay") + 1).ne(-col("delay") * 2), "delay + 1 <> -delay * 2"),
        (((col("delay") + 1) * 2).eq(-(col("delay") % 5)), "(delay + 1) * 2 = -(delay % 5)"),
        ((col("delay") - (col("delay") - 1)).le(1), "delay - (delay - 1) <= 1"),
        (col("distance").is_null().eq(false), "(distance IS NULL) = FALSE"),
        (col("distance").is_not_null(), "distance IS NOT NULL"),
        (col("distance").abs().ge(1.5), "abs(distance) >= 1.5"),
    ] {
        assert_eq!(Filter::new(built.clone(), table.schema.as_slice()).unwrap(), table.filter(text).unwrap());
        assert_eq!(table.built(built), table.mask(text), "{text}");
    }
}

#[test]
fn parameters_are_constants() {
    let table = flights();
    let two = Parameters::from([Value::from(60), Value::from(500.0)]);
    assert_eq!(table.with_parameters("delay > ? AND distance < ?", &two).unwrap(), "00010");
    assert_eq!(table.with_parameters("distance < $2 AND delay > $1", &two).unwrap(), "00010");
    let named = Parameters::new().with("least", 60).with("late", true);
    assert_eq!(table.with_parameters("delay > :least AND late = :late", &named).unwrap(), "00111");

    for (text, parameters, message) in [
        (
            "delay > ?",
            Parameters::new(),
            "there is no value for the parameter '?' (at character 9 of the filter)",
        ),
        (
            "delay > $3",
            two.clone(),
            "there is no value for the parameter '$3' (at character 9 of the filter)",
        ),
        (
            "delay > $0",
            two.clone(),
            "'$0' is not a parameter: use ?, $1 or :name (at character 9 of the filter)",
        ),
        ("delay > ?", two, "2 parameters are given, the filter uses 1"),
        ("delay > :x", named, "there is no value for the parameter ':x' (at character 9 of the filter)"),
    ] {
        let error = table.with_parameters(text, &parameters).unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::InvalidFilter, message));
    }
}

#[test]
fn words_of_sql_can_be_names() {
    let table = Table::default()
        .with("date", "<i4", [1i32, 2].map(i32::to_le_bytes))
        .with("select", "<i4", [1i32, 3].map(i32::to_le_bytes))
        .with("end", "<i4", [1i32, 4].map(i32::to_le_bytes))
        .with("length", "<i4", [1i32, 5].map(i32::to_le_bytes))
        .with("in", "<i4", [1i32, 6].map(i32::to_le_bytes))
        .with("Größe \"x\"", "<i4", [1i32, 7].map(i32::to_le_bytes));
    assert_eq!(table.mask("date = 2 AND select = 3 AND end = 4 AND length IN (5)"), "01");
    assert_eq!(table.mask("\"in\" = 6 AND \"Größe \"\"x\"\"\" = 7"), "01");
}

#[test]
fn every_batch_is_evaluated_alike() {
    // More than one block, and a part of one.
    let values: Vec<i32> = (0..10_001).map(|i| i % 97).collect();
    let table = Table::default().with("v", "<i4", values.iter().map(|value| value.to_le_bytes()));
    for text in ["v > 50", "v % 7 = 3 OR v * v > 9000", "v IN (1, 2, 96) AND NOT v = 2"] {
        let expected: Vec<bool> = values
            .iter()
            .map(|v| match text {
                "v > 50" => *v > 50,
                "v % 7 = 3 OR v * v > 9000" => v % 7 == 3 || v * v > 9000,
                _ => [1, 96].contains(v),
            })
            .collect();
        assert_eq!(table.evaluate(&table.filter(text).unwrap()), expected, "{text}");
    }
    let empty = Table::default().with("v", "<i4", [[0u8; 4]; 0]);
    assert_eq!(empty.mask("v > 50"), "");
}

#[test]
fn a_batch_with_wrong_bytes_is_refused() {
    let mut table = flights();
    let filter = table.filter("delay > 1").unwrap();
    assert_eq!(filter.columns(), [0]);
    table.data[0].pop();
    assert_eq!(filter.evaluate(&table, &mut Vec::new()).unwrap_err().code(), Code::BufferSize);
}
