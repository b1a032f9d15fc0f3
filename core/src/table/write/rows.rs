//! Rows of other tables as a record of this one.

use alloc::vec;
use alloc::vec::Vec;

use super::record::PartialRecord;
use super::{ColumnInput, RecordWriter, TableWriter};
use crate::dense::too_large;
use crate::dtype::DType;
use crate::environment::Environment;
use crate::error::Result;
use crate::format::cstore::Text;
use crate::progress::{self, Progress};
use crate::table::Selection;

/// Bytes of the rows that are held at once.
const BLOCK: u64 = 16 << 20;

impl<E: Environment> TableWriter<E> {
    /// Writes the rows and columns of a selection as one record, in bounded memory. Progress counts rows.
    ///
    /// ```
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::{ColumnInput, Table, TableWriter};
    ///
    /// let columns = [ColumnInput::of("id", &[1u32, 2, 3]), ColumnInput::of("price", &[0.5f32, 1.0, 2.0])];
    /// let table = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &columns)?;
    /// let place = MemoryPlace::new();
    /// let mut writer = TableWriter::<MemoryEnvironment>::create(place.clone())?;
    /// writer.write_rows(&table.rows([2, 0])?.select(["price"])?, &())?;
    /// writer.close()?;
    /// let copy = Table::<MemoryEnvironment>::open(place)?;
    /// assert_eq!(copy.column("price")?.values::<f32>()?, [2.0, 0.5]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`TableWriter::write`] for columns that do not fit; [`Interrupted`](crate::Code::Interrupted); what the
    /// selected rows and the storage say. No record is written then.
    pub fn write_rows<S: Environment>(&mut self, rows: &Selection<S>, progress: &dyn Progress) -> Result<()> {
        let selected = rows.columns_selected();
        let schema: Vec<(Text, DType)> =
            selected.map(|column| (column.exact_name().clone(), column.dtype().clone())).collect();
        let labels = schema.iter().map(|(name, dtype)| (name, dtype));
        let begun = self
            .fitting(labels)
            .and_then(|manifest| PartialRecord::begin(&mut self.appender, manifest, rows.len()));
        let record = begun.map_err(|error| self.blame(error))?;
        let mut record = RecordWriter::new(self, record);
        let widths: Vec<u64> = schema.iter().map(|(_, dtype)| dtype.itemsize()).collect();
        let step = (BLOCK / widths.iter().fold(1, |sum: u64, &width| sum.saturating_add(width))).max(1);
        let mut buffers = vec![Vec::new(); schema.len()];
        while record.missing_rows() > 0 {
            progress::check(progress)?;
            let (first, count) = (rows.len() - record.missing_rows(), step.min(record.missing_rows()));
            for (buffer, width) in buffers.iter_mut().zip(&widths) {
                let bytes = count.checked_mul(*width).and_then(|bytes| usize::try_from(bytes).ok());
                resize(buffer, bytes.ok_or_else(too_large)?)?;
            }
            let mut targets: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
            rows.clone().rows(first..first + count)?.gather_into(&mut targets)?;
            let columns = schema.iter().zip(&buffers).map(|((name, dtype), bytes)| {
                ColumnInput::new("", dtype.clone(), bytes).with_exact_name(name.clone())
            });
            record.write(&columns.collect::<Vec<_>>())?;
            progress.advance(count);
        }
        record.finish()
    }
}

