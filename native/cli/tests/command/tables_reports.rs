//! `info`, `stats`, `verify` of tables.

use std::fs;

use serde_json::{Value, json};

use crate::support::Workspace;

#[test]
fn info_names_the_columns_and_the_layout() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let mut info = here.json("info weather.cstore");
    let tuning = info.as_object_mut().unwrap().remove("tuning").unwrap();
    let columns = [("date", "<M8[D]"), ("rain", "<f8"), ("kind", "<U10"), ("count", "<i8")];
    let columns = columns.map(|(name, dtype)| json!({ "name": name, "dtype": dtype }));
    let expected = json!({
        "path": "weather.cstore",
        "kind": "table",
        "rows": 4,
        "file_records": 4,
        "columns": columns,
        "layout": "0.3",
        "row_bytes": 64,
        "bytes": here.path("weather.cstore").metadata().unwrap().len(),
        "files": 1,
        "statistics": false,
        "needs_compaction": true,
    });
    assert_eq!(info, expected);
    assert!(tuning["threads"].as_u64().unwrap() >= tuning["gather_threads"].as_u64().unwrap(), "{tuning}");
    assert!(tuning["advice"].is_string() && tuning["placement"].is_string(), "{tuning}");
    assert!(tuning["calibrated"].is_boolean(), "{tuning}");
    let text = here.text("info weather.cstore");
    let start = "\
path     weather.cstore
kind     table, layout 0.3
rows     4, 64 B each
records  4; recask compact makes one of them
";
    assert!(text.starts_with(start), "{text}");
    let end = "
columns  4
  date   <M8[D]
  rain   <f8
  kind   <U10
  count  <i8
";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn stats_leave_missing_values_out() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let stats = here.json("stats weather.cstore");
    let expected = json!({
        "path": "weather.cstore",
        "kind": "table",
        "rows": 4,
        "columns": [
            { "name": "date", "dtype": "<M8[D]", "count": 4, "missing": 1, "distinct": 4, "distinct_exact": true, "min": "2015-01-01",
              "max": "2015-01-04", "mean": "2015-01-02", "std": 1.247_219_128_924_647 },
            { "name": "rain", "dtype": "<f8", "count": 4, "missing": 1, "distinct": 4, "distinct_exact": true, "min": -0.5, "max": 10.9,
              "mean": 3.466_666_666_666_667, "std": 5.260_122_516_528_384 },
            { "name": "kind", "dtype": "<U10", "count": 4, "missing": 0, "distinct": 4, "distinct_exact": true, "min": "", "max": "sun",
              "mean": null, "std": null },
            { "name": "count", "dtype": "<i8", "count": 4, "missing": 0, "distinct": 4, "distinct_exact": true, "min": -2, "max": i64::MAX,
              "mean": 2.305_843_009_213_694e18, "std": 3.993_837_246_235_628_5e18 },
        ],
    });
    assert_eq!(stats, expected);
}

#[test]
fn stats_of_some_rows_and_columns_in_every_form() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let line = "stats weather.cstore --columns count,date --rows ::-1 --limit 2";
    let text = "\
column  dtype   count  missing  distinct         min                  max        mean         std
count   <i8         2        0         2           4  9223372036854775807  4.61169e18  4.61169e18
date    <M8[D]      2        1         2  2015-01-04           2015-01-04  2015-01-04         0 D
";
    assert_eq!(here.text(line), text);
    let csv = "\
name,dtype,count,missing,distinct,distinct_exact,min,max,mean,std
count,<i8,2,0,2,true,4,9223372036854775807,4.611686018427388e18,4.611686018427388e18
date,<M8[D],2,1,2,true,2015-01-04,2015-01-04,2015-01-04,0.0
";
    assert_eq!(here.text(&format!("{line} --csv")), csv);
    let run = here.run_args(&["stats", "weather.cstore", "--where", "rain >= 0", "--json"]);
    let stats: Value = serde_json::from_str(&run.text()).unwrap();
    assert_eq!((&stats["rows"], &stats["columns"][1]["max"]), (&json!(2), &json!(10.9)));
    let empty = here.json("stats weather.cstore --limit 0 --columns rain");
    let column = json!({ "name": "rain", "dtype": "<f8", "count": 0, "missing": 0, "distinct": 0, "distinct_exact": true, "min": null,
        "max": null, "mean": null, "std": null });
    assert_eq!(empty["columns"], json!([column]));
}

