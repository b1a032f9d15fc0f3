//! `compact`, `recode`, `concat`, `calibrate`: changing tables, and how they are read.

use std::fs;

use recask::TableWriter;
use serde_json::json;

use crate::support::{Run, Workspace};

#[test]
fn compact_makes_one_record_in_place_or_elsewhere() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    here.weather("once.cstore", false);
    let before = here.path("weather.cstore").metadata().unwrap().len();
    let after = here.path("once.cstore").metadata().unwrap().len();
    let report = |path: &str| json!({ "path": path, "rows": 4, "records_before": 4, "records": 1, "bytes_before": before, "bytes": after });
    assert_eq!(here.json("compact weather.cstore --out new.cstore"), report("new.cstore"));
    assert_eq!(here.json("info weather.cstore")["file_records"], 4);
    assert_eq!(here.json("compact weather.cstore"), report("weather.cstore"));
    let bytes = |name: &str| fs::read(here.path(name)).unwrap();
    assert!(bytes("weather.cstore") == bytes("once.cstore"));
    assert!(bytes("new.cstore") == bytes("once.cstore"));
    let said = here.text("compact weather.cstore");
    assert!(said.starts_with("weather.cstore: 4 rows, 1 record -> 1, "), "{said}");
    let message = here.run("compact weather.cstore --out new.cstore").fails(1, "store_exists");
    assert!(message.contains("new.cstore"), "{message}");
    assert!(bytes("new.cstore") == bytes("once.cstore"));
}

#[test]
fn recode_changes_the_layout_and_back() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let original = fs::read(here.path("weather.cstore")).unwrap();
    let report = here.json("recode weather.cstore --layout 0.5 --statistics");
    let expected = json!({ "source": "weather.cstore", "path": "weather.cstore", "layout": "0.5", "statistics": true,
        "rows": 4, "file_records": 4 });
    assert_eq!(report, expected);
    let info = here.json("info weather.cstore");
    assert_eq!((&info["layout"], &info["statistics"]), (&json!("0.5"), &json!(true)));
    let said = here.text("recode weather.cstore back.cstore --layout 0.3");
    assert_eq!(said, "back.cstore: layout 0.3, 4 rows in 4 records\n");
    assert!(fs::read(here.path("back.cstore")).unwrap() == original);
    assert_eq!(here.json("info weather.cstore")["layout"], "0.5");
    // Statistics imply the layout that has them.
    assert_eq!(here.json("recode back.cstore --statistics")["layout"], "0.5");
}

#[test]
fn recode_needs_to_know_what_to_do() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    here.images("images", 2);
    for (line, text) in [
        ("recode weather.cstore", "--layout"),
        ("recode weather.cstore x.cstore --codec zstd", "no codec"),
        ("recode images --codec raw", "DEST"),
        ("recode images copy --layout 0.5", "--layout is for tables"),
        ("compact images --out x", "--out is for tables"),
        ("head images --columns a", "--columns is for tables"),
        ("stats images --where x", "--where is for tables"),
        ("tail images --csv", "--csv is for tables"),
    ] {
        let message = here.run(line).fails(2, "invalid_argument");
        assert!(message.contains(text), "{line}: {message}");
    }
    let message = here.run("recode weather.cstore --layout 0.3 --statistics").fails(1, "invalid_argument");
    assert!(message.starts_with("weather.cstore: "), "{message}");
}

#[test]
fn concat_joins_in_the_given_order() {
    let here = Workspace::new();
    fs::create_dir(here.path("days")).unwrap();
    here.weather("days/b.cstore", true);
    here.weather("days/a.cstore", false);
    here.weather("c.cstore", false);
    let report = here.json("concat all.cstore c.cstore days --layout 0.5");
    let bytes = here.path("all.cstore").metadata().unwrap().len();
    assert_eq!(report, json!({ "path": "all.cstore", "files": 3, "rows": 12, "bytes": bytes }));
    let info = here.json("info all.cstore");
    assert_eq!((&info["file_records"], &info["layout"]), (&json!(1), &json!("0.5")));
    let once = here.text("show c.cstore : --csv");
    let (titles, rows) = once.split_once('\n').unwrap();
    assert_eq!(here.text("show all.cstore : --csv"), format!("{titles}\n{}", rows.repeat(3)));
    here.run("concat all.cstore c.cstore").fails(1, "store_exists");
    let message = here.run("concat new.cstore c.cstore nothing.cstore").fails(1, "store_not_found");
    assert!(message.contains("nothing.cstore"), "{message}");
    assert!(!here.path("new.cstore").exists());
}

#[test]
fn a_table_that_is_being_written_is_busy() {
    let here = Workspace::new();
    here.weather("weather.cstore", true);
    let writer = TableWriter::update(here.path("weather.cstore")).unwrap();
    for line in ["compact weather.cstore", "recode weather.cstore --layout 0.5"] {
        let message = here.run(line).fails(1, "store_busy");
        assert!(message.contains("weather.cstore"), "{message}");
    }
    // Readers may look at it meanwhile.
    assert_eq!(here.json("verify weather.cstore")["ok"], true);
    writer.close().unwrap();
    here.text("compact weather.cstore");
}

#[test]
fn what_changes_one_table_wants_one() {
    let here = Workspace::new();
    fs::create_dir(here.path("days")).unwrap();
    here.weather("days/a.cstore", true);
    here.weather("days/b.cstore", true);
    for line in ["compact days", "recode days/*.cstore --layout 0.5"] {
        let message = here.run(line).fails(2, "invalid_argument");
        assert!(message.ends_with("name one: days/a.cstore, days/b.cstore"), "{message}");
    }
    for line in ["delete days/a.cstore 0", "bench days/a.cstore", "train-dict days/a.cstore x.dict"] {
        let message = here.run(line).fails(1, "kind_mismatch");
        assert!(message.starts_with("days/a.cstore: this is a column table"), "{line}: {message}");
    }
    assert_eq!(
        here.json_lines("sample days --mode sequential --batch 9"),
        [json!([0, 1, 2, 3, 4, 5, 6, 7, 0])]
    );
}

#[test]
fn a_calibration_is_remembered_until_it_is_forgotten() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    let json = |line: &str| {
        let mut command = here.command(&format!("{line} --json"));
        let run: Run = command.env("XDG_CACHE_HOME", here.path("cache")).output().unwrap().into();
        serde_json::from_str::<serde_json::Value>(&run.text()).unwrap()
    };
    assert_eq!(json("calibrate --show")["gather_threads"], json!(null));
    let measured = json("calibrate --seconds 0 --mib 1");
    let threads = measured["gather_threads"].as_u64().unwrap();
    assert!(measured["measured"].as_array().unwrap().iter().any(|found| found["threads"] == threads));
    assert_eq!(json("calibrate --show"), measured);
    let tuning = json("info weather.cstore")["tuning"].clone();
    assert_eq!((&tuning["calibrated"], &tuning["gather_threads"]), (&json!(true), &json!(threads)));
    assert_eq!(json("calibrate --forget"), json!({ "forgotten": true }));
    assert_eq!(json("calibrate --forget"), json!({ "forgotten": false }));
    assert_eq!(json("info weather.cstore")["tuning"]["calibrated"], false);
    here.run("calibrate --seconds -1").fails(2, "invalid_argument");
}
