//! Reading tables beyond the golden ones: how selections compose, many records, every width, and reductions.

use std::sync::atomic::{AtomicUsize, Ordering};

use recask_core::dtype::{DType, TimeUnit, Unit};
use recask_core::exec::Serial;
use recask_core::format::cstore::{Column, Counters, MAGIC, Manifest, RecordHeader, body_len};
use recask_core::table::{Missing, Number, SchemaColumn};
use recask_core::{Code, Index};

mod table;

use table::{Counting, Mapped, Threads, unmapped};

/// Lays out a table: for each record, the bytes of each column.
fn assemble(columns: &[(&str, DType)], records: &[(u64, Vec<Vec<u8>>)]) -> Vec<u8> {
    let columns = columns.iter().map(|(name, dtype)| Column::new(*name, dtype.clone())).collect();
    let manifest = Manifest { columns };
    let width = manifest.row_width().unwrap();
    let text = manifest.encode();
    let counters = Counters {
        records: records.len() as u64,
        rows: records.iter().map(|(rows, _)| rows).sum(),
        ..Counters::default()
    };
    let mut bytes = [&MAGIC[..], &counters.encode(), &(text.len() as u64).to_le_bytes()].concat();
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    for (index, (rows, columns)) in (0..).zip(records) {
        bytes.extend_from_slice(&RecordHeader { index, rows: *rows }.encode());
        let end = bytes.len() + usize::try_from(body_len(*rows, width).unwrap()).unwrap();
        columns.iter().for_each(|column| bytes.extend_from_slice(column));
        bytes.resize(end, 0);
    }
    bytes
}

/// Records with the given numbers of rows; every value of every width is told by its row.
fn numbered(widths: &[u32], rows: impl IntoIterator<Item = u64>) -> (Vec<u8>, Vec<String>) {
    let names: Vec<String> = widths.iter().enumerate().map(|(i, width)| format!("c{i}_{width}")).collect();
    let columns: Vec<_> = names
        .iter()
        .zip(widths)
        .map(|(name, &width)| (name.as_str(), DType::bytes(width).unwrap()))
        .collect();
    let mut first = 0;
    let mut records = Vec::new();
    for rows in rows {
        let column = |&width: &u32| (first..first + rows).flat_map(|row| value(row, width)).collect();
        records.push((rows, widths.iter().map(column).collect()));
        first += rows;
    }
    (assemble(&columns, &records), names)
}

fn value(row: u64, width: u32) -> impl Iterator<Item = u8> {
    let bytes = row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    (0..=u8::MAX).zip(bytes.into_iter().cycle()).map(|(at, byte)| at ^ byte).take(width as usize)
}

fn of<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

#[test]
fn every_width_and_every_split_into_records_gathers_alike() {
    let widths = [1, 2, 3, 4, 5, 8, 12, 16, 33];
    let rows = 3000u64;
    let shuffled: Vec<u64> = (0..rows).map(|i| (i * 7919 + 13) % rows).collect();
    let sorted: Vec<u64> = (0..rows).filter(|row| row % 3 == 0).flat_map(|row| [row, row]).collect();
    let indices = [
        Index::ALL,
        Index::from(&shuffled),
        Index::from(&sorted),
        Index::range(None, None, -1),
        Index::range(Some(17), Some(2900), 7),
        Index::range(Some(990), Some(2010), 1),
    ];
    let uneven = (0..).map(|i: u64| (i * 31) % 97).scan(0, |sum, count| {
        let taken = count.min(rows - *sum);
        *sum += taken;
        (taken > 0 || *sum < rows).then_some(taken)
    });
    let splits: [Vec<u64>; 4] = [vec![rows], vec![100; 30], uneven.collect(), vec![1; 3000]];
    for split in splits {
        let (bytes, names) = numbered(&widths, split.iter().copied());
        let mapped = table::open(Mapped(bytes.clone()), Threads).unwrap();
        let read = table::open(unmapped(bytes), Serial).unwrap();
        assert_eq!(mapped.len(), rows);
        for index in &indices {
            let chosen = index.resolve(rows).unwrap();
            let mapped = mapped.rows(index.clone()).unwrap().columns().unwrap();
            let read = read.rows(index.clone()).unwrap().columns().unwrap();
            assert_eq!(mapped.len(), names.len());
            for ((column, other), &width) in mapped.iter().zip(&read).zip(&widths) {
                let expected: Vec<u8> = chosen.iter().flat_map(|&row| value(row, width)).collect();
                let records = split.len();
                assert!(column.as_bytes() == expected, "mapped, width {width}, {records} records");
                assert!(other.as_bytes() == expected, "read, width {width}, {records} records");
            }
        }
    }
}

