//! The files of a table: one, or many whose rows follow each other.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::ops::Range;

use super::open::Head;
use super::records::Records;
use super::verify::read_statistics;
use crate::dtype::excerpt;
use crate::environment::{Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Column, Layout, Manifest, Statistics};
use crate::storage::{StorageError, StorageFile};

/// One of the files of a [`Table`](super::Table).
pub struct TableFile<'t, E: Environment> {
    pub(super) part: &'t Part<FileOf<E>>,
    pub(super) rows: Range<u64>,
    pub(super) records: Range<u64>,
}

/// A file as it was opened.
#[derive(Debug)]
pub(super) struct Part<F> {
    pub(super) file: F,
    pub(super) head: Head,
    /// Where its last record ends.
    pub(super) committed_end: u64,
    /// As its door names it.
    place: Option<Cow<'static, str>>,
}

impl<F: StorageFile> Part<F> {
    pub(super) fn read(file: F, place: Option<String>) -> Result<(Self, Records)> {
        let read = || -> Result<_> {
            let head = Head::read(&file)?;
            let (records, end) = head.records(&file)?;
            Ok((head, records, end))
        };
        match read() {
            Ok((head, records, committed_end)) => {
                Ok((Part { file, head, committed_end, place: place.map(Cow::Owned) }, records))
            }
            Err(error) => Err(match place {
                Some(place) => error.at_place(place),
                None => error,
            }),
        }
    }

    /// The error, with the place of this file.
    #[cold]
    pub(super) fn blame(&self, error: Error) -> Error {
        match &self.place {
            Some(place) => error.at_place(place.clone()),
            None => error,
        }
    }

    /// The records, where they are mapped. The head is left out, for a writer may change it in place.
    pub(super) fn map(&self) -> Option<Map<'_>> {
        let base = self.head.data_offset;
        if base >= self.committed_end {
            return Some(Map::default());
        }
        Some(Map { bytes: self.file.mapped(base..self.committed_end)?, base })
    }

    /// Refuses to read a file that was cut since it was opened, before a map of it is touched.
    pub(super) fn check_size(&self) -> Result<()> {
        let len = self.file.len().map_err(|error| self.blame(error.in_only_file()))?;
        if len >= self.committed_end {
            return Ok(());
        }
        let text = format!("the file was cut to {len} bytes while it was open");
        Err(self.blame(Error::new(Code::TruncatedFile, text).at_offset(len)))
    }

    pub(super) fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(offset, out).map_err(StorageError::in_only_file).map_err(|e| self.blame(e))
    }

    /// The footer of statistics where there is one in order.
    pub(super) fn statistics(&self) -> Result<Option<Statistics>> {
        let found = read_statistics(&self.file, &self.head, self.committed_end);
        Ok(found.map_err(|error| self.blame(error))?.and_then(core::result::Result::ok))
    }

    /// Refuses a file whose columns are not those of the first file.
    pub(super) fn check_like(&self, first: &Part<F>) -> Result<()> {
        let found = difference(&self.head.manifest, &first.head.manifest);
        let Some((code, difference)) = found else { return Ok(()) };
        let text = match &first.place {
            Some(place) => format!("{difference} ({place})"),
            None => difference,
        };
        Err(self.blame(Error::new(code, text)))
    }
}

/// What makes the columns of a file others than those of the first.
fn difference(here: &Manifest, first: &Manifest) -> Option<(Code, String)> {
    let name = |column: &Column| excerpt(column.name().as_str());
    let has = |columns: &[Column], column: &Column| columns.iter().any(|other| other.name() == column.name());
    for column in &first.columns {
        if !has(&here.columns, column) {
            let text = format!("the column '{}' of the first file is missing here", name(column));
            return Some((Code::ColumnNotFound, text));
        }
    }
    for column in &here.columns {
        if !has(&first.columns, column) {
            let text = format!("the column '{}' is not in the first file", name(column));
            return Some((Code::ColumnNotFound, text));
        }
    }
    if here.columns.len() != first.columns.len() {
        let (here, first) = (here.columns.len(), first.columns.len());
        let text = format!("there are {here} columns, hidden ones included, {first} in the first file");
        return Some((Code::ShapeMismatch, text));
    }
    for (number, (column, wanted)) in here.columns.iter().zip(&first.columns).enumerate() {
        if column.name() != wanted.name() {
            let (here, first) = (name(column), name(wanted));
            let text = format!("column {number} is '{here}', in the first file it is '{first}'");
            return Some((Code::InvalidArgument, text));
        }
        if column.dtype() != wanted.dtype() {
            let (here, first) = (column.dtype(), wanted.dtype());
            let text =
                format!("the column '{}' is '{here}', in the first file it is '{first}'", name(column));
            return Some((Code::DTypeMismatch, text));
        }
    }
    None
}

/// The records of a file in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Map<'t> {
    bytes: &'t [u8],
    /// Where `bytes` start in the file.
    base: u64,
}

impl<'t> Map<'t> {
    pub(super) fn get(&self, at: u64, len: usize) -> Result<&'t [u8]> {
        self.bytes.get(self.position(at)..).and_then(|rest| rest.get(..len)).ok_or_else(|| outside(at))
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// Where a byte of the file lies in the map; behind its end where it does not.
    pub(super) fn position(&self, at: u64) -> usize {
        usize::try_from(at.wrapping_sub(self.base)).unwrap_or(usize::MAX)
    }
}

#[cold]
pub(super) fn outside(at: u64) -> Error {
    Error::new(Code::TruncatedFile, format!("the map of the file ends before byte {at}")).at_offset(at)
}

impl<'t, E: Environment> TableFile<'t, E> {
    /// Its place, as messages name it; `None` where only the open file was given.
    #[must_use]
    pub fn place(&self) -> Option<&'t str> {
        self.part.place.as_deref()
    }

    /// Its rows, as a range of the table's rows.
    #[must_use]
    pub fn rows(&self) -> Range<u64> {
        self.rows.clone()
    }

    /// Its records, as a range of the table's records.
    #[must_use]
    pub fn records(&self) -> Range<u64> {
        self.records.clone()
    }

    /// Its schema as it has it, with hidden columns and unknown keys.
    #[must_use]
    pub fn manifest(&self) -> &'t Manifest {
        &self.part.head.manifest
    }

    /// Which release's header it has.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.part.head.counters.layout
    }

    /// Where its last committed record ends. Bytes behind it are ignored.
    #[must_use]
    pub fn committed_end(&self) -> u64 {
        self.part.committed_end
    }

    /// Its footer of statistics; `None` where there is none or it is damaged.
    ///
    /// # Errors
    /// What the file says.
    pub fn statistics(&self) -> Result<Option<Statistics>> {
        self.part.statistics()
    }

    /// The open file.
    #[must_use]
    pub fn file(&self) -> &'t FileOf<E> {
        &self.part.file
    }
}
