//! Readers of one side keep what they opened while the other side appends, compacts, or writes the table anew.

use std::path::Path;

use recask::core::table;
use recask::{Code, Native, TableWriter};
use serde_json::Value;

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{Rows, Schema, joined, random_records, random_rows};
use crate::ours;
use crate::random::Random;

fn schema() -> Schema {
    vec![("x".into(), "<i4"), ("y".into(), "<f8"), ("flag".into(), "|b1")]
}

#[test]
fn colstore_reads_on_while_recask_changes_the_table() {
    let mut random = Random::new(80);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for records in [1, 4] {
            let (_folder, path) = new_path();
            let records = &random_records(&mut random, &schema())[..records];
            ours::create(&path, records, &ours::options(layout, false));
            let old = joined(&schema(), records);
            colstore.open(&path);
            let mut expect_old = |what| assert_eq!(colstore.read_rows(&Value::Null), old, "{what}");

            let more = random_rows(&mut random, &schema(), 30);
            ours::update(&path, std::slice::from_ref(&more));
            expect_old("appended");
            table::compact::<Native>(path.as_path(), &()).expect("compacted");
            expect_old("compacted");
            let new = random_rows(&mut random, &schema(), 2);
            let options = ours::options(layout, false);
            let mut writer = TableWriter::recreate_with(path.as_path(), &options).expect("nobody writes");
            writer.write(&ours::inputs(&new)).expect("room");
            expect_old("while it is written anew");
            // Others, too, see the old table until the new one is committed.
            assert_eq!(ours::read(&path, &schema()), joined(&schema(), &[old.clone(), more.clone()]));
            writer.close().expect("room");
            expect_old("written anew");
            colstore.close();
            assert_eq!(colstore.read(&path), new);
        }
    }
}

#[test]
fn recask_reads_on_while_colstore_changes_the_table() {
    let mut random = Random::new(81);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for records in [1, 4] {
            let (_folder, path) = new_path();
            let records = &random_records(&mut random, &schema())[..records];
            colstore.write(&path, "create", records, true);
            let old = joined(&schema(), records);
            let table = ours::open(&path);
            let expect_old = |what| assert_eq!(ours::columns(&table.all(), &schema()), old, "{what}");

            let more = random_rows(&mut random, &schema(), 30);
            colstore.write(&path, "update", std::slice::from_ref(&more), true);
            expect_old("appended");
            colstore.compact(&path);
            expect_old("compacted");
            assert_eq!(ours::read(&path, &schema()), joined(&schema(), &[old.clone(), more]));
        }
    }
}

/// colstore writes a table anew in place, which ends programs that read it by a map. Recask says what happened.
#[test]
fn recask_says_when_colstore_cut_the_file_under_it() {
    let mut random = Random::new(82);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        let (_folder, path) = new_path();
        colstore.store(&path, &random_rows(&mut random, &schema(), 20_000), false);
        let table = ours::open(&path);
        let few = random_rows(&mut random, &schema(), 3);
        rewrite_in_place(&mut colstore, &path, &few);
        assert_eq!(table.column("y").expect_err("cut").code(), Code::TruncatedFile);
        assert_eq!(ours::read(&path, &schema()), few);
    }
}

fn rewrite_in_place(colstore: &mut Colstore, path: &Path, rows: &Rows) {
    colstore.write(path, "recreate", std::slice::from_ref(rows), false);
}

fn new_path() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.cstore");
    (folder, path)
}
