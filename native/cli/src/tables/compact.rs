//! `recask compact` of a table.

use std::io::Write as _;
use std::path::Path;

use recask::table::{compact, compact_to};
use recask::{Native, Table};
use serde::Serialize;

use super::TablePlace;
use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, counted, size};
use crate::progress::{Bar, Unit};

#[derive(Serialize)]
struct Report {
    path: String,
    rows: u64,
    records_before: u64,
    records: u64,
    bytes_before: u64,
    bytes: u64,
}

/// In place, or to a new file.
pub(crate) fn run(
    place: &TablePlace,
    dest: Option<&Path>,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let path = place.single()?;
    let table = Table::open(path).at(path)?;
    let total = table.len().saturating_mul(table.schema().row_width());
    drop(table);
    let bar = Bar::new(global, "compacting", total, Unit::Bytes);
    let done = match dest {
        None => compact::<Native>(path, &bar).at(path)?,
        Some(dest) => compact_to::<Native>(path, dest, None, &bar).at(dest)?,
    };
    drop(bar);
    let path = dest.unwrap_or(path).display().to_string();
    if global.json {
        out.json(&Report {
            path,
            rows: done.rows,
            records_before: done.records_before,
            records: done.records,
            bytes_before: done.bytes_before,
            bytes: done.bytes,
        })?;
    } else {
        let (rows, before) =
            (counted(done.rows, "row", "rows"), counted(done.records_before, "record", "records"));
        let after = count(done.records);
        let (from, to) = (size(done.bytes_before), size(done.bytes));
        writeln!(out, "{path}: {rows}, {before} -> {after}, {from} -> {to}")?;
    }
    Ok(())
}
