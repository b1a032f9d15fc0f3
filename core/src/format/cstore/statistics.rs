//! The footer that colstore 0.5.1 may write behind the records: extremes of every column in every record.

use alloc::string::String;
use alloc::vec::Vec;

use super::super::checksum::crc32;
use super::super::fields::{array_at, u32_at};
use super::Manifest;

/// The extremes of each record, column by column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    columns: Vec<ColumnStatistics>,
}

/// The extremes of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnStatistics {
    width: usize,
    minima: Vec<u8>,
    maxima: Vec<u8>,
    usable: Vec<u8>,
}

/// The smallest and the largest value of one column in one record, as they are stored: `itemsize` bytes each, in the
/// byte order of the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes<'a> {
    /// The smallest value.
    pub minimum: &'a [u8],
    /// The largest value.
    pub maximum: &'a [u8],
}

impl Statistics {
    const MAGIC: [u8; 8] = *b"CSTAT\x00\x01\x00";
    const VERSION: u32 = 1;
    const HEAD: u64 = 20;

    /// The bytes that the footer of such a table has; `None` beyond 64 bits.
    #[must_use]
    pub fn footer_len(manifest: &Manifest, records: u64) -> Option<u64> {
        manifest.columns.iter().try_fold(Self::HEAD.checked_add(4)?, |len, column| {
            let labels = (column.name().as_str().len() as u64).checked_add(spelling(column).len() as u64)?;
            let values = column.dtype().itemsize().checked_mul(2)?.checked_add(1)?.checked_mul(records)?;
            len.checked_add(labels)?.checked_add(4)?.checked_add(values)
        })
    }

    /// Reads a whole footer.
    ///
    /// # Errors
    /// Why it is not the footer of this table. Readers then go on without one.
    pub fn decode(bytes: &[u8], manifest: &Manifest, records: u64) -> Result<Self, &'static str> {
        const SHORT: &str = "the footer of statistics is too short";
        let covered = bytes.len().checked_sub(4).ok_or(SHORT)?;
        let body = bytes.get(..covered).ok_or(SHORT)?;
        if array_at(body, 0) != Some(Self::MAGIC) || u32_at(body, 8) != Some(Self::VERSION) {
            return Err("the footer of statistics does not start with CSTAT in version 1");
        }
        if u32_at(bytes, covered) != Some(crc32(body)) {
            return Err("the checksum of the footer of statistics is wrong");
        }
        let counts = (u32_at(body, 12).map(u64::from), u32_at(body, 16).map(u64::from));
        if counts != (Some(manifest.columns.len() as u64), Some(records)) {
            return Err("the footer of statistics counts other columns or records than the table has");
        }
        let mut rest = Cursor(body.get(20..).ok_or(SHORT)?);
        for column in &manifest.columns {
            let name = rest.label().ok_or(SHORT)?;
            let dtype = rest.label().ok_or(SHORT)?;
            if name != column.name().as_str().as_bytes() || dtype != spelling(column).as_bytes() {
                return Err("the footer of statistics names other columns than the table has");
            }
        }
        let records = usize::try_from(records).map_err(|_| SHORT)?;
        let columns = manifest.columns.iter().map(|column| {
            let width = usize::try_from(column.dtype().itemsize()).ok()?;
            let len = width.checked_mul(records)?;
            let (minima, maxima) = (rest.take(len)?.into(), rest.take(len)?.into());
            Some(ColumnStatistics { width, minima, maxima, usable: rest.take(records)?.into() })
        });
        let columns = columns.collect::<Option<_>>().ok_or(SHORT)?;
        if !rest.0.is_empty() {
            return Err("the footer of statistics is too long");
        }
        Ok(Statistics { columns })
    }

    /// Those of a table without records.
    #[must_use]
    pub fn new(manifest: &Manifest) -> Self {
        let columns = manifest.columns.iter().map(|column| ColumnStatistics {
            width: usize::try_from(column.dtype().itemsize()).unwrap_or(usize::MAX),
            minima: Vec::new(),
            maxima: Vec::new(),
            usable: Vec::new(),
        });
        Statistics { columns: columns.collect() }
    }

    /// Adds a record: for each column its extremes, or `None` where they say nothing.
    pub fn push<'a>(&mut self, record: impl IntoIterator<Item = Option<Extremes<'a>>>) {
        for (column, extremes) in self.columns.iter_mut().zip(record) {
            let len = column.minima.len().saturating_add(column.width);
            if let Some(Extremes { minimum, maximum }) = extremes {
                column.minima.extend_from_slice(minimum);
                column.maxima.extend_from_slice(maximum);
            }
            column.minima.resize(len, 0);
            column.maxima.resize(len, 0);
            column.usable.push(u8::from(extremes.is_some()));
        }
    }

    /// Forgets the records behind the first `records`.
    pub fn truncate(&mut self, records: u64) {
        let records = usize::try_from(records).unwrap_or(usize::MAX);
        for column in &mut self.columns {
            column.minima.truncate(records.saturating_mul(column.width));
            column.maxima.truncate(records.saturating_mul(column.width));
            column.usable.truncate(records);
        }
    }

    /// The footer of a table with so many records, all of which were pushed; `None` where the table has a name, or numbers
    /// of columns and records, that no footer can hold.
    #[must_use]
    pub fn encode(&self, manifest: &Manifest, records: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::from(Self::MAGIC);
        for number in [Self::VERSION, u32::try_from(self.columns.len()).ok()?, u32::try_from(records).ok()?] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for column in &manifest.columns {
            for label in [column.name().as_str(), &spelling(column)] {
                bytes.extend_from_slice(&u16::try_from(label.len()).ok()?.to_le_bytes());
                bytes.extend_from_slice(label.as_bytes());
            }
        }
        for column in &self.columns {
            for part in [&column.minima, &column.maxima, &column.usable] {
                bytes.extend_from_slice(part);
            }
        }
        bytes.extend_from_slice(&crc32(&bytes).to_le_bytes());
        Some(bytes)
    }

    /// The statistics of the column at this position of the manifest.
    #[must_use]
    pub fn column(&self, position: usize) -> Option<&ColumnStatistics> {
        self.columns.get(position)
    }
}

impl ColumnStatistics {
    /// The extremes in one record; `None` where colstore could not tell: strings, records without rows, and records with
    /// a NaN, an infinity or a NaT.
    #[must_use]
    pub fn record(&self, record: u64) -> Option<Extremes<'_>> {
        let record = usize::try_from(record).ok()?;
        let start = record.checked_mul(self.width)?;
        let range = start..start.checked_add(self.width)?;
        let usable = *self.usable.get(record)? == 1;
        let extremes =
            Extremes { minimum: self.minima.get(range.clone())?, maximum: self.maxima.get(range)? };
        usable.then_some(extremes)
    }
}

/// The type as the manifest spells it.
fn spelling(column: &super::Column) -> String {
    match column.entry().get("dtype") {
        Some(super::Json::String(text)) => text.as_str().into(),
        _ => String::new(),
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn label(&mut self) -> Option<&'a [u8]> {
        let len = self.take(2).and_then(|bytes| array_at(bytes, 0)).map(u16::from_le_bytes)?;
        self.take(usize::from(len))
    }
}
