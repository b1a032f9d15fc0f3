//! Reading tables beyond the golden ones: how selections compose, many records, every width, and reductions.

use std::sync::atomic::{AtomicUsize, Ordering};

use recask_core::dtype::{DType, TimeUnit, Unit};
use recask_core::exec::Serial;
use recask_core::table::{Distinct, Missing, Number, SchemaColumn};
use recask_core::{Code, Index};

mod table;

use table::laid_out::{assemble, numbered, of, value};
use table::{Counting, Mapped, Threads, unmapped};

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

#[test]
fn texts_have_a_smallest_and_a_largest() {
    let words = DType::text(3).unwrap();
    let utf32 = |texts: &[[u32; 3]]| of(texts.concat().as_slice());
    let units = utf32(&[[0x61, 0x62, 0], [0xe9, 0, 0], [0x1_f600, 0, 0], [0x61, 0, 0]]);
    let swapped: Vec<u8> = units.chunks(4).flat_map(|unit| unit.iter().rev().copied()).collect();
    let columns = [
        ("b", DType::bytes(3).unwrap()),
        ("t", words),
        ("big", DType::parse(">U3").unwrap()),
        ("n", DType::I32),
        ("d", DType::datetime(None)),
    ];
    let others = [of(&[1i32, 2, 3, 4]), of(&[1i64, 2, 3, 4])].to_vec();
    let record = [vec![b"b\0\0ab\0a\0\0\xff\0\0".to_vec(), units, swapped], others].concat();
    let one = table::open(Mapped(assemble(&columns, &[(4, record.clone())])), Threads).unwrap();
    let three = table::open(unmapped(assemble(&columns, &vec![(4, record); 3])), Serial).unwrap();
    let texts = |low: &str, high: &str| (Some(low.to_string()), Some(high.to_string()));
    for (name, rows, expected) in [
        ("b", Index::ALL, texts("a", "\u{fffd}")),
        ("b", Index::from(0..2), texts("ab", "b")),
        ("t", Index::ALL, texts("a", "\u{1f600}")),
        ("big", Index::ALL, texts("a", "\u{1f600}")),
        ("t", Index::from(0..0), (None, None)),
        ("n", Index::ALL, (None, None)),
        ("d", Index::ALL, (None, None)),
    ] {
        let mapped = one.rows(rows.clone()).unwrap().summary(name, Missing::Propagate).unwrap();
        let read = three.rows(rows).unwrap().summary(name, Missing::Propagate).unwrap();
        assert_eq!((mapped.minimum_text, mapped.maximum_text), expected, "{name}");
        assert_eq!((read.minimum_text, read.maximum_text), expected, "{name}");
    }
}

#[test]
fn different_values_are_counted() {
    const ROWS: i64 = 200_000;
    let rows = || 0..ROWS;
    let floats: Vec<f64> = rows()
        .map(|row| match row % 5 {
            0 => f64::NAN,
            1 => -f64::NAN,
            2 => 0.0,
            3 => -0.0,
            _ => 1.5,
        })
        .collect();
    let shuffled: Vec<i64> = rows().map(|row| (row * 7919) % ROWS).collect();
    let few: Vec<i64> = rows().map(|row| row % 4096).collect();
    let flags: Vec<u8> = rows().map(|row| u8::try_from(row % 3).unwrap()).collect();
    let texts: Vec<u8> = rows().flat_map(|row| [b'a' + u8::try_from(row % 7).unwrap(), 0]).collect();
    let columns = [
        ("f", DType::F64),
        ("all", DType::I64),
        ("few", DType::I64),
        ("flag", DType::BOOL),
        ("s", DType::bytes(2).unwrap()),
    ];
    let record = vec![of(&floats), of(&shuffled), of(&few), flags, texts];
    let bytes = assemble(&columns, &[(ROWS.unsigned_abs(), record)]);
    let serial = table::open(unmapped(bytes.clone()), Serial).unwrap();
    let parallel = table::open(Mapped(bytes), Threads).unwrap();
    let exact = |count| Distinct { count, is_exact: true };
    for (name, count) in [("f", 3), ("few", 4096), ("flag", 2), ("s", 7)] {
        assert_eq!(serial.all().distinct(name).unwrap(), exact(count), "{name}");
        assert_eq!(parallel.all().distinct(name).unwrap(), exact(count), "{name}");
    }
    let estimate = serial.all().distinct("all").unwrap();
    assert!(!estimate.is_exact);
    assert!(estimate.count.abs_diff(ROWS.unsigned_abs()) < 4_900, "{estimate:?}");
    assert_eq!(parallel.rows(Index::range(None, None, -1)).unwrap().distinct("all").unwrap(), estimate);
    assert_eq!(serial.head(0).distinct("f").unwrap(), exact(0));
    assert_eq!(serial.all().distinct("none").unwrap_err().code(), Code::ColumnNotFound);
}

