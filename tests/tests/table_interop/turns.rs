//! Recask and both releases of colstore change the same table by turns, for many rounds, beside a plain list. Recask
//! carries it from one release to the other.

use std::path::Path;

use recask::Native;
use recask::core::format::cstore::Layout;
use recask::core::table;

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{Rows, STREAMABLE, Schema, joined, random_rows, random_schema};
use crate::ours;
use crate::random::Random;

const ROUNDS: u64 = 60;

#[test]
fn without_statistics() {
    take_turns(60, false);
}

#[test]
fn with_statistics() {
    take_turns(61, true);
}

/// The table as it should be.
struct Model {
    schema: Schema,
    records: Vec<Rows>,
    layout: Layout,
}

fn take_turns(seed: u64, statistics: bool) {
    let mut releases = LAYOUTS.map(Colstore::of);
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.cstore");
    let schema = random_schema(&mut random, &STREAMABLE);
    let records = vec![random_rows(&mut random, &schema, 5)];
    let mut model = Model { schema, records, layout: Layout::V03 };
    ours::create(&path, &model.records, &ours::options(model.layout, statistics));
    for round in 0..ROUNDS {
        let colstore = &mut releases[usize::from(model.layout == Layout::V05)];
        match random.below(6) {
            0 => {
                table::compact::<Native>(path.as_path(), &()).expect("compacted");
                model.compact();
            }
            1 => {
                colstore.compact(&path);
                model.compact();
            }
            2 => {
                model.layout = if model.layout == Layout::V03 { Layout::V05 } else { Layout::V03 };
                let options = ours::options(model.layout, statistics);
                table::recode::<Native>(path.as_path(), &options, &()).expect("recoded");
            }
            3 | 4 => ours::update(&path, &model.grow(&mut random)),
            _ => colstore.write(&path, "update", &model.grow(&mut random), statistics),
        }
        let colstore = &mut releases[usize::from(model.layout == Layout::V05)];
        model.expect(colstore, &path, &format!("round {round}, seed {seed}"));
    }
}

impl Model {
    fn grow(&mut self, random: &mut Random) -> Vec<Rows> {
        let records: Vec<Rows> = (0..random.below(4))
            .map(|_| {
                let rows = random.below(20);
                random_rows(random, &self.schema, rows)
            })
            .collect();
        self.records.extend_from_slice(&records);
        records
    }

    fn compact(&mut self) {
        self.records = vec![joined(&self.schema, &self.records)];
    }

    fn expect(&self, colstore: &mut Colstore, path: &Path, what: &str) {
        let all = joined(&self.schema, &self.records);
        assert_eq!(colstore.read(path), all, "colstore, {what}");
        assert_eq!(ours::read(path, &self.schema), all, "Recask, {what}");
        let table = ours::open(path);
        assert_eq!(table.layout(), self.layout, "{what}");
        assert_eq!(table.file_records(), self.records.len() as u64, "{what}");
        ours::assert_sound(path);
    }
}