#[test]
fn selections_compose_and_read_late() {
    let (bytes, names) = numbered(&[4, 2], [10, 0, 7]);
    let table = table::open(Mapped(bytes), Serial).unwrap();
    let late = table.rows(3..).unwrap().select([&names[1]]).unwrap().head(9).tail(4).rows([-1, 0]).unwrap();
    assert_eq!(late.row_numbers().unwrap(), [11, 8]);
    assert_eq!(late.columns_selected().map(SchemaColumn::name).collect::<Vec<_>>(), ["c1_2"]);
    let expected: Vec<u8> = [11, 8].into_iter().flat_map(|row| value(row, 2)).collect();
    assert_eq!(late.column("c1_2").unwrap().as_bytes(), expected);
    assert_eq!(late.column("c0_4").unwrap_err().code(), Code::ColumnNotFound);
    assert_eq!(table.select(["no"]).unwrap_err().code(), Code::ColumnNotFound);
    assert_eq!(table.head(100).len(), 17);
    assert_eq!(table.tail(0).len(), 0);
    assert!(table.rows(2..5).unwrap().borrowed("c0_4").is_some());
    assert!(table.rows(8..12).unwrap().borrowed("c0_4").is_none(), "two records");
}

#[test]
fn struct_rows_have_the_selected_columns_as_fields() {
    let columns = [("a", DType::U8), ("b", DType::I32)];
    let bytes =
        assemble(&columns, &[(2, vec![vec![1, 2], of(&[-1i32, -2])]), (1, vec![vec![3], of(&[-3i32])])]);
    let table = table::open(unmapped(bytes), Serial).unwrap();
    let rows = table.select(["b", "a"]).unwrap().rows([2, 0]).unwrap().struct_rows().unwrap();
    assert_eq!(rows.dtype().to_string(), "[('b', '<i4'), ('a', '|u1')]");
    assert_eq!(rows.as_bytes(), [[0xfd, 0xff, 0xff, 0xff, 3], [0xff, 0xff, 0xff, 0xff, 1]].concat());
    assert_eq!(rows.row(1), Some(&[0xff, 0xff, 0xff, 0xff, 1][..]));
    assert_eq!(rows.row(2), None);
    let twice = table.select(["a", "a"]).unwrap();
    assert_eq!(twice.struct_rows().unwrap_err().code(), Code::InvalidDType);
    assert_eq!(twice.columns().unwrap().len(), 2);
}

#[test]
fn buffers_have_to_fit() {
    let (bytes, _) = numbered(&[4, 2], [3]);
    let table = table::open(unmapped(bytes), Serial).unwrap();
    let mut wide = [0; 12];
    assert_eq!(table.all().gather_into(&mut [&mut wide]).unwrap_err().code(), Code::ShapeMismatch);
    let error = table.all().gather_into(&mut [&mut wide, &mut [0; 5]]).unwrap_err();
    assert_eq!(error.code(), Code::BufferSize);
}

#[test]
fn a_table_without_columns_has_rows_all_the_same() {
    let rows = 1 << 62;
    let table = table::open(unmapped(assemble(&[], &[(rows, vec![])])), Serial).unwrap();
    assert_eq!(table.len(), rows);
    assert_eq!(table.rows(Index::range(None, None, -1)).unwrap().len(), rows);
    assert!(table.all().columns().unwrap().is_empty());
    assert_eq!(table.all().struct_rows().unwrap().len(), rows);
    assert_eq!(table.all().row_numbers().unwrap_err().code(), Code::TooLarge);
}

#[test]
fn integers_reduce_exactly() {
    let largest = [u64::MAX, u64::MAX, 0];
    let columns = [("u", DType::U64), ("i", DType::I64), ("b", DType::BOOL)];
    let bytes = assemble(&columns, &[(3, vec![of(&largest), of(&[i64::MIN, 5, -5]), vec![1, 0, 1]])]);
    let table = table::open(Mapped(bytes), Serial).unwrap();
    let unsigned = table.all().summary("u", Missing::Propagate).unwrap();
    assert_eq!(unsigned.sum, Some(Number::Int(2 * i128::from(u64::MAX))));
    assert_eq!(unsigned.maximum, Some(Number::Int(i128::from(u64::MAX))));
    let signed = table.all().summary("i", Missing::Propagate).unwrap();
    assert_eq!((signed.minimum, signed.missing), (Some(Number::Int(i128::from(i64::MIN))), 0));
    let flags = table.all().summary("b", Missing::Propagate).unwrap();
    assert_eq!((flags.sum, flags.mean), (Some(Number::Int(2)), Some(2.0 / 3.0)));
    // numpy.std([1, 0, 1])
    assert!((flags.deviation.unwrap() - 0.471_404_520_791_031_7).abs() < 1e-15);
}

