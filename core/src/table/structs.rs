//! Materialising a selection row by row, as NumPy's structured arrays lie in memory.

use alloc::vec::Vec;

use super::gather::{Gather, share};
use super::select::Selection;
use crate::buffer::Buffer;
use crate::dense::too_large;
use crate::dtype::{DType, FieldSpec};
use crate::environment::Environment;
use crate::error::Result;
use crate::exec::Executor as _;

/// Rows as packed structures: the selected columns are the fields, in order and without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct StructRows {
    dtype: DType,
    len: u64,
    bytes: Buffer,
}

impl StructRows {
    /// The structure of one row.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All rows, one after the other.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of one row.
    #[must_use]
    pub fn row(&self, position: usize) -> Option<&[u8]> {
        let width = usize::try_from(self.dtype.itemsize()).ok()?;
        let is_there = (position as u64) < self.len;
        self.bytes.get(position.checked_mul(width)?..)?.get(..width).filter(|_| is_there)
    }

    /// Takes it apart: structure and bytes.
    #[must_use]
    pub fn into_parts(self) -> (DType, Buffer) {
        (self.dtype, self.bytes)
    }
}

/// Rows that are read column by column before they are woven into structures: few enough to stay in the cache.
const BLOCK: usize = 512;

impl<E: Environment> Selection<E> {
    /// The structure of one selected row.
    ///
    /// # Errors
    /// [`InvalidDType`](crate::Code::InvalidDType) where a column is selected twice, or names are no field names.
    pub fn struct_dtype(&self) -> Result<DType> {
        DType::structure(
            self.columns_selected().map(|column| FieldSpec::new(column.name(), column.dtype().clone())),
        )
    }

    /// The selected rows as packed structures.
    ///
    /// # Errors
    /// Those of [`Selection::struct_dtype`], [`TooLarge`](crate::Code::TooLarge), and what the file says.
    pub fn struct_rows(&self) -> Result<StructRows> {
        let dtype = self.struct_dtype()?;
        let len = self.len();
        let size = len.checked_mul(dtype.itemsize()).ok_or_else(too_large)?;
        let mut bytes = Buffer::zeroed_for(size, self.table.executor())?;
        let width = usize::try_from(dtype.itemsize()).map_err(|_| too_large())?;
        if !bytes.is_empty() {
            self.fill_structs(&mut bytes, width)?;
        }
        Ok(StructRows { dtype, len, bytes })
    }

    fn fill_structs(&self, bytes: &mut [u8], width: usize) -> Result<()> {
        let gather = Gather::new(&self.table, &self.columns)?;
        let piece = self.rows.piece(0, usize::MAX);
        let share = share(piece.len(), bytes.len(), self.table.executor());
        let tasks: Vec<_> = piece.split(share).zip(bytes.chunks_mut(share.saturating_mul(width))).collect();
        self.table.executor().try_for_each(tasks, |(piece, out)| {
            let mut scratch = alloc::vec![0; width * BLOCK.min(piece.len())];
            for (piece, out) in piece.split(BLOCK).zip(out.chunks_mut(BLOCK * width)) {
                let mut rest = scratch.as_mut_slice();
                let mut columns = Vec::with_capacity(gather.columns().len());
                for column in gather.columns() {
                    let (values, behind) = rest.split_at_mut(piece.len() * column.width);
                    columns.push(values);
                    rest = behind;
                }
                gather.fill(piece, &mut columns)?;
                weave(&columns, gather.columns().iter().map(|column| column.width), out, width);
            }
            Ok(())
        })
    }
}

fn weave(columns: &[&mut [u8]], widths: impl Iterator<Item = usize>, out: &mut [u8], row_width: usize) {
    let mut offset = 0;
    for (values, width) in columns.iter().zip(widths) {
        for (row, value) in out.chunks_exact_mut(row_width).zip(values.chunks_exact(width)) {
            row[offset..offset + width].copy_from_slice(value);
        }
        offset += width;
    }
}
