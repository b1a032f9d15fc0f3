//! Tables through Recask.

use std::path::Path;

use recask::core::format::cstore::Layout;
use recask::core::table::{ColumnInput, WriteOptions};
use recask::{DType, Selection, Table, TableWriter};

use crate::columns::{Column, Rows, Schema};

pub(crate) fn options(layout: Layout, statistics: bool) -> WriteOptions {
    WriteOptions { layout, statistics: statistics && layout == Layout::V05 }
}

pub(crate) fn inputs(rows: &Rows) -> Vec<ColumnInput<'_>> {
    rows.iter()
        .map(|column| ColumnInput::new(column.name.as_str(), dtype(column.dtype), &column.bytes))
        .collect()
}

pub(crate) fn dtype(text: &str) -> DType {
    DType::parse(text).expect("a type")
}

/// A new table of these records.
pub(crate) fn create(path: &Path, records: &[Rows], options: &WriteOptions) {
    append(TableWriter::create_with(path, options).expect("a new table"), records);
}

/// These records behind those that are there.
pub(crate) fn update(path: &Path, records: &[Rows]) {
    append(TableWriter::update(path).expect("a table that is there"), records);
}

fn append(mut writer: TableWriter, records: &[Rows]) {
    for record in records {
        writer.write(&inputs(record)).expect("room");
    }
    writer.close().expect("room");
}

pub(crate) fn open(path: &Path) -> Table {
    Table::open(path).expect("a good table")
}

/// All rows.
pub(crate) fn read(path: &Path, schema: &Schema) -> Rows {
    columns(&open(path).all(), schema)
}

/// The columns of a selection, which are those of the schema, with the same types.
pub(crate) fn columns(selection: &Selection, schema: &Schema) -> Rows {
    let shown: Vec<(&str, String)> = selection
        .columns_selected()
        .map(|column| (column.name(), column.stored_dtype().to_string()))
        .collect();
    let expected: Vec<(&str, String)> =
        schema.iter().map(|(name, dtype)| (name.as_str(), (*dtype).to_owned())).collect();
    assert_eq!(shown, expected);
    let column = |(name, dtype): &(String, &'static str)| {
        let bytes = selection.column(name).expect("readable").as_bytes().to_vec();
        Column { name: name.clone(), dtype, bytes }
    };
    schema.iter().map(column).collect()
}

/// Fails where a check of the whole table finds a fault.
pub(crate) fn assert_sound(path: &Path) {
    let table = open(path);
    let verification = recask::core::table::verify(table.file(), &()).expect("a whole check");
    assert!(verification.is_ok(), "{:?}", verification.problems);
}
