//! Checking everything of a table that can be checked: its bodies have no checksums.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::open::Head;
use crate::dtype::excerpt;
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Column, Json, Layout, MAGIC, RecordHeader, Statistics};
use crate::progress::{self, Progress};
use crate::storage::{StorageError, StorageFile};

/// The most faults that are listed.
const MOST_LISTED: usize = 100_000;

/// One fault: its error says record, offset and reason.
pub type Problem = Error;

/// What a check of a whole table found.
#[derive(Debug, Default)]
pub struct Verification {
    /// Records whose header is in order.
    pub records: u64,
    /// Rows in those records.
    pub rows: u64,
    /// Bytes behind the last committed record: what an interrupted writer left, or the footer of statistics. They are
    /// ignored, and no fault.
    pub trailing_bytes: u64,
    /// Faults in the order of the file; at most 100,000 are listed.
    pub problems: Vec<Problem>,
    /// Faults that were found.
    pub found: u64,
}

impl Verification {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.found == 0
    }

    /// Adds what was found in the next file.
    pub(super) fn extend(&mut self, other: Verification, place: impl Fn(Problem) -> Problem) {
        self.records = self.records.saturating_add(other.records);
        self.rows = self.rows.saturating_add(other.rows);
        self.trailing_bytes = self.trailing_bytes.saturating_add(other.trailing_bytes);
        self.found = self.found.saturating_add(other.found);
        let room = MOST_LISTED - self.problems.len().min(MOST_LISTED);
        self.problems.extend(other.problems.into_iter().take(room).map(place));
    }

    fn add(&mut self, problem: Problem) {
        self.found += 1;
        if self.problems.len() < MOST_LISTED {
            self.problems.push(problem);
        }
    }
}

/// Checks the structure of the table that `file` holds, also of one that does not open: the header, every record header, the
/// sum of their rows, reserved bytes and padding, and the footer of statistics. Progress counts records.
///
/// A damaged record header hides the records behind it, so it is the last fault that is found.
///
/// # Errors
/// [`Code::Interrupted`] and failures of the machine; faults of the data are in the result.
pub fn verify<F: StorageFile>(file: &F, progress: &dyn Progress) -> Result<Verification> {
    let mut report = Verification::default();
    let head = match Head::read(file).and_then(|head| super::Schema::of(&head.manifest).map(|_| head)) {
        Ok(head) => head,
        Err(error) => return of_data(error, report),
    };
    check_head(file, &head, &mut report)?;
    let mut end = head.data_offset.min(head.file_len);
    for found in head.walk(file) {
        progress::check(progress)?;
        let found = match found {
            Ok(found) => found,
            Err(error) => return of_data(error, report),
        };
        report.records += 1;
        report.rows = report.rows.saturating_add(found.rows);
        end = found.end;
        expect_zeros(
            file,
            found.header_at + 20..found.header_at + 28,
            "reserved bytes of the record header",
            &mut report,
        )?;
        let rows_end = found.body + found.rows * head.row_width;
        expect_zeros(file, rows_end..found.end, "bytes of padding behind the record", &mut report)?;
        progress.advance(1);
    }
    if report.rows != head.counters.rows {
        report.add(head.wrong_sum(report.rows));
    }
    report.trailing_bytes = head.file_len - end;
    if let Some(Err(reason)) = read_statistics(file, &head, end)? {
        report.add(Error::new(Code::CorruptHeader, reason).at_offset(head.counters.statistics_at));
    }
    Ok(report)
}

/// The footer of statistics where the header names one, or why it is none.
pub(super) fn read_statistics<F: StorageFile>(
    file: &F,
    head: &Head,
    committed_end: u64,
) -> Result<Option<Result<Statistics, &'static str>>> {
    let at = head.counters.statistics_at;
    if at == 0 {
        return Ok(None);
    }
    if at < committed_end {
        return Ok(Some(Err("the footer of statistics would lie inside of the records")));
    }
    let len = Statistics::footer_len(&head.manifest, head.counters.records);
    let len = len.filter(|&len| at.checked_add(len).is_some_and(|end| end <= head.file_len));
    let Some(len) = len.and_then(|len| usize::try_from(len).ok()) else {
        return Ok(Some(Err("the file ends before its footer of statistics does")));
    };
    let mut bytes = alloc::vec![0; len];
    file.read_exact_at(at, &mut bytes).map_err(StorageError::in_only_file)?;
    Ok(Some(Statistics::decode(&bytes, &head.manifest, head.counters.records)))
}

fn of_data(error: Error, mut report: Verification) -> Result<Verification> {
    if error.code().fault() == crate::error::Fault::Environment {
        return Err(error);
    }
    report.add(error);
    Ok(report)
}

fn check_head<F: StorageFile>(file: &F, head: &Head, report: &mut Verification) -> Result<()> {
    let layout = head.counters.layout;
    let reserved_at = match layout {
        Layout::V03 => 28,
        Layout::V05 => 36,
    };
    expect_zeros(file, reserved_at..layout.manifest_len_at(), "reserved bytes of the counters", report)?;
    let manifest_at = layout.manifest_len_at() + 8;
    let mut names = BTreeSet::new();
    for column in &head.manifest.columns {
        if !names.insert(column.name()) {
            let text = format!(
                "the column '{}' occurs twice; the earlier one is hidden",
                excerpt(column.name().as_str())
            );
            report.add(Error::new(Code::CorruptHeader, text).at_offset(manifest_at));
        }
        if !is_plain(column) {
            let text = format!(
                "the column '{}' is marked as encoded or nullable, which has no meaning; it is read as raw values",
                excerpt(column.name().as_str())
            );
            report.add(Error::new(Code::CorruptHeader, text).at_offset(manifest_at));
        }
    }
    let padding = manifest_at + head.manifest_len..head.data_offset.min(head.file_len);
    expect_zeros(file, padding, "bytes of padding behind the manifest", report)?;
    let room = head.file_len.saturating_sub(head.data_offset) / RecordHeader::SIZE as u64;
    if head.counters.records > room {
        let text = format!(
            "the counters name {} records, the file has room for {room} at most",
            head.counters.records
        );
        report.add(Error::new(Code::TruncatedFile, text).at_offset(MAGIC.len() as u64));
    }
    Ok(())
}

fn is_plain(column: &Column) -> bool {
    let entry = column.entry();
    let is_raw = entry.get("encoding").is_none_or(|value| *value == Json::String("raw".into()));
    is_raw && entry.get("nullable").is_none_or(|value| *value == Json::Bool(false))
}

/// `range` has fewer than 64 bytes.
fn expect_zeros<F: StorageFile>(
    file: &F,
    range: core::ops::Range<u64>,
    what: &str,
    report: &mut Verification,
) -> Result<()> {
    let mut bytes = [0; 64];
    let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0).min(bytes.len());
    let bytes = &mut bytes[..len];
    file.read_exact_at(range.start, bytes).map_err(StorageError::in_only_file)?;
    let Some(position) = bytes.iter().position(|&byte| byte != 0) else { return Ok(()) };
    let text = format!("the {what} are not all zero");
    report.add(Error::new(Code::CorruptHeader, text).at_offset(range.start + position as u64));
    Ok(())
}
