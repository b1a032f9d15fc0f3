//! Column tables beside their limits: the same values from plain columns in memory on all threads for reading, plain
//! files of the same bytes for writing. `cargo xtask bench` prints the ratios, colstore and NumPy included.
#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::cast_possible_truncation, reason = "row numbers of tables that are made here")]

mod table_data;

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recask::core::exec::Executor;
use recask::{RayonExecutor, Selection, Table, TableWriter};

use table_data::{Columns, GATHERED, Numbers, RECORDS, ROWS, WANTED};

/// Few rows match, as where interesting events are sought.
const FILTER: &str = "energy > 0.9 AND layer < 512 AND flag";
const ROW_BYTES: usize = 56;
/// Rows of one record where a table is streamed.
const STREAMED: usize = 10_000;

fn read(criterion: &mut Criterion) {
    let columns = Columns::new();
    let unsorted = unsorted();
    let mut sorted = unsorted.clone();
    sorted.sort_unstable();
    let mask: Vec<bool> = {
        let mut numbers = Numbers(5);
        (0..ROWS).map(|_| numbers.next().is_multiple_of(20)).collect()
    };
    let masked: Vec<u64> = (0..ROWS as u64).filter(|&row| mask[row as usize]).collect();
    let slice = 1_000_000..3_000_000;
    for records in RECORDS {
        let table = table_data::table(&columns, records);
        let wanted = || table.select(WANTED).expect("they are there");
        let mut group = criterion.benchmark_group(format!("table/{records}/gather"));
        recask(&mut group, || wanted().rows(&unsorted).expect("rows"));
        limit(&mut group, &columns, |bytes, width| take(bytes, width, &unsorted));
        group.finish();

        let mut group = criterion.benchmark_group(format!("table/{records}/gather-sorted"));
        recask(&mut group, || wanted().rows(&sorted).expect("rows"));
        limit(&mut group, &columns, |bytes, width| take(bytes, width, &sorted));
        group.finish();

        let mut group = criterion.benchmark_group(format!("table/{records}/mask"));
        recask(&mut group, || wanted().rows(&mask).expect("rows"));
        limit(&mut group, &columns, |bytes, width| take(bytes, width, &masked));
        group.finish();

        let mut group = criterion.benchmark_group(format!("table/{records}/filter"));
        recask(&mut group, || wanted().filter(FILTER).expect("a filter"));
        group.finish();

        let mut group = criterion.benchmark_group(format!("table/{records}/slice"));
        recask(&mut group, || wanted().rows(slice.clone()).expect("rows"));
        limit(&mut group, &columns, |bytes, width| copy(&bytes[slice.start * width..slice.end * width]));
        group.finish();

        let mut group = criterion.benchmark_group(format!("table/{records}/column"));
        group.throughput(Throughput::Bytes(8 * ROWS as u64));
        recask(&mut group, || table.select(["energy"]).expect("it is there"));
        let energy = columns.get("energy");
        group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| {
            bencher.iter(|| copy(black_box(energy)));
        });
        group.finish();

        // Into memory that is there already, as loops do that read batch after batch.
        let mut group = criterion.benchmark_group(format!("table/{records}/column-into"));
        group.throughput(Throughput::Bytes(8 * ROWS as u64));
        let mut out = vec![0; energy.len()];
        group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
            let column = table.select(["energy"]).expect("it is there");
            bencher.iter(|| column.gather_into(&mut [black_box(&mut out)]).expect("a good table"));
        });
        group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| {
            bencher.iter(|| in_parallel(energy, black_box(&mut out), |from, to| to.copy_from_slice(from)));
        });
        group.finish();
    }
}

/// Every selected column is read.
fn recask(group: &mut BenchmarkGroup<'_, WallTime>, select: impl Fn() -> Selection) {
    group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
        bencher.iter(|| select().columns().expect("a good table"));
    });
}

/// The same from the columns in memory, each by `read(bytes, width)`.
fn limit(
    group: &mut BenchmarkGroup<'_, WallTime>,
    columns: &Columns,
    read: impl Fn(&[u8], usize) -> Vec<u8>,
) {
    group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| {
        bencher.iter(|| {
            WANTED.map(|name| {
                let bytes = columns.get(name);
                black_box(read(bytes, bytes.len() / ROWS))
            })
        });
    });
}

