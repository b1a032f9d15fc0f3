//! Reading the head of a table and walking over its records, checking every number against the size of the file.

use alloc::format;
use alloc::vec::Vec;

use super::records::Records;
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Counters, Layout, MAGIC, Manifest, RecordHeader, body_len};
use crate::storage::{StorageError, StorageFile};

/// Everything before the first record.
#[derive(Debug)]
pub(crate) struct Head {
    /// What is committed.
    pub(crate) counters: Counters,
    /// The schema.
    pub(crate) manifest: Manifest,
    /// Bytes of the manifest in the file.
    pub(crate) manifest_len: u64,
    /// Where the first record starts.
    pub(crate) data_offset: u64,
    /// Bytes of one row.
    pub(crate) row_width: u64,
    /// The size of the file when the head was read.
    pub(crate) file_len: u64,
}

/// One record where the walk found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its number.
    pub(crate) index: u64,
    /// Where its header starts.
    pub(crate) header_at: u64,
    /// Where its rows start.
    pub(crate) body: u64,
    /// How many there are.
    pub(crate) rows: u64,
    /// Where its padding ends.
    pub(crate) end: u64,
}

impl Head {
    /// Reads and checks the head of a table.
    pub(crate) fn read<F: StorageFile>(file: &F) -> Result<Self> {
        let file_len = file.len().map_err(StorageError::in_only_file)?;
        let mut bytes = [0; Layout::LONGEST_HEAD];
        let present = usize::try_from(file_len).unwrap_or(usize::MAX).min(bytes.len());
        let head = &mut bytes[..present];
        file.read_exact_at(0, head).map_err(StorageError::in_only_file)?;
        let counters = Counters::decode(head)?;
        let len_at = counters.layout.manifest_len_at();
        let manifest_at = len_at + 8;
        if file_len < manifest_at {
            let text = format!("the file ends before its manifest, after {file_len} bytes");
            return Err(Error::new(Code::TruncatedFile, text).at_offset(len_at));
        }
        let mut len = [0; 8];
        file.read_exact_at(len_at, &mut len).map_err(StorageError::in_only_file)?;
        let manifest_len = u64::from_le_bytes(len);
        if manifest_len > file_len - manifest_at {
            let text = format!(
                "the manifest should have {manifest_len} bytes, the file ends {} bytes behind its start",
                file_len - manifest_at
            );
            return Err(Error::new(Code::TruncatedFile, text).at_offset(len_at));
        }
        if manifest_len > Manifest::MAX_LEN {
            let text =
                format!("the manifest has {manifest_len} bytes; no more than {} are read", Manifest::MAX_LEN);
            return Err(Error::new(Code::TooLarge, text).at_offset(len_at));
        }
        let too_large = || Error::new(Code::TooLarge, "the manifest does not fit in memory");
        let mut text = alloc::vec![0; usize::try_from(manifest_len).map_err(|_| too_large())?];
        file.read_exact_at(manifest_at, &mut text).map_err(StorageError::in_only_file)?;
        let manifest = Manifest::decode(&text).map_err(|error| error.at_offset(manifest_at))?;
        let beyond = |what| Error::new(Code::CorruptHeader, what).at_offset(manifest_at);
        let data_offset = counters.layout.data_offset(manifest_len);
        let data_offset = data_offset.ok_or_else(|| beyond("the records start beyond 64 bits"))?;
        let row_width = manifest.row_width();
        let row_width = row_width.ok_or_else(|| beyond("one row is wider than 2^64 bytes"))?;
        Ok(Head { counters, manifest, manifest_len, data_offset, row_width, file_len })
    }

