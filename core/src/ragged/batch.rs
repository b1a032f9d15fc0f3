//! Ragged results: packed values, and views of single records.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::mem;

use crate::buffer::Buffer;
use crate::dtype::{DType, Element, cast_slice, cast_slice_mut};
use crate::error::{Code, Error, Result};
use crate::exec::Executor;

/// Records of different shapes, packed.
///
/// With `n` records: record `i` has the elements `offsets[i]..offsets[i + 1]` of [`values`](RaggedBatch::values) and
/// the extents `shapes[shape_offsets[i]..shape_offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RaggedBatch {
    pub(super) dtype: DType,
    bytes: Buffer,
    offsets: Vec<u64>,
    shapes: Vec<u64>,
    shape_offsets: Vec<u64>,
}

/// One record of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaggedRecord<'b> {
    /// The element type.
    pub dtype: &'b DType,
    /// The extents; none for a scalar.
    pub shape: &'b [u64],
    /// The elements as stored, in C order.
    pub bytes: &'b [u8],
}

impl<'b> RaggedRecord<'b> {
    /// The elements as `T`, in C order.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`].
    pub fn values<T: Element>(&self) -> Result<&'b [T]> {
        cast_slice(self.dtype, self.bytes)
    }
}

/// One record of a store, without a copy where that is possible.
#[derive(Clone, Debug, PartialEq)]
pub struct RaggedView<'s> {
    /// The extents; none for a scalar.
    pub shape: Vec<u64>,
    /// The elements as stored, in C order. Borrowed ones may lie at any address: use [`crate::dtype::to_vec`] where a
    /// cast is refused.
    pub bytes: Cow<'s, [u8]>,
}

