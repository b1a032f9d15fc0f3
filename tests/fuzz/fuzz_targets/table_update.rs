//! Any file changed as a table: one that is no table stays as it is, one that is keeps its rows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::Result;
use recask_core::format::cstore::Layout;
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::table::{self, ColumnInput, Table, TableWriter, WriteOptions};
use recask_fuzz::{TableFile, mended};

/// Rows of columns without width take no bytes, so that a small file may have any number of them.
const FEW: u64 = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&mended(bytes));
});

fn check(bytes: &[u8]) {
    let rows =
        Table::<MemoryEnvironment>::open(TableFile::new(bytes).place()).ok().map(|table| contents(&table));
    for (name, change) in CHANGES {
        let file = TableFile::new(bytes);
        let changed = change(file.place());
        if changed.is_err() || rows.is_none() {
            assert_eq!(file.bytes(), bytes, "{name} ended in {changed:?} and changed the file");
            continue;
        }
        let table =
            Table::<MemoryEnvironment>::open(file.place()).expect("a table that was changed well opens");
        let expected = rows.as_ref().expect("it was a table");
        let found = contents(&table);
        assert!(found.len() == expected.len(), "{name} changed the columns");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{name} changed the rows");
        }
    }
}

type Change = (&'static str, fn(MemoryPlace) -> Result<()>);

const CHANGES: [Change; 6] = [
    ("an idle update", |place| TableWriter::<MemoryEnvironment>::update(place)?.close()),
    ("an update", append),
    ("a dropped update", |place| {
        let mut writer = TableWriter::<MemoryEnvironment>::update(place)?;
        write_rows(&mut writer)
    }),
    ("a compaction", |place| table::compact::<MemoryEnvironment>(place, &()).map(drop)),
    ("a recoding to 0.3", |place| recode(place, WriteOptions::default())),
    ("a recoding to 0.5", |place| recode(place, WriteOptions { layout: Layout::V05, statistics: true })),
];

fn append(place: MemoryPlace) -> Result<()> {
    let mut writer = TableWriter::<MemoryEnvironment>::update(place)?;
    write_rows(&mut writer)?;
    writer.close()
}

fn recode(place: MemoryPlace, options: WriteOptions) -> Result<()> {
    table::recode::<MemoryEnvironment>(place, &options, &()).map(drop)
}

/// A record of three rows of zeros; columns that cannot be written are refused.
fn write_rows(writer: &mut TableWriter<MemoryEnvironment>) -> Result<()> {
    let columns = writer.schema().map(|manifest| manifest.columns.clone()).unwrap_or_default();
    let widest = columns.iter().map(|column| column.dtype().itemsize()).max().unwrap_or(0);
    if widest > FEW {
        return Ok(());
    }
    let zeros = vec![0; usize::try_from(widest).expect("small") * 3];
    let input = |column: &recask_core::format::cstore::Column| {
        let width = usize::try_from(column.dtype().itemsize()).expect("small");
        ColumnInput::new("", column.dtype().clone(), &zeros[..width * 3])
            .with_exact_name(column.name().clone())
    };
    let inputs: Vec<_> = columns.iter().map(input).collect();
    let before = writer.rows();
    let written = writer.write(&inputs);
    let expected = if written.is_ok() && !inputs.is_empty() { before + 3 } else { before };
    assert_eq!(writer.rows(), expected, "{written:?}");
    written
}

fn contents(table: &Table<MemoryEnvironment>) -> Vec<Vec<u8>> {
    let columns = table.head(FEW).columns().expect("an open table is read");
    columns.into_iter().map(|column| column.as_bytes().to_vec()).collect()
}
