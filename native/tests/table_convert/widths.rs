//! Text of any length in columns of a fixed width.

use recask::Code;
use recask::convert::table::{ImportOptions, Rules, TextAs};

use crate::support::{exported, imported, make, utf32, written};

const LINES: &str = "{\"t\": \"ab\"}\n{\"t\": \"日本語\"}\n";

/// The same texts as CSV, JSON lines, Arrow and Parquet.
fn sources(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let table = make(&folder.join("source.cstore"), &[("t", "<U8", utf32(8, &["ab", "日本語"]))]);
    ["a.csv", "a.jsonl", "a.arrow", "a.arrows", "a.parquet"]
        .iter()
        .map(|name| {
            let path = folder.join(name);
            exported(&table, &path);
            path
        })
        .collect()
}

#[test]
fn widths_are_measured_or_given() {
    let folder = tempfile::tempdir().unwrap();
    for source in sources(folder.path()) {
        for (width, text, dtype, bytes) in [
            (None, TextAs::Unicode, "<U3", utf32(3, &["ab", "日本語"])),
            (Some(5), TextAs::Unicode, "<U5", utf32(5, &["ab", "日本語"])),
            (None, TextAs::Utf8, "|S9", "ab\0\0\0\0\0\0\0日本語".as_bytes().to_vec()),
        ] {
            let rules = Rules { width, text, ..Rules::default() };
            let (_, content) =
                imported(&source, &ImportOptions { rules, ..ImportOptions::default() }).unwrap();
            assert_eq!(content, [("t".to_owned(), dtype.to_owned(), bytes)], "{}", source.display());
            std::fs::remove_file(folder.path().join("table.cstore")).unwrap();
        }
        let rules = Rules { width: Some(2), ..Rules::default() };
        let error = imported(&source, &ImportOptions { rules, ..ImportOptions::default() }).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource);
        assert!(error.message().contains("has 3 characters, the column 2"), "{error}");
        assert!(!folder.path().join("table.cstore").exists());
    }
}

#[test]
fn text_that_ends_with_a_zero_is_refused() {
    let (_folder, path) = written("a.jsonl", &LINES.replace("ab", "ab\\u0000"));
    let error = imported(&path, &ImportOptions::default()).unwrap_err();
    assert!(error.message().contains("line 1: field \"t\" ends with a zero"), "{error}");
}
