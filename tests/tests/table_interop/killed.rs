//! A Recask process dies in the middle of its work, colstore goes on, and then Recask again.

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{Column, Rows, Schema, count};
use crate::numbered::numbered;
use crate::ours;
use crate::victim::append_and_die;

fn schema() -> Schema {
    vec![("row".into(), "<u8"), ("value".into(), "<f4")]
}

#[test]
fn nothing_that_either_side_committed_is_lost() {
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for lines in [0, 1, 7, 40] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("t.cstore");
            ours::create(&path, &[rows(0, 1)], &ours::options(layout, false));
            let mut committed = 1;
            // The second victim continues what the first and colstore left.
            for _ in 0..2 {
                let announced = append_and_die(env!("CARGO_BIN_EXE_append_rows_without_end"), &path, lines)
                    .unwrap_or(committed);
                let read = colstore.read(&path);
                let found = count(&read) as u64;
                assert!(found >= announced, "{found} rows are left of {announced} committed ones");
                assert_eq!(read, rows(0, found));
                colstore.write(&path, "update", &[rows(found, 3)], false);
                committed = found + 3;
                assert_eq!(ours::read(&path, &schema()), rows(0, committed));
                ours::assert_sound(&path);
            }
            ours::update(&path, &[rows(committed, 2)]);
            assert_eq!(colstore.read(&path), rows(0, committed + 2));
        }
    }
}

fn rows(first: u64, count: u64) -> Rows {
    let rows = || (first..first + count).map(numbered);
    let row = rows().flat_map(|(row, _)| row.to_le_bytes()).collect();
    let value = rows().flat_map(|(_, value)| value.to_le_bytes()).collect();
    vec![
        Column { name: "row".into(), dtype: "<u8", bytes: row },
        Column { name: "value".into(), dtype: "<f4", bytes: value },
    ]
}
