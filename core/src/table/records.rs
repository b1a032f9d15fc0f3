//! Where the rows of a table lie: which record has a row, in which file, and where its body starts.

use alloc::vec::Vec;
use core::ops::Range;

/// The committed records. 16 bytes each, 4 to 8 more where they have unequal lengths, and 4 more in several files.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The first row of each record, and behind them the number of all rows.
    starts: Vec<u64>,
    /// Where each body starts in its file.
    bodies: Vec<u64>,
    /// The file of each record; empty where there is but one.
    files: Vec<u32>,
    order: Order,
}

/// A record that has rows, as the place of its columns needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) body: u64,
    pub(super) first_row: u64,
    pub(super) rows: u64,
    pub(super) file: usize,
}

#[derive(Debug, Default)]
enum Order {
    /// At most one record.
    #[default]
    Single,
    /// All but the last have this many rows, so a division finds the record; in one file they also are equally long.
    Equal { rows: Divisor, first_body: u64, stride: u64 },
    /// Anything: rows with the same upper bits share an entry of the guide, the last record that starts at or before
    /// the first of them.
    Guided { shift: u32, guide: Vec<u32> },
}

impl Records {
    /// Room for `count` records, which the file is known to be large enough for.
    pub(super) fn with_capacity(count: usize) -> Option<Self> {
        let mut records = Records::default();
        records.starts.try_reserve_exact(count.checked_add(1)?).ok()?;
        records.bodies.try_reserve_exact(count).ok()?;
        records.starts.push(0);
        Some(records)
    }

    /// Adds the record that follows. `None` beyond 64 bits of rows.
    pub(super) fn push(&mut self, body: u64, rows: u64) -> Option<()> {
        self.starts.push(self.rows().checked_add(rows)?);
        self.bodies.push(body);
        Some(())
    }

    /// Those of several files, one after the other. `None` beyond 63 bits of rows, 32 bits of files, or this machine's memory.
    pub(super) fn joined(parts: &[Records]) -> Option<Self> {
        let count = parts.iter().try_fold(0usize, |count, part| count.checked_add(part.len()))?;
        let mut records = Records::with_capacity(count)?;
        records.files.try_reserve_exact(count).ok()?;
        for (file, part) in parts.iter().enumerate() {
            let file = u32::try_from(file).ok()?;
            for number in 0..part.len() {
                let Record { body, rows, .. } = part.get(number);
                records.push(body, rows)?;
                records.files.push(file);
            }
        }
        records.finish();
        i64::try_from(records.rows()).is_ok().then_some(records)
    }

    /// Prepares [`Records::find`], after the last push.
    pub(super) fn finish(&mut self) {
        let count = self.len();
        if count <= 1 {
            return;
        }
        let rows = self.starts[1];
        let (first_body, stride) = (self.bodies[0], self.bodies[1].wrapping_sub(self.bodies[0]));
        let is_equal = rows > 0
            && self.starts[..count].windows(2).all(|pair| pair[1] - pair[0] == rows)
            && self.rows() - self.starts[count - 1] <= rows
            && self.files.is_empty()
            && self.bodies.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride);
        self.order = if is_equal {
            Order::Equal { rows: Divisor::new(rows), first_body, stride }
        } else {
            self.guided()
        };
    }

    fn guided(&self) -> Order {
        let rows = self.rows();
        let mut shift = 0;
        while (rows >> shift) > 2 * self.len() as u64 {
            shift += 1;
        }
        let mut guide = Vec::new();
        let mut record = 0;
        for bucket in 0..=rows >> shift {
            while record + 1 < self.len() && self.starts[record + 1] <= bucket << shift {
                record += 1;
            }
            guide.push(u32::try_from(record).unwrap_or(u32::MAX));
        }
        Order::Guided { shift, guide }
    }

    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    pub(super) fn get(&self, record: usize) -> Record {
        let (first_row, end) = (self.starts[record], self.starts[record + 1]);
        let file = self.files.get(record).map_or(0, |&file| file as usize);
        Record { body: self.bodies[record], first_row, rows: end - first_row, file }
    }

    /// The records of a file and their rows.
    pub(super) fn of_file(&self, file: usize) -> (Range<u64>, Range<u64>) {
        let first = self.files.partition_point(|&other| (other as usize) < file);
        let end = match self.files.as_slice() {
            [] => self.len(),
            files => files.partition_point(|&other| other as usize <= file),
        };
        (first as u64..end as u64, self.starts[first]..self.starts[end])
    }

    /// The only record, where there is but one.
    pub(super) fn single(&self) -> Option<Record> {
        (self.len() == 1).then(|| self.get(0))
    }

    /// Puts the record of each row into `found`. Rows that follow each other in one record are not looked up again.
    pub(super) fn find_all(&self, rows: &[u64], found: &mut [Record]) {
        if let Order::Equal { rows: each, first_body, stride } = &self.order {
            let all = self.rows();
            for (record, &row) in found.iter_mut().zip(rows) {
                let number = each.quotient(row);
                let first_row = number * each.divisor;
                let rows = each.divisor.min(all - first_row);
                *record = Record { body: first_body + number * stride, first_row, rows, file: 0 };
            }
            return;
        }
        let mut last = Record::default();
        for (record, &row) in found.iter_mut().zip(rows) {
            if row.wrapping_sub(last.first_row) >= last.rows {
                last = self.get(self.find(row));
            }
            *record = last;
        }
    }

    /// Puts the number of the record of each row into `numbers`. There are less than 2^32 records.
    pub(super) fn number_all(&self, rows: &[u64], numbers: &mut [u32]) {
        let mut last = Record::default();
        let mut last_number = 0;
        for (number, &row) in numbers.iter_mut().zip(rows) {
            *number = if let Order::Equal { rows, .. } = &self.order {
                u32::try_from(rows.quotient(row)).unwrap_or(u32::MAX)
            } else {
                if row.wrapping_sub(last.first_row) >= last.rows {
                    let found = self.find(row);
                    last = self.get(found);
                    last_number = u32::try_from(found).unwrap_or(u32::MAX);
                }
                last_number
            };
        }
    }

    /// The number of the record that has `row`, which lies within the table.
    #[inline]
    pub(super) fn find(&self, row: u64) -> usize {
        match &self.order {
            Order::Single => 0,
            Order::Equal { rows, .. } => usize::try_from(rows.quotient(row)).unwrap_or(usize::MAX),
            Order::Guided { shift, guide } => {
                let bucket = usize::try_from(row >> shift).unwrap_or(usize::MAX);
                let at = |bucket: usize| guide.get(bucket).map_or(self.len() - 1, |&record| record as usize);
                let (low, high) = (at(bucket), at(bucket.saturating_add(1)));
                low + self.starts[low + 1..=high].partition_point(|&start| start <= row)
            }
        }
    }
}