#[test]
fn extremes_of_text_are_shown_as_text() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let text = here.text("stats weather.cstore --columns kind");
    let expected = "\
column  dtype  count  missing  distinct  min  max  mean  std
kind    <U10       4        0         4   \"\"  sun
";
    assert_eq!(text, expected);
    let csv = here.text("stats weather.cstore --columns kind --limit 2 --csv");
    assert_eq!(csv.lines().nth(1), Some("kind,<U10,2,0,2,true,heavy rain,sun,,"));
}

#[test]
fn many_different_values_are_estimated() {
    let here = Workspace::new();
    let values: Vec<u32> = (0..100_000).map(|i| i / 2).collect();
    let columns = [recask::table::ColumnInput::of("n", &values)];
    recask::Table::create(here.path("n.cstore"), &columns).unwrap();
    let column = &here.json("stats n.cstore")["columns"][0];
    assert_eq!(column["distinct_exact"], false);
    let distinct = column["distinct"].as_u64().unwrap();
    assert!(distinct.abs_diff(50_000) < 1_250, "{distinct}");
    let text = here.text("stats n.cstore");
    assert!(text.contains(&format!("~{},{:03}", distinct / 1000, distinct % 1000)), "{text}");
}

#[test]
fn verify_of_a_good_table_is_ok() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    assert_eq!(here.text("verify weather.cstore"), "weather.cstore: ok, 4 rows in 4 records\n");
    let report = json!({ "path": "weather.cstore", "ok": true, "records": 4, "rows": 4, "trailing_bytes": 0,
        "found": 0, "faults": [] });
    assert_eq!(here.json("verify weather.cstore"), report);
}

#[test]
fn verify_names_record_and_offset_of_a_fault() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let mut bytes = fs::read(here.path("weather.cstore")).unwrap();
    let third = bytes.windows(4).enumerate().filter(|(_, bytes)| bytes == b"REC\x01").nth(2).unwrap().0;
    bytes[third + 12] ^= 1;
    fs::write(here.path("weather.cstore"), bytes).unwrap();

    let run = here.run("verify weather.cstore");
    assert_eq!(run.status, Some(1));
    let expected = format!("fault: weather.cstore, record 2, offset {third}: corrupt_record: ");
    assert!(run.stdout.starts_with(&expected), "{}", run.stdout);
    assert!(run.stdout.ends_with("weather.cstore: 1 fault in 2 rows in 2 records\n"), "{}", run.stdout);

    let run = here.run("verify weather.cstore --json");
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["ok"], &report["records"], &report["found"]), (&json!(false), &json!(2), &json!(1)));
    let [fault] = report["faults"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!((&fault["record"], &fault["offset"]), (&json!(2), &json!(third)));
    assert_eq!((&fault["code"], &fault["file"]), (&json!("corrupt_record"), &json!(null)));

    let message = here.run("head weather.cstore").fails(1, "corrupt_record");
    assert!(message.starts_with("weather.cstore: "), "{message}");
    assert!(message.ends_with(&format!("(record 2, offset {third})")), "{message}");
}

#[test]
fn verify_of_many_tables_has_an_object_for_each() {
    let here = Workspace::new();
    fs::create_dir(here.path("days")).unwrap();
    here.weather("days/a.cstore", false);
    fs::write(here.path("days/b.cstore"), b"").unwrap();
    let run = here.run("verify days --json");
    assert_eq!(run.status, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["kind"], &report["found"]), (&json!("table"), &json!(1)));
    assert_eq!(report["streams"]["a.cstore"]["ok"], true);
    assert_eq!(report["streams"]["b.cstore"]["faults"][0]["code"], "corrupt_header");
    assert_eq!(report["faults"][0]["stream"], "b.cstore");
}

#[test]
fn a_file_is_a_table_by_what_is_in_it() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    fs::rename(here.path("weather.cstore"), here.path("weather.bin")).unwrap();
    assert_eq!(here.json("info weather.bin")["kind"], "table");
    let message = here.run("info nothing.cstore").fails(1, "store_not_found");
    assert_eq!(message, "there is no file nothing.cstore");
    here.run("verify nothing.cstore").fails(1, "store_not_found");
    fs::write(here.path("text.cstore"), "date,rain\n").unwrap();
    let message = here.run("info text.cstore").fails(1, "corrupt_header");
    assert!(message.contains("CSTORE"), "{message}");
    fs::write(here.path("text.csv"), "date,rain\n").unwrap();
    let message = here.run("head text.csv").fails(1, "invalid_argument");
    assert_eq!(message, "text.csv: this is neither a store nor a table; recask import makes one of it");
}
