//! Files that pyarrow wrote, with every codec that it has; see `fixtures/make_tables.py`.

use std::path::Path;

use recask::convert::table::{ImportOptions, Rules, import};

use crate::support::{Content, content, ticks, utf32};

/// 2024-02-29T12:30 in seconds.
const NOON: i64 = 19_782 * 86_400 + 12 * 3600 + 30 * 60;

/// What is in every file, three times.
fn expected() -> Content {
    let day = 19_782;
    let twice = |value: i64| vec![value; 6];
    let or_zero = |value: i64| [value, 0].repeat(3);
    let text = |width, value| utf32(width, &[value, ""].repeat(3));
    let columns: Vec<(&str, &str, Vec<u8>)> = vec![
        ("bool", "|b1", [1, 0].repeat(3)),
        ("i1", "|i1", [0x80, 0x7f].repeat(3)),
        ("u8", "<u8", [u64::MAX, 0].map(u64::to_le_bytes).concat().repeat(3)),
        ("f2", "<f2", [0x3e00u16, 0x8000].map(u16::to_le_bytes).concat().repeat(3)),
        ("f8", "<f8", [0.1, f64::NAN].map(f64::to_le_bytes).concat().repeat(3)),
        ("date32", "<M8[D]", ticks(&twice(day))),
        ("date64", "<M8[ms]", ticks(&twice(day * 86_400_000))),
        ("ts_s", "<M8[s]", ticks(&twice(NOON))),
        ("ts_ns", "<M8[ns]", ticks(&twice(NOON * 1_000_000_000))),
        ("ts_zone", "<M8[us]", ticks(&twice(NOON * 1_000_000))),
        ("time32", "<m8[ms]", ticks(&or_zero(3_600_000))),
        ("time64", "<m8[ns]", ticks(&or_zero(7_200_000_000_000))),
        ("duration", "<m8[us]", ticks(&or_zero(3_000_000))),
        ("text", "<U2", text(2, "aß")),
        ("large_text", "<U9", text(9, "long text")),
        ("text_view", "<U33", text(33, "a text that is longer than twelve")),
        ("binary", "|S2", b"\0b\0\0".repeat(3)),
        ("fixed", "|S3", b"abcd\0\0".repeat(3)),
        ("kind", "<U4", utf32(4, &["rain", "sun"].repeat(3))),
        ("price", "<f8", [12.34, -0.05].map(f64::to_le_bytes).concat().repeat(3)),
    ];
    columns.into_iter().map(|(name, dtype, bytes)| (name.to_owned(), dtype.to_owned(), bytes)).collect()
}

#[test]
fn files_of_pyarrow_are_read_value_by_value() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules { decimals_as_floats: true, ..Rules::default() };
    let options = ImportOptions { rules, ..ImportOptions::default() };
    for name in [
        "tables_snappy.parquet",
        "tables_zstd.parquet",
        "tables_gzip.parquet",
        "tables_brotli.parquet",
        "tables_lz4.parquet",
        "tables_none.parquet",
        "tables_pages2.parquet",
        "tables_lz4.feather",
        "tables_zstd.feather",
        "tables_uncompressed.feather",
        "tables.arrows",
    ] {
        let dest = folder.path().join(name);
        let made = import(&fixtures.join(name), &dest, &options, &()).unwrap();
        assert_eq!(made.rows, 6, "{name}");
        let found = content(&dest);
        for (found, mut expected) in found.iter().zip(expected()) {
            // Parquet has no seconds: pyarrow writes them as milliseconds.
            if name.ends_with(".parquet") && expected.0 == "ts_s" {
                expected = ("ts_s".to_owned(), "<M8[ms]".to_owned(), ticks(&[NOON * 1000; 6]));
            }
            assert_eq!(*found, expected, "{name}");
        }
        assert_eq!(found.len(), expected().len(), "{name}");
    }
}
