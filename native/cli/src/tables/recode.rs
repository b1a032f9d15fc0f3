//! `recask recode` of a table: another layout, the records as they are.

use std::io::Write as _;
use std::path::Path;

use recask::table::{WriteOptions, recode, recode_to};
use recask::{Native, Table};
use serde::Serialize;

use super::TablePlace;
use super::info::layout_name;
use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, counted};
use crate::progress::{Bar, Unit};

#[derive(Serialize)]
struct Report {
    source: String,
    path: String,
    layout: &'static str,
    statistics: bool,
    rows: u64,
    file_records: u64,
}

/// In place, or to a new file.
pub(crate) fn run(
    place: &TablePlace,
    dest: Option<&Path>,
    options: &WriteOptions,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let path = place.single()?;
    let total = std::fs::metadata(path).map_or(0, |file| file.len());
    let bar = Bar::new(global, "copying", total, Unit::Bytes);
    match dest {
        None => recode::<Native>(path, options, &bar).at(path)?,
        Some(dest) => recode_to::<Native>(path, dest, options, &bar).at(dest)?,
    }
    drop(bar);
    let dest = dest.unwrap_or(path);
    let table = Table::open(dest).at(dest)?;
    let report = Report {
        source: path.display().to_string(),
        path: dest.display().to_string(),
        layout: layout_name(table.layout()),
        statistics: table.statistics().at(dest)?.is_some(),
        rows: table.len(),
        file_records: table.file_records(),
    };
    if global.json {
        out.json(&report)?;
    } else {
        let Report { path, layout, statistics, rows, file_records, .. } = report;
        let statistics = if statistics { " with statistics" } else { "" };
        let (rows, records) = (counted(rows, "row", "rows"), counted(file_records, "record", "records"));
        writeln!(out, "{path}: layout {layout}{statistics}, {rows} in {records}")?;
    }
    Ok(())
}
