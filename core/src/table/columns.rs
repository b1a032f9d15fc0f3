//! Materialising a selection column by column.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::gather::{Gather, share};
use super::rows::Piece;
use super::schema::SchemaColumn;
use super::select::Selection;
use crate::buffer::Buffer;
use crate::dense::too_large;
use crate::dtype::{DType, Element, cast_slice, cast_slice_mut};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::exec::Executor as _;
use crate::storage::StorageFile as _;

/// The values of one column, one after the other, in the byte order of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnData {
    name: String,
    dtype: DType,
    bytes: Buffer,
}

impl ColumnData {
    /// The name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of one value.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Values.
    #[must_use]
    pub fn len(&self) -> usize {
        let width = usize::try_from(self.dtype.itemsize()).unwrap_or(usize::MAX);
        self.bytes.len().checked_div(width).unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All values as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All values as `T`; times as their counts of ticks in `i64`.
    ///
    /// # Errors
    /// Those of [`cast_slice`].
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        cast_slice(&self.dtype, &self.bytes)
    }

    /// All values as bytes, to be changed in place.
    #[must_use]
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// All values as `T`, to be changed in place; times as their counts of ticks in `i64`.
    ///
    /// # Errors
    /// Those of [`cast_slice`].
    pub fn values_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        cast_slice_mut(&self.dtype, &mut self.bytes)
    }

    /// Takes the bytes out, and leaves `memory` for the next gather to fill. The column has no values then.
    pub fn take_bytes(&mut self, mut memory: Buffer) -> Buffer {
        memory.clear();
        mem::replace(&mut self.bytes, memory)
    }

    /// The bytes that are allocated for values.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// Takes it apart: name, type, bytes.
    #[must_use]
    pub fn into_parts(self) -> (String, DType, Buffer) {
        (self.name, self.dtype, self.bytes)
    }
}

impl<E: Environment> Selection<E> {
    /// All selected columns, in order.
    ///
    /// # Errors
    /// [`Code::TooLarge`], and what the file says.
    pub fn columns(&self) -> Result<Vec<ColumnData>> {
        self.gather_columns(&self.columns)
    }

    pub(super) fn gather_column(&self, position: usize) -> Result<ColumnData> {
        let mut columns = self.gather_columns(&[position])?;
        columns.pop().ok_or_else(too_large)
    }

    fn gather_columns(&self, positions: &[usize]) -> Result<Vec<ColumnData>> {
        let all = self.table.schema().columns();
        let new = |&position: &usize| {
            let column = &all[position];
            let bytes = Buffer::zeroed_for(self.column_bytes(column)?, self.table.executor())?;
            Ok(ColumnData { name: column.name().into(), dtype: column.dtype().clone(), bytes })
        };
        let mut columns = positions.iter().map(new).collect::<Result<Vec<_>>>()?;
        self.fill(positions, columns.iter_mut().map(|column| &mut *column.bytes).collect())?;
        Ok(columns)
    }

    /// The selected columns of some of the selected rows, into columns whose memory is used again; they may come from an
    /// earlier call, or be none. `rows` are positions within the selection. After an error the values are unspecified.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`], [`Code::TooLarge`], and what the file says.
    pub fn gather_rows(&self, rows: &[u64], columns: &mut Vec<ColumnData>) -> Result<()> {
        let chosen = self.rows.chosen(rows)?;
        self.make_room(rows.len(), columns)?;
        let buffers = columns.iter_mut().map(|column| &mut *column.bytes).collect();
        self.fill_piece(Piece::List(&chosen), &self.columns, buffers)
    }

    /// Gives columns the names, types and sizes of so many selected rows. What they hold of them stays.
    pub(super) fn make_room(&self, rows: usize, columns: &mut Vec<ColumnData>) -> Result<()> {
        let all = self.table.schema().columns();
        columns.truncate(self.columns.len());
        for (place, &position) in self.columns.iter().enumerate() {
            let column = &all[position];
            if columns.len() == place {
                let (name, dtype) = (column.name().into(), column.dtype().clone());
                columns.push(ColumnData { name, dtype, bytes: Buffer::new() });
            }
            let data = &mut columns[place];
            if data.name != column.name() || data.dtype != *column.dtype() {
                data.name = column.name().into();
                data.dtype.clone_from(column.dtype());
            }
            let bytes = (rows as u64).checked_mul(column.width()).ok_or_else(too_large)?;
            data.bytes.resize_for(bytes, self.table.executor())?;
        }
        Ok(())
    }

