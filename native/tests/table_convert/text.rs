//! CSV and JSON lines: what is read, what is written, and what is wrong with a line.

use std::io::Write as _;

use recask::Code;
use recask::convert::table::{Csv, ExportOptions, Format, ImportOptions, Nulls, Rules, export, import};
use recask::table::Table;

use crate::support::{Content, content, exported, imported, make, ticks, utf32, written};

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn column(name: &str, dtype: &str, bytes: Vec<u8>) -> (String, String, Vec<u8>) {
    (name.to_owned(), dtype.to_owned(), bytes)
}

fn read(name: &str, text: &str) -> Result<Content, recask::Error> {
    let (_folder, path) = written(name, text);
    imported(&path, &ImportOptions::default()).map(|(_, content)| content)
}

#[test]
fn csv_columns_get_their_types() {
    let text = concat!(
        "\u{feff}id,big,x,ok,day,at,name\r\n",
        "-9223372036854775808,18446744073709551615,1.5,true,2012-01-01,2012-01-01T00:00:00.250,\"a, \"\"b\"\"\"\r\n",
        "9223372036854775807,0,NaN,false,1969-12-31,NaT,\"two\nlines\"\r\n",
    );
    let expected = [
        column("id", "<i8", ticks(&[i64::MIN, i64::MAX])),
        column("big", "<u8", [u64::MAX, 0].map(u64::to_le_bytes).concat()),
        column("x", "<f8", floats(&[1.5, f64::NAN])),
        column("ok", "|b1", vec![1, 0]),
        column("day", "<M8[D]", ticks(&[15_340, -1])),
        column("at", "<M8[ms]", ticks(&[1_325_376_000_250, i64::MIN])),
        column("name", "<U9", utf32(9, &["a, \"b\"", "two\nlines"])),
    ];
    assert_eq!(read("a.csv", text).unwrap(), expected);
}

#[test]
fn csv_has_other_delimiters_and_no_header_on_request() {
    let (_folder, path) = written("a.csv", "1;x\n2;y\n");
    let csv = Csv { delimiter: Some(b';'), header: false };
    let (made, content) = imported(&path, &ImportOptions { csv, ..ImportOptions::default() }).unwrap();
    assert_eq!(made.rows, 2);
    assert_eq!(
        content,
        [column("column0", "<i8", ticks(&[1, 2])), column("column1", "<U1", utf32(1, &["x", "y"]))]
    );
    assert_eq!(read("a.tsv", "a\tb\n1\t2\n").unwrap().len(), 2);
}

#[test]
fn only_a_header_makes_a_table_without_rows() {
    assert_eq!(read("a.csv", "x,y\n").unwrap(), [column("x", "<f8", vec![]), column("y", "<f8", vec![])]);
}

#[test]
fn gzipped_text_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.csv.gz", "x\n1\n2\n"), ("a.jsonl.gz", "{\"x\": 1}\n{\"x\": 2}\n")] {
        let path = folder.path().join(name);
        let file = std::fs::File::create(&path).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap();
        assert_eq!(
            imported(&path, &ImportOptions::default()).unwrap().1,
            [column("x", "<i8", ticks(&[1, 2]))]
        );
        std::fs::remove_file(folder.path().join("table.cstore")).unwrap();
    }
}