fn unsorted() -> Vec<u64> {
    let mut numbers = Numbers(42);
    (0..GATHERED).map(|_| numbers.next() % ROWS as u64).collect()
}

/// Values of one width at these rows, on all threads.
fn take(bytes: &[u8], width: usize, rows: &[u64]) -> Vec<u8> {
    match width {
        1 => take_fixed::<1>(bytes, rows),
        2 => take_fixed::<2>(bytes, rows),
        4 => take_fixed::<4>(bytes, rows),
        _ => take_fixed::<8>(bytes, rows),
    }
}

fn take_fixed<const N: usize>(bytes: &[u8], rows: &[u64]) -> Vec<u8> {
    let values = bytes.as_chunks::<N>().0;
    let mut out = vec![[0; N]; rows.len()];
    in_parallel(rows, &mut out, |rows, out| {
        out.iter_mut().zip(rows).for_each(|(out, &row)| *out = values[row as usize]);
    });
    out.into_flattened()
}

fn copy(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; bytes.len()];
    in_parallel(bytes, &mut out, |bytes, out| out.copy_from_slice(bytes));
    out
}

fn in_parallel<T: Sync, U: Send>(from: &[T], to: &mut [U], task: impl Fn(&[T], &mut [U]) + Sync) {
    let executor = RayonExecutor::default();
    let share = from.len().div_ceil(executor.width().get() * 2).max(1);
    let tasks: Vec<_> = from.chunks(share).zip(to.chunks_mut(share)).collect();
    let done = executor.try_for_each(tasks, |(from, to)| {
        task(from, to);
        Ok::<(), ()>(())
    });
    done.expect("copies do not fail");
}

/// Everything is on the disk when the time stops, on all sides.
fn write(criterion: &mut Criterion) {
    let columns = Columns::new();
    let folder = tempfile::tempdir_in(table_data::folder()).expect("a folder");
    let path = folder.path().join("written");

    let mut group = criterion.benchmark_group("table/write");
    group.throughput(Throughput::Bytes((ROW_BYTES * ROWS) as u64));
    on_fresh_file(&mut group, "recask", &path, |path| {
        Table::create(path, &columns.inputs(0, ROWS)).expect("room");
    });
    on_fresh_file(&mut group, "limit", &path, |path| {
        let mut file = std::fs::File::create(path).expect("a folder");
        for (_, _, bytes) in &columns.0 {
            file.write_all(bytes).expect("room");
        }
        file.sync_all().expect("room");
    });
    group.finish();

    let mut group = criterion.benchmark_group("table/stream");
    group.throughput(Throughput::Bytes((ROW_BYTES * ROWS) as u64));
    on_fresh_file(&mut group, "recask", &path, |path| {
        let mut writer = TableWriter::create(path).expect("a fresh file");
        for first in (0..ROWS).step_by(STREAMED) {
            writer.write(&columns.inputs(first, STREAMED)).expect("room");
        }
        writer.close().expect("room");
    });
    on_fresh_file(&mut group, "limit", &path, |path| {
        let mut file = std::fs::File::create(path).expect("a folder");
        let record = vec![7; ROW_BYTES * STREAMED];
        for _ in 0..ROWS / STREAMED {
            file.write_all(&record).expect("room");
        }
        file.sync_all().expect("room");
    });
    group.finish();
}

fn on_fresh_file(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, path: &Path, call: impl Fn(&Path)) {
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter_custom(|rounds| {
            let mut spent = Duration::ZERO;
            for _ in 0..rounds {
                let _ = std::fs::remove_file(path);
                let start = Instant::now();
                call(path);
                spent += start.elapsed();
            }
            let _ = std::fs::remove_file(path);
            spent
        });
    });
}

fn open(criterion: &mut Criterion) {
    let path = table_data::many_records();
    let mut group = criterion.benchmark_group("table");
    group.bench_function("open-100000-records", |bencher| {
        bencher.iter(|| Table::open(black_box(path.as_path())).expect("a good table"));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = read, open, write
}
criterion_main!(benches);
