//! `query`: rows for which an expression holds.

use serde_json::json;

use crate::support::{Run, Workspace};

fn query(here: &Workspace, args: &[&str]) -> Run {
    here.run_args(&[&["query", "weather.cstore"], args].concat())
}

#[test]
fn rows_keep_their_numbers() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let expected = "\
row  date        rain  kind  count
  0  2015-01-01   0.0  sun       1
  3  2015-01-04  -0.5  snow      4
2 rows found among 4
";
    assert_eq!(query(&here, &["kind LIKE 's%'"]).text(), expected);
    let expected = "row  kind\n  3  snow\n1 row found among 4\n";
    assert_eq!(query(&here, &["rain < 0 OR date > '2015-01-03'", "--columns", "kind"]).text(), expected);
    assert_eq!(
        query(&here, &["count > 100 AND rain > 0"]).text(),
        "row  date  rain  kind  count\n0 rows found among 4\n"
    );
}

#[test]
fn missing_values_are_found_by_is_null_only() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let found = |expression: &str| {
        let text = query(&here, &[expression, "--columns", "count", "--csv"]).text();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("rain IS NULL AND date IS NULL"), ["9223372036854775807"]);
    assert_eq!(found("rain = rain"), ["1", "-2", "4"]);
    assert_eq!(found("count = 9223372036854775807"), ["9223372036854775807"]);
    assert_eq!(found("count = 9223372036854775806").len(), 0);
}

#[test]
fn limit_offset_and_rows_cut_the_result() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let found = |args: &[&str]| {
        let text = query(&here, &[args, &["--columns", "count", "--csv"]].concat()).text();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&["count < 5", "--limit", "2"]), ["1", "-2"]);
    assert_eq!(found(&["count < 5", "--offset", "1", "--limit", "9"]), ["-2", "4"]);
    assert_eq!(found(&["count < 5", "--offset", "9"]).len(), 0);
    assert_eq!(found(&["count < 5", "--rows", "-1:"]), ["4"]);
    assert_eq!(found(&["count < 5", "--rows", "::-1", "--limit", "2"]), ["4", "-2"]);
    assert_eq!(found(&["--limit", "1"]), ["1"]);
}

#[test]
fn people_see_fifty_rows_of_a_long_result() {
    let here = Workspace::new();
    let values: Vec<i32> = (0..2000).collect();
    let columns = [recask::table::ColumnInput::of("n", &values)];
    recask::Table::create(here.path("n.cstore"), &columns).unwrap();
    let lines = |args: &[&str]| {
        let text = here.run_args(&[&["query", "n.cstore", "n >= 100"], args].concat()).text();
        (text.lines().count(), text.lines().last().unwrap().to_owned())
    };
    assert_eq!(lines(&[]), (52, "50 of 1,900 rows found among 2,000".to_owned()));
    assert_eq!(lines(&["--limit", "3"]), (5, "3 of 1,900 rows found among 2,000".to_owned()));
    assert_eq!(lines(&["--limit", "5000"]), (1902, "1,900 rows found among 2,000".to_owned()));
    assert_eq!(lines(&["--csv"]), (1901, "1999".to_owned()));
    assert_eq!(lines(&["--json"]), (1900, "{\"n\":1999}".to_owned()));
}

#[test]
fn parameters_stand_for_values() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let count = |args: &[&str]| {
        let text = query(&here, &[args, &["--count", "--json"]].concat()).text();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["found"].as_u64().unwrap()
    };
    assert_eq!(count(&["kind = :kind AND count > :n", "--param", "kind=snow", "--param", "n=3"]), 1);
    assert_eq!(count(&["count BETWEEN ? AND ?", "--param", "-2", "--param", "1.5"]), 2);
    assert_eq!(count(&["date >= ?", "--param", "2015-01-02"]), 2);
    assert_eq!(count(&["kind = ?", "--param", "heavy rain"]), 1);
    let message = query(&here, &["count > :n"]).fails(1, "invalid_filter");
    assert!(message.contains("n"), "{message}");
}

#[test]
fn the_number_alone_can_be_asked_for() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    assert_eq!(query(&here, &["rain > 0", "--count"]).text(), "1 row found among 4\n");
    let counted = query(&here, &["rain > 0", "--count", "--json"]).text();
    let expected = json!({ "path": "weather.cstore", "rows": 4, "found": 1 });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&counted).unwrap(), expected);
}

#[test]
fn a_mistake_is_pointed_at() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let run = query(&here, &["rain > 1 AND wind > 2"]);
    let message = run.fails(1, "invalid_filter");
    let (error, pointer) = message.split_once('\n').unwrap();
    assert!(error.starts_with("weather.cstore: ") && error.contains("'wind'"), "{error}");
    assert_eq!(pointer, "  rain > 1 AND wind > 2\n               ^");
    let message = query(&here, &["kind > 5"]).fails(1, "invalid_filter");
    assert!(message.contains("\n  kind > 5\n"), "{message}");
    let message = query(&here, &["rain >"]).fails(1, "invalid_filter");
    assert!(message.ends_with("\n  rain >\n        ^"), "{message}");
}

#[test]
fn only_tables_can_be_queried() {
    let here = Workspace::new();
    here.images("images", 3);
    let message = here.run("query images x").fails(1, "kind_mismatch");
    assert!(message.starts_with("images: "), "{message}");
    here.run("query nothing x").fails(1, "store_not_found");
    std::fs::write(here.path("x.txt"), "hello").unwrap();
    here.run("query x.txt x").fails(1, "corrupt_header");
    std::fs::create_dir(here.path("empty")).unwrap();
    here.run("query empty x").fails(1, "store_not_found");
}
