//! Writing rows that lie in memory as NumPy's structured arrays do.

use alloc::format;
use alloc::vec::Vec;

use super::TableWriter;
use super::input::ColumnInput;
use crate::dtype::{DType, Field, excerpt};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};

/// Bytes of rows that are taken apart at once.
const BLOCK: usize = 4 << 20;

impl<E: Environment> TableWriter<E> {
    /// Writes rows that are structures as one record: each field of `dtype` is a column; padding is dropped. `bytes` are
    /// whole structures.
    ///
    /// ```
    /// use recask_core::DType;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::{Table, TableWriter};
    ///
    /// let place = MemoryPlace::new();
    /// let mut writer = TableWriter::<MemoryEnvironment>::create(place.clone())?;
    /// let row = DType::parse("[('id', '|u1'), ('price', '>u2')]")?;
    /// writer.write_structs(&row, &[7, 0, 100, 8, 1, 0])?;
    /// writer.close()?;
    /// let table = Table::<MemoryEnvironment>::open(place)?;
    /// assert_eq!(table.column("price")?.values::<u16>()?, [100, 256]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`TableWriter::write`]; [`Code::InvalidDType`] where `dtype` is no structure, or a field of it is a structure
    /// or an array; [`Code::BufferSize`] for a part of a structure.
    pub fn write_structs(&mut self, dtype: &DType, bytes: &[u8]) -> Result<()> {
        let fields = self.fields_of(dtype).map_err(|error| self.blame(error))?;
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        if width == 0 || !bytes.len().is_multiple_of(width) {
            let text = format!("{} bytes are not a whole number of '{dtype}' structures", bytes.len());
            return Err(self.blame(Error::new(Code::BufferSize, text)));
        }
        let rows = (bytes.len() / width) as u64;
        let mut record = self.record(fields.iter().map(|field| (field.name, field.dtype.clone())), rows)?;
        let mut values: Vec<Vec<u8>> = fields.iter().map(|_| Vec::new()).collect();
        for block in bytes.chunks((BLOCK / width).max(1).saturating_mul(width)) {
            let mut columns = Vec::with_capacity(fields.len());
            for (field, values) in fields.iter().zip(&mut values) {
                values.clear();
                let rows = block.chunks_exact(width);
                rows.filter_map(|row| row.get(field.bytes.clone()))
                    .for_each(|value| values.extend_from_slice(value));
                columns.push(ColumnInput::new(field.name, field.dtype.clone(), values));
            }
            record.write(&columns)?;
        }
        record.finish()
    }

    fn fields_of<'t>(&self, dtype: &'t DType) -> Result<Vec<Part<'t>>> {
        if !dtype.is_struct() {
            let text = format!("'{dtype}' is no structure of fields");
            return Err(Error::new(Code::InvalidDType, text));
        }
        dtype.fields().iter().map(Part::of).collect()
    }
}

/// One field, as a column.
struct Part<'t> {
    name: &'t str,
    dtype: &'t DType,
    /// Its bytes in one structure.
    bytes: core::ops::Range<usize>,
}

impl<'t> Part<'t> {
    fn of(field: &'t Field) -> Result<Self> {
        let refused = |why: &str| {
            let text = format!("field '{}' {why}; a column keeps single values", excerpt(field.name()));
            Error::new(Code::InvalidDType, text)
        };
        if field.shape().rank() > 0 {
            return Err(refused("is an array"));
        }
        if field.dtype().is_struct() {
            return Err(refused("is a structure"));
        }
        let place = |offset: u64| usize::try_from(offset).map_err(|_| refused("lies beyond the memory"));
        let bytes = place(field.offset())?..place(field.offset() + field.byte_len())?;
        Ok(Part { name: field.name(), dtype: field.dtype(), bytes })
    }
}
