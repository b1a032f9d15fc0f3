//! The evaluation in a sandbox: the same bytes as natively, within limits, whatever it is given.

use std::path::Path;
use std::process::Command;

use recask::{DType, DenseStore};
use recask_tests::folder::golden;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::runtime::{Request, Run, Runtime, digits, evaluation, natively};
use crate::workspace::{contents, words};

/// What the example predicts, evaluated in every way.
const EVALUATIONS: [&str; 8] = [
    "--labels labels --predictions centroid/class",
    "--labels labels --predictions centroid/logits --scores logits --top-k 2",
    "--labels labels --predictions centroid/logits --scores ranking",
    "--labels labels --predictions knn/class --classes 12",
    "--labels labels --predictions knn/probabilities --bins 10",
    "--labels labels --predictions knn/probabilities --summary",
    "--labels digits.cstore --label-column label --predictions digits.cstore --prediction-column knn",
    "--labels labels --predictions knn/class --task regression",
];
/// A second on this machine, but a sandbox counts instructions.
const FUEL: u64 = 1_000_000_000;
const MEMORY: u64 = 4 << 20;

/// Predictions for 1,000 MNIST digits, made by the example.
fn predictions() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(digits()).arg(folder.path()).output().expect("the example starts");
    assert!(made.status.success(), "{made:?}");
    folder
}

/// `evaluate` with folders for reading only, and limits.
fn ask(runtime: &mut Runtime, folder: &Path, line: &str, limits: &Value) -> Result<Run, String> {
    let mut more = json!({ "read_only_folders": [[folder, "."]] });
    more.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
    runtime.ask(&Request { module: evaluation(), arguments: &words(line), folders: &[], more })
}

/// `recask eval`.
fn native(folder: &Path, line: &str) -> Run {
    natively(folder, &[&["eval"], words(line).as_slice()].concat())
}

#[test]
fn predictions_of_digits_come_to_the_same_bytes() {
    let data = predictions();
    let mut runtime = Runtime::wasmtime();
    for line in EVALUATIONS {
        let expected = native(data.path(), line);
        assert_eq!((expected.status, expected.stderr.as_str()), (0, ""), "{line}");
        let found = ask(&mut runtime, data.path(), line, &json!({ "fuel": FUEL, "memory": MEMORY }));
        assert_eq!(found.unwrap(), expected, "{line}");
    }
    // They are predictions and not noise: chance is right once in ten times.
    let accuracy = |line| {
        let answer: Value = serde_json::from_str(&native(data.path(), line).stdout).unwrap();
        (answer["records"].as_u64().unwrap(), answer["accuracy"].as_f64().unwrap())
    };
    let (records, centroid) = accuracy(EVALUATIONS[1]);
    let (_, neighbours) = accuracy(EVALUATIONS[4]);
    assert_eq!(records, 1000);
    assert!(centroid > 0.75 && neighbours > 0.85, "{centroid} {neighbours}");
}

#[test]
fn batches_and_runtimes_change_nothing() {
    let data = predictions();
    for mut runtime in Runtime::both() {
        for line in [EVALUATIONS[1], EVALUATIONS[4], EVALUATIONS[7]] {
            let expected = native(data.path(), &format!("{line} --records native.cstore"));
            let table = std::fs::read(data.path().join("native.cstore")).unwrap();
            for batch in [1, 7, 1000] {
                let line = format!("{line} --batch {batch} --records found.cstore");
                let folders = [(data.path(), ".")];
                let request = Request {
                    module: evaluation(),
                    arguments: &words(&line),
                    folders: &folders,
                    more: json!({}),
                };
                let found = runtime.run_with(&request);
                assert_eq!(found, expected, "{}: {line}", runtime.name);
                let rows = std::fs::read(data.path().join("found.cstore")).unwrap();
                assert!(rows == table, "{}: {line}: the tables differ", runtime.name);
                std::fs::remove_file(data.path().join("found.cstore")).unwrap();
            }
            std::fs::remove_file(data.path().join("native.cstore")).unwrap();
        }
    }
}

#[test]
fn limits_are_those_of_the_host() {
    let data = predictions();
    let mut runtime = Runtime::wasmtime();
    let line = EVALUATIONS[4];
    let trap =
        ask(&mut runtime, data.path(), line, &json!({ "fuel": 100_000 })).expect_err("it is too little");
    assert!(trap.contains("fuel"), "{trap}");
    // Not enough to begin with: the host says so, and nothing runs.
    let trap =
        ask(&mut runtime, data.path(), line, &json!({ "memory": 1 << 16 })).expect_err("it is too little");
    assert!(trap.contains("memory"), "{trap}");
}

