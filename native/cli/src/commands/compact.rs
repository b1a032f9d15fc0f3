//! `recask compact`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, size};
use crate::progress::{Bar, Unit};
use crate::streams::{Place, open_for_writing};
use crate::tables::{self, TablePlace};

/// Free the space that deleted records left, or make one record of a table
///
/// Records and their order stay. Interrupted at any point, the store has all its records. Nobody else may have the store
/// open.
///
/// A table was written in records too, one for each append; as one record it is read fastest. It is replaced in one step when
/// the new file is complete; readers may have it open.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask compact mnist/images
  recask compact mnist                  every stream
  recask compact flights.cstore
  recask compact flights.cstore --out compact.cstore

With --json: {\"path\":…,\"records\":…,\"freed\":…,\"live_bytes\":…}, for a dataset one for each
stream in \"streams\"; for a table {\"path\":…,\"rows\":…,\"records_before\":…,\"records\":…,\"bytes_before\":…,
\"bytes\":…}")]
pub(crate) struct Compact {
    /// A store, a dataset or a table
    path: PathBuf,
    /// Write a table to a new file, and leave it as it is
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    path: String,
    records: u64,
    freed: u64,
    live_bytes: u64,
}

pub(crate) fn run(args: &Compact, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(table) = TablePlace::at(&args.path) {
        return tables::compact::run(&table, args.out.as_deref(), global, out);
    }
    tables::refuse(&[("--out", args.out.is_some())], &args.path)?;
    let place = Place::at(&args.path);
    let mut reports = Vec::new();
    for (name, path) in place.stores() {
        let mut store = open_for_writing(&path)?;
        let before = store.stats().at(&path)?;
        let bar = Bar::new(global, "compacting", before.live_bytes, Unit::Bytes);
        store.compact(&bar).at(&path)?;
        drop(bar);
        let after = store.stats().at(&path)?;
        store.close().at(&path)?;
        let freed = before.chunk_bytes.saturating_sub(after.chunk_bytes);
        let path = path.display().to_string();
        reports.push((name, Report { path, records: after.records, freed, live_bytes: after.live_bytes }));
    }
    if global.json {
        out.json(&place.answer(reports))?;
        return Ok(());
    }
    for (_, report) in &reports {
        writeln!(out, "{}: freed {}, {} in use", report.path, size(report.freed), size(report.live_bytes))?;
    }
    Ok(())
}
