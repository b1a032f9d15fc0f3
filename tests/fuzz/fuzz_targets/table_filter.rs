//! Any text as a filter: an error, or a filter that survives its own text, and that finds the same rows of a table in one
//! piece and of a table whose records it may skip.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use recask_core::format::cstore::Layout;
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::table::filter::Filter;
use recask_core::table::{ColumnInput, Table, TableWriter, WriteOptions};
use recask_core::{Code, DType};

/// Every kind of column that a filter can have, and short names that a fuzzer finds.
const COLUMNS: [(&str, &str); 14] = [
    ("a", "<i4"),
    ("b", "|u1"),
    ("c", "<i8"),
    ("d", "<u8"),
    ("f", "<f8"),
    ("g", "<f4"),
    ("h", "<f2"),
    ("k", "|b1"),
    ("s", "|S3"),
    ("u", "<U2"),
    ("t", "<M8[s]"),
    ("w", "<M8[D]"),
    ("m", "<m8[ms]"),
    ("the end", "<i2"),
];
const ROWS: usize = 24;

struct Tables {
    schema: Vec<(&'static str, DType)>,
    whole: Table<MemoryEnvironment>,
    /// In records, with statistics.
    divided: Table<MemoryEnvironment>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let schema: Vec<_> =
        COLUMNS.into_iter().map(|(name, dtype)| (name, DType::parse(dtype).expect("a type"))).collect();
    let values: Vec<Vec<u8>> = schema.iter().map(|(_, dtype)| values(dtype)).collect();
    let table = |rows_of_record: usize| {
        let place = MemoryPlace::new();
        let options = WriteOptions { layout: Layout::V05, statistics: true };
        let mut writer =
            TableWriter::<MemoryEnvironment>::create_with(place.clone(), &options).expect("memory");
        for first in (0..ROWS).step_by(rows_of_record) {
            let columns = schema.iter().zip(&values);
            let inputs = columns.map(|((name, dtype), values)| {
                let width = values.len() / ROWS;
                ColumnInput::new(*name, dtype.clone(), &values[first * width..][..rows_of_record * width])
            });
            let inputs: Vec<_> = inputs.collect();
            writer.write(&inputs).expect("memory");
        }
        writer.close().expect("memory");
        Table::open(place).expect("it was just made")
    };
    Tables { whole: table(ROWS), divided: table(2), schema: schema.clone() }
});

/// Small numbers that grow from record to record, with NaN, NaT and every bit set among them.
fn values(dtype: &DType) -> Vec<u8> {
    let width = usize::try_from(dtype.itemsize()).expect("small");
    let value = |row: usize| -> Vec<u8> {
        let number = i64::try_from(row).expect("small") - 3;
        let mut bytes = match dtype.to_string().as_str() {
            "<f8" => [number as f64 * 0.5, f64::NAN][usize::from(row % 9 == 8)].to_le_bytes().to_vec(),
            "<f4" => [number as f32 * 0.25, f32::NEG_INFINITY][usize::from(row == 7)].to_le_bytes().to_vec(),
            "<f2" => (0x3c00 + row as u16).to_le_bytes().to_vec(),
            "|b1" => vec![u8::from(row / 4 % 2 == 1)],
            "|S3" => vec![b'a' + row as u8 % 5, b'%', 0][..1 + row % 3].to_vec(),
            "<U2" => u32::from(['a', 'Z', 'é', '名'][row % 4]).to_le_bytes().to_vec(),
            "<M8[s]" | "<M8[D]" | "<m8[ms]" if row == 5 => i64::MIN.to_le_bytes().to_vec(),
            "<i8" if row == 11 => i64::MAX.to_le_bytes().to_vec(),
            _ => number.to_le_bytes().to_vec(),
        };
        bytes.resize(width, 0);
        bytes
    };
    (0..ROWS).flat_map(value).collect()
}

fuzz_target!(|text: &str| {
    let tables = &*TABLES;
    let Ok(filter) = Filter::parse(text, tables.schema.as_slice()) else { return };
    let shown = filter.to_string();
    let again = Filter::parse(&shown, tables.schema.as_slice());
    assert_eq!(again.expect("its own text"), filter, "{shown}");
    let found = |table: &Table<MemoryEnvironment>, text: &str| -> recask_core::Result<Vec<u64>> {
        table.filter(text)?.row_numbers()
    };
    match (found(&tables.whole, text), found(&tables.divided, text)) {
        (Ok(whole), Ok(divided)) => {
            assert_eq!(whole, divided, "{shown}");
            // Nested once more it may be too deep.
            if let Ok(others) = found(&tables.divided, &format!("NOT ({shown})")) {
                let mut all = [whole, others].concat();
                all.sort_unstable();
                assert!(all.iter().copied().eq(0..ROWS as u64), "{shown} and its opposite");
            }
        }
        // Arithmetic that leaves 128 bits; skipped records are not computed.
        (Err(error), _) => assert_eq!(error.code(), Code::InvalidFilter, "{error:?}"),
        (Ok(_), Err(error)) => panic!("only in records: {error:?}"),
    }
});