#[test]
fn mistakes_in_csv_name_their_line_and_column() {
    for (text, expected) in [
        ("", "there is no line"),
        ("x,y\n1,2\n3\n", "line 3 has 1 fields, the lines before it 2"),
        ("x,y\n1,2\n3,4,5\n", "line 3 has 3 fields, the lines before it 2"),
        ("x,y\n1,\n", "line 2, column 'y': the value is missing"),
        ("x,x\n1,2\n", "column 'x' is given twice"),
    ] {
        let error = read("a.csv", text).unwrap_err();
        assert!(error.message().contains(expected), "{text:?}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, b"x\nabc\n\xff\n").unwrap();
    let error = imported(&path, &ImportOptions::default()).unwrap_err();
    assert!(error.message().contains("line 3, column 'x': the value is not UTF-8"), "{error}");
}

#[test]
fn json_columns_come_in_the_order_of_their_keys() {
    let text = concat!(
        "{\"z\": 1, \"a\": 0.1, \"day\": \"2012-01-01\", \"t\": \"ä\\n\", \"ok\": true}\n",
        "\n",
        "{\"t\": \"b\", \"ok\": false, \"a\": \"-Infinity\", \"z\": 9007199254740993, \"day\": \"NaT\"}\n",
    );
    let expected = [
        column("z", "<i8", ticks(&[1, 9_007_199_254_740_993])),
        column("a", "<f8", floats(&[0.1, f64::NEG_INFINITY])),
        column("day", "<M8[D]", ticks(&[15_340, i64::MIN])),
        column("t", "<U2", utf32(2, &["ä\n", "b"])),
        column("ok", "|b1", vec![1, 0]),
    ];
    assert_eq!(read("a.jsonl", text).unwrap(), expected);
}

#[test]
fn keys_of_later_lines_are_columns_too() {
    let (_folder, path) = written("a.jsonl", "{\"a\": 1.5}\n{\"b\": 2.5}\n");
    let rules = Rules { nulls: Nulls::Nan, ..Rules::default() };
    let (_, content) = imported(&path, &ImportOptions { rules, ..ImportOptions::default() }).unwrap();
    assert_eq!(
        content,
        [column("a", "<f8", floats(&[1.5, f64::NAN])), column("b", "<f8", floats(&[f64::NAN, 2.5]))]
    );
}

#[test]
fn mistakes_in_json_lines_name_their_line_and_key() {
    for (text, expected) in [
        ("", "there are no lines with keys"),
        ("{}\n", "there are no lines with keys"),
        ("{\"x\": 1}\n{\"x\": \"a\"}\n", "the key \"x\" has a number at line 1 and text at line 2"),
        ("{\"x\": 1}\n{\"x\": [1]}\n", "line 2: field \"x\" holds a list or an object"),
        ("{\"x\": 1}\n[1]\n", "line 2: is no JSON object"),
        ("{\"x\": 1}\n{\"x\": 1\n", "line 2: is no JSON object"),
        ("{\"x\": 1, \"x\": 2}\n", "line 1: is no JSON object: the key \"x\" is there twice"),
        ("{\"x\": 1}\n{\"y\": 1}\n", "line 1: field \"y\" is missing"),
    ] {
        let error = read("a.jsonl", text).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource);
        assert!(error.message().contains(expected), "{text:?}: {error}");
    }
}

/// One value of every kind, and what is missing of those that have something for it.
fn everything(folder: &std::path::Path) -> Table {
    make(
        &folder.join("everything.cstore"),
        &[
            ("big", "<u8", [u64::MAX, 0].map(u64::to_le_bytes).concat()),
            ("f4", "<f4", [0.1f32, f32::INFINITY].map(f32::to_le_bytes).concat()),
            ("f8", "<f8", floats(&[1e300, f64::NAN])),
            ("ok", "|b1", vec![1, 0]),
            ("day", "<M8[D]", ticks(&[15_340, i64::MIN])),
            ("at", "<M8[ns]", ticks(&[1, 1_000_000_000])),
            ("span", "<m8[s]", ticks(&[-5, 7])),
            ("s", "|S3", b"ab\0\"c,".to_vec()),
            ("u", "<U2", utf32(2, &["ä\n", "b"])),
        ],
    )
}

#[test]
fn csv_is_written_as_readers_know_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let table = everything(folder.path());
    exported(&table, &path);
    let expected = concat!(
        "big,f4,f8,ok,day,at,span,s,u\n",
        "18446744073709551615,0.1,1e300,true,2012-01-01,1970-01-01T00:00:00.000000001,-5,ab,\"ä\n\"\n",
        "0,inf,NaN,false,NaT,1970-01-01T00:00:01.000000000,7,\"\"\"c,\",b\n",
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);

    let csv = Csv { delimiter: Some(b'|'), header: false };
    let options = ExportOptions { csv, replace: true, ..ExportOptions::default() };
    export(&table.select(["ok", "big"]).unwrap().rows([1]).unwrap(), &path, &options, &()).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "false|0\n");
}

#[test]
fn json_lines_are_written_as_readers_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    exported(&everything(folder.path()), &path);
    let expected = concat!(
        "{\"big\": 18446744073709551615, \"f4\": 0.1, \"f8\": 1e300, \"ok\": true, \"day\": \"2012-01-01\", ",
        "\"at\": \"1970-01-01T00:00:00.000000001\", \"span\": -5, \"s\": \"ab\", \"u\": \"ä\\n\"}\n",
        "{\"big\": 0, \"f4\": \"Infinity\", \"f8\": \"NaN\", \"ok\": false, \"day\": \"NaT\", ",
        "\"at\": \"1970-01-01T00:00:01.000000000\", \"span\": 7, \"s\": \"\\\"c,\", \"u\": \"b\"}\n",
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn the_format_is_told_from_the_bytes_before_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let table = make(&folder.path().join("t.cstore"), &[("x", "<i8", ticks(&[1]))]);
    for format in Format::ALL {
        let path = folder.path().join(format!("{}.dat", format.as_str()));
        let options = ExportOptions { format: Some(format), ..ExportOptions::default() };
        export(&table.all(), &path, &options, &()).unwrap();
        assert_eq!(Format::named(format.as_str()), Some(format));
        if format == Format::Csv {
            assert_eq!(Format::detect(&path).unwrap_err().code(), Code::InvalidSource);
        } else {
            assert_eq!(Format::detect(&path).unwrap(), format);
        }
        let dest = folder.path().join(format!("{}.cstore", format.as_str()));
        let options = ImportOptions { format: Some(format), ..ImportOptions::default() };
        import(&path, &dest, &options, &()).unwrap();
        assert_eq!(content(&dest), [column("x", "<i8", ticks(&[1]))]);
    }
    let lie = folder.path().join("lie.parquet");
    std::fs::write(&lie, "x\n1\n").unwrap();
    assert!(Format::detect(&lie).unwrap_err().message().contains("this is no parquet file"));
    assert_eq!(Format::detect(&folder.path().join("nothing.csv")).unwrap_err().code(), Code::InvalidSource);
}