/// A selection may come from a file that claims to have values of any width.
fn resize(buffer: &mut Vec<u8>, len: usize) -> Result<()> {
    buffer.try_reserve_exact(len.saturating_sub(buffer.len())).map_err(|_| too_large())?;
    buffer.resize(len, 0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::error::Code;
    use crate::format::cstore::Manifest;
    use crate::storage::memory::{MemoryEnvironment, MemoryPlace};
    use crate::table::Table;

    type Writer = TableWriter<MemoryEnvironment>;

    fn table(columns: &[ColumnInput<'_>]) -> Table<MemoryEnvironment> {
        Table::create(MemoryPlace::new(), columns).unwrap()
    }

    fn files(place: &MemoryPlace) -> Vec<(alloc::string::String, Vec<u8>)> {
        place.storage().unwrap().files()
    }

    #[derive(Default)]
    struct Counting(AtomicU64);

    impl Progress for Counting {
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, Ordering::Relaxed);
        }
    }

    #[test]
    fn rows_of_several_blocks_give_the_bytes_of_one_write() {
        // Three blocks and some rows.
        let count = i64::try_from(3 * BLOCK / 16 + 5).unwrap();
        let (a, b): (Vec<i64>, Vec<i64>) = (0..count).map(|row| (row, -row)).unzip();
        let columns = [ColumnInput::of("a", &a), ColumnInput::of("b", &b)];
        let (place, expected) = (MemoryPlace::new(), MemoryPlace::new());
        let source = Table::<MemoryEnvironment>::create(expected.clone(), &columns).unwrap();
        let progress = Counting::default();
        let mut writer = Writer::create(place.clone()).unwrap();
        writer.write_rows(&source.all(), &progress).unwrap();
        writer.close().unwrap();
        assert_eq!(progress.0.into_inner(), source.len());
        assert!(files(&place) == files(&expected));
    }

    #[test]
    fn names_stay_as_python_may_have_written_them() {
        let manifest = br#"{"format_version": 1, "columns": [{"name": "\ud800", "dtype": "|u1"}]}"#;
        let name = Manifest::decode(manifest).unwrap().columns[0].name().clone();
        assert!(!name.is_unicode());
        let columns = [ColumnInput::of("", &[7u8]).with_exact_name(name.clone())];
        let place = MemoryPlace::new();
        let mut writer = Writer::create(place.clone()).unwrap();
        writer.write_rows(&table(&columns).all(), &()).unwrap();
        writer.close().unwrap();
        let copy = Table::<MemoryEnvironment>::open(place).unwrap();
        assert_eq!(copy.schema().columns()[0].exact_name(), &name);
    }

    #[test]
    fn columns_that_do_not_fit_write_nothing() {
        let mut writer = Writer::create(MemoryPlace::new()).unwrap();
        writer.write(&[ColumnInput::of("a", &[1i64])]).unwrap();
        let other = table(&[ColumnInput::of("a", &[2i32])]);
        assert_eq!(writer.write_rows(&other.all(), &()).unwrap_err().code(), Code::DTypeMismatch);
        let none: [&str; 0] = [];
        let empty = table(&[ColumnInput::of("a", &[2i64])]);
        writer.write_rows(&empty.select(none).unwrap(), &()).unwrap_err();
        assert_eq!((writer.rows(), writer.records()), (1, 1));
        writer.write_rows(&empty.rows(..0).unwrap(), &()).unwrap();
        assert_eq!((writer.rows(), writer.records()), (1, 2));
    }

    #[test]
    fn interrupted_work_takes_its_record_back() {
        struct AfterOneBlock(Counting);
        impl Progress for AfterOneBlock {
            fn advance(&self, units: u64) {
                self.0.advance(units);
            }
            fn proceed(&self) -> bool {
                self.0.0.load(Ordering::Relaxed) == 0
            }
        }
        let values = vec![1u8; usize::try_from(BLOCK).unwrap() + 1];
        let source = table(&[ColumnInput::of("a", &values)]);
        let place = MemoryPlace::new();
        let mut writer = Writer::create(place.clone()).unwrap();
        writer.write(&[ColumnInput::of("a", &[9u8])]).unwrap();
        let stop = AfterOneBlock(Counting::default());
        assert_eq!(writer.write_rows(&source.all(), &stop).unwrap_err().code(), Code::Interrupted);
        assert!(stop.0.0.into_inner() > 0);
        writer.close().unwrap();
        let left = Table::<MemoryEnvironment>::open(place).unwrap();
        assert_eq!(left.column("a").unwrap().values::<u8>().unwrap(), [9]);
    }
}
