//! Tables of weather and flights: every value compared with its source, queries with a loop that does the same.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;
use recask::convert::table::{ExportOptions, ImportOptions, Mode, export, import};
use recask::core::sampler::Sampler;
use recask::{Code, Error, Native, Table};
use serde::Serialize;

use super::Watch;
use crate::failure::{At as _, Failure, system};
use crate::interrupt;
use crate::tables::cell;

/// What a table of the tour did.
#[derive(Serialize)]
pub(super) struct Measured {
    pub(super) path: String,
    pub(super) rows: u64,
    columns: usize,
    source_bytes: u64,
    bytes: u64,
    /// Values that were compared with the source.
    pub(super) values: u64,
    rows_per_second: f64,
    pub(super) query: &'static str,
    /// Rows that the query found, and the loop too.
    pub(super) found: u64,
}

/// A file of real data; `data/README.md` says where it is from.
struct Source {
    name: &'static str,
    file: &'static str,
    bytes: &'static [u8],
    /// Its rows as text, read without Recask.
    rows: fn(&'static [u8]) -> Option<Vec<Row>>,
    query: &'static str,
    /// What the query says, for one row.
    holds: fn(&Row) -> bool,
}

type Row = Vec<String>;

const SOURCES: [Source; 2] = [
    Source {
        name: "weather",
        file: "seattle-weather.csv",
        bytes: include_bytes!("../../../data/seattle-weather.csv"),
        rows: csv_rows,
        query: "weather IN ('rain', 'snow') AND precipitation >= 20",
        holds: |row| ["rain", "snow"].contains(&row[5].as_str()) && number(row, 1) >= 20.0,
    },
    Source {
        name: "flights",
        file: "flights-20k.parquet",
        bytes: include_bytes!("../../../data/flights-20k.parquet"),
        rows: parquet_rows,
        query: "delay > 60 AND distance BETWEEN 500 AND 1000",
        holds: |row| number(row, 0) > 60.0 && (500.0..=1000.0).contains(&number(row, 1)),
    },
];

/// Imports every source, compares all rows in shuffled order, and asks a question.
pub(super) fn tour(root: &Path) -> Result<Vec<Measured>, Failure> {
    SOURCES.iter().map(|source| measure(source, root)).collect()
}

/// Exports the halves of a table, makes one table of the two files, and compares its bytes with the original once both
/// records are one.
pub(super) fn rebuild(root: &Path) -> Result<u64, Failure> {
    let path = table_path(root, "flights");
    let table = Table::open(path.as_path()).at(&path)?;
    let middle = table.len() / 2;
    let rebuilt = table_path(root, "flights-rebuilt");
    for (i, (rows, file)) in
        [(0..middle, "first.parquet"), (middle..table.len(), "second.arrow")].into_iter().enumerate()
    {
        let file = root.join(file);
        let half = table.rows(rows).at(&path)?;
        export(&half, &file, &ExportOptions::default(), &Watch).at(&file)?;
        let mode = if i == 0 { Mode::Create } else { Mode::Append };
        import(&file, &rebuilt, &ImportOptions { mode, ..ImportOptions::default() }, &Watch).at(&file)?;
    }
    let records = Table::open(rebuilt.as_path()).at(&rebuilt)?.file_records();
    recask::table::compact::<Native>(rebuilt.as_path(), &Watch).at(&rebuilt)?;
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| system("read", path, &error));
    if records != 2 || read(&rebuilt)? != read(&path)? {
        return Err(wrong("the table that was rebuilt is not the original")).at(&rebuilt);
    }
    Ok(table.len())
}

fn table_path(root: &Path, name: &str) -> PathBuf {
    root.join(name).with_extension("cstore")
}

fn measure(source: &Source, root: &Path) -> Result<Measured, Failure> {
    let file = root.join(source.file);
    let written = std::fs::create_dir_all(root).and_then(|()| std::fs::write(&file, source.bytes));
    written.map_err(|error| system("write", &file, &error))?;
    let path = table_path(root, source.name);
    import(&file, &path, &ImportOptions::default(), &Watch).at(&file)?;
    let table = Table::open(path.as_path()).at(&path)?;
    // Only a damaged program has damaged data.
    let truth = (source.rows)(source.bytes).ok_or_else(|| wrong("the built-in file is damaged")).at(&file)?;
    let (values, took) = compare(&table, &truth).at(&path)?;
    let found = table.all().filter(source.query).and_then(|rows| rows.row_numbers()).at(&path)?;
    let expected = (0..).zip(&truth).filter(|(_, row)| (source.holds)(row)).map(|(number, _)| number);
    if found != expected.collect::<Vec<u64>>() {
        return Err(wrong("the query found other rows than a loop over the source")).at(&path);
    }
    Ok(Measured {
        path: path.display().to_string(),
        rows: table.len(),
        columns: table.schema().columns().len(),
        source_bytes: source.bytes.len() as u64,
        bytes: std::fs::metadata(&path).map_or(0, |file| file.len()),
        values,
        rows_per_second: crate::output::real(table.len()) / took.as_secs_f64().max(1e-9),
        query: source.query,
        found: found.len() as u64,
    })
}

/// All rows in shuffled batches; the time is that of reading alone.
fn compare(table: &Table, truth: &[Row]) -> recask::Result<(u64, Duration)> {
    const BATCH: usize = 512;
    /// Any number: the tour is the same each time.
    const SEED: u64 = 42;
    if table.len() != truth.len() as u64 {
        return Err(wrong("the table has another number of rows than the source"));
    }
    let order = Sampler::cyclic(table.len(), table.len()).seed(SEED).build()?.at(0)?;
    let (mut values, mut time) = (0, Duration::ZERO);
    for batch in order.chunks(BATCH) {
        interrupt::check()?;
        let started = Instant::now();
        let columns = table.rows(batch)?.columns()?;
        time += started.elapsed();
        for (position, column) in columns.iter().enumerate() {
            let width = usize::try_from(column.dtype().itemsize()).unwrap_or(usize::MAX);
            for (&row, value) in batch.iter().zip(column.as_bytes().chunks_exact(width)) {
                let expected = usize::try_from(row).ok().and_then(|row| truth.get(row)?.get(position));
                if expected != Some(&cell::csv(column.dtype(), value)) {
                    return Err(wrong("a value is not that of the source").at_record(row));
                }
                values += 1;
            }
        }
    }
    Ok((values, time))
}

fn csv_rows(bytes: &'static [u8]) -> Option<Vec<Row>> {
    let mut reader = csv::Reader::from_reader(bytes);
    reader.deserialize().collect::<Result<_, _>>().ok()
}

/// Of `delay`, `distance` and `time`.
fn parquet_rows(bytes: &'static [u8]) -> Option<Vec<Row>> {
    let reader = SerializedFileReader::new(Bytes::from_static(bytes)).ok()?;
    let row = |row: parquet::errors::Result<parquet::record::Row>| {
        let row = row.ok()?;
        let [delay, distance] = [0, 1].map(|column| row.get_short(column).ok());
        let time = row.get_float(2).ok()?;
        Some(vec![delay?.to_string(), distance?.to_string(), format!("{time:?}")])
    };
    reader.get_row_iter(None).ok()?.map(row).collect()
}

fn number(row: &Row, column: usize) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

fn wrong(text: &'static str) -> Error {
    Error::new(Code::CorruptRecord, text)
}
