//! `head`, `tail`, `show`: rows of tables, in every form.

use serde_json::json;

use crate::support::Workspace;

const WEATHER: &str = "\
row  date        rain  kind                      count
  0  2015-01-01   0.0  sun                           1
  1  2015-01-02  10.9  heavy rain                   -2
  2  NaT          NaN  \"\"          9223372036854775807
  3  2015-01-04  -0.5  snow                          4
";

#[test]
fn people_see_an_aligned_table() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    assert_eq!(here.text("head weather.cstore"), WEATHER);
    assert_eq!(here.text("tail weather.cstore"), WEATHER);
    assert_eq!(here.text("show weather.cstore :"), WEATHER);
    here.weather("streamed.cstore", true);
    assert_eq!(here.text("head streamed.cstore"), WEATHER);
}

#[test]
fn rows_are_chosen_as_records_are() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let rows = |line: &str| -> Vec<String> {
        let text = here.text(line);
        text.lines().skip(1).map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    assert_eq!(rows("head weather.cstore -n 2"), ["0", "1"]);
    assert_eq!(rows("tail weather.cstore -n 2"), ["2", "3"]);
    assert_eq!(rows("tail weather.cstore -n 9"), ["0", "1", "2", "3"]);
    assert_eq!(rows("show weather.cstore -1 ::-2 1 1"), ["3", "3", "1", "1", "1"]);
    assert_eq!(here.text("head weather.cstore -n 0"), "row  date  rain  kind  count\n");
}

#[test]
fn columns_are_chosen_in_any_order() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    assert_eq!(
        here.text("show weather.cstore 1 --columns kind,date"),
        "row  kind        date\n  1  heavy rain  2015-01-02\n"
    );
    let message = here.run("head weather.cstore --columns kind,snow").fails(1, "column_not_found");
    let expected = "weather.cstore: there is no column 'snow'; there are: date, rain, kind, count";
    assert_eq!(message, expected);
    let message = here.run("head weather.cstore --columns kind,date,kind").fails(2, "invalid_argument");
    assert_eq!(message, "the column kind is named twice, as number 1 and 3");
}

#[test]
fn json_is_one_exact_object_a_row() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let rows = here.json_lines("head weather.cstore");
    assert_eq!(rows[1], json!({ "date": "2015-01-02", "rain": 10.9, "kind": "heavy rain", "count": -2 }));
    assert_eq!(rows[2], json!({ "date": "NaT", "rain": "nan", "kind": "", "count": i64::MAX }));
    let text = here.text("show weather.cstore 2 --json --columns count,kind");
    assert_eq!(text, "{\"count\":9223372036854775807,\"kind\":\"\"}\n");
}

#[test]
fn csv_has_titles_and_exact_values() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let expected = "\
date,rain,kind,count
2015-01-01,0.0,sun,1
2015-01-02,10.9,heavy rain,-2
NaT,NaN,,9223372036854775807
2015-01-04,-0.5,snow,4
";
    assert_eq!(here.text("head weather.cstore --csv"), expected);
    assert_eq!(here.text("head weather.cstore -n 0 --csv"), "date,rain,kind,count\n");
    here.run("head weather.cstore --csv --json").fails(2, "invalid_argument");
}

#[test]
fn a_wide_table_is_cut_to_the_width_and_says_so() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let narrow = |columns: &str| {
        let run = here.command("head weather.cstore -n 1").env("COLUMNS", columns).output().unwrap();
        crate::support::Run::from(run).text()
    };
    let cut = "\
row  date        rain
  0  2015-01-01   0.0
… 2 columns more: kind, count (choose some with --columns)
";
    assert_eq!(narrow("25"), cut);
    let whole = "\
row  date        rain  kind  count
  0  2015-01-01   0.0  sun       1
";
    assert_eq!(narrow("34"), whole);
    assert_eq!(narrow("33").lines().last().unwrap(), "… 1 column more: count (choose some with --columns)");
}

#[test]
fn many_rows_come_in_blocks_under_one_heading() {
    let here = Workspace::new();
    let values: Vec<u32> = (0..3000).collect();
    let columns = [recask::table::ColumnInput::of("n", &values)];
    recask::Table::create(here.path("n.cstore"), &columns).unwrap();
    let text = here.text("show n.cstore :");
    assert_eq!(text.lines().count(), 3001);
    assert_eq!(text.lines().next(), Some(" row     n"));
    assert_eq!(text.lines().last(), Some("2999  2999"));
    let csv = here.text("show n.cstore : --csv");
    let expected: String = values.iter().map(|n| format!("{n}\n")).collect();
    assert_eq!(csv, format!("n\n{expected}"));
    assert_eq!(here.json_lines("show n.cstore ::1000").len(), 3);
}

#[test]
fn a_folder_or_pattern_of_tables_is_one_table() {
    let here = Workspace::new();
    std::fs::create_dir(here.path("days")).unwrap();
    here.weather("days/a2.cstore", false);
    here.weather("days/a10.cstore", true);
    let both = here.text("show days : --csv");
    assert_eq!(both.lines().count(), 9);
    assert_eq!(here.text("show days/*.cstore : --csv"), both);
    let second = here.text("show days/a10.cstore : --csv");
    assert!(both.ends_with(second.split_once('\n').unwrap().1), "{both}");
    assert_eq!(here.json("info days")["files"], 2);
}

#[test]
fn tail_shows_the_last_records_of_a_store_too() {
    let here = Workspace::new();
    here.images("images", 8);
    let lines = here.json_lines("tail images -n 2");
    assert_eq!([&lines[0]["index"], &lines[1]["index"]], [&json!(6), &json!(7)]);
    assert_eq!(here.json_lines("tail images").len(), 5);
}