#[test]
fn nan_and_nat_propagate_or_are_skipped() {
    let ticks = [7, i64::MIN, 3];
    let seconds = DType::timedelta(Some(TimeUnit::of(Unit::Second)));
    let columns =
        [("f", DType::F32), ("t", seconds), ("d", DType::datetime(None)), ("s", DType::bytes(1).unwrap())];
    let floats = of(&[1.5f32, f32::NAN, -0.5]);
    let bytes = assemble(&columns, &[(3, vec![floats, of(&ticks), of(&ticks), b"xyz".to_vec()])]);
    let all = table::open(unmapped(bytes), Serial).unwrap().all();
    let float = all.summary("f", Missing::Propagate).unwrap();
    assert!(matches!(float.minimum, Some(Number::Float(value)) if value.is_nan()));
    assert!(float.mean.unwrap().is_nan() && float.deviation.unwrap().is_nan());
    let float = all.summary("f", Missing::Skip).unwrap();
    assert_eq!((float.count, float.missing), (3, 1));
    assert_eq!((float.minimum, float.maximum), (Some(Number::Float(-0.5)), Some(Number::Float(1.5))));
    assert_eq!((float.sum, float.mean, float.deviation), (Some(Number::Float(1.0)), Some(0.5), Some(1.0)));
    let span = all.summary("t", Missing::Propagate).unwrap();
    assert_eq!((span.minimum, span.sum), (Some(Number::NotATime), Some(Number::NotATime)));
    let span = all.summary("t", Missing::Skip).unwrap();
    assert_eq!((span.sum, span.mean), (Some(Number::Int(10)), Some(5.0)));
    assert_eq!(all.summary("d", Missing::Skip).unwrap().sum, None);
    let string = all.summary("s", Missing::Skip).unwrap();
    assert_eq!((string.count, string.minimum, string.mean), (3, None, None));
    let none = all.head(0).summary("f", Missing::Propagate).unwrap();
    assert_eq!((none.count, none.minimum, none.sum, none.mean), (0, None, Some(Number::Float(0.0)), None));
}

#[test]
fn reductions_do_not_depend_on_records_or_threads() {
    let values: Vec<f64> = (0..200_000u32).map(|i| f64::from(i % 1013) * 1e-3 + 1e9).collect();
    let one = assemble(&[("f", DType::F64)], &[(200_000, vec![of(&values)])]);
    let many: Vec<_> = values.chunks(777).map(|part| (part.len() as u64, vec![of(part)])).collect();
    let many = assemble(&[("f", DType::F64)], &many);
    let serial = table::open(Mapped(one), Serial).unwrap().all().summary("f", Missing::Skip).unwrap();
    let parallel = table::open(unmapped(many), Threads).unwrap().all().summary("f", Missing::Skip).unwrap();
    assert_eq!(serial, parallel);
    let offsets: Vec<f64> = values.iter().map(|value| value - 1e9).collect();
    let mean = offsets.iter().sum::<f64>() / 2e5;
    let variance = offsets.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / 2e5;
    assert!((serial.mean.unwrap() - 1e9 - mean).abs() < 1e-6);
    assert!((serial.deviation.unwrap() - variance.sqrt()).abs() < 1e-6);
}

#[test]
fn infinities_add_up() {
    let bytes = assemble(&[("f", DType::F64)], &[(2, vec![of(&[1.0, f64::INFINITY])])]);
    let summary = table::open(Mapped(bytes), Serial).unwrap().all().summary("f", Missing::Propagate).unwrap();
    assert_eq!((summary.sum, summary.mean), (Some(Number::Float(f64::INFINITY)), Some(f64::INFINITY)));
    assert!(summary.deviation.unwrap().is_nan());
}

#[test]
fn a_hundred_thousand_records_open_with_few_reads() {
    let (bytes, names) = numbered(&[4], (0..100_000).map(|i| i % 3));
    let len = bytes.len();
    let table = table::open(Counting(unmapped(bytes), AtomicUsize::new(0)), Serial).unwrap();
    assert_eq!(table.file_records(), 100_000);
    let reads = table.file().1.swap(0, Ordering::Relaxed);
    assert!(reads < 8 + 2 * len / (64 << 10), "{reads} reads of {len} bytes");
    let whole = table.column(&names[0]).unwrap();
    let reads = table.file().1.load(Ordering::Relaxed);
    assert!(reads < 8 + 2 * len / (256 << 10), "{reads} reads of {len} bytes");
    assert_eq!(whole.len() as u64, table.len());
    let last = table.tail(1).column(&names[0]).unwrap();
    assert_eq!(last.as_bytes(), value(table.len() - 1, 4).collect::<Vec<_>>());
}
