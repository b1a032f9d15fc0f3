//! Files of tables that are laid out by hand.

use recask_core::dtype::DType;
use recask_core::format::cstore::{Column, Counters, MAGIC, Manifest, RecordHeader, body_len};

/// Lays out a table: for each record, the bytes of each column.
pub(crate) fn assemble(columns: &[(&str, DType)], records: &[(u64, Vec<Vec<u8>>)]) -> Vec<u8> {
    let columns = columns.iter().map(|(name, dtype)| Column::new(*name, dtype.clone())).collect();
    let manifest = Manifest { columns };
    let width = manifest.row_width().unwrap();
    let text = manifest.encode();
    let counters = Counters {
        records: records.len() as u64,
        rows: records.iter().map(|(rows, _)| rows).sum(),
        ..Counters::default()
    };
    let mut bytes = [&MAGIC[..], &counters.encode(), &(text.len() as u64).to_le_bytes()].concat();
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    for (index, (rows, columns)) in (0..).zip(records) {
        bytes.extend_from_slice(&RecordHeader { index, rows: *rows }.encode());
        let end = bytes.len() + usize::try_from(body_len(*rows, width).unwrap()).unwrap();
        columns.iter().for_each(|column| bytes.extend_from_slice(column));
        bytes.resize(end, 0);
    }
    bytes
}

/// Records with the given numbers of rows; every value of every width is told by its row.
pub(crate) fn numbered(widths: &[u32], rows: impl IntoIterator<Item = u64>) -> (Vec<u8>, Vec<String>) {
    let names: Vec<String> = widths.iter().enumerate().map(|(i, width)| format!("c{i}_{width}")).collect();
    let columns: Vec<_> = names
        .iter()
        .zip(widths)
        .map(|(name, &width)| (name.as_str(), DType::bytes(width).unwrap()))
        .collect();
    let mut first = 0;
    let mut records = Vec::new();
    for rows in rows {
        let column = |&width: &u32| (first..first + rows).flat_map(|row| value(row, width)).collect();
        records.push((rows, widths.iter().map(column).collect()));
        first += rows;
    }
    (assemble(&columns, &records), names)
}

pub(crate) fn value(row: u64, width: u32) -> impl Iterator<Item = u8> {
    let bytes = row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    (0..=u8::MAX).zip(bytes.into_iter().cycle()).map(|(at, byte)| at ^ byte).take(width as usize)
}

pub(crate) fn of<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}
