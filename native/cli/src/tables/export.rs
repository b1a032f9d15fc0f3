//! `recask export` of a table.

use std::io::Write as _;
use std::path::Path;

use recask::Selection;
use recask::convert::table::{self, ExportOptions};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{Failure, between};
use crate::output::{Output, counted};
use crate::progress::{Bar, Unit};

#[derive(Serialize)]
struct Report {
    path: String,
    format: &'static str,
    columns: Vec<String>,
    rows: u64,
}

/// Chosen rows as a file.
pub(crate) fn run(
    rows: &Selection,
    source: &Path,
    dest: &Path,
    options: &ExportOptions,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let bar = Bar::new(global, "exporting", rows.len(), Unit::Rows);
    let exported = between(table::export(rows, dest, options, &bar), source, dest)?;
    drop(bar);
    let report = Report {
        path: dest.display().to_string(),
        format: exported.format.as_str(),
        columns: rows.columns_selected().map(|column| column.name().to_owned()).collect(),
        rows: exported.rows,
    };
    if global.json {
        out.json(&report)?;
    } else {
        let rows = counted(report.rows, "row", "rows");
        writeln!(out, "wrote {rows} to {} ({})", report.path, report.format)?;
    }
    Ok(())
}
