//! `recask concat`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::table::{self, Files};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, counted, size};
use crate::progress::{Bar, Unit};
use crate::tables::layout::LayoutArgs;

/// Make one table of many
///
/// The rows of all sources, in their order, become one record of a new table. All sources must have the same columns. They
/// stay as they are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask concat year.cstore january.cstore february.cstore
  recask concat year.cstore months/               every table in a folder
  recask concat year.cstore 'months/2024-*.cstore'

With --json: {\"path\":…,\"files\":…,\"rows\":…,\"bytes\":…}")]
pub(crate) struct Concat {
    /// Where the table goes; must not exist
    dest: PathBuf,
    /// Tables, folders of tables, and patterns
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArgs,
}

#[derive(Serialize)]
struct Report {
    path: String,
    files: usize,
    rows: u64,
    bytes: u64,
}

pub(crate) fn run(args: Concat, global: Global, out: &mut Output) -> Result<(), Failure> {
    let Concat { dest, sources, layout } = args;
    let files = table::find(Files::from(sources))?;
    let rows = table::open(Files::from(files.clone()))?.len();
    let bar = Bar::new(global, "joining", rows, Unit::Rows);
    let count_of_files = files.len();
    let table = table::concat(Files::from(files), &dest, &layout.options(), &bar).at(&dest)?;
    drop(bar);
    let bytes = std::fs::metadata(&dest).map_or(0, |file| file.len());
    let path = dest.display().to_string();
    if global.json {
        out.json(&Report { path, files: count_of_files, rows: table.len(), bytes })?;
    } else {
        let rows = counted(table.len(), "row", "rows");
        let files = counted(count_of_files as u64, "table", "tables");
        writeln!(out, "{path}: {rows} of {files}, {}", size(bytes))?;
    }
    Ok(())
}