    /// The committed records one after the other; ends with the first that is damaged.
    pub(crate) fn walk<'f, F: StorageFile>(&self, file: &'f F) -> Walk<'f, F> {
        Walk {
            file,
            file_len: self.file_len,
            row_width: self.row_width,
            count: self.counters.records,
            index: 0,
            at: self.data_offset,
            stride: 0,
            window: Vec::new(),
            window_at: 0,
        }
    }

    /// Finds all records. Their rows are as many as the counters say.
    pub(super) fn records<F: StorageFile>(&self, file: &F) -> Result<(Records, u64)> {
        let count = self.counters.records;
        let room = self.file_len.saturating_sub(self.data_offset) / RecordHeader::SIZE as u64;
        if count > room {
            let text = format!("the counters name {count} records, the file has room for {room} at most");
            return Err(Error::new(Code::TruncatedFile, text).at_offset(MAGIC.len() as u64));
        }
        let too_large = || Error::new(Code::TooLarge, "the list of records does not fit in memory");
        let capacity = usize::try_from(count).map_err(|_| too_large())?;
        let mut records = Records::with_capacity(capacity).ok_or_else(too_large)?;
        let mut end = self.data_offset;
        for found in self.walk(file) {
            let found = found?;
            end = found.end;
            records.push(found.body, found.rows).ok_or_else(|| self.wrong_sum("more than 2^64"))?;
        }
        if records.rows() != self.counters.rows {
            return Err(self.wrong_sum(records.rows()));
        }
        records.finish();
        Ok((records, end))
    }

    pub(super) fn wrong_sum(&self, sum: impl core::fmt::Display) -> Error {
        let text = format!(
            "the counters name {} rows, the {} records have {sum}",
            self.counters.rows, self.counters.records
        );
        Error::new(Code::CorruptHeader, text).at_offset(16)
    }
}

/// See [`Head::walk`].
pub(crate) struct Walk<'f, F> {
    file: &'f F,
    file_len: u64,
    row_width: u64,
    count: u64,
    index: u64,
    at: u64,
    /// From the header before to this one.
    stride: u64,
    window: Vec<u8>,
    window_at: u64,
}

/// What is read at once where records are so small that many headers lie in it.
const WINDOW: u64 = 64 << 10;

impl<F: StorageFile> Walk<'_, F> {
    fn find(&mut self) -> Result<Found> {
        let header_at = self.at;
        let size = RecordHeader::SIZE as u64;
        let body = header_at.checked_add(size).filter(|&body| body <= self.file_len).ok_or_else(|| {
            let text = format!("the file ends inside the record header, after {} bytes", self.file_len);
            Error::new(Code::TruncatedFile, text).at_record(self.index)
        })?;
        let RecordHeader { index, rows } = RecordHeader::decode(&self.header(header_at, body)?, self.index)?;
        let end = body_len(rows, self.row_width).and_then(|len| body.checked_add(len));
        let end = end.filter(|&end| end <= self.file_len).ok_or_else(|| {
            let text = format!(
                "the record has {rows} rows of {} bytes, the file ends {} bytes behind its header",
                self.row_width,
                self.file_len - body
            );
            Error::new(Code::TruncatedFile, text).at_record(index)
        })?;
        Ok(Found { index, header_at, body, rows, end })
    }

    fn header(&mut self, at: u64, end: u64) -> Result<[u8; RecordHeader::SIZE]> {
        if let Some(header) = self.file.mapped(at..end).and_then(|bytes| bytes.first_chunk()) {
            return Ok(*header);
        }
        if let Some(header) = self.in_window(at) {
            return Ok(header);
        }
        let mut header = [0; RecordHeader::SIZE];
        let left = self.file_len.saturating_sub(at);
        if self.index == 0 || self.stride > WINDOW / 4 || left <= header.len() as u64 {
            self.file.read_exact_at(at, &mut header).map_err(StorageError::in_only_file)?;
            return Ok(header);
        }
        self.window.resize(usize::try_from(left.min(WINDOW)).unwrap_or(header.len()), 0);
        self.window_at = at;
        self.file.read_exact_at(at, &mut self.window).map_err(StorageError::in_only_file)?;
        Ok(self.in_window(at).unwrap_or(header))
    }

    fn in_window(&self, at: u64) -> Option<[u8; RecordHeader::SIZE]> {
        let start = usize::try_from(at.checked_sub(self.window_at)?).ok()?;
        self.window.get(start..)?.first_chunk().copied()
    }
}

impl<F: StorageFile> Iterator for Walk<'_, F> {
    type Item = Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.count {
            return None;
        }
        let found = self.find().map_err(|error| error.at_offset(self.at));
        match &found {
            Ok(found) => {
                self.index += 1;
                self.stride = found.end - self.at;
                self.at = found.end;
            }
            Err(_) => self.count = self.index,
        }
        Some(found)
    }
}
