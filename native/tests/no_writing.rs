//! A process that denies writing to itself: alone in its process, because it does so to every thread.
#![cfg(feature = "convert")]

use std::fs;
use std::path::Path;

use recask::convert::table::{self as convert_table, ExportOptions};
use recask::convert::{self, ImportOptions};
use recask::fs::{check_writable, deny_writing};
use recask::table::{ColumnInput, Shards};
use recask::{AnyStore, Code, DType, DenseStore, Index, OpenOptions, Result, Table, TableWriter};

#[test]
fn everything_that_writes_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut store = DenseStore::builder(DType::U8, ()).create(at("store")).unwrap();
    store.append(&[1u8, 2, 3]).unwrap();
    store.close().unwrap();
    let table = Table::create(at("table.cstore"), &[ColumnInput::of("x", &[1i64, 2])]).unwrap();
    convert::export(&at("store"), &at("store.npy"), Index::ALL, &()).unwrap();
    let before = names(folder.path());

    let denied = deny_writing();
    let nested = deny_writing();
    let to_write = OpenOptions { write: true, ..OpenOptions::default() };
    let refused: [(&str, Result<()>); 10] = [
        ("create", DenseStore::builder(DType::U8, ()).create(at("new")).map(drop)),
        ("open to write", AnyStore::open_with(at("store"), &to_write).map(drop)),
        ("create a table", TableWriter::create(at("new.cstore")).map(drop)),
        ("update a table", TableWriter::update(at("table.cstore")).map(drop)),
        ("shards", Shards::open(at("shards")).map(drop)),
        ("import", convert::import(&at("store.npy"), &at("new"), &ImportOptions::default(), &()).map(drop)),
        ("append", convert::append(&at("store"), &at("store.npy"), &()).map(drop)),
        ("export", convert::export(&at("store"), &at("new.npy"), Index::ALL, &()).map(drop)),
        (
            "export a table",
            convert_table::export(&table.all(), &at("new.jsonl"), &ExportOptions::default(), &()).map(drop),
        ),
        ("files of one's own", check_writable(&at("anything"))),
    ];
    for (what, refused) in refused {
        let error = refused.expect_err(what);
        assert_eq!(error.code(), Code::ReadOnly, "{what}: {error}");
    }
    assert_eq!(names(folder.path()), before);
    assert_eq!(AnyStore::open(at("store")).unwrap().len(), 3);

    drop(nested);
    assert!(check_writable(&at("anything")).is_err(), "the first is there still");
    drop(denied);
    DenseStore::builder(DType::U8, ()).create(at("new")).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().chain(fs::read_dir(folder.join("store")).unwrap());
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
