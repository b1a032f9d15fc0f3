//! Rows of many records, found by their number alone: what depends on the record and the column was computed before.

use alloc::vec::Vec;

use super::Gather;
use crate::error::Result;
use crate::storage::StorageFile;
use crate::table::files::Map;

/// For each column and record, where row 0 of the table would lie if the record reached back so far; adding the bytes of
/// the rows before a row gives its place. Wraps around, as does the addition.
pub(super) struct Starts<'t> {
    pub(super) map: Map<'t>,
    columns: Vec<Vec<usize>>,
    numbers: Vec<u32>,
    places: Vec<usize>,
}

impl<'t, F: StorageFile> Gather<'t, F> {
    /// For gathering `rows` rows, at most `together` at once. `None` where so few of many records, or records of several
    /// files, are not worth it.
    pub(super) fn starts(&self, rows: usize, together: usize) -> Result<Option<Starts<'t>>> {
        let records = self.records.len();
        if self.files.len() != 1 || records > rows / 2 || u32::try_from(records).is_err() {
            return Ok(None);
        }
        let map = self.map(0)?;
        let columns = self.columns.iter().map(|column| {
            let start = |number| {
                let record = self.records.get(number);
                let before = low_bits(record.first_row).wrapping_mul(column.width);
                map.position(column.start(&record)).wrapping_sub(before)
            };
            (0..records).map(start).collect()
        });
        let (numbers, places) = (alloc::vec![0; together], alloc::vec![0; together]);
        Ok(Some(Starts { map, columns: columns.collect(), numbers, places }))
    }
}

impl Starts<'_> {
    /// Remembers the records of these rows.
    pub(super) fn locate(&mut self, rows: &[u64], find: impl Fn(&[u64], &mut [u32])) {
        find(rows, &mut self.numbers[..rows.len()]);
    }

    /// Where the values of a column lie in the map, for the rows that were located last.
    pub(super) fn places(&mut self, column: usize, width: usize, rows: &[u64]) -> &[usize] {
        let starts = &self.columns[column];
        for ((place, &number), &row) in self.places.iter_mut().zip(&self.numbers).zip(rows) {
            let start = starts.get(number as usize).copied().unwrap_or(usize::MAX);
            *place = start.wrapping_add(low_bits(row).wrapping_mul(width));
        }
        &self.places[..rows.len()]
    }
}

/// As much of a row number as places are computed with: sums that wrap around stay right.
#[expect(clippy::cast_possible_truncation, reason = "what is cut off would wrap around")]
fn low_bits(row: u64) -> usize {
    row as usize
}