impl RaggedBatch {
    /// No records; memory for [`gather_batch`](super::RaggedStore::gather_batch) to fill.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        RaggedBatch {
            dtype,
            bytes: Buffer::new(),
            offsets: alloc::vec![0],
            shapes: Vec::new(),
            shape_offsets: alloc::vec![0],
        }
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements of all records as stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All elements of all records as `T`.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`].
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        cast_slice(&self.dtype, &self.bytes)
    }

    /// All elements of all records as stored, to be changed in place.
    #[must_use]
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// All elements of all records as `T`, to be changed in place.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`].
    pub fn values_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        cast_slice_mut(&self.dtype, &mut self.bytes)
    }

    /// Where each record starts, in elements; one more than there are records.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The extents of all records, one after the other.
    #[must_use]
    pub fn shapes(&self) -> &[u64] {
        &self.shapes
    }

    /// Where the extents of each record start in [`shapes`](RaggedBatch::shapes); one more than there are records.
    #[must_use]
    pub fn shape_offsets(&self) -> &[u64] {
        &self.shape_offsets
    }

    /// One record.
    #[must_use]
    pub fn record(&self, position: usize) -> Option<RaggedRecord<'_>> {
        let range = |offsets: &[u64], unit: usize| {
            let start = usize::try_from(*offsets.get(position)?).ok()?.checked_mul(unit)?;
            let end = usize::try_from(*offsets.get(position + 1)?).ok()?.checked_mul(unit)?;
            Some(start..end)
        };
        let itemsize = usize::try_from(self.dtype.itemsize()).ok()?;
        Some(RaggedRecord {
            dtype: &self.dtype,
            shape: self.shapes.get(range(&self.shape_offsets, 1)?)?,
            bytes: self.bytes.get(range(&self.offsets, itemsize)?)?,
        })
    }

    /// The records one after the other.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RaggedRecord<'_>> {
        (0..self.len()).map(|position| {
            // Every position below the length has a record.
            self.record(position).unwrap_or(RaggedRecord { dtype: &self.dtype, shape: &[], bytes: &[] })
        })
    }

    /// Takes the values out, and leaves `memory` for the next gather to fill: whoever keeps values need not keep the batch. It
    /// has no records then, so read offsets and shapes before.
    pub fn take_bytes(&mut self, mut memory: Buffer) -> Buffer {
        memory.clear();
        self.offsets.truncate(1);
        self.shapes.clear();
        self.shape_offsets.truncate(1);
        mem::replace(&mut self.bytes, memory)
    }

    /// The bytes that are allocated for values, offsets and extents.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let lists = [&self.offsets, &self.shapes, &self.shape_offsets];
        let numbers = lists.iter().map(|list| list.capacity() as u64).sum::<u64>();
        self.bytes.capacity() as u64 + numbers * 8
    }

    /// Room for the lengths of `records` records.
    pub(super) fn reset(&mut self, records: usize) -> Result<()> {
        for offsets in [&mut self.offsets, &mut self.shape_offsets] {
            offsets.clear();
            offsets.try_reserve_exact(records + 1).map_err(|_| {
                Error::new(Code::TooLarge, format!("a list of {records} records does not fit in memory"))
            })?;
            offsets.resize(records + 1, 0);
        }
        Ok(())
    }

    /// Where the number of elements and the rank of each record go, in pieces of `count` records.
    pub(super) fn lengths(&mut self, count: usize) -> impl Iterator<Item = (&mut [u64], &mut [u64])> {
        self.offsets[1..].chunks_mut(count).zip(self.shape_offsets[1..].chunks_mut(count))
    }

    /// Turns the lengths into offsets and makes room for values and extents.
    pub(super) fn lengths_to_offsets(&mut self, itemsize: u64, executor: &impl Executor) -> Result<()> {
        let overflow =
            || Error::new(Code::TooLarge, "the records together exceed 64 bits; ask for fewer at once");
        for offsets in [&mut self.offsets, &mut self.shape_offsets] {
            let mut end = 0u64;
            for offset in offsets {
                end = end.checked_add(*offset).ok_or_else(overflow)?;
                *offset = end;
            }
        }
        let total = |offsets: &[u64]| offsets.last().copied().unwrap_or(0);
        let bytes = total(&self.offsets).checked_mul(itemsize).ok_or_else(overflow)?;
        self.bytes.resize_for(bytes, executor)?;
        let extents = usize::try_from(total(&self.shape_offsets)).map_err(|_| overflow())?;
        self.shapes.clear();
        self.shapes.try_reserve_exact(extents).map_err(|_| overflow())?;
        self.shapes.resize(extents, 0);
        Ok(())
    }

    /// Where values and extents go, in pieces of `count` records.
    pub(super) fn slots(&mut self, count: usize, itemsize: u64) -> Vec<Slots<'_>> {
        let mut pieces = Vec::new();
        let (mut values, mut dims) = (&mut self.bytes[..], self.shapes.as_mut_slice());
        let records = self.offsets.len() - 1;
        let (mut value_start, mut dim_start) = (0, 0);
        let mut end = 0;
        while end < records {
            end = (end + count).min(records);
            let (value_end, dim_end) = (self.offsets[end] * itemsize, self.shape_offsets[end]);
            let (piece, behind) = values.split_at_mut(in_memory(value_end - value_start).min(values.len()));
            let (extents, behind_extents) = dims.split_at_mut(in_memory(dim_end - dim_start).min(dims.len()));
            pieces.push(Slots { values: piece, dims: extents });
            (values, dims) = (behind, behind_extents);
            (value_start, dim_start) = (value_end, dim_end);
        }
        pieces
    }
}

/// A length within memory that was made before.
fn in_memory(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

/// Free room for the next records of one task.
pub(super) struct Slots<'b> {
    values: &'b mut [u8],
    dims: &'b mut [u64],
}

impl<'b> Slots<'b> {
    /// Room for one record; `None` where less was laid out.
    pub(super) fn next(&mut self, bytes: u32, rank: usize) -> Option<(&'b mut [u8], &'b mut [u64])> {
        let bytes = usize::try_from(bytes).ok()?;
        if bytes > self.values.len() || rank > self.dims.len() {
            return None;
        }
        let (values, behind) = mem::take(&mut self.values).split_at_mut(bytes);
        self.values = behind;
        let (dims, behind) = mem::take(&mut self.dims).split_at_mut(rank);
        self.dims = behind;
        Some((values, dims))
    }
}
