//! Filters over whole tables: what passes, in which order, and how little is read for it.

use std::sync::atomic::{AtomicUsize, Ordering};

use recask_core::dtype::DType;
use recask_core::environment::Environment;
use recask_core::exec::Serial;
use recask_core::storage::memory::MemoryPlace;
use recask_core::table::filter::{Filter, Parameters, col};
use recask_core::table::{ColumnInput, Selection, Table, WriteOptions};
use recask_core::{Code, Index};

mod table;

use table::laid_out::{assemble, of};
use table::writing::{NEWER, WITH_STATISTICS, Writer, table_bytes};
use table::{Counting, Mapped, Threads, unmapped};

const ROWS: i64 = 70_000;

/// Values by row, so that a filter can be computed beside the table.
fn delay(row: i64) -> i16 {
    i16::try_from((row * 7919) % 251 - 60).unwrap()
}

fn distance(row: i64) -> f32 {
    if row % 17 == 0 { f32::NAN } else { f32::from(i16::try_from(row % 4000).unwrap()) * 0.5 }
}

/// The columns of some rows, in either byte order.
fn columns(rows: std::ops::Range<i64>, big_endian: bool) -> Vec<Vec<u8>> {
    let order = |mut bytes: Vec<u8>, width: usize| {
        if big_endian {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        bytes
    };
    let texts = rows.clone().flat_map(|row| [b'A' + u8::try_from(row % 26).unwrap(), 0, 0]);
    vec![
        order(of(&rows.clone().map(delay).collect::<Vec<_>>()), 2),
        texts.collect(),
        order(of(&rows.map(distance).collect::<Vec<_>>()), 4),
    ]
}

fn flights(records: &[i64], big_endian: bool) -> Vec<u8> {
    let order = if big_endian { '>' } else { '<' };
    let parsed = |rest: &str| DType::parse(&format!("{order}{rest}")).unwrap();
    let types = [("delay", parsed("i2")), ("carrier", DType::bytes(3).unwrap()), ("distance", parsed("f4"))];
    let mut first = 0;
    let record = |&rows: &i64| {
        first += rows;
        (rows.unsigned_abs(), columns(first - rows..first, big_endian))
    };
    assemble(&types, &records.iter().map(record).collect::<Vec<_>>())
}

type Passes = fn(i64) -> bool;

const FILTERS: [(&str, Passes); 8] = [
    ("delay > 60", |row| delay(row) > 60),
    ("delay > 60 AND distance < 100.5", |row| delay(row) > 60 && distance(row) < 100.5),
    ("carrier IN ('C', 'Z') OR distance IS NULL", |row| {
        row % 26 == 2 || row % 26 == 25 || distance(row).is_nan()
    }),
    ("NOT (delay <= 180)", |row| delay(row) > 180),
    ("delay * 2 > distance", |row| f64::from(delay(row)) * 2.0 > f64::from(distance(row))),
    ("delay > 300", |_| false),
    ("delay > -100", |_| true),
    ("TRUE", |_| true),
];

fn check_all<E: Environment>(table: &Table<E>) {
    let backwards = Index::range(None, None, -3);
    let list: Vec<i64> = (0..ROWS).map(|i| (i * 31 + 5) % ROWS).take(20_000).chain([7, 7, 7]).collect();
    for (filter, passes) in FILTERS {
        for rows in
            [Index::ALL, Index::range(Some(900), Some(66_000), 1), backwards.clone(), Index::from(&list)]
        {
            let selected = table.rows(rows).unwrap();
            let expected: Vec<u64> = selected.row_numbers().unwrap();
            let expected: Vec<u64> = expected.into_iter().filter(|&row| passes(row.cast_signed())).collect();
            let found = selected.filter(filter).unwrap();
            assert!(found.row_numbers().unwrap() == expected, "{filter}");
        }
    }
}

#[test]
fn rows_pass_alike_however_they_are_stored_and_read() {
    let uneven: Vec<i64> = (0..)
        .map(|i| (i * 977) % 3001)
        .scan(0, |sum, rows| {
            let taken = rows.min(ROWS - *sum);
            *sum += taken;
            (taken > 0 || *sum < ROWS).then_some(taken)
        })
        .collect();
    for records in [vec![ROWS], vec![ROWS / 5; 5], vec![7; 10_000], uneven] {
        check_all(&table::open(Mapped(flights(&records, false)), Threads).unwrap());
        check_all(&table::open(unmapped(flights(&records, false)), Serial).unwrap());
    }
    check_all(&table::open(Mapped(flights(&[30_000, 40_000], true)), Serial).unwrap());
    check_all(&table::open(unmapped(flights(&[100; 700], true)), Threads).unwrap());
}

#[test]
fn filters_compose_with_rows_and_columns() {
    let table = table::open(Mapped(flights(&[ROWS], false)), Serial).unwrap();
    let late = table.select(["carrier"]).unwrap().rows(Index::range(Some(1000), None, -1)).unwrap();
    // A column that is not selected.
    let late = late.filter("delay > 150").unwrap();
    let expected: Vec<u64> =
        (0..=1000).rev().filter(|&row| delay(row) > 150).map(i64::unsigned_abs).collect();
    assert_eq!(late.row_numbers().unwrap(), expected);
    assert_eq!(late.columns_selected().len(), 1);
    let carriers: Vec<u8> =
        expected.iter().flat_map(|row| [b'A' + u8::try_from(row % 26).unwrap(), 0, 0]).collect();
    assert_eq!(late.column("carrier").unwrap().as_bytes(), carriers);
    let later = late.clone().filter("carrier < 'D'").unwrap().rows(1..4).unwrap();
    let expected: Vec<u64> = expected.into_iter().filter(|row| row % 26 < 3).skip(1).take(3).collect();
    assert_eq!(later.row_numbers().unwrap(), expected);
    assert_eq!(later.filter("delay < 0").unwrap().len(), 0);
    let given = table.filter_with("delay = ? OR delay = ?", &Parameters::new().push(5).push(6)).unwrap();
    let built = table.filter_by(col("delay").is_in([5, 6])).unwrap();
    assert_eq!(given.row_numbers().unwrap(), built.row_numbers().unwrap());
    assert!(!built.is_empty());
}

#[test]
fn neighbours_that_pass_are_borrowed() {
    let values: Vec<i32> = (0..10_000).collect();
    let table =
        table::open(Mapped(assemble(&[("x", DType::I32)], &[(10_000, vec![of(&values)])])), Serial).unwrap();
    let middle = table.filter("x >= 3000 AND x < 4000").unwrap();
    assert_eq!(middle.borrowed_typed::<i32>("x").unwrap(), Some(&values[3000..4000]));
    assert_eq!(table.filter("x >= 3000 AND x <> 3500").unwrap().borrowed("x"), None);
}

#[test]
fn a_filter_that_is_none_of_this_table_is_refused() {
    let table = table::open(unmapped(flights(&[4], false)), Serial).unwrap();
    for filter in ["delay >", "speed > 3", "delay = 'x'", "delay", "delay > ?"] {
        assert_eq!(table.filter(filter).unwrap_err().code(), Code::InvalidFilter, "{filter}");
    }
    let largest = i128::MAX.to_string();
    let error = table.filter(&format!("delay * {largest} > 0")).unwrap_err();
    assert_eq!(error.code(), Code::InvalidFilter);
}

#[test]
fn tables_without_rows_or_bytes_are_filtered_at_once() {
    let empty = table::open(Mapped(flights(&[], false)), Threads).unwrap();
    assert!(empty.filter("delay > 3").unwrap().is_empty());
    assert!(empty.filter("TRUE").unwrap().is_empty());
    let hollow = table::open(Mapped(flights(&[0, 0, 3, 0], false)), Threads).unwrap();
    assert_eq!(hollow.filter("delay > -1000").unwrap().len(), 3);
    let rows = 1 << 62;
    let wide = table::open(unmapped(assemble(&[], &[(rows, vec![])])), Serial).unwrap();
    assert_eq!(wide.filter("TRUE").unwrap().len(), rows);
    assert_eq!(wide.filter("1 > 2").unwrap().len(), 0);
}

/// Ten records of sorted values, between which another column lies.
fn sorted(options: &WriteOptions) -> Vec<u8> {
    let place = MemoryPlace::new();
    let mut writer = Writer::create_with(place.clone(), options).unwrap();
    for record in 0..10i32 {
        let values: Vec<i32> = (record * 5000..(record + 1) * 5000).collect();
        let squares: Vec<f64> = values.iter().map(|&value| f64::from(value) * f64::from(value)).collect();
        writer.write(&[ColumnInput::of("x", &values), ColumnInput::of("square", &squares)]).unwrap();
    }
    writer.close().unwrap();
    table_bytes(&place)
}

#[test]
fn records_that_cannot_match_are_not_read() {
    let reads = |bytes: Vec<u8>, filter: &str| {
        let table = table::open(Counting(unmapped(bytes), AtomicUsize::new(0)), Serial).unwrap();
        table.file().1.store(0, Ordering::Relaxed);
        let rows = table.filter(filter).unwrap().row_numbers().unwrap();
        (rows, table.file().1.load(Ordering::Relaxed))
    };
    for (filter, rows, records) in [
        ("x >= 49990", 49_990..50_000, 1),
        ("x = 12345", 12_345..12_346, 1),
        ("x > 100000 OR x < -5", 0..0, 0),
        ("square BETWEEN 0 AND 9", 0..4, 1),
        ("x > 14000 AND x < 16000", 14_001..16_000, 2),
    ] {
        let expected: Vec<u64> = rows.collect();
        let (found, skipping) = reads(sorted(&WITH_STATISTICS), filter);
        assert_eq!(found, expected, "{filter}");
        assert_eq!(skipping, 1 + records, "{filter}: the footer, and the column in each record");
        let (found, plain) = reads(sorted(&NEWER), filter);
        assert_eq!(found, expected, "{filter}");
        assert!(plain >= 10, "{filter}: every record");
        // A damaged footer says nothing.
        let mut damaged = sorted(&WITH_STATISTICS);
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(reads(damaged, filter), (expected, 1 + plain), "{filter}");
    }
}

#[test]
fn rows_that_are_listed_skip_records_too() {
    let table =
        table::open(Counting(unmapped(sorted(&WITH_STATISTICS)), AtomicUsize::new(0)), Serial).unwrap();
    table.file().1.store(0, Ordering::Relaxed);
    let rows = table.rows([49_999, 3, 20_000, 49_998, 3]).unwrap().filter("x > 40000").unwrap();
    assert_eq!(rows.row_numbers().unwrap(), [49_999, 49_998]);
    assert_eq!(table.file().1.load(Ordering::Relaxed), 2, "the footer, and two neighbours together");
}

#[test]
fn the_schema_is_that_of_values_that_were_read() {
    struct Read<'a>(&'a [recask_core::table::ColumnData]);
    impl recask_core::table::filter::Batch for Read<'_> {
        fn rows(&self) -> usize {
            self.0[0].len()
        }

        fn column(&self, index: usize) -> &[u8] {
            self.0[index].as_bytes()
        }
    }
    let table = table::open(Mapped(flights(&[500], true)), Serial).unwrap();
    let filter = Filter::parse("delay > 60", table.schema()).unwrap();
    let columns = table.all().columns().unwrap();
    let mut mask = Vec::new();
    filter.evaluate(&Read(&columns), &mut mask).unwrap();
    let by_mask = table.rows(&mask[..]).unwrap();
    let numbers = |rows: &Selection<_>| rows.row_numbers().unwrap();
    assert_eq!(numbers(&by_mask), numbers(&table.filter("delay > 60").unwrap()));
    assert!(!by_mask.is_empty());
}
