//! The tables that the benchmark reads: made once in `target/bench`, the same for Recask and for colstore.
#![allow(clippy::cast_possible_truncation, reason = "small numbers that are made here")]

#[path = "../data/numbers.rs"]
mod numbers;

use std::path::{Path, PathBuf};

pub(crate) use numbers::Numbers;
use recask::core::format::cstore::Layout;
use recask::core::table::{self, ColumnInput, WriteOptions};
use recask::{DType, Native, Table, TableWriter};

pub(crate) const ROWS: usize = 5_000_000;
/// Into how many records the rows are divided.
pub(crate) const RECORDS: [usize; 3] = [1, 500, 10_000];
/// Rows of one gather.
pub(crate) const GATHERED: usize = 100_000;
/// The columns of one gather: 8, 4, 2 and 1 bytes wide.
pub(crate) const WANTED: [&str; 4] = ["energy", "pt", "layer", "flag"];

/// What a detector may have seen: 12 columns of 56 bytes a row.
const COLUMNS: [(&str, &str); 12] = [
    ("event", "<i8"),
    ("energy", "<f8"),
    ("time", "<f8"),
    ("stamp", "<i8"),
    ("pt", "<f4"),
    ("eta", "<f4"),
    ("phi", "<f4"),
    ("run", "<i4"),
    ("hits", "<u4"),
    ("layer", "<i2"),
    ("kind", "|u1"),
    ("flag", "|b1"),
];

/// All columns in memory.
pub(crate) struct Columns(pub(crate) Vec<(&'static str, DType, Vec<u8>)>);

impl Columns {
    pub(crate) fn new() -> Self {
        let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
        let column = |(name, dtype): (&'static str, &str)| {
            let values = (0..ROWS).map(|_| numbers.next());
            let bytes = match dtype {
                "<f8" => values.flat_map(|draw| unit(draw).to_le_bytes()).collect(),
                "<f4" => values.flat_map(|draw| (unit(draw) as f32).to_le_bytes()).collect(),
                "<i8" => values.flat_map(u64::to_le_bytes).collect(),
                "<i4" | "<u4" => values.flat_map(|draw| ((draw >> 40) as u32).to_le_bytes()).collect(),
                "<i2" => values.flat_map(|draw| ((draw >> 54) as u16).to_le_bytes()).collect(),
                "|u1" => values.map(|draw| (draw >> 56) as u8).collect(),
                _ => values.map(|draw| (draw >> 63) as u8).collect(),
            };
            (name, DType::parse(dtype).expect("a type"), bytes)
        };
        Columns(COLUMNS.into_iter().map(column).collect())
    }

    /// Rows as the writer takes them.
    pub(crate) fn inputs(&self, first: usize, count: usize) -> Vec<ColumnInput<'_>> {
        self.0
            .iter()
            .map(|(name, dtype, bytes)| {
                let width = dtype.itemsize() as usize;
                ColumnInput::new(*name, dtype.clone(), &bytes[first * width..][..count * width])
            })
            .collect()
    }

    /// One column.
    pub(crate) fn get(&self, name: &str) -> &[u8] {
        &self.0.iter().find(|column| column.0 == name).expect("a column").2
    }
}

/// From 0 to 1.
fn unit(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1u64 << 53) as f64
}

pub(crate) fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    target.join("bench")
}

/// The table of so many records, made when it is not there yet, and beside it the same for colstore 0.5.1.
pub(crate) fn table(columns: &Columns, records: usize) -> Table {
    let path = folder().join(format!("table-{records}.cstore"));
    if !is_good(&path, records) {
        let mut writer = TableWriter::recreate(path.as_path()).expect("room on the disk");
        for record in 0..records {
            let first = ROWS / records * record;
            writer.write(&columns.inputs(first, ROWS / records)).expect("room on the disk");
        }
        writer.close().expect("room on the disk");
    }
    let newer = folder().join(format!("table-{records}-v05.cstore"));
    if !is_good(&newer, records) {
        let _ = std::fs::remove_file(&newer);
        let options = WriteOptions { layout: Layout::V05, statistics: true };
        table::recode_to::<Native>(path.as_path(), newer, &options, &()).expect("room on the disk");
    }
    Table::open(path).expect("it was just made")
}

fn is_good(path: &Path, records: usize) -> bool {
    Table::open(path).is_ok_and(|table| table.len() == ROWS as u64 && table.file_records() == records as u64)
}

/// A table of 100,000 small records.
pub(crate) fn many_records() -> PathBuf {
    const MANY: u64 = 100_000;
    let path = folder().join("table-many.cstore");
    if !Table::open(path.as_path()).is_ok_and(|table| table.file_records() == MANY) {
        let mut writer = TableWriter::recreate(path.as_path()).expect("room on the disk");
        for record in 0..MANY {
            let values = [record, record + 1, record + 2];
            writer.write(&[ColumnInput::of("x", &values)]).expect("room on the disk");
        }
        writer.close().expect("room on the disk");
    }
    let newer = folder().join("table-many-v05.cstore");
    if !Table::open(newer.as_path()).is_ok_and(|table| table.file_records() == MANY) {
        let _ = std::fs::remove_file(&newer);
        let options = WriteOptions { layout: Layout::V05, statistics: false };
        table::recode_to::<Native>(path.as_path(), newer, &options, &()).expect("room on the disk");
    }
    path
}
