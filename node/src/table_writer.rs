//! Writing column tables.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::convert::table::{Rules, write_ipc};
use recask::table::{ColumnInput, TableWriter};
use recask::{DType, Result};

use crate::error::invalid;
use crate::handle::{Handle, Turn};
use crate::memory::{Block, Given};
use crate::numbers::count;
use crate::rules::RawRules;
use crate::selection::NativeSelection;
use crate::table::write_options;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// Writes a table record by record. Calls take effect in the order in which they were made.
#[napi]
pub struct NativeTableWriter {
    writer: Handle<TableWriter>,
    rows: Arc<AtomicU64>,
}

/// Starts a new table.
///
/// # Errors
/// `store_exists`; `invalid_argument` for statistics in the layout 0.3.
#[napi(ts_return_type = "Promise<NativeTableWriter>")]
pub fn create_table(path: String, layout: String, statistics: bool) -> AsyncTask<Job<NativeTableWriter>> {
    later(move || created(path, &layout, statistics), value)
}

/// The same at once.
///
/// # Errors
/// As `createTable`.
#[napi]
pub fn create_table_sync(path: String, layout: String, statistics: bool) -> napi::Result<NativeTableWriter> {
    now(|| created(path, &layout, statistics))
}

/// Continues a table behind its last row.
///
/// # Errors
/// `store_not_found`, `store_busy`, a fault of the data.
#[napi(ts_return_type = "Promise<NativeTableWriter>")]
pub fn append_table(path: String) -> AsyncTask<Job<NativeTableWriter>> {
    later(move || continued(path), value)
}

/// The same at once.
///
/// # Errors
/// As `appendTable`.
#[napi]
pub fn append_table_sync(path: String) -> napi::Result<NativeTableWriter> {
    now(|| continued(path))
}

#[napi]
impl NativeTableWriter {
    /// Rows that were written, committed or not.
    #[must_use]
    #[napi(getter)]
    pub fn rows(&self) -> f64 {
        count(self.rows.load(Ordering::Relaxed))
    }

    /// Writes one record: for every column its name, its type and its values, which are copied.
    ///
    /// # Errors
    /// `shape_mismatch`, `dtype_mismatch`, `column_not_found`, …; `invalid_argument` once it is closed, here and everywhere.
    #[napi(
        ts_args_type = "names: string[], dtypes: string[], values: Uint8Array[]",
        ts_return_type = "Promise<void>"
    )]
    pub fn write(
        &self,
        names: Vec<String>,
        dtypes: Vec<String>,
        values: Vec<Unknown<'_>>,
    ) -> napi::Result<AsyncTask<Job<()>>> {
        let inputs = now(|| inputs(names, &dtypes, &values))?;
        self.later(move |writer| written(writer, &inputs))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `write`.
    #[napi(ts_args_type = "names: string[], dtypes: string[], values: Uint8Array[]")]
    pub fn write_sync(
        &self,
        names: Vec<String>,
        dtypes: Vec<String>,
        values: Vec<Unknown<'_>>,
    ) -> napi::Result<()> {
        let inputs = now(|| inputs(names, &dtypes, &values))?;
        self.now(|writer| written(writer, &inputs))
    }

    /// Writes rows of a table as one record, with names and types as it has them. Progress counts rows.
    ///
    /// # Errors
    /// As `write`; `interrupted`, a fault of the data.
    #[napi(
        ts_args_type = "rows: NativeSelection, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<void>"
    )]
    pub fn write_selection(
        &self,
        rows: &NativeSelection,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<()>>> {
        let call = now(|| rows.call(stop, progress))?;
        call.watch.expect(call.rows.len());
        self.later(move |writer| writer.write_rows(&call.rows, &call.watch))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `writeSelection`.
    #[napi]
    pub fn write_selection_sync(&self, rows: &NativeSelection) -> napi::Result<()> {
        let rows = now(|| rows.rows())?;
        self.now(|writer| writer.write_rows(&rows, &()))
    }

    /// Writes the rows of an Arrow IPC file or stream as one record, and answers how many there are. The bytes are copied before
    /// this returns. Progress counts bytes.
    ///
    /// # Errors
    /// `invalid_source`, `invalid_dtype`, …; `interrupted`.
    #[napi(
        ts_args_type = "bytes: Uint8Array, rules?: RawRules | null, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<number>"
    )]
    pub fn write_arrow(
        &self,
        bytes: Unknown<'_>,
        rules: Option<RawRules>,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<f64>>> {
        let (bytes, rules, watch) = now(|| {
            let rules = rules.unwrap_or_default().rules()?;
            Ok((Given::of(&bytes)?.to_block()?, rules, Watch::new(stop, progress.as_ref())?))
        })?;
        self.later(move |writer| arrow_written(writer, &bytes, &rules, &watch))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `writeArrow`.
    #[napi(ts_args_type = "bytes: Uint8Array, rules?: RawRules | null")]
    pub fn write_arrow_sync(&self, bytes: Unknown<'_>, rules: Option<RawRules>) -> napi::Result<f64> {
        let (given, rules) = now(|| Ok((Given::of(&bytes)?, rules.unwrap_or_default().rules()?)))?;
        self.now(|writer| given.read(|bytes| arrow_written(writer, bytes, &rules, &Watch::default())))
    }

    /// Makes what was written visible and durable.
    ///
    /// # Errors
    /// What the disk says.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn commit(&self) -> napi::Result<AsyncTask<Job<()>>> {
        self.later(TableWriter::commit)
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `commit`.
    #[napi]
    pub fn commit_sync(&self) -> napi::Result<()> {
        self.now(TableWriter::commit)
    }

    /// Commits and closes. Twice is once.
    ///
    /// # Errors
    /// As `commit`; what was not committed is lost then.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close(&self) -> AsyncTask<Job<()>> {
        let turn = self.writer.closing();
        later(move || closed(turn), value)
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `close`.
    #[napi]
    pub fn close_sync(&self) -> napi::Result<()> {
        now(|| closed(self.writer.closing()))
    }

    /// Closes without a commit. Twice is once.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn abort(&self) -> AsyncTask<Job<()>> {
        let turn = self.writer.closing();
        let run = move || {
            drop(turn.and_then(Turn::take));
            Ok(())
        };
        later(run, value)
    }

    /// The same at once.
    #[napi]
    pub fn abort_sync(&self) {
        drop(self.writer.closing().and_then(Turn::take));
    }
}

