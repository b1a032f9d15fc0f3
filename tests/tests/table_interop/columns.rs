//! What a table should hold: columns of plain bytes.

use recask::DType;
use recask::core::dtype::Kind;

use crate::random::Random;

/// The values of one column, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) dtype: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Columns of the same length: one record, or a whole table.
pub(crate) type Rows = Vec<Column>;

/// Names and types.
pub(crate) type Schema = Vec<(String, &'static str)>;

/// Types of which colstore 0.3.0 can write one record after the other.
pub(crate) static STREAMABLE: [&str; 18] = [
    "|b1", "|i1", "|u1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "|S1", "|S5", "|S8",
    "<U1", "<U3", "<f16",
];

/// Times, which it can only write at once.
pub(crate) const TIMES: [&str; 8] =
    ["<M8", "<M8[Y]", "<M8[D]", "<M8[ns]", "<M8[25us]", "<m8", "<m8[h]", "<m8[ms]"];

const NAMES: [&str; 10] =
    ["x", "energy", "two words", "", "Größe", "名", "\u{1F600}", "it's \"quoted\" \\", "a\tb\u{7f}", "X"];

/// One to eight columns of these types.
pub(crate) fn random_schema(random: &mut Random, types: &[&'static str]) -> Schema {
    let first = random.below(NAMES.len() as u64);
    (0..=random.below(8))
        .map(|i| {
            let name = NAMES[small((first + i) % NAMES.len() as u64)];
            (name.into(), types[small(random.below(types.len() as u64))])
        })
        .collect()
}

/// Values that every side takes as they are: all bits of numbers and times, texts of ASCII.
pub(crate) fn random_rows(random: &mut Random, schema: &Schema, rows: u64) -> Rows {
    let column = |(name, dtype): &(String, &'static str)| {
        let parsed = DType::parse(dtype).expect("a type");
        let len = small(rows * parsed.itemsize());
        let mut bytes: Vec<u8> =
            std::iter::repeat_with(|| random.next().to_le_bytes()).flatten().take(len).collect();
        match parsed.kind() {
            Kind::Bool => bytes.iter_mut().for_each(|byte| *byte &= 1),
            Kind::Text => {
                for point in bytes.chunks_exact_mut(4) {
                    point.copy_from_slice(&[point[0] & 0x7f, 0, 0, 0]);
                }
            }
            _ => {}
        }
        Column { name: name.clone(), dtype, bytes }
    };
    schema.iter().map(column).collect()
}

/// Up to six records, of which some are empty.
pub(crate) fn random_records(random: &mut Random, schema: &Schema) -> Vec<Rows> {
    let mut record = || {
        let rows = if random.below(6) == 0 { 0 } else { random.below(40) };
        random_rows(random, schema, rows)
    };
    let first = record();
    std::iter::once(first).chain((0..5).map(|_| record())).collect()
}

/// All rows of the records.
pub(crate) fn joined(schema: &Schema, records: &[Rows]) -> Rows {
    let column = |(position, (name, dtype)): (usize, &(String, &'static str))| {
        let bytes = records.iter().flat_map(|record| &record[position].bytes).copied().collect();
        Column { name: name.clone(), dtype, bytes }
    };
    schema.iter().enumerate().map(column).collect()
}

/// How many rows there are; 0 without columns.
pub(crate) fn count(rows: &Rows) -> usize {
    rows.first().map_or(0, |column| column.bytes.len() / width(column))
}

/// These rows, in this order.
pub(crate) fn taken(rows: &Rows, wanted: &[usize]) -> Rows {
    let column = |column: &Column| {
        let values: Vec<&[u8]> = column.bytes.chunks_exact(width(column)).collect();
        Column { bytes: wanted.iter().flat_map(|&row| values[row]).copied().collect(), ..column.clone() }
    };
    rows.iter().map(column).collect()
}

/// The rows as packed structures.
pub(crate) fn interleaved(rows: &Rows) -> Vec<u8> {
    let row = |row: usize| {
        rows.iter().flat_map(move |column| &column.bytes[row * width(column)..][..width(column)])
    };
    (0..count(rows)).flat_map(row).copied().collect()
}

pub(crate) fn width(column: &Column) -> usize {
    small(DType::parse(column.dtype).expect("a type").itemsize())
}

fn small(number: u64) -> usize {
    usize::try_from(number).expect("small")
}