/// Memory does not grow with the records: as little as for a thousand is enough for two hundred thousand.
#[test]
fn many_records_need_no_more_memory_than_few() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let mut labels = DenseStore::builder(DType::U8, ()).create(place("labels")).unwrap();
    let mut scores = DenseStore::builder(DType::F32, [10]).create(place("scores")).unwrap();
    let classes: Vec<u8> = (0..10).cycle().take(10_000).collect();
    let values: Vec<f32> = (0..100_000u32).map(|at| if at % 11 == 0 { 3.0 } else { 0.5 }).collect();
    for _ in 0..20 {
        labels.append(&classes).unwrap();
        scores.append(&values).unwrap();
    }
    labels.close().unwrap();
    scores.close().unwrap();
    let line = "--labels labels --predictions scores --scores logits";
    let expected = native(folder.path(), line);
    assert!(expected.stdout.contains(r#""records":200000,"#), "{expected:?}");
    let found = ask(&mut Runtime::wasmtime(), folder.path(), line, &json!({ "memory": MEMORY }));
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn what_was_not_given_is_refused() {
    let data = predictions();
    let outside = data.path().join("labels");
    let outside = outside.to_str().unwrap();
    for mut runtime in Runtime::both() {
        for line in [
            format!("--labels {outside} --predictions data/knn/class"),
            "--labels data/labels --predictions ../knn/class".to_owned(),
            "--labels data/labels --predictions /tmp/digits.cstore --prediction-column knn".to_owned(),
            "--labels data/labels --predictions data/knn/class --records elsewhere/found.cstore".to_owned(),
        ] {
            let folders = [(data.path(), "data")];
            let request = Request {
                module: evaluation(),
                arguments: &words(&line),
                folders: &folders,
                more: json!({}),
            };
            let run = runtime.run_with(&request);
            assert_eq!(
                (run.status, run.code()),
                (1, Some("permission_denied")),
                "{}: {line}: {run:?}",
                runtime.name
            );
            assert!(run.stderr.contains("the sandbox was not given"), "{}: {}", runtime.name, run.stderr);
            assert_eq!(run.stdout, "");
        }
    }
}

#[test]
fn a_folder_for_reading_only_gets_no_table() {
    let data = predictions();
    let before = contents(data.path());
    let line = format!("{} --records found.cstore", EVALUATIONS[0]);
    let run = ask(&mut Runtime::wasmtime(), data.path(), &line, &json!({})).unwrap();
    assert_eq!((run.status, run.code()), (1, Some("permission_denied")), "{run:?}");
    assert!(contents(data.path()) == before);
}

#[test]
fn a_command_line_without_a_meaning_is_reported() {
    let data = predictions();
    let mut runtime = Runtime::wasmtime();
    for line in ["", "--labels labels", "--labels labels --predictions knn/class --scores odds"] {
        let run = ask(&mut runtime, data.path(), line, &json!({})).unwrap();
        assert_eq!((run.status, run.code()), (2, Some("invalid_argument")), "{line}: {run:?}");
    }
    let help = ask(&mut runtime, data.path(), "--help", &json!({})).unwrap();
    assert_eq!(help.status, 0);
    assert!(help.stdout.contains("confusion_matrix"), "{help:?}");
}

/// As labels and as predictions: the same error as natively, or the same answer, and never a trap.
#[test]
fn damaged_stores_and_tables_are_reported() {
    let mut runtime = Runtime::wasmtime();
    let mut failed = 0;
    let mut check = |folder: &Path, line: &str| {
        for line in [line, &format!("{line} --task regression")] {
            let expected = native(folder, line);
            let limits = json!({ "fuel": FUEL, "memory": 64 << 20 });
            let found = ask(&mut runtime, folder, line, &limits);
            let found = found.unwrap_or_else(|trap| panic!("{line}: {trap}"));
            assert!(matches!(found.status, 0 | 1), "{line}: {found:?}");
            let ended = |run: &Run| (run.status, run.code().map(str::to_owned), run.stdout.clone());
            assert_eq!(ended(&found), ended(&expected), "{line}: {found:?} {expected:?}");
            failed += usize::from(found.status == 1);
        }
    };
    let stores = names_in(&golden("zrecord/bad"));
    for store in &stores {
        check(&golden("zrecord/bad"), &format!("--labels {store} --predictions {store}"));
    }
    let tables = names_in(&golden("cstore"));
    let tables: Vec<_> = tables.into_iter().filter(|name| name.starts_with("bad_")).collect();
    for table in &tables {
        for column in ["x", "y"] {
            let both = format!(
                "--labels {table} --label-column {column} --predictions {table} --prediction-column {column}"
            );
            check(&golden("cstore"), &both);
        }
    }
    assert!(stores.len() > 60 && tables.len() > 40, "{stores:?} {tables:?}");
    assert!(failed > 250, "only {failed} were refused");
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("golden data");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
