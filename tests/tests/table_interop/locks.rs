//! While one side writes, the other gets its own error, and the file stays as it is.

use std::path::{Path, PathBuf};

use recask::core::format::cstore::Layout;
use recask::core::table::{self, WriteOptions};
use recask::{Code, Native, TableWriter};
use serde_json::json;

use crate::colstore::{Colstore, LAYOUTS, listed};
use crate::columns::{Rows, Schema, joined, random_rows};
use crate::ours;
use crate::random::Random;

#[test]
fn recask_is_told_that_colstore_writes() {
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        let (_folder, path, schema, rows) = new_table(layout);
        colstore.ask("begin", json!({"path": path, "mode": "update"}));
        colstore.ask("write", json!({"columns": listed(&rows)}));
        let before = std::fs::read(&path).expect("a file");

        let refusals = [
            TableWriter::update(path.as_path()).map(drop),
            TableWriter::recreate(path.as_path()).map(drop),
            table::compact::<Native>(path.as_path(), &()).map(drop),
            table::recode::<Native>(path.as_path(), &WriteOptions::default(), &()).map(drop),
        ];
        for (number, refused) in refusals.into_iter().enumerate() {
            assert_eq!(refused.expect_err("colstore has it").code(), Code::StoreBusy, "{number}");
        }
        assert!(std::fs::read(&path).expect("a file") == before, "a refused writer changed the file");
        assert_eq!(names(&path), ["t.cstore"], "a refused writer left something behind");
        // Readers take no lock, and see what is committed.
        assert_eq!(ours::read(&path, &schema), rows);

        colstore.ask("end", json!({}));
        assert_eq!(ours::read(&path, &schema), joined(&schema, &[rows.clone(), rows]));
    }
}

#[test]
fn colstore_is_told_that_recask_writes() {
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        let (_folder, path, schema, rows) = new_table(layout);
        let mut writer = TableWriter::update(path.as_path()).expect("nobody has it");
        let refused = |colstore: &mut Colstore| {
            let before = std::fs::read(&path).expect("a file");
            let update = colstore.refusal("begin", json!({"path": path, "mode": "update"}));
            let compaction = colstore.refusal("compact", json!({"path": path}));
            assert!(std::fs::read(&path).expect("a file") == before, "a refused writer changed the file");
            assert_eq!([update, compaction], ["OSError", "OSError"]);
        };
        refused(&mut colstore);
        writer.write(&ours::inputs(&rows)).expect("room");
        refused(&mut colstore);
        assert_eq!(colstore.read(&path), rows, "before the commit");
        writer.commit().expect("room");
        refused(&mut colstore);
        let twice = joined(&schema, &[rows.clone(), rows.clone()]);
        assert_eq!(colstore.read(&path), twice, "between two commits");
        writer.write(&ours::inputs(&rows)).expect("room");
        refused(&mut colstore);
        writer.close().expect("room");

        colstore.write(&path, "update", &[], false);
        assert_eq!(colstore.read(&path), joined(&schema, &[twice, rows]));
    }
}

/// A writer that is dropped commits nothing, and the next one, whoever it is, takes its rows away.
#[test]
fn colstore_goes_on_where_recask_gave_up() {
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        let (_folder, path, schema, rows) = new_table(layout);
        let committed = std::fs::read(&path).expect("a file");
        let mut writer = TableWriter::update(path.as_path()).expect("nobody has it");
        writer.write(&ours::inputs(&rows)).expect("room");
        drop(writer);
        assert_eq!(colstore.read(&path), rows);
        colstore.write(&path, "update", &[], false);
        assert!(std::fs::read(&path).expect("a file") == committed);
        colstore.write(&path, "update", std::slice::from_ref(&rows), false);
        assert_eq!(ours::read(&path, &schema), joined(&schema, &[rows.clone(), rows]));
    }
}

fn new_table(layout: Layout) -> (tempfile::TempDir, PathBuf, Schema, Rows) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.cstore");
    let schema: Schema = vec![("x".into(), "<i4"), ("y".into(), "<f8"), ("flag".into(), "|b1")];
    let rows = random_rows(&mut Random::new(70), &schema, 21);
    ours::create(&path, std::slice::from_ref(&rows), &ours::options(layout, false));
    (folder, path, schema, rows)
}

fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path.parent().expect("a folder")).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}
