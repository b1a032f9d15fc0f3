//! Tables of many records in both directions, read whole and by rows.

use std::path::Path;

use recask::core::format::cstore::Layout;
use recask::core::table;
use recask::{DType, Index, Native};
use serde_json::{Value, json};

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{
    Rows, STREAMABLE, Schema, count, interleaved, joined, random_records, random_schema, taken,
};
use crate::ours;
use crate::python::hex;
use crate::random::Random;

const ROUNDS: u64 = 10;

/// Types of which both releases gather single rows out of several records; 0.3.0 fails on texts there.
const NUMBERS: &[&str] = STREAMABLE.split_at(12).0;

#[test]
fn colstore_gathers_what_recask_wrote() {
    let mut random = Random::new(50);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for round in 0..ROUNDS {
            let (_folder, path) = new_path();
            let schema = random_schema(&mut random, NUMBERS);
            let mut records = random_records(&mut random, &schema);
            ours::create(&path, &records[..3], &ours::options(layout, round % 2 == 0));
            ours::update(&path, &records[3..]);
            if round % 3 == 0 {
                table::compact::<Native>(path.as_path(), &()).expect("compacted");
                records = vec![joined(&schema, &records)];
            }
            let all = joined(&schema, &records);
            assert_eq!(colstore.counts(&path), (records.len() as u64, count(&all) as u64));
            expect_rows(&mut colstore, &path, &schema, &all, &mut random);
        }
    }
}

#[test]
fn recask_gathers_what_colstore_wrote() {
    let mut random = Random::new(51);
    for layout in LAYOUTS {
        let mut colstore = Colstore::of(layout);
        for round in 0..ROUNDS {
            let (_folder, path) = new_path();
            let schema = random_schema(&mut random, NUMBERS);
            let mut records = random_records(&mut random, &schema);
            colstore.write(&path, "recreate", &records[..2], round % 2 == 0);
            colstore.write(&path, "update", &records[2..], round % 2 == 0);
            if round % 3 == 0 {
                colstore.compact(&path);
                records = vec![joined(&schema, &records)];
            }
            assert_eq!(ours::open(&path).file_records(), records.len() as u64);
            ours::assert_sound(&path);
            let all = joined(&schema, &records);
            expect_rows(&mut colstore, &path, &schema, &all, &mut random);
        }
    }
}

/// Both sides read the same rows, in every way in which rows can be named.
fn expect_rows(colstore: &mut Colstore, path: &Path, schema: &Schema, all: &Rows, random: &mut Random) {
    let table = ours::open(path);
    let rows = count(all);
    assert_eq!(colstore.open(path), rows as u64);
    assert_eq!(colstore.read_rows(&Value::Null), *all);
    assert_eq!(ours::columns(&table.all(), schema), *all);
    if rows > 0 {
        let mut expect = |theirs: &Value, ours: Index<'_>, expected: &[usize]| {
            let expected = taken(all, expected);
            assert_eq!(colstore.read_rows(theirs), expected, "colstore, {theirs}");
            assert_eq!(ours::columns(&table.rows(ours).expect("rows"), schema), expected, "Recask, {theirs}");
        };
        let len = rows as u64;
        let picked: Vec<u64> = (0..50).map(|_| random.below(len)).collect();
        let positions: Vec<usize> = picked.iter().map(|&row| usize::try_from(row).expect("small")).collect();
        expect(&json!(picked), Index::from(&picked[..]), &positions);
        let mut sorted = picked;
        sorted.sort_unstable();
        let positions: Vec<usize> = sorted.iter().map(|&row| usize::try_from(row).expect("small")).collect();
        expect(&json!(sorted), Index::from(&sorted[..]), &positions);
        let mask: Vec<bool> = (0..rows).map(|_| random.below(3) == 0).collect();
        let positions: Vec<usize> = (0..rows).filter(|&row| mask[row]).collect();
        expect(&json!(mask), Index::from(&mask[..]), &positions);
        let (start, stop) = (rows / 5, rows - rows / 7);
        let signed = |row: usize| i64::try_from(row).expect("small");
        let slice = Index::range(Some(signed(start)), Some(signed(stop)), 1);
        expect(&json!({"slice": [start, stop, 1]}), slice, &(start..stop).collect::<Vec<_>>());
        let backwards: Vec<usize> = (0..rows).rev().step_by(3).collect();
        expect(&json!({"slice": [null, null, -3]}), Index::range(None, None, -3), &backwards);
        expect(&json!(-1), Index::One(-1), &[rows - 1]);
    }
    // NumPy gives a field without a name another one.
    if schema.iter().all(|(name, _)| !name.is_empty()) {
        let theirs = colstore.ask("structs", json!({}));
        let structs = table.all().struct_rows().expect("structures");
        let bytes = interleaved(all);
        assert_eq!(theirs[1], hex(&bytes));
        assert_eq!(structs.as_bytes(), bytes);
        let dtype = theirs[0].as_str().expect("a type");
        assert_eq!(*structs.dtype(), DType::parse(dtype).expect("a type"));
    }
    colstore.close();
}

#[test]
fn colstore_reads_what_recask_recoded() {
    let mut random = Random::new(52);
    let mut releases = LAYOUTS.map(Colstore::of);
    for round in 0..2 * ROUNDS {
        let (_folder, path) = new_path();
        let [from, to] = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        let schema = random_schema(&mut random, &STREAMABLE);
        let records = random_records(&mut random, &schema);
        releases[from].write(&path, "create", &records, true);
        let options = ours::options(LAYOUTS[to], true);
        table::recode::<Native>(path.as_path(), &options, &()).expect("recoded");
        let expected = joined(&schema, &records);
        assert_eq!(releases[to].read(&path), expected);
        assert_eq!(releases[to].counts(&path).0, records.len() as u64);
        assert_eq!(ours::read(&path, &schema), expected);
        assert_eq!(ours::open(&path).statistics().expect("readable").is_some(), LAYOUTS[to] == Layout::V05);
    }
}

fn new_path() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.cstore");
    (folder, path)
}
