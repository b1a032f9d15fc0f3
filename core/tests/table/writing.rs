//! What the tests of writing share: tables at places in memory, and their content as it is written again.

use recask_core::format::cstore::{Column, Layout};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::table::{ColumnInput, Table, TableWriter, WriteOptions};

pub(crate) type Memory = MemoryEnvironment;
pub(crate) type Writer = TableWriter<Memory>;

pub(crate) const OLDER: WriteOptions = WriteOptions { layout: Layout::V03, statistics: false };
pub(crate) const NEWER: WriteOptions = WriteOptions { layout: Layout::V05, statistics: false };
pub(crate) const WITH_STATISTICS: WriteOptions = WriteOptions { layout: Layout::V05, statistics: true };

/// A place with one table.
pub(crate) fn holding(bytes: &[u8]) -> MemoryPlace {
    MemoryPlace::holding(&MemoryStorage::from_files([("table.cstore".into(), bytes.to_vec())]))
}

/// The files at a place, by name.
pub(crate) fn files(place: &MemoryPlace) -> Vec<(String, Vec<u8>)> {
    place.storage().map(|storage| storage.files()).unwrap_or_default()
}

/// The table at a place, where nothing else is.
pub(crate) fn table_bytes(place: &MemoryPlace) -> Vec<u8> {
    let [(name, bytes)] = files(place).try_into().unwrap_or_else(|files| panic!("{files:?}"));
    assert_eq!(name, "table.cstore");
    bytes
}

/// Stored columns and their values in one record.
pub(crate) struct Content(pub(crate) Vec<(Column, Vec<u8>)>);

impl Content {
    pub(crate) fn inputs(&self) -> Vec<ColumnInput<'_>> {
        let inputs = self.0.iter().map(|(column, bytes)| {
            ColumnInput::new("", column.dtype().clone(), bytes).with_exact_name(column.name().clone())
        });
        inputs.collect()
    }
}

/// The records of a table on a little-endian machine, one after the other.
pub(crate) fn contents(table: &Table<Memory>) -> Vec<Content> {
    let rows = (0..table.file_records()).map(|record| table.record_rows(record).unwrap());
    let content = |rows| {
        let values = table.rows(rows).unwrap().columns().unwrap();
        let values = values.iter().map(|values| values.as_bytes().to_vec());
        Content(table.manifest().columns.iter().cloned().zip(values).collect())
    };
    rows.map(content).collect()
}
