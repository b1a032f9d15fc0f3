//! Damaged stores and tables, as labels and as predictions.

use std::path::{Path, PathBuf};

use recask::Code;
use recask_evaluate::{Place, Request, Task, evaluate};

/// Whatever is wrong with them: an error, or an answer where the damage does not show.
#[test]
fn damage_is_reported() {
    let mut refused = 0;
    let mut check = |path: &Path, columns: &[&str]| {
        let place = Place { path: path.into(), columns: columns.iter().map(ToString::to_string).collect() };
        for task in [None, Some(Task::Regression), Some(Task::Classification)] {
            let request =
                Request { labels: place.clone(), predictions: place.clone(), task, ..Request::default() };
            match evaluate(&request, &()) {
                Ok(report) => assert!(report.to_json().is_ok()),
                Err(error) => {
                    refused += 1;
                    assert_ne!(error.code(), Code::Panicked, "{path:?}: {error}");
                }
            }
        }
    };
    let stores = golden("zrecord/bad");
    assert!(stores.len() > 60, "{stores:?}");
    stores.iter().for_each(|store| check(store, &[]));
    let tables = golden("cstore");
    let tables: Vec<_> = tables.iter().filter(|path| path.to_string_lossy().contains("/bad_")).collect();
    assert!(tables.len() > 40, "{tables:?}");
    for table in tables {
        check(table, &["x"]);
        check(table, &["x", "y"]);
    }
    assert!(refused > 400, "only {refused} were refused");
}

fn golden(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(folder);
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
