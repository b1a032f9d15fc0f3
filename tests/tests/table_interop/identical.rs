//! The same input gives the same file, byte for byte, whoever writes it.

use std::path::Path;

use recask::core::format::cstore::Layout;
use recask::core::table;
use recask::{Native, Table, TableWriter};

use crate::colstore::{Colstore, LAYOUTS};
use crate::columns::{Rows, STREAMABLE, Schema, TIMES, joined, random_records, random_rows, random_schema};
use crate::ours;
use crate::random::Random;

const ROUNDS: u64 = 12;

/// The streamable types, without the long doubles where there are statistics: Recask computes none of those.
fn streamable(statistics: bool) -> &'static [&'static str] {
    let (others, long_double) = STREAMABLE.split_at(STREAMABLE.len() - 1);
    assert_eq!(long_double, ["<f16"]);
    if statistics { others } else { &STREAMABLE }
}

/// Each layout without statistics, and the one that has them with.
const FORMS: [(Layout, bool); 3] = [(Layout::V03, false), (Layout::V05, false), (Layout::V05, true)];

struct Pair {
    _folder: tempfile::TempDir,
    theirs: std::path::PathBuf,
    ours: std::path::PathBuf,
}

impl Pair {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (theirs, ours) = (folder.path().join("theirs.cstore"), folder.path().join("ours.cstore"));
        Pair { _folder: folder, theirs, ours }
    }

    fn assert_identical(&self, what: &str) {
        let read = |path: &Path| std::fs::read(path).expect("a file");
        let (theirs, ours) = (read(&self.theirs), read(&self.ours));
        let differs = theirs.iter().zip(&ours).position(|(theirs, ours)| theirs != ours);
        assert!(
            theirs == ours,
            "{what}: {} bytes and {} bytes differ at {differs:?}",
            theirs.len(),
            ours.len()
        );
    }
}

#[test]
fn one_shot() {
    let mut random = Random::new(40);
    for (layout, statistics) in FORMS {
        let every_type = [streamable(statistics), &TIMES].concat();
        let mut colstore = Colstore::of(layout);
        for round in 0..ROUNDS {
            let pair = Pair::new();
            let schema = random_schema(&mut random, &every_type);
            let count = if round == 0 { 0 } else { random.below(100) };
            let rows = random_rows(&mut random, &schema, count);
            colstore.store(&pair.theirs, &rows, statistics);
            if layout == Layout::V03 {
                Table::create(pair.ours.as_path(), &ours::inputs(&rows)).expect("a new table");
            } else {
                ours::create(&pair.ours, std::slice::from_ref(&rows), &ours::options(layout, statistics));
            }
            pair.assert_identical(&format!("{layout:?}, statistics {statistics}, {schema:?}"));
        }
    }
}

#[test]
fn streamed_updated_and_compacted() {
    let mut random = Random::new(41);
    for (layout, statistics) in FORMS {
        let mut colstore = Colstore::of(layout);
        for _ in 0..ROUNDS {
            let pair = Pair::new();
            let schema = random_schema(&mut random, streamable(statistics));
            let what = format!("{layout:?}, statistics {statistics}, {schema:?}");
            let records = random_records(&mut random, &schema);
            colstore.write(&pair.theirs, "create", &records, statistics);
            ours::create(&pair.ours, &records, &ours::options(layout, statistics));
            pair.assert_identical(&format!("streamed, {what}"));

            let more = random_records(&mut random, &schema);
            colstore.write(&pair.theirs, "update", &more, statistics);
            ours::update(&pair.ours, &more);
            pair.assert_identical(&format!("updated, {what}"));

            colstore.compact(&pair.theirs);
            table::compact::<Native>(pair.ours.as_path(), &()).expect("compacted");
            if !statistics {
                pair.assert_identical(&format!("compacted, {what}"));
            }
            let all = joined(&schema, &[records, more].concat());
            assert_eq!(ours::read(&pair.ours, &schema), all, "{what}");
            assert_eq!(colstore.read(&pair.ours), all, "{what}");
        }
    }
}

#[test]
fn a_record_whose_rows_arrive_in_pieces() {
    let mut random = Random::new(42);
    for (layout, statistics) in FORMS {
        let mut colstore = Colstore::of(layout);
        for _ in 0..ROUNDS {
            let pair = Pair::new();
            let schema = random_schema(&mut random, streamable(statistics));
            let pieces = random_records(&mut random, &schema);
            let rows = joined(&schema, &pieces);
            colstore.store(&pair.theirs, &rows, statistics);
            write_pieces(&pair.ours, &schema, &pieces, &ours::options(layout, statistics));
            pair.assert_identical(&format!("{layout:?}, statistics {statistics}, {schema:?}"));
        }
    }
}

fn write_pieces(path: &Path, schema: &Schema, pieces: &[Rows], options: &table::WriteOptions) {
    let mut writer = TableWriter::create_with(path, options).expect("a new table");
    let count = pieces.iter().map(crate::columns::count).sum::<usize>() as u64;
    let types = schema.iter().map(|(name, dtype)| (name.as_str(), ours::dtype(dtype)));
    let mut record = writer.record(types, count).expect("a record");
    for piece in pieces {
        record.write(&ours::inputs(piece)).expect("room");
    }
    record.finish().expect("all rows are there");
    writer.close().expect("room");
}

#[test]
fn recoded_to_the_other_layout_and_back() {
    let mut random = Random::new(43);
    let mut releases = LAYOUTS.map(Colstore::of);
    for round in 0..2 * ROUNDS {
        let pair = Pair::new();
        let [from, to] = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        let statistics = round % 4 == 0;
        let schema = random_schema(&mut random, streamable(statistics));
        let records = random_records(&mut random, &schema);
        releases[from].write(&pair.ours, "create", &records, false);
        releases[to].write(&pair.theirs, "create", &records, statistics);
        let options = ours::options(LAYOUTS[to], statistics);
        table::recode::<Native>(pair.ours.as_path(), &options, &()).expect("recoded");
        pair.assert_identical(&format!("to {:?}, statistics {statistics}, {schema:?}", LAYOUTS[to]));
    }
}
