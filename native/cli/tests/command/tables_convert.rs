//! `import`, `append`, `export` of tables.

use std::fs;

use serde_json::{Value, json};

use crate::support::Workspace;

const DAYS: &str = "\
date,rain,kind
2015-01-01,0.0,sun
2015-01-02,10.9,\"rain, heavy\"
2015-01-03,,snow
";

fn write(here: &Workspace, name: &str, text: &str) {
    fs::write(here.path(name), text).unwrap();
}

fn csv(here: &Workspace, table: &str) -> String {
    here.text(&format!("show {table} : --csv"))
}

#[test]
fn csv_becomes_a_table_with_the_types_that_it_shows() {
    let here = Workspace::new();
    write(&here, "days.csv", DAYS);
    let mut made = here.json("import days.csv days.cstore --nulls nan");
    assert!(made.as_object_mut().unwrap().remove("seconds").unwrap().is_number());
    let columns = [("date", "<M8[D]"), ("rain", "<f8"), ("kind", "<U11")];
    let columns = columns.map(|(name, dtype)| json!({ "name": name, "dtype": dtype }));
    let expected = json!({ "source": "days.csv", "path": "days.cstore", "kind": "table", "rows": 3,
        "columns": columns, "layout": "0.3", "source_bytes": DAYS.len() });
    assert_eq!(made, expected);
    let written = DAYS.replace(",,", ",NaN,");
    assert_eq!(csv(&here, "days.cstore"), written);
    let said = here.text("import days.csv again.cstore --nulls zero --columns kind,rain --width 20 --utf8");
    let start = "column  dtype\nkind    |S20\nrain    <f8\n3 rows, ";
    assert!(said.starts_with(start) && said.ends_with("; next: recask head again.cstore\n"), "{said}");
    assert_eq!(csv(&here, "again.cstore").lines().last(), Some("snow,0.0"));
}

#[test]
fn a_missing_value_is_refused_and_leaves_nothing() {
    let here = Workspace::new();
    write(&here, "days.csv", DAYS);
    let message = here.run("import days.csv days.cstore").fails(1, "invalid_source");
    assert!(
        message.starts_with("days.csv") && message.contains("rain") && message.contains("nulls"),
        "{message}"
    );
    assert!(!here.path("days.cstore").exists());
}

#[test]
fn a_table_that_is_there_is_replaced_only_on_request() {
    let here = Workspace::new();
    write(&here, "a.csv", "n\n1\n2\n");
    write(&here, "bad.csv", "n\n1\n\"\n");
    here.text("import a.csv n.cstore --layout 0.5 --statistics");
    let info = here.json("info n.cstore");
    assert_eq!((&info["layout"], &info["statistics"]), (&json!("0.5"), &json!(true)));
    let before = fs::read(here.path("n.cstore")).unwrap();
    let message = here.run("import a.csv n.cstore").fails(1, "store_exists");
    assert!(message.starts_with("n.cstore: ") && message.contains("--force"), "{message}");
    here.run("import missing.csv n.cstore --force").fails(1, "invalid_source");
    assert!(fs::read(here.path("n.cstore")).unwrap() == before);
    here.text("import a.csv n.cstore --force");
    assert_eq!(here.json("info n.cstore")["layout"], "0.3");
}

#[test]
fn every_format_holds_what_was_exported() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let expected = csv(&here, "weather.cstore");
    for name in ["w.parquet", "w.arrow", "w.feather", "w.arrows", "w.csv", "w.tsv", "w.jsonl", "w.npz"] {
        let format = match &name[2..] {
            "feather" => "arrow",
            "tsv" => "csv",
            format => format,
        };
        let report = json!({ "path": name, "format": format, "columns": ["date", "rain", "kind", "count"], "rows": 4 });
        assert_eq!(here.json(&format!("export weather.cstore {name}")), report);
        // Empty text is a missing value in CSV.
        here.text(&format!("import {name} back.cstore --force --nulls empty"));
        assert_eq!(csv(&here, "back.cstore"), expected, "{name}");
    }
    let said = here.text("export weather.cstore z.parquet --compression zstd");
    assert_eq!(said, "wrote 4 rows to z.parquet (parquet)\n");
}

