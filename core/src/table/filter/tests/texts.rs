use super::Table;
use crate::table::filter::col;

fn table() -> Table {
    Table::default()
        .with_texts("s", 6, &[b"abc", b"", b"a\0b", b"Abc", b"a_c%", b"\xff\xfe"])
        .with_unicode("u", 4, false, &["abc", "", "aé", "ABC", "a_c%", "😀x"])
        .with_unicode("b", 4, true, &["abc", "", "aé", "ABC", "a_c%", "😀x"])
}

#[test]
fn texts_compare_by_code_points_without_trailing_nuls() {
    let table = table();
    for (text, mask) in [
        ("s = 'abc'", "100000"),
        ("s = ''", "010000"),
        ("s <> 'abc'", "011111"),
        ("s = 'much too long'", "000000"),
        ("s <> 'much too long'", "111111"),
        ("s > 'abb'", "100001"),
        ("s < 'a'", "010100"),
        ("'a' > s", "010100"),
        ("s BETWEEN 'A' AND 'a_z'", "001110"),
        ("s IN ('', 'Abc', 'x')", "010100"),
        ("s NOT IN ('', 'Abc')", "101011"),
        ("s = u", "110010"),
        ("u = b", "111111"),
        ("u > s", "001000"),
        ("u = 'aé'", "001000"),
        ("b = 'aé'", "001000"),
        ("b > 'a'", "101011"),
        ("u > 'b'", "000001"),
        ("u IN ('😀x', 'abc')", "100001"),
        ("lower(u) = 'abc'", "100100"),
        ("upper(s) = 'ABC'", "100100"),
        ("upper(b) = 'AÉ'", "001000"),
        ("lower(upper(u)) = lower('ABC')", "100100"),
        ("length(u) = 2", "001001"),
        ("length(s) = 2", "000001"),
        ("length(s) = 3", "101100"),
        ("length(u) + length(s) > 7", "000010"),
        ("s IS NULL", "000000"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
}

#[test]
fn like_matches_whole_texts() {
    let table = table();
    for (text, mask) in [
        ("s LIKE 'abc'", "100000"),
        ("s LIKE 'a%'", "101010"),
        ("s LIKE '%c'", "100100"),
        ("s LIKE '%b%'", "101100"),
        ("s LIKE '___'", "101100"),
        ("s LIKE '%'", "111111"),
        ("s LIKE '_%'", "101111"),
        ("s LIKE ''", "010000"),
        ("s NOT LIKE 'a%'", "010101"),
        ("s LIKE 'a!_c!%' ESCAPE '!'", "000010"),
        ("s LIKE 'a''_' ESCAPE ''''", "000000"),
        ("s LIKE 'a_c%'", "100010"),
        ("u LIKE 'a_'", "001000"),
        ("b LIKE '_x'", "000001"),
        ("u ILIKE 'aB%'", "100100"),
        ("u ILIKE '%É'", "001000"),
        ("s NOT ILIKE 'ABC'", "011011"),
        ("lower(u) LIKE '%bc'", "100100"),
        ("'abc' LIKE 'a%'", "111111"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
    assert_eq!(table.built(col("s").like("a%").and(!col("u").ilike("ABC"))), "001010");
    let mistake = table.mistake("s LIKE 'a!b' ESCAPE '!'");
    assert_eq!(
        mistake,
        "the pattern 'a!b': after the escape '!' only %, _ and itself can follow (at character 8 of the filter)"
    );
}

#[test]
fn a_pattern_cannot_make_the_search_explode() {
    let long = [b'a'; 2_000];
    let table = Table::default().with_texts("s", 2_000, &[&long]);
    let pattern = "%a".repeat(500);
    assert_eq!(table.mask(&alloc::format!("s LIKE '{pattern}%b'")), "0");
    assert_eq!(table.mask(&alloc::format!("s LIKE '{pattern}'")), "1");
}
