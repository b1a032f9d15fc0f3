use super::{Table, position};
use crate::table::filter::Extremes;

#[test]
fn rows_are_skipped_only_where_none_can_pass() {
    let table = Table::default()
        .with("i", "<i4", [10i32, 20].map(i32::to_le_bytes))
        .with("f", "<f8", [0.5f64, 1.5].map(f64::to_le_bytes))
        .with("unknown", "<i4", [10i32, 20].map(i32::to_le_bytes))
        .with("at", "<M8[D]", [0i64, 31].map(i64::to_le_bytes));
    let unknown = position(&table, "unknown");
    let extremes = |index: usize| {
        let (least, greatest) = table.data[index].split_at(table.data[index].len() / 2);
        (index != unknown).then_some(Extremes { least, greatest })
    };
    for (text, can_match) in [
        ("i > 20", false),
        ("i >= 20", true),
        ("i < 10", false),
        ("i = 15", true),
        ("i = 25", false),
        ("i <> 15", true),
        ("NOT i BETWEEN 10 AND 20", false),
        ("NOT i BETWEEN 10 AND 19", true),
        ("i NOT BETWEEN 0 AND 100", false),
        ("i BETWEEN 20 AND 10", false),
        ("f > 1.5", false),
        ("f > 1.25 AND i < 12", true),
        ("f > 1.25 AND i < 10", false),
        ("f > 1.5 OR i > 20", false),
        ("f > 1.5 OR unknown > 20", true),
        ("unknown > 20 AND i > 20", false),
        ("at > '1970-02-01'", false),
        ("at >= '1970-02-01'", true),
        ("i + 1 > 100", true),
        ("FALSE", false),
    ] {
        assert_eq!(table.filter(text).unwrap().can_match(&extremes), can_match, "{text}");
    }
}
