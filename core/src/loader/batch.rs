//! What a loader delivers: the same records of every stream.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use crate::dense::DenseBatch;
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::ragged::RaggedBatch;
use crate::table::{ColumnData, Selection};

/// The records of one step, in every stream: position `i` of each is record `indices()[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub(super) step: u64,
    pub(super) indices: Vec<u64>,
    pub(super) names: Arc<[String]>,
    /// One for each name.
    pub(super) streams: Vec<StreamBatch>,
}

/// The records of one stream.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamBatch {
    /// Stacked: shape `(records, *item_shape)`.
    Dense(DenseBatch),
    /// Packed: values, offsets, shapes.
    Ragged(RaggedBatch),
    /// Rows as columns.
    Table(Columns),
}

/// Rows of a table, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    pub(super) columns: Vec<ColumnData>,
    pub(super) rows: usize,
}

impl Batch {
    /// The step whose batch this is.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Which records these are, in their order.
    #[must_use]
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }

    /// How many records there are of every stream.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there is none: the share of a rank in a world that is larger than the batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The names of the streams, in the order in which they were given.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The streams with their names.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = (&str, &StreamBatch)> {
        self.names().zip(&self.streams)
    }

    /// The streams with their names, to change the values in place.
    pub fn streams_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut StreamBatch)> {
        self.names.iter().map(String::as_str).zip(&mut self.streams)
    }

    /// The records of a stream, whatever its kind.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] where no stream has this name.
    pub fn stream(&self, name: &str) -> Result<&StreamBatch> {
        self.position(name).map(|position| &self.streams[position])
    }

    /// As [`Batch::stream`], to change the values in place.
    ///
    /// # Errors
    /// As [`Batch::stream`].
    pub fn stream_mut(&mut self, name: &str) -> Result<&mut StreamBatch> {
        self.position(name).map(|position| &mut self.streams[position])
    }

    /// The records of a dense stream, stacked.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] where no stream has this name; [`Code::KindMismatch`] where it is of another kind.
    pub fn dense(&self, name: &str) -> Result<&DenseBatch> {
        match self.stream(name)? {
            StreamBatch::Dense(batch) => Ok(batch),
            other => Err(other.mismatch(name, "dense")),
        }
    }

    /// As [`Batch::dense`], to change the values in place.
    ///
    /// # Errors
    /// As [`Batch::dense`].
    pub fn dense_mut(&mut self, name: &str) -> Result<&mut DenseBatch> {
        match self.stream_mut(name)? {
            StreamBatch::Dense(batch) => Ok(batch),
            other => Err(other.mismatch(name, "dense")),
        }
    }

    /// The records of a ragged stream, packed; [`RaggedBatch::records`] lists them.
    ///
    /// # Errors
    /// As [`Batch::dense`].
    pub fn ragged(&self, name: &str) -> Result<&RaggedBatch> {
        match self.stream(name)? {
            StreamBatch::Ragged(batch) => Ok(batch),
            other => Err(other.mismatch(name, "ragged")),
        }
    }

    /// As [`Batch::ragged`], to change the values in place.
    ///
    /// # Errors
    /// As [`Batch::dense`].
    pub fn ragged_mut(&mut self, name: &str) -> Result<&mut RaggedBatch> {
        match self.stream_mut(name)? {
            StreamBatch::Ragged(batch) => Ok(batch),
            other => Err(other.mismatch(name, "ragged")),
        }
    }

    /// The rows of a table stream, as columns.
    ///
    /// # Errors
    /// As [`Batch::dense`].
    pub fn table(&self, name: &str) -> Result<&Columns> {
        match self.stream(name)? {
            StreamBatch::Table(columns) => Ok(columns),
            other => Err(other.mismatch(name, "table")),
        }
    }

    /// As [`Batch::table`], to change the values in place.
    ///
    /// # Errors
    /// As [`Batch::dense`].
    pub fn table_mut(&mut self, name: &str) -> Result<&mut Columns> {
        match self.stream_mut(name)? {
            StreamBatch::Table(columns) => Ok(columns),
            other => Err(other.mismatch(name, "table")),
        }
    }

    /// The bytes of all values, without offsets, extents and indices.
    #[must_use]
    pub fn value_bytes(&self) -> u64 {
        self.streams.iter().map(StreamBatch::value_bytes).sum()
    }

    /// Takes it apart: the streams with their names.
    #[must_use]
    pub fn into_streams(self) -> Vec<(String, StreamBatch)> {
        self.names.iter().cloned().zip(self.streams).collect()
    }

    fn position(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|known| known == name).ok_or_else(|| {
            let known: Vec<_> = self.names.iter().map(|name| format!("'{name}'")).collect();
            let text = format!("the loader has no stream '{name}'; it has {}", known.join(", "));
            Error::new(Code::InvalidArgument, text)
        })
    }
}

impl StreamBatch {
    /// The bytes of all values, without offsets and extents.
    #[must_use]
    pub fn value_bytes(&self) -> u64 {
        match self {
            StreamBatch::Dense(batch) => batch.as_bytes().len() as u64,
            StreamBatch::Ragged(batch) => batch.as_bytes().len() as u64,
            StreamBatch::Table(columns) => columns.iter().map(|column| column.as_bytes().len() as u64).sum(),
        }
    }

    fn mismatch(&self, name: &str, wanted: &str) -> Error {
        let kind = match self {
            StreamBatch::Dense(_) => "dense",
            StreamBatch::Ragged(_) => "ragged",
            StreamBatch::Table(_) => "table",
        };
        Error::new(Code::KindMismatch, format!("the stream '{name}' is {kind}, not {wanted}"))
    }
}

impl Columns {
    pub(super) const fn new() -> Self {
        Columns { columns: Vec::new(), rows: 0 }
    }

    pub(super) fn gather<E: Environment>(&mut self, rows: &Selection<E>, records: &[u64]) -> Result<()> {
        rows.gather_rows(records, &mut self.columns)?;
        self.rows = records.len();
        Ok(())
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The values of one column.
    ///
    /// # Errors
    /// [`Code::ColumnNotFound`].
    pub fn column(&self, name: &str) -> Result<&ColumnData> {
        self.columns.iter().find(|column| column.name() == name).ok_or_else(|| self.missing(name))
    }

    /// As [`Columns::column`], to change the values in place.
    ///
    /// # Errors
    /// As [`Columns::column`].
    pub fn column_mut(&mut self, name: &str) -> Result<&mut ColumnData> {
        match self.columns.iter().position(|column| column.name() == name) {
            Some(position) => Ok(&mut self.columns[position]),
            None => Err(self.missing(name)),
        }
    }

    /// All columns, to change their values in place.
    pub fn columns_mut(&mut self) -> impl ExactSizeIterator<Item = &mut ColumnData> {
        self.columns.iter_mut()
    }

    fn missing(&self, name: &str) -> Error {
        let known: Vec<_> = self.columns.iter().map(|column| format!("'{}'", column.name())).collect();
        let text = format!("the stream has no column '{name}'; it has {}", known.join(", "));
        Error::new(Code::ColumnNotFound, text)
    }
}

impl Deref for Columns {
    type Target = [ColumnData];

    fn deref(&self) -> &[ColumnData] {
        &self.columns
    }
}
