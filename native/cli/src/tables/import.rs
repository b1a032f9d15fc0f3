//! `recask import` and `recask append` of tables.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use recask::convert::table::{self, ImportOptions, Imported, Mode};
use recask::table::Shards;
use recask::{Code, Error, Table};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, between, system};
use crate::output::{Output, counted, real, size};
use crate::progress::{Bar, Unit};
use crate::tables::{cell, info};

#[derive(Serialize)]
struct NewTable {
    source: String,
    path: String,
    kind: &'static str,
    rows: u64,
    columns: Vec<info::Column>,
    layout: &'static str,
    source_bytes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct Appended {
    path: String,
    /// The file that was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    appended: u64,
    rows: u64,
}

/// A file as a new table.
pub(crate) fn import(
    source: &Path,
    dest: &Path,
    options: &ImportOptions,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if options.mode == Mode::Create && dest.symlink_metadata().is_ok() {
        let text = "there is something already; choose another name, or replace a table with --force";
        return Err(Error::new(Code::StoreExists, text)).at(dest);
    }
    let started = Instant::now();
    convert(source, dest, options, "importing", global)?;
    let seconds = started.elapsed().as_secs_f64();
    let source_bytes = file_size(source);
    let table = Table::open(dest).at(dest)?;
    let report = NewTable {
        source: source.display().to_string(),
        path: dest.display().to_string(),
        kind: "table",
        rows: table.len(),
        columns: info::columns(&table),
        layout: info::layout_name(table.layout()),
        source_bytes,
        seconds,
    };
    if global.json {
        out.json(&report)?;
        return Ok(());
    }
    let row = |column: &info::Column| vec![cell::name(&column.name), column.dtype.clone()];
    out.table(&["column", "dtype"], &report.columns.iter().map(row).collect::<Vec<_>>())?;
    let rate = real(source_bytes) / seconds.max(1e-9) / f64::from(1 << 20);
    let (rows, bytes, path) = (counted(report.rows, "row", "rows"), size(source_bytes), &report.path);
    writeln!(out, "{rows}, {bytes} in {seconds:.1} s, {rate:.0} MiB/s; next: recask head {path}")?;
    Ok(())
}

/// The rows of a file behind those of a table.
pub(crate) fn append(
    source: &Path,
    path: &Path,
    options: &ImportOptions,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let appended = convert(source, path, options, "appending", global)?.rows;
    let rows = Table::open(path).at(path)?.len();
    tell(Appended { path: path.display().to_string(), shard: None, appended, rows }, global, out)
}

/// The rows of a file as a new table in a folder of them.
pub(crate) fn append_shard(
    source: &Path,
    folder: &Path,
    options: &ImportOptions,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut shards = Shards::open(folder).at(folder)?;
    // In the folder, so that there is as much room.
    let temporary = Temporary::inside(folder)?;
    let whole = temporary.0.join("rows.cstore");
    convert(source, &whole, options, "appending", global)?;
    let table = Table::open(whole.as_path()).at(&whole)?;
    let bar = Bar::new(global, "appending", table.len(), Unit::Rows);
    let shard = shards.append_rows(&table.all(), &bar).at(folder)?;
    drop(bar);
    let rows = recask::table::open(folder).at(folder)?.len();
    let (path, shard) = (folder.display().to_string(), Some(shard.display().to_string()));
    tell(Appended { path, shard, appended: table.len(), rows }, global, out)
}

/// A hidden folder that is removed with all that is in it.
struct Temporary(PathBuf);

impl Temporary {
    fn inside(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(format!(".recask-{:016x}", recask::system_seed()?));
        std::fs::create_dir(&path).map_err(|error| system("create", &path, &error))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is hidden: no table has it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn convert(
    source: &Path,
    dest: &Path,
    options: &ImportOptions,
    title: &'static str,
    global: Global,
) -> Result<Imported, Failure> {
    let bar = Bar::new(global, title, file_size(source), Unit::Bytes);
    between(table::import(source, dest, options, &bar), source, dest)
}

fn file_size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn tell(report: Appended, global: Global, out: &mut Output) -> Result<(), Failure> {
    if global.json {
        out.json(&report)?;
        return Ok(());
    }
    let Appended { path, shard, appended, rows } = report;
    let (appended, rows) = (counted(appended, "row", "rows"), counted(rows, "row", "rows"));
    let to = shard.map(|shard| format!(" as {shard}")).unwrap_or_default();
    writeln!(out, "appended {appended} to {path}{to}, which has {rows} now")?;
    Ok(())
}