/// Division by the same number again and again, as a multiplication.
#[derive(Debug)]
struct Divisor {
    divisor: u64,
    reciprocal: u64,
}

impl Divisor {
    fn new(divisor: u64) -> Self {
        Divisor { divisor, reciprocal: u64::MAX / divisor }
    }

    /// Exact below 2^63: there the estimate is the quotient or one less.
    #[inline]
    fn quotient(&self, number: u64) -> u64 {
        let estimate = (u128::from(number) * u128::from(self.reciprocal)) >> 64;
        let estimate = u64::try_from(estimate).unwrap_or(u64::MAX);
        estimate + u64::from(number - estimate * self.divisor >= self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn with_rows(rows: &[u64]) -> Records {
        let mut records = Records::with_capacity(rows.len()).unwrap();
        for (body, &rows) in (0..).zip(rows) {
            records.push(body * 1000, rows).unwrap();
        }
        records.finish();
        records
    }

    #[test]
    fn every_row_is_found_in_its_record() {
        let many: Vec<u64> = (0..400).map(|i| (i * 7919) % 13).collect();
        for rows in [
            &[5][..],
            &[3, 3, 3],
            &[3, 3, 9],
            &[3, 3, 1],
            &[0, 4],
            &[4, 0],
            &[1, 0, 0, 2, 1000, 0, 3],
            &[1000, 1, 1, 1, 1],
            &many,
        ] {
            let records = with_rows(rows);
            let mut row = 0;
            for (number, &count) in rows.iter().enumerate() {
                for _ in 0..count {
                    assert_eq!(records.find(row), number, "row {row} of {rows:?}");
                    row += 1;
                }
            }
            assert_eq!(records.rows(), row);
            let backwards: Vec<u64> = (0..row).rev().chain(0..row).collect();
            let mut found = vec![Record::default(); backwards.len()];
            records.find_all(&backwards, &mut found);
            for (record, row) in found.into_iter().zip(backwards) {
                assert_eq!(record, records.get(records.find(row)), "row {row} of {rows:?}");
            }
        }
    }

    #[test]
    fn records_of_several_files_follow_each_other() {
        let parts = [with_rows(&[2, 2]), with_rows(&[]), with_rows(&[2])];
        let joined = Records::joined(&parts).unwrap();
        assert_eq!((joined.len(), joined.rows()), (3, 6));
        assert_eq!(joined.get(joined.find(5)), Record { body: 0, first_row: 4, rows: 2, file: 2 });
        assert_eq!(joined.get(joined.find(3)), Record { body: 1000, first_row: 2, rows: 2, file: 0 });
        let far = with_rows(&[1 << 62]);
        assert!(Records::joined(&[far]).is_some());
        assert!(Records::joined(&[with_rows(&[1 << 62]), with_rows(&[1 << 62])]).is_none());
    }

    #[test]
    fn the_division_is_exact() {
        let largest = u64::MAX >> 1;
        for divisor in [1, 2, 3, 7, 1 << 20, (1 << 32) - 1, largest - 1, largest] {
            let by = Divisor::new(divisor);
            for number in
                [0, 1, divisor - 1, divisor, divisor.saturating_add(1).min(largest), largest - 1, largest]
            {
                assert_eq!(by.quotient(number), number / divisor, "{number} / {divisor}");
            }
        }
    }
}
