//! Rows that are added to a table, columns that are chosen, and tables that are replaced.

use recask::Code;
use recask::convert::table::{ImportOptions, Mode, import};
use recask::core::format::cstore::Layout;
use recask::table::{Table, WriteOptions};

use crate::support::{content, exported, make, ticks, utf32, written};

#[test]
fn rows_are_read_as_the_columns_of_the_table() {
    let columns = |x: &[i16], t: &[&str], day: &[i64]| {
        [
            ("x", "<i2", x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()),
            ("t", "<U5", utf32(5, t)),
            ("day", "<M8[D]", ticks(day)),
        ]
    };
    let more =
        make(&tempfile::tempdir().unwrap().path().join("more"), &columns(&[2, 3], &["b", "c"], &[1, 2]));
    for name in ["a.csv", "a.jsonl", "a.arrow", "a.arrows", "a.parquet", "a.npz"] {
        let folder = tempfile::tempdir().unwrap();
        let (source, dest) = (folder.path().join(name), folder.path().join("t.cstore"));
        exported(&more, &source);
        make(&dest, &columns(&[1], &["a"], &[0]));
        let options = ImportOptions { mode: Mode::Append, ..ImportOptions::default() };
        let made = import(&source, &dest, &options, &()).unwrap();
        assert_eq!(made.rows, 2, "{name}");
        let expected: Vec<_> = columns(&[1, 2, 3], &["a", "b", "c"], &[0, 1, 2])
            .map(|(name, dtype, bytes)| (name.to_owned(), dtype.to_owned(), bytes))
            .to_vec();
        assert_eq!(content(&dest), expected, "{name}");
        assert_eq!(Table::open(&dest).unwrap().file_records(), 2, "{name}");
    }
}

#[test]
fn a_source_that_does_not_fit_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dest = folder.path().join("t.cstore");
    make(&dest, &[("x", "<i2", vec![1, 0]), ("t", "<U1", utf32(1, &["a"]))]);
    let before = std::fs::read(&dest).unwrap();
    let options = ImportOptions { mode: Mode::Append, ..ImportOptions::default() };
    for (name, text, code) in [
        ("a.csv", "x,t\n2,b\n40000,c\n", Code::InvalidSource),
        ("a.csv", "x,t\n2,b\n3,long\n", Code::InvalidSource),
        ("a.csv", "x\n2\n", Code::ColumnNotFound),
        ("a.csv", "x,t,u\n2,b,3\n", Code::ColumnNotFound),
        ("a.jsonl", "{\"x\": 2, \"t\": 3}\n", Code::InvalidSource),
    ] {
        let source = folder.path().join(name);
        std::fs::write(&source, text).unwrap();
        let error = import(&source, &dest, &options, &()).unwrap_err();
        assert_eq!(error.code(), code, "{text:?}: {error}");
        assert_eq!(std::fs::read(&dest).unwrap(), before, "{text:?}");
    }
    let wide =
        make(&folder.path().join("wide"), &[("x", "<i4", vec![1, 0, 0, 0]), ("t", "<U1", utf32(1, &["a"]))]);
    for name in ["b.parquet", "b.arrow", "b.npz"] {
        let source = folder.path().join(name);
        exported(&wide, &source);
        let error = import(&source, &dest, &options, &()).unwrap_err();
        assert_eq!(error.code(), Code::DTypeMismatch, "{name}: {error}");
        assert_eq!(std::fs::read(&dest).unwrap(), before, "{name}");
    }
}

#[test]
fn chosen_columns_come_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let table = make(
        &folder.path().join("all"),
        &[("a", "|u1", vec![1]), ("b", "|u1", vec![2]), ("c", "|u1", vec![3]), ("d", "|u1", vec![4])],
    );
    for name in ["a.csv", "a.jsonl", "a.arrow", "a.arrows", "a.parquet", "a.npz"] {
        let (source, dest) = (folder.path().join(name), folder.path().join(format!("{name}.cstore")));
        exported(&table, &source);
        let columns = Some(vec!["d".to_owned(), "b".to_owned()]);
        import(&source, &dest, &ImportOptions { columns, ..ImportOptions::default() }, &()).unwrap();
        let found: Vec<_> = content(&dest).into_iter().map(|(name, _, bytes)| (name, bytes[0])).collect();
        assert_eq!(found, [("d".to_owned(), 4), ("b".to_owned(), 2)], "{name}");

        let columns = Some(vec!["e".to_owned()]);
        let dest = folder.path().join("none.cstore");
        let error =
            import(&source, &dest, &ImportOptions { columns, ..ImportOptions::default() }, &()).unwrap_err();
        assert_eq!(error.code(), Code::ColumnNotFound, "{name}");
        assert!(error.message().contains("no column 'e'; there are: a, b, c, d"), "{error}");
        assert!(!dest.exists());
    }
}

#[test]
fn a_table_is_replaced_only_on_request_and_only_when_all_is_well() {
    let (folder, source) = written("a.csv", "x\n1\n");
    let dest = folder.path().join("t.cstore");
    make(&dest, &[("old", "|u1", vec![9])]);
    let create = ImportOptions::default();
    assert_eq!(import(&source, &dest, &create, &()).unwrap_err().code(), Code::StoreExists);

    let layout = WriteOptions { layout: Layout::V05, statistics: true };
    let recreate = ImportOptions { mode: Mode::Recreate, layout, ..ImportOptions::default() };
    std::fs::write(&source, "x\n1\n2,3\n").unwrap();
    assert!(import(&source, &dest, &recreate, &()).is_err());
    assert_eq!(content(&dest), [("old".to_owned(), "|u1".to_owned(), vec![9])]);

    std::fs::write(&source, "x\n1\n").unwrap();
    import(&source, &dest, &recreate, &()).unwrap();
    assert_eq!(content(&dest), [("x".to_owned(), "<i8".to_owned(), ticks(&[1]))]);
    let table = Table::open(&dest).unwrap();
    assert_eq!((table.layout(), table.file_records()), (Layout::V05, 1));
    assert!(table.statistics().unwrap().is_some());
}
