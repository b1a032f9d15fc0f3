//! Where the rows of a table lie: which record has a row, and where its body starts.

use alloc::vec::Vec;

/// The committed records. 16 bytes each, and 4 to 8 more where they have unequal lengths.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The first row of each record, and behind them the number of all rows.
    starts: Vec<u64>,
    /// Where each body starts in the file.
    bodies: Vec<u64>,
    order: Order,
}

/// A record that has rows, as the place of its columns needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) body: u64,
    pub(super) first_row: u64,
    pub(super) rows: u64,
}

#[derive(Debug, Default)]
enum Order {
    /// At most one record.
    #[default]
    Single,
    /// All but the last have this many rows: a division finds the record.
    Equal(Divisor),
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

    /// Prepares [`Records::find`], after the last push.
    pub(super) fn finish(&mut self) {
        let count = self.len();
        if count <= 1 {
            return;
        }
        let first = self.starts[1];
        let all_but_last = &self.starts[..count];
        let is_equal = first > 0 && all_but_last.windows(2).all(|pair| pair[1] - pair[0] == first);
        self.order = if is_equal { Order::Equal(Divisor::new(first)) } else { self.guided() };
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
        Record { body: self.bodies[record], first_row, rows: end - first_row }
    }

    /// The only record, where there is but one.
    pub(super) fn single(&self) -> Option<Record> {
        (self.len() == 1).then(|| self.get(0))
    }

    /// The number of the record that has `row`, which lies within the table.
    #[inline]
    pub(super) fn find(&self, row: u64) -> usize {
        match &self.order {
            Order::Single => 0,
            Order::Equal(divisor) => {
                usize::try_from(divisor.quotient(row)).unwrap_or(usize::MAX).min(self.len() - 1)
            }
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
        }
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
