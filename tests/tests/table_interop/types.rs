//! Every element type by itself, in both directions and both layouts.

use recask::core::format::cstore::Layout;

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{Rows, STREAMABLE, Schema, TIMES, random_rows};
use crate::ours;
use crate::random::Random;

fn each_type(random: &mut Random) -> Vec<(Schema, Rows)> {
    let types = STREAMABLE.iter().chain(&TIMES);
    types
        .map(|dtype| {
            let schema = vec![("x".to_owned(), *dtype)];
            let rows = random_rows(random, &schema, 17);
            (schema, rows)
        })
        .collect()
}

#[test]
fn colstore_reads_every_type_that_recask_writes() {
    let mut random = Random::new(30);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for (_, rows) in each_type(&mut random) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("t.cstore");
            ours::create(&path, std::slice::from_ref(&rows), &ours::options(layout, true));
            assert_eq!(colstore.read(&path), rows);
            // In several records as well, where every release has other code; times included.
            ours::update(&path, std::slice::from_ref(&rows));
            assert_eq!(colstore.counts(&path), (2, 34));
            let twice = crate::columns::joined(&schema_of(&rows), &[rows.clone(), rows]);
            assert_eq!(colstore.read(&path), twice);
        }
    }
}

#[test]
fn recask_reads_every_type_that_colstore_writes() {
    let mut random = Random::new(31);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for (schema, rows) in each_type(&mut random) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("t.cstore");
            colstore.store(&path, &rows, true);
            assert_eq!(ours::read(&path, &schema), rows);
            assert_eq!(ours::open(&path).layout(), layout);
            ours::assert_sound(&path);
        }
    }
}

/// Big-endian values are swapped by both, and become the same file.
#[test]
fn both_store_big_endian_values_as_little_endian_ones() {
    let swapped: [(&str, &[u8]); 6] = [
        (">i2", &[1, 2, 3, 4]),
        (">f4", &[0x3f, 0x80, 0, 0, 0x40, 0, 0, 0]),
        (">u8", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        (">M8[s]", &[0, 0, 0, 0, 0, 0, 0, 9, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        (">U2", &[0, 0, 0, 65, 0, 1, 0xf6, 0, 0, 0, 0, 66, 0, 0, 0, 0]),
        ("|S2", b"abcd"),
    ];
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        let folder = tempfile::tempdir().expect("a folder");
        let (theirs, path) = (folder.path().join("theirs"), folder.path().join("ours"));
        let names: Vec<String> = (0..swapped.len()).map(|i| format!("c{i}")).collect();
        let listed: serde_json::Value = names
            .iter()
            .zip(swapped)
            .map(|(name, (dtype, bytes))| serde_json::json!([name, dtype, crate::python::hex(bytes)]))
            .collect();
        colstore.ask("store", serde_json::json!({"path": theirs, "columns": listed}));
        let inputs: Vec<_> = names
            .iter()
            .zip(swapped)
            .map(|(name, (dtype, bytes))| {
                recask::core::table::ColumnInput::new(name.as_str(), ours::dtype(dtype), bytes)
            })
            .collect();
        let options = ours::options(layout, false);
        let mut writer = recask::TableWriter::create_with(path.as_path(), &options).expect("a new table");
        writer.write(&inputs).expect("room");
        writer.close().expect("room");
        assert!(same(&theirs, &path), "{layout:?}");
    }
}

fn same(one: &std::path::Path, other: &std::path::Path) -> bool {
    std::fs::read(one).expect("a file") == std::fs::read(other).expect("a file")
}

fn schema_of(rows: &Rows) -> Schema {
    rows.iter().map(|column| (column.name.clone(), column.dtype)).collect()
}

/// A release refuses the layout of the other, Recask reads both.
#[test]
fn only_recask_reads_both_layouts() {
    let mut random = Random::new(32);
    let (schema, rows) = each_type(&mut random).swap_remove(4);
    for (written, read) in [(Layout::V03, Layout::V05), (Layout::V05, Layout::V03)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.cstore");
        Colstore::of(written).store(&path, &rows, false);
        assert_eq!(ours::read(&path, &schema), rows);
        assert_eq!(Colstore::of(read).refusal("open", serde_json::json!({"path": path})), "FormatError");
    }
}
