//! `eval`: predictions beside labels.

use recask::table::ColumnInput;
use recask::{DType, DenseStore, Table};
use serde_json::json;

use crate::support::Workspace;

fn workspace() -> Workspace {
    let here = Workspace::new();
    let mut labels = DenseStore::builder(DType::I64, ()).create(here.path("labels")).unwrap();
    labels.append(&[0i64, 1, 2, 1]).unwrap();
    labels.close().unwrap();
    let mut scores = DenseStore::builder(DType::F32, [3]).create(here.path("scores")).unwrap();
    scores.append(&[0.5f32, 0.25, 0.25, 0.25, 0.5, 0.25, 0.5, 0.25, 0.25, 0.0, 1.0, 0.0]).unwrap();
    scores.close().unwrap();
    let columns =
        [ColumnInput::of("delay", &[1.0f64, -2.0, 3.0]), ColumnInput::of("forecast", &[1.5f32, -2.5, 3.5])];
    Table::create(here.path("flights.cstore"), &columns).unwrap();
    here
}

#[test]
fn the_answer_is_the_json_of_the_library() {
    let here = workspace();
    let line = "eval --labels labels --predictions scores";
    let report = here.run(line).json();
    assert_eq!(report["task"], "classification");
    assert_eq!((&report["accuracy"], &report["top_k"]["k"]), (&json!(0.75), &json!(5)));
    assert_eq!(report["confusion_matrix"], json!([[1, 0, 0], [0, 2, 0], [1, 0, 0]]));
    assert_eq!(report["calibration"]["bins"].as_array().unwrap().len(), 15);
    assert_eq!(here.text(&format!("{line} --json")), here.text(line));
    let summary = here.text(&format!("{line} --summary"));
    assert!(summary.contains("accuracy                    0.7500\n"), "{summary}");
    here.run(&format!("{line} --summary --json")).fails(2, "invalid_argument");
}

#[test]
fn columns_are_evaluated_and_every_record_is_a_row() {
    let here = workspace();
    let line = "eval --labels flights.cstore --label-column delay --predictions flights.cstore --prediction-column forecast";
    let report = here.run(line).json();
    assert_eq!((&report["task"], &report["mae"]), (&json!("regression"), &json!(0.5)));
    here.text("eval --labels labels --predictions scores --records found.cstore");
    let rows = here.json_lines("head found.cstore");
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[2]["correct"], false);
    assert_eq!(rows[2]["label_rank"], 2);
}

#[test]
fn failures_have_the_place_and_the_record() {
    let here = workspace();
    let message = here.run("eval --labels labels --predictions nothing").fails(1, "store_not_found");
    assert!(message.contains("nothing"), "{message}");
    let message =
        here.run("eval --labels labels --predictions scores --classes 4").fails(1, "invalid_argument");
    assert!(message.contains("3 classes"), "{message}");
    here.run("eval --labels labels --predictions scores --scores odds").fails(2, "invalid_argument");
    let columns = "--labels flights.cstore --label-column delay --predictions labels";
    let message = here.run(&format!("eval {columns}")).fails(1, "shape_mismatch");
    assert!(message.contains("3 labels") && message.contains("4 predictions"), "{message}");
    let records = "eval --labels labels --predictions scores --records found.cstore --read-only";
    here.run(records).fails(1, "read_only");
    assert!(!here.path("found.cstore").exists());
}