impl NativeTableWriter {
    fn of(writer: TableWriter) -> Self {
        let rows = Arc::new(AtomicU64::new(writer.rows()));
        NativeTableWriter { writer: Handle::new("writer", writer), rows }
    }

    fn later<T: Send + napi::bindgen_prelude::ToNapiValue + 'static>(
        &self,
        change: impl FnOnce(&mut TableWriter) -> Result<T> + Send + 'static,
    ) -> napi::Result<AsyncTask<Job<T>>> {
        let (turn, rows) = (now(|| self.writer.alone())?, Arc::clone(&self.rows));
        Ok(later(move || counted(turn, &rows, change), value))
    }

    fn now<T>(&self, change: impl FnOnce(&mut TableWriter) -> Result<T>) -> napi::Result<T> {
        now(|| counted(self.writer.alone()?, &self.rows, change))
    }
}

/// A column to be written.
struct Input {
    name: String,
    dtype: DType,
    bytes: Block,
}

fn counted<T>(
    turn: Turn<TableWriter>,
    rows: &AtomicU64,
    change: impl FnOnce(&mut TableWriter) -> Result<T>,
) -> Result<T> {
    turn.change(|writer| {
        let changed = change(writer);
        rows.store(writer.rows(), Ordering::Relaxed);
        changed
    })
}

fn created(path: String, layout: &str, statistics: bool) -> Result<NativeTableWriter> {
    let options = write_options(layout, statistics)?;
    TableWriter::create_with(PathBuf::from(path), &options).map(NativeTableWriter::of)
}

fn continued(path: String) -> Result<NativeTableWriter> {
    TableWriter::update(PathBuf::from(path)).map(NativeTableWriter::of)
}

fn inputs(names: Vec<String>, dtypes: &[String], values: &[Unknown<'_>]) -> Result<Vec<Input>> {
    if names.len() != dtypes.len() || names.len() != values.len() {
        return Err(invalid("there are not as many names, types and arrays"));
    }
    let columns = names.into_iter().zip(dtypes).zip(values);
    columns
        .map(|((name, dtype), values)| {
            Ok(Input { name, dtype: dtype.parse()?, bytes: Given::of(values)?.to_block()? })
        })
        .collect()
}

fn written(writer: &mut TableWriter, inputs: &[Input]) -> Result<()> {
    let columns = inputs.iter().map(|input| ColumnInput::new(&input.name, input.dtype.clone(), &input.bytes));
    writer.write(&columns.collect::<Vec<_>>())
}

fn arrow_written(writer: &mut TableWriter, bytes: &[u8], rules: &Rules, watch: &Watch) -> Result<f64> {
    watch.check()?;
    watch.expect(bytes.len() as u64);
    write_ipc(writer, bytes, rules, watch).map(count)
}

fn closed(turn: Option<Turn<TableWriter>>) -> Result<()> {
    turn.and_then(Turn::take).map_or(Ok(()), TableWriter::close)
}