#[test]
fn some_rows_and_columns_are_exported() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let export = |args: &[&str]| {
        let run =
            here.run_args(&[&["export", "weather.cstore", "x.csv", "--force", "--json"], args].concat());
        let report: Value = serde_json::from_str(&run.text()).unwrap();
        let text = fs::read_to_string(here.path("x.csv")).unwrap();
        let titles = usize::from(!args.contains(&"--no-header"));
        assert_eq!(report["rows"], text.lines().count() - titles);
        text
    };
    assert_eq!(export(&["--columns", "count", "--", "-1"]), "count\n4\n");
    assert_eq!(export(&["--columns", "count", "3", "0"]), "count\n4\n1\n");
    assert_eq!(export(&["--columns", "count", "--rows", "-3::2"]), "count\n-2\n4\n");
    assert_eq!(
        export(&["--columns", "count", "--limit", "2", "--offset", "1"]),
        "count\n-2\n9223372036854775807\n"
    );
    assert_eq!(
        export(&["--where", "rain > :least", "--param", "least=1", "--columns", "kind,rain"]),
        "kind,rain\nheavy rain,10.9\n"
    );
    let args = ["--columns", "count,kind", "--delimiter", ";", "--no-header", "1"];
    assert_eq!(export(&args), "-2;heavy rain\n");
    let message = here.run("export weather.cstore x.csv").fails(1, "store_exists");
    assert!(message.contains("x.csv"), "{message}");
    let message = here.run("export weather.cstore x.xlsx").fails(1, "invalid_argument");
    assert!(message.contains(".parquet"), "{message}");
    let message = here.run("export weather.cstore y.csv --where wind>1").fails(1, "invalid_filter");
    assert!(message.ends_with("\n  wind>1\n  ^"), "{message}");
    assert!(!here.path("y.csv").exists());
}

#[test]
fn append_adds_rows_of_the_same_columns() {
    let here = Workspace::new();
    write(&here, "a.csv", "n,name\n1,one\n2,two\n");
    write(&here, "b.csv", "n,name\n3,ten\n");
    write(&here, "c.csv", "n,name\nx,ten\n");
    here.text("import a.csv n.cstore");
    let report = here.json("append n.cstore b.csv");
    assert_eq!(report, json!({ "path": "n.cstore", "appended": 1, "rows": 3 }));
    assert_eq!(here.text("append n.cstore b.csv"), "appended 1 row to n.cstore, which has 4 rows now\n");
    assert_eq!(csv(&here, "n.cstore"), "n,name\n1,one\n2,two\n3,ten\n3,ten\n");
    here.run("append n.cstore c.csv").fails(1, "invalid_source");
    here.run("append nothing.cstore b.csv").fails(1, "store_not_found");
    assert!(!here.path("nothing.cstore").exists());
    assert_eq!(here.json("info n.cstore")["rows"], 4);
}

#[test]
fn shards_are_added_to_a_folder() {
    let here = Workspace::new();
    write(&here, "a.csv", "n\n1\n2\n");
    write(&here, "b.csv", "m\n3\n");
    let report = here.json("append numbers a.csv --shard");
    let shard = "numbers/shard_00000.cstore";
    assert_eq!(report, json!({ "path": "numbers", "shard": shard, "appended": 2, "rows": 2 }));
    let said = here.text("append numbers a.csv --shard");
    assert_eq!(said, "appended 2 rows to numbers as numbers/shard_00001.cstore, which has 4 rows now\n");
    here.run("append numbers b.csv --shard").fails(1, "column_not_found");
    let message = here.run("append numbers a.csv").fails(2, "invalid_argument");
    assert!(message.contains("--shard"), "{message}");
    assert_eq!(csv(&here, "numbers"), "n\n1\n2\n1\n2\n");
    let mut names: Vec<_> =
        fs::read_dir(here.path("numbers")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| !name.to_string_lossy().ends_with(".lock"));
    names.sort();
    assert_eq!(names, ["shard_00000.cstore", "shard_00001.cstore"]);
}

#[test]
fn options_of_stores_and_tables_are_not_mixed() {
    let here = Workspace::new();
    write(&here, "a.csv", "n\n1\n");
    here.images("images", 2);
    for (line, text) in [
        ("import a.csv a.cstore --codec zstd", "no codec"),
        ("import images.npy more --force", "--force is for tables"),
        ("import images.npy more --nulls zero", "--nulls is for tables"),
        ("append images images.npy --width 3", "--width is for tables"),
        ("export images x.npy --limit 1", "--limit is for tables"),
        ("export images x.npy --force", "--force is for tables"),
    ] {
        let message = here.run(line).fails(2, "invalid_argument");
        assert!(message.contains(text), "{line}: {message}");
    }
    assert!(!here.path("more").exists() && !here.path("a.cstore").exists());
    here.run("import a.csv a.cstore --width 0").fails(2, "invalid_argument");
    here.run("import a.csv a.cstore --nulls maybe").fails(2, "invalid_argument");
}
