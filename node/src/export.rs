//! Stores and tables become files.

use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::convert::table::{self, Compression, ExportOptions};
use recask::convert::{self, Found, export_records};
use recask::{Index, Result, Selection};

use crate::error::invalid;
use crate::import_table::format_of;
use crate::index::index_of;
use crate::numbers::count;
use crate::rules::csv_of;
use crate::selection::NativeSelection;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// How rows become a file.
#[napi(object, js_name = "RawTableExport", object_to_js = false)]
#[derive(Debug, Default)]
pub struct TableExport {
    /// What is written; by default the ending says it. `arrows` is a stream.
    #[napi(ts_type = "'parquet' | 'arrow' | 'arrows' | 'csv' | 'jsonl' | 'npz'")]
    pub format: Option<String>,
    /// Whether a file that is there is replaced; it is refused by default.
    pub replace: Option<bool>,
    /// What stands between fields of CSV.
    pub delimiter: Option<String>,
    /// Whether CSV gets a line with the names of the columns, as by default.
    pub header: Option<bool>,
    /// How Parquet is compressed; `snappy` by default.
    #[napi(ts_type = "'none' | 'snappy' | 'zstd'")]
    pub compression: Option<String>,
}

#[napi]
impl NativeSelection {
    /// Writes the selected rows and columns as a file, which is there when it is complete; answers how many rows there are. Progress
    /// counts rows.
    ///
    /// # Errors
    /// `store_exists`, `invalid_argument`, `invalid_dtype`, `interrupted`, … as the native crate says.
    #[napi(
        ts_args_type = "path: string, options: RawTableExport, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<number>"
    )]
    pub fn export_as(
        &self,
        path: String,
        options: TableExport,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<f64>>> {
        let (options, call) = now(|| Ok((options.options()?, self.call(stop, progress)?)))?;
        Ok(later(move || rows_exported(&call.rows, &path, &options, &call.watch), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `exportAs`.
    #[napi]
    pub fn export_as_sync(&self, path: String, options: TableExport) -> napi::Result<f64> {
        now(|| rows_exported(&self.rows()?, &path, &options.options()?, &Watch::default()))
    }
}

/// Writes a store, a table, or the stores of a folder in the format of an ending, a folder of files where there is none; answers how
/// many records or rows there are. Of stores, `index` says which. Progress counts records.
///
/// # Errors
/// `store_not_found`, `store_exists`, `kind_mismatch`, `interrupted`, … as the native crate says; what was made is removed then.
#[napi(
    ts_args_type = "source: string, dest: string, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null, index?: RawIndex | null",
    ts_return_type = "Promise<number>"
)]
pub fn export_to(
    source: String,
    dest: String,
    stop: Option<&NativeStop>,
    progress: Option<Told<'_>>,
    index: Option<Unknown<'_>>,
) -> napi::Result<AsyncTask<Job<f64>>> {
    let (index, watch) =
        now(|| Ok((index.map_or(Ok(Index::ALL), index_of)?, Watch::new(stop, progress.as_ref())?)))?;
    Ok(later(move || exported(&source, &dest, index, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `exportTo`.
#[napi(ts_args_type = "source: string, dest: string, index?: RawIndex | null")]
pub fn export_to_sync(source: String, dest: String, index: Option<Unknown<'_>>) -> napi::Result<f64> {
    now(|| exported(&source, &dest, index.map_or(Ok(Index::ALL), index_of)?, &Watch::default()))
}

impl TableExport {
    fn options(self) -> Result<ExportOptions> {
        let compression = match self.compression.as_deref() {
            None => Compression::default(),
            Some("none") => Compression::None,
            Some("snappy") => Compression::Snappy,
            Some("zstd") => Compression::Zstd,
            Some(other) => {
                return Err(invalid(format!("there is no compression '{other}'; use none, snappy or zstd")));
            }
        };
        Ok(ExportOptions {
            format: self.format.as_deref().map(format_of).transpose()?,
            replace: self.replace == Some(true),
            csv: csv_of(self.delimiter.as_deref(), self.header)?,
            compression,
        })
    }
}

fn rows_exported(rows: &Selection, path: &str, options: &ExportOptions, watch: &Watch) -> Result<f64> {
    watch.check()?;
    watch.expect(rows.len());
    table::export(rows, Path::new(path), options, watch).map(|made| count(made.rows))
}

fn exported(source: &str, dest: &str, index: Index<'_>, watch: &Watch) -> Result<f64> {
    watch.check()?;
    let source = Path::new(source);
    let is_table = |found: &[Found]| matches!(found, [only] if only.is_table && only.path == source);
    if is_table(&convert::find(source)?) {
        let rows = recask::table::open(source)?.rows(index)?;
        return rows_exported(&rows, dest, &ExportOptions::default(), watch);
    }
    watch.expect(export_records(source, &index)?);
    convert::export(source, Path::new(dest), index, watch).map(|made| count(made.records))
}