    /// As [`Selection::columns`], into one buffer for each selected column, which has exactly `len * itemsize` bytes. After
    /// an error, the buffers are partly filled.
    ///
    /// # Errors
    /// [`Code::BufferSize`], [`Code::ShapeMismatch`] for another number of buffers, and what the file says.
    pub fn gather_into(&self, buffers: &mut [&mut [u8]]) -> Result<()> {
        if buffers.len() != self.columns.len() {
            let text = format!("{} buffers are given for {} columns", buffers.len(), self.columns.len());
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        for (column, buffer) in self.columns_selected().zip(&*buffers) {
            let wanted = self.column_bytes(column)?;
            if wanted != buffer.len() as u64 {
                let text = format!(
                    "the buffer has {} bytes, {} rows of column '{}' need {wanted}",
                    buffer.len(),
                    self.len(),
                    column.name()
                );
                return Err(Error::new(Code::BufferSize, text));
            }
        }
        self.fill(&self.columns, buffers.iter_mut().map(|buffer| &mut **buffer).collect())
    }

    /// The bytes of a column where they lie in the file, without a copy; `None` where they do not lie together or would have
    /// to be changed.
    ///
    /// So it takes one record (and then one file) that has all selected rows one after the other, a file that is mapped that
    /// far, and a column in the byte order of this machine; a compacted table has one record. Selections without rows are
    /// borrowed always. Values start where the file has them, at any address: see
    /// [`Selection::borrowed_typed`] and [`to_vec`](crate::dtype::to_vec). What is borrowed lives as long as the selection or a
    /// clone of its table does, and does not change, whoever appends to the table or replaces it.
    #[must_use]
    pub fn borrowed(&self, name: &str) -> Option<&[u8]> {
        let column = &self.table.schema().columns()[self.position(name).ok()?];
        let (first, count) = self.rows.piece(0, usize::MAX).as_run()?;
        if count as u64 != self.len() || column.swap_unit().is_some() {
            return None;
        }
        if count == 0 {
            return Some(&[]);
        }
        let records = &self.table.0.records;
        let record = records.get(records.find(first));
        let local = first - record.first_row;
        if count as u64 > record.rows - local {
            return None;
        }
        let start = record.body + record.rows * column.before() + local * column.width();
        let part = self.table.0.parts.get(record.file)?;
        part.check_size().ok()?;
        part.file.mapped(start..start + count as u64 * column.width())
    }

    /// The values of a column where they lie in the file: those of [`Selection::borrowed`] that are also aligned for `T`. In
    /// a record whose columns are ordered from the widest to the narrowest type, all are. `i64` also sees times.
    ///
    /// ```
    /// use recask_core::Table;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::ColumnInput;
    ///
    /// let price = ColumnInput::of("price", &[10i32, -20]);
    /// let all = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &[price])?.all();
    /// // Files in memory are not mapped; those of an operating system are.
    /// let copied;
    /// let prices = match all.borrowed_typed::<i32>("price")? {
    ///     Some(prices) => prices,
    ///     None => {
    ///         copied = all.column("price")?;
    ///         copied.values::<i32>()?
    ///     }
    /// };
    /// assert_eq!(prices, [10, -20]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::ColumnNotFound`]; [`Code::DTypeMismatch`] where `T` is not the type of the column; [`Code::CorruptRecord`]
    /// for a `bool` that is neither 0 nor 1.
    pub fn borrowed_typed<T: Element>(&self, name: &str) -> Result<Option<&[T]>> {
        let dtype = self.table.schema().columns()[self.position(name)?].dtype();
        cast_slice::<T>(dtype, &[])?;
        let Some(bytes) = self.borrowed(name) else { return Ok(None) };
        match cast_slice(dtype, bytes) {
            Ok(values) => Ok(Some(values)),
            // Not aligned.
            Err(error) if error.code() == Code::InvalidArgument => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn column_bytes(&self, column: &SchemaColumn) -> Result<u64> {
        self.len().checked_mul(column.width()).ok_or_else(too_large)
    }

    /// Reads columns into buffers that have their sizes.
    fn fill(&self, positions: &[usize], buffers: Vec<&mut [u8]>) -> Result<()> {
        self.fill_piece(self.rows.piece(0, usize::MAX), positions, buffers)
    }

    fn fill_piece(&self, piece: Piece<'_>, positions: &[usize], mut buffers: Vec<&mut [u8]>) -> Result<()> {
        let gather = Gather::new(&self.table, positions)?;
        let bytes = buffers.iter().map(|buffer| buffer.len()).fold(0, usize::saturating_add);
        if bytes == 0 {
            return Ok(());
        }
        let share = share(piece.len(), bytes, self.table.executor());
        let mut tasks = Vec::new();
        for piece in piece.split(share) {
            let mut outs = Vec::with_capacity(buffers.len());
            for (buffer, column) in buffers.iter_mut().zip(gather.columns()) {
                let (out, rest) = mem::take(buffer).split_at_mut(piece.len() * column.width);
                *buffer = rest;
                outs.push(out);
            }
            tasks.push((piece, outs));
        }
        self.table.executor().try_for_each(tasks, |(piece, mut outs)| gather.fill(piece, &mut outs))
    }
}
