//! Record batches: what is copied and what is not, and batches into tables.

use std::sync::Arc;

use arrow_array::{Array as _, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use recask::Code;
use recask::arrow::{ToArrow as _, WriteBatch as _};
use recask::table::{ColumnInput, Table, TableWriter};

use crate::support::{content, make, ticks, utf32};

/// Where the values of the first column are in memory.
fn place(batch: &RecordBatch) -> *const u8 {
    batch.column(0).to_data().buffers()[0].as_ptr()
}

#[test]
fn aligned_numbers_of_one_record_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let table =
        make(&path, &[("x", "<i8", ticks(&[1, 2, 3, 4])), ("day", "<M8[s]", ticks(&[5, i64::MIN, 7, 8]))]);
    for name in ["x", "day"] {
        let column = table.select([name]).unwrap().rows(1..3).unwrap();
        let batch = column.to_arrow().unwrap();
        let mapped = column.borrowed(name).unwrap();
        assert_eq!(place(&batch), mapped.as_ptr(), "{name}");
        assert_eq!(batch.num_rows(), 2);
    }
    // The batch keeps the map when the table and the file are gone.
    let batch = table.select(["x"]).unwrap().to_arrow().unwrap();
    drop(table);
    std::fs::remove_file(&path).unwrap();
    let values = batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(values.values().as_ref(), [1, 2, 3, 4]);
}

#[test]
fn what_arrow_cannot_use_in_its_place_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    // Three bytes before it make the second column unaligned.
    let table =
        make(&folder.path().join("a"), &[("flag", "|u1", vec![1, 2, 3]), ("x", "<i8", ticks(&[1, 2, 3]))]);
    let column = table.select(["x"]).unwrap();
    let mapped = column.borrowed("x").unwrap().as_ptr();
    assert_ne!(mapped.addr() % 8, 0);
    let batch = column.to_arrow().unwrap();
    assert_ne!(place(&batch), mapped);
    let values = batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(values.values().as_ref(), [1, 2, 3]);

    // Rows of two records, and rows out of order.
    let path = folder.path().join("b");
    let mut writer = TableWriter::create(&path).unwrap();
    for part in [[1i64, 2], [3, 4]] {
        writer.write(&[ColumnInput::of("x", &part)]).unwrap();
    }
    writer.close().unwrap();
    let table = Table::open(&path).unwrap();
    for (rows, expected) in [(table.all(), &[1i64, 2, 3, 4][..]), (table.rows([3, 0]).unwrap(), &[4, 1])] {
        let batch = rows.to_arrow().unwrap();
        let values = batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap();
        assert_eq!(values.values().as_ref(), expected);
    }
}

#[test]
fn a_selection_without_rows_or_columns_is_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        make(&folder.path().join("a"), &[("x", "<i8", ticks(&[1, 2])), ("t", "<U2", utf32(2, &["a", "b"]))]);
    let batch = table.head(0).to_arrow().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (0, 2));
    let batch = table.select([""; 0]).unwrap().to_arrow().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (2, 0));
}

#[test]
fn only_times_can_be_null() {
    let folder = tempfile::tempdir().unwrap();
    let table = make(
        &folder.path().join("a"),
        &[("x", "<f8", ticks(&[0])), ("day", "<M8[D]", ticks(&[i64::MIN])), ("span", "<m8[s]", ticks(&[0]))],
    );
    let batch = table.to_arrow().unwrap();
    let nullable: Vec<_> = batch.schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable, [false, true, true]);
    assert_eq!(batch.column(1).null_count(), 1);
}

#[test]
fn later_batches_are_written_in_the_widths_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let batch = |texts: Vec<&str>| {
        let schema = Schema::new(vec![Field::new("t", DataType::Utf8, false)]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(StringArray::from(texts))]).unwrap()
    };
    let mut writer = TableWriter::create(&path).unwrap();
    writer.write_batch(&batch(vec!["ab", "c"])).unwrap();
    writer.write_batch(&batch(vec!["d"])).unwrap();
    let error = writer.write_batch(&batch(vec!["e", "efg"])).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSource);
    assert!(
        error.message().starts_with("column 't', row 1: the value has 3 characters, the column 2"),
        "{error}"
    );
    writer.close().unwrap();
    assert_eq!(content(&path), [("t".to_owned(), "<U2".to_owned(), utf32(2, &["ab", "c", "d"]))]);

    let numbers = Schema::new(vec![Field::new("t", DataType::Int64, false)]);
    let numbers = RecordBatch::try_new(Arc::new(numbers), vec![Arc::new(Int64Array::from(vec![1]))]).unwrap();
    let mut writer = TableWriter::update(&path).unwrap();
    assert_eq!(writer.write_batch(&numbers).unwrap_err().code(), Code::DTypeMismatch);
}
