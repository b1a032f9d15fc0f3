//! `recask info` of a table.

use recask::Table;
use recask::core::format::cstore::Layout;
use recask::table::SchemaColumn;
use recask::tuning::Tuning;
use serde::Serialize;

use super::{TablePlace, cell};
use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, size};

/// The JSON of a table.
#[derive(Debug, Serialize)]
pub(crate) struct TableInfo {
    path: String,
    kind: &'static str,
    rows: u64,
    file_records: u64,
    columns: Vec<Column>,
    layout: &'static str,
    row_bytes: u64,
    bytes: u64,
    files: usize,
    statistics: bool,
    needs_compaction: bool,
    tuning: Settings,
}

/// One column in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) dtype: String,
}

/// The columns as they are stored.
pub(crate) fn columns(table: &Table) -> Vec<Column> {
    let column = |column: &SchemaColumn| Column {
        name: column.name().to_owned(),
        dtype: column.stored_dtype().to_string(),
    };
    table.schema().columns().iter().map(column).collect()
}

/// How tables use this machine.
#[derive(Debug, Serialize)]
struct Settings {
    threads: usize,
    gather_threads: usize,
    advice: &'static str,
    placement: &'static str,
    /// Whether `gather_threads` was measured here.
    calibrated: bool,
}

impl TableInfo {
    fn of(place: &TablePlace, table: &Table) -> Result<Self, Failure> {
        let files = place.files()?;
        let bytes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
        let file_records = table.file_records();
        Ok(TableInfo {
            path: place.path().display().to_string(),
            kind: "table",
            rows: table.len(),
            file_records,
            columns: columns(table),
            layout: layout_name(table.layout()),
            row_bytes: table.schema().row_width(),
            bytes,
            files: files.len(),
            statistics: table.statistics().at(place.path())?.is_some(),
            needs_compaction: file_records > files.len() as u64,
            tuning: Settings::current(),
        })
    }
}

impl Settings {
    fn current() -> Self {
        let Tuning { threads, gather_threads, advice, placement } = Tuning::current();
        Settings {
            threads: threads.get(),
            gather_threads: gather_threads.get(),
            advice: advice.name(),
            placement: placement.name(),
            calibrated: is_calibrated(),
        }
    }
}

#[cfg(feature = "threads")]
fn is_calibrated() -> bool {
    use recask::tuning::{Calibration, Host};
    Calibration::recall(&Host::detect()).is_some()
}

#[cfg(not(feature = "threads"))]
fn is_calibrated() -> bool {
    false
}

/// The release of colstore whose header it is.
pub(crate) fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::V03 => "0.3",
        Layout::V05 => "0.5",
    }
}

pub(crate) fn run(place: &TablePlace, global: Global, out: &mut Output) -> Result<(), Failure> {
    let info = TableInfo::of(place, &place.open()?)?;
    if global.json {
        out.json(&info)?;
        return Ok(());
    }
    let statistics = if info.statistics { ", with statistics" } else { "" };
    let compaction = if info.needs_compaction { "; recask compact makes one of them" } else { "" };
    let mut facts = vec![
        ("path", info.path),
        ("kind", format!("table, layout {}{statistics}", info.layout)),
        ("rows", format!("{}, {} each", count(info.rows), size(info.row_bytes))),
        ("records", format!("{}{compaction}", count(info.file_records))),
        ("on disk", size(info.bytes)),
        ("columns", count(info.columns.len() as u64)),
    ];
    if info.files > 1 {
        facts.insert(4, ("files", count(info.files as u64)));
    }
    out.facts(&facts)?;
    let row = |column: Column| vec![format!("  {}", cell::name(&column.name)), column.dtype];
    out.lines(&info.columns.into_iter().map(row).collect::<Vec<_>>())?;
    Ok(())
}
