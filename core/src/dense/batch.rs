//! Dense results: records side by side.

use alloc::vec::Vec;
use core::mem;

use crate::buffer::Buffer;
use crate::dtype::{DType, Element, cast_slice, cast_slice_mut};
use crate::error::Result;

/// Records side by side: shape `(records, *item_shape)`.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseBatch {
    pub(super) dtype: DType,
    pub(super) shape: Vec<u64>,
    pub(super) bytes: Buffer,
}

impl DenseBatch {
    /// No records of the shape `()`; memory for [`gather_batch`](super::DenseStore::gather_batch) to fill.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        DenseBatch { dtype, shape: alloc::vec![0], bytes: Buffer::new() }
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// `(records, *item_shape)`.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.first().map_or(0, |&records| usize::try_from(records).unwrap_or(usize::MAX))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements as stored, in C order.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All elements as `T`, in C order.
    ///
    /// # Errors
    /// [`DTypeMismatch`](crate::Code::DTypeMismatch).
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        cast_slice(&self.dtype, &self.bytes)
    }

    /// All elements as stored, in C order, to be changed in place.
    #[must_use]
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// All elements as `T`, in C order, to be changed in place.
    ///
    /// # Errors
    /// [`DTypeMismatch`](crate::Code::DTypeMismatch).
    pub fn values_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        cast_slice_mut(&self.dtype, &mut self.bytes)
    }

    /// The bytes of one record.
    #[must_use]
    pub fn record(&self, position: usize) -> Option<&[u8]> {
        let width = self.bytes.len().checked_div(self.len())?;
        self.bytes.get(position.checked_mul(width)?..)?.get(..width).filter(|_| position < self.len())
    }

    /// Takes the bytes out, and leaves `memory` for the next gather to fill: whoever keeps bytes need not keep the batch. It
    /// has no records then.
    pub fn take_bytes(&mut self, mut memory: Buffer) -> Buffer {
        memory.clear();
        self.shape.clear();
        self.shape.push(0);
        mem::replace(&mut self.bytes, memory)
    }

    /// The bytes that are allocated for values.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// Takes it apart: element type, shape, bytes.
    #[must_use]
    pub fn into_parts(self) -> (DType, Vec<u64>, Buffer) {
        (self.dtype, self.shape, self.bytes)
    }
}
