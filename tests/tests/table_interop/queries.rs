//! Filters of Recask beside queries of colstore 0.5.1, on files whose statistics the other side wrote.

use recask::core::format::cstore::Layout;
use serde_json::json;

use crate::colstore::Colstore;
use crate::columns::{Column, Rows, Schema, joined};
use crate::ours;
use crate::random::Random;

/// The same condition in the language of each side.
const CONDITIONS: [(&str, &str); 12] = [
    ("a > 5", "a > 5"),
    ("a >= 40 AND a < 43", "a >= 40 and a < 43"),
    ("a = 17", "a == 17"),
    ("a <> 17", "a != 17"),
    ("a BETWEEN 30 AND 33", "30 <= a <= 33"),
    ("x < 0.25", "x < 0.25"),
    ("x >= 12.5 OR x = -3", "x >= 12.5 or x == -3"),
    ("x <> 1", "x != 1"),
    ("NOT x < 3", "not x < 3"),
    ("flag AND b > 250", "flag and b > 250"),
    ("a + b = 60", "a + b == 60"),
    ("a IN (3, 44, 1000)", "a in (3, 44, 1000)"),
];

fn schema() -> Schema {
    vec![("a".into(), "<i4"), ("b".into(), "<i8"), ("x".into(), "<f8"), ("flag".into(), "|b1")]
}

/// Records in different ranges, so that statistics rule some out; some with NaN, some empty.
fn records(random: &mut Random) -> Vec<Rows> {
    let record = |number: u64| -> Rows {
        let rows = if number % 7 == 6 { 0 } else { 5 + random.below(20) };
        let column = |name: &str, dtype, bytes: Vec<u8>| Column { name: name.into(), dtype, bytes };
        let low = i32::try_from(number).expect("small") * 4;
        let mut small = || i32::try_from(random.below(6)).expect("small");
        let ints: Vec<i32> = (0..rows).map(|_| low + small()).collect();
        let wide: Vec<i64> = (0..rows).map(|_| i64::from(small() * 60)).collect();
        let mut floats: Vec<f64> = (0..rows).map(|_| f64::from(small() - 3 + low / 2) / 2.0).collect();
        if number % 3 == 1 {
            floats.iter_mut().step_by(4).for_each(|value| *value = f64::NAN);
        }
        vec![
            column("a", "<i4", ints.iter().flat_map(|value| value.to_le_bytes()).collect()),
            column("b", "<i8", wide.iter().flat_map(|value| value.to_le_bytes()).collect()),
            column("x", "<f8", floats.iter().flat_map(|value| value.to_le_bytes()).collect()),
            column("flag", "|b1", ints.iter().map(|value| u8::from(value % 2 == 0)).collect()),
        ]
    };
    (0..15).map(record).collect()
}

#[test]
fn both_sides_find_the_same_rows() {
    let mut colstore = Colstore::of(Layout::V05);
    let mut random = Random::new(90);
    for we_write in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.cstore");
        let records = records(&mut random);
        if we_write {
            ours::create(&path, &records[..9], &ours::options(Layout::V05, true));
            ours::update(&path, &records[9..]);
        } else {
            colstore.write(&path, "create", &records[..9], true);
            colstore.write(&path, "update", &records[9..], true);
        }
        let table = ours::open(&path);
        assert!(table.statistics().expect("readable").is_some(), "they were written");
        assert_eq!(colstore.read(&path), joined(&schema(), &records));

        colstore.open(&path);
        let names: Vec<String> = schema().into_iter().map(|(name, _)| name).collect();
        let mut found = 0;
        for (filter, query) in CONDITIONS {
            let theirs = colstore.columns("query", json!({"expression": query, "columns": names}));
            let ours = table.filter(filter).expect("a filter");
            found += ours.len();
            assert_eq!(ours::columns(&ours, &schema()), theirs, "{filter}");
        }
        assert!(found > 0);
        colstore.close();
    }
}
