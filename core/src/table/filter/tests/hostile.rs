use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::Table;
use crate::table::filter::{Filter, MAX_DEPTH, col, lit};

fn table() -> Table {
    Table::default()
        .with("delay", "<i4", [1i32, 2].map(i32::to_le_bytes))
        .with("x", "<f4", [1f32, f32::NAN].map(f32::to_le_bytes))
        .with("at", "<M8[ms]", [1i64, i64::MIN].map(i64::to_le_bytes))
        .with("took", "<m8[h]", [1i64, i64::MIN].map(i64::to_le_bytes))
        .with("ok", "|b1", [[0u8], [1]])
        .with_texts("name", 3, &[b"abc", b"\xff"])
        .with_bytes("u", "<U2", 2, alloc::vec![0xff; 16])
}

#[test]
fn deep_filters_are_refused_and_long_ones_are_not() {
    let table = table();
    for (open, inner, close) in [
        ("(", "delay > 1", ")"),
        ("NOT ", "ok", ""),
        ("NOT (", "ok", ")"),
        ("abs(", "delay", ") > 1"),
        ("- ", "delay", " > 1"),
        ("delay + (", "1", ")"),
        ("delay IN (", "1", ")"),
        ("ok = (", "ok", ")"),
        ("(ok AND (", "ok", ") OR ok)"),
        ("delay BETWEEN 1 AND ", "1", ""),
        ("(((((((((", "", ""),
        ("name LIKE ", "'a'", ""),
    ] {
        for depth in [MAX_DEPTH / 2, MAX_DEPTH, 1_900, 20_000] {
            let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            if let Err(error) = table.filter(&text) {
                assert!(error.message().len() < 400, "{error}");
            }
        }
    }
    let deep = format!("{}ok{}", "(".repeat(1_000), ")".repeat(1_000));
    assert_eq!(table.mistake(&deep), format!("the filter nests more than {MAX_DEPTH} deep"));

    let chain = |operator: &str, count| alloc::vec!["ok"; count].join(operator);
    assert_eq!(table.mask(&chain(" AND ", 2_000)), "01");
    assert_eq!(table.mask(&chain(" OR ", 2_000)), "01");
    assert!(table.mistake(&chain(" OR ", 3_000)).contains("2999 operators, more than 2000"));
    assert!(table.mistake(&alloc::vec!["delay"; 1_900].join(" + ")).contains("nests more than"));
    assert!(table.mistake(&alloc::vec!["delay"; 1_900].join(" = ")).contains("nests more than"));

    let list: Vec<String> = (0..100_000).map(|i| format!("{}", i * 2)).collect();
    assert_eq!(table.mask(&format!("delay IN ({})", list.join(", "))), "01");
    let list: Vec<String> = (0..20_000).map(|i| format!("'{i}'")).collect();
    assert_eq!(table.mask(&format!("name NOT IN ({}, 'abc')", list.join(","))), "01");
}

#[test]
fn what_is_nested_as_deep_as_allowed_prints_and_parses() {
    let table = table();
    let mut condition = col("delay").gt(1);
    let mut number = col("delay");
    for level in 0..MAX_DEPTH - 4 {
        condition = if level % 2 == 0 { !condition } else { condition.or(col("ok")).and(col("ok")) };
        number = lit(1) - number;
        if let Ok(filter) = Filter::new(condition.clone(), table.schema.as_slice()) {
            table.digits(&filter);
        }
        table.built(number.clone().gt(0));
    }
    let too_deep = (0..MAX_DEPTH).fold(number, |number, _| number + 1).gt(0);
    assert!(Filter::new(too_deep, table.schema.as_slice()).is_err());
}

/// One operator of each kind, each as the right side of the one before, is as deep as the parser goes by itself.
#[test]
fn every_kind_of_operator_nests_without_parentheses() {
    let table = table();
    assert_eq!(table.mask("ok OR ok AND NOT delay <> 1 + 2 * -delay"), "01");
    assert_eq!(table.mask("ok OR ok AND NOT delay BETWEEN 1 AND 2 + 2 * -delay"), "01");
    assert_eq!(table.mask("NOT NOT NOT ok"), "10");
}

/// Reads it; if it is a filter, evaluates it, and its text must be the same filter.
fn survives(table: &Table, text: &str) {
    if let Ok(filter) = table.filter(text) {
        table.digits(&filter);
    }
}

const SEEDS: [&str; 12] = [
    "delay > 60 AND x < 500.5e-3 OR NOT ok",
    "delay BETWEEN -1 AND +9223372036854775807",
    "delay NOT IN (1, 2.5, 18446744073709551615, -0.0)",
    "at >= TIMESTAMP '2020-01-31 12:30:59.5' AND at <> DATE '1969-12-31'",
    "took < INTERVAL '1 day 2.5 hours' OR took = INTERVAL '90' SECOND",
    "at - at = took + INTERVAL '1' HOUR",
    "name LIKE 'a!%_%' ESCAPE '!' AND u NOT ILIKE '%Ü'",
    "lower(name) = 'it''s' OR length(u) % 2 = 1",
    "(abs(delay) + 1) * 2 / 3 - 4 % 5 >= -x",
    "x IS NOT NULL AND (ok IS NOT TRUE) = FALSE",
    "\"delay\" -- comment\n = /* another */ 1",
    "'2020' < at AND name IN ('a', 'b')",
];

const PIECES: [&str; 40] = [
    "(",
    ")",
    ",",
    "'",
    "\"",
    "-",
    "--",
    "/*",
    "*/",
    "%",
    "_",
    " ",
    "\n",
    "\0",
    "é",
    "😀",
    "=",
    "<",
    ">",
    "<>",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "LIKE",
    "IS",
    "NULL",
    "1",
    "1e999",
    "0x1",
    ".",
    "?",
    "$1",
    ":a",
    "DATE '",
    "INTERVAL '",
    "abs(",
    "SELECT",
    "::",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        survives(&table(), &text);
    }

    #[test]
    fn no_pieces_make_it_panic(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        survives(&table(), &pieces.concat());
        survives(&table(), &pieces.join(" "));
    }

    #[test]
    fn no_mutation_makes_it_panic(
        seed in prop::sample::select(&SEEDS[..]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, prop::sample::select(&PIECES[..])), 1..5),
    ) {
        let mut chars: Vec<char> = seed.chars().collect();
        for (place, removed, added) in edits {
            let at = place.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, added.chars());
        }
        let text: String = chars.into_iter().collect();
        survives(&table(), &text);
    }
}

#[test]
fn the_seeds_are_filters() {
    for seed in SEEDS {
        table().mask(seed);
    }
}