#[test]
fn batches_are_consecutive_and_complete() {
    let (bytes, names) = numbered(&[4], [10, 0, 7]);
    let table = table::open(Mapped(bytes), Serial).unwrap();
    for rows in [Index::ALL, Index::range(None, None, -2), Index::from([3, 3, 16, 0, 1, 2])] {
        let selected = table.rows(rows).unwrap();
        let all = selected.row_numbers().unwrap();
        for size in [1, 2, 4, 17, 100, usize::MAX] {
            let parts: Vec<_> = selected.batches(size).map(|part| part.row_numbers().unwrap()).collect();
            assert_eq!(parts, all.chunks(size).map(<[u64]>::to_vec).collect::<Vec<_>>());
        }
        let whole: Vec<_> = selected.batches(0).collect();
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].column(&names[0]).unwrap(), selected.column(&names[0]).unwrap());
    }
    assert_eq!(table.head(0).batches(3).count(), 0);
}

#[test]
fn values_are_borrowed_where_their_type_and_place_allow() {
    let columns = [("wide", DType::I64), ("flag", DType::BOOL), ("odd", DType::I32), ("bad", DType::BOOL)];
    let values = vec![of(&[7i64, 8, 9]), vec![1, 0, 1], of(&[1i32, 2, 3]), vec![0, 1, 2]];
    let all = table::open(Mapped(assemble(&columns, &[(3, values)])), Serial).unwrap().all();
    assert_eq!(all.borrowed_typed::<bool>("flag").unwrap(), Some(&[true, false, true][..]));
    assert_eq!(all.borrowed_typed::<i32>("odd").unwrap(), None, "at an odd address");
    assert_eq!(all.borrowed("odd"), Some(of(&[1i32, 2, 3]).as_slice()));
    assert_eq!(all.borrowed_typed::<i32>("wide").unwrap_err().code(), Code::DTypeMismatch);
    assert_eq!(all.borrowed_typed::<bool>("bad").unwrap_err().code(), Code::CorruptRecord);
    assert_eq!(all.borrowed_typed::<bool>("none").unwrap_err().code(), Code::ColumnNotFound);
    let wide = all.borrowed_typed::<i64>("wide").unwrap();
    let is_aligned = all.borrowed("wide").unwrap().as_ptr().addr().is_multiple_of(align_of::<i64>());
    assert_eq!(wide, is_aligned.then_some(&[7i64, 8, 9][..]));
    let backwards = all.rows(Index::range(None, None, -1)).unwrap();
    assert_eq!(backwards.borrowed_typed::<i64>("wide").unwrap(), None);
    assert_eq!(backwards.borrowed_typed::<i32>("wide").unwrap_err().code(), Code::DTypeMismatch);
}

#[test]
fn index_errors_count_rows() {
    let (bytes, _) = numbered(&[4], [3]);
    let table = table::open(unmapped(bytes), Serial).unwrap();
    let message = |rows: Index<'_>| table.rows(rows).unwrap_err().message().to_string();
    assert_eq!(message(Index::from(3)), "index 3 is out of range; there are 3 rows, 0 to 2");
    assert_eq!(message(Index::from([0u64, 9])), "index 9 is out of range; there are 3 rows, 0 to 2");
    assert_eq!(message(Index::from([true, false].as_slice())), "the mask has 2 flags, there are 3 rows");
    let none = table.head(0).rows(0).unwrap_err();
    assert_eq!(none.message(), "index 0 is out of range; there are no rows");
    assert_eq!(
        table.head(1).rows(-2).unwrap_err().message(),
        "index -2 is out of range; there is one row, 0 to 0"
    );
}

#[test]
fn rows_that_lie_together_in_a_list_are_copied_together() {
    // Runs, dense and thin parts of records, and jumps between them, around the sizes of blocks.
    let widths = [4, 3, 17];
    let rows = 20_000u64;
    let lists: [Vec<u64>; 5] = [
        (500..6500).collect(),
        (0..rows).filter(|row| row % 2 == 0).collect(),
        (0..rows).filter(|row| (row / 700) % 2 == 0).collect(),
        (0..5000).chain([9, 9, 8]).chain(12_000..14_500).chain((3000..4000).rev()).collect(),
        (0..rows).map(|i| if i % 40 < 35 { i } else { (i * 7919) % rows }).collect(),
    ];
    for split in [vec![rows], vec![1000; 20], vec![33; 606].into_iter().chain([2]).collect()] {
        let (bytes, names) = numbered(&widths, split);
        let table = table::open(Mapped(bytes), Threads).unwrap();
        for list in &lists {
            let columns = table.select(&names).unwrap().rows(list).unwrap().columns().unwrap();
            for (column, &width) in columns.iter().zip(&widths) {
                let expected: Vec<u8> = list.iter().flat_map(|&row| value(row, width)).collect();
                assert!(column.as_bytes() == expected, "width {width}");
            }
        }
    }
}
