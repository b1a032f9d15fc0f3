//! Column tables.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::core::format::cstore::Layout;
use recask::table::{self, Verification, WriteOptions};
use recask::{Native, Result, Selection, Table};

use crate::error::{Fault, invalid};
use crate::numbers::{count, whole};
use crate::report::Report;
use crate::selection::NativeSelection;
use crate::task::{Job, later, now};
use crate::values::{numbers, value};
use crate::watch::{NativeStop, Told, Watch};

/// A table and the selections of it: closing it gives back the files of all of them.
pub(crate) struct Opened {
    /// `None` once it is closed.
    selections: Mutex<Option<Selections>>,
}

#[derive(Default)]
struct Selections {
    next: u64,
    /// Those that JavaScript has, by number. The first is that of all rows and columns.
    all: HashMap<u64, Selection>,
}

impl Opened {
    fn new(table: &Table) -> Self {
        let selections = Selections { next: 1, all: HashMap::from([(0, table.all())]) };
        Opened { selections: Mutex::new(Some(selections)) }
    }

    /// The rows and columns of a number; calls that have them go on after the table is closed.
    pub(crate) fn get(&self, number: u64) -> Result<Selection> {
        let selections = self.lock();
        let found = selections.as_ref().and_then(|selections| selections.all.get(&number));
        found.cloned().ok_or_else(|| invalid("the table is closed"))
    }

    /// Keeps a selection under a number.
    pub(crate) fn keep(&self, selection: Selection) -> Result<u64> {
        let mut selections = self.lock();
        let selections = selections.as_mut().ok_or_else(|| invalid("the table is closed"))?;
        let number = selections.next;
        selections.next += 1;
        selections.all.insert(number, selection);
        Ok(number)
    }

    /// JavaScript has no use for a selection any more.
    pub(crate) fn forget(&self, number: u64) {
        let forgotten = self.lock().as_mut().and_then(|selections| selections.all.remove(&number));
        drop(forgotten);
    }

    /// What is to be dropped now.
    fn close(&self) -> Option<Selections> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Selections>> {
        self.selections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One table, or several as one.
#[napi]
pub struct NativeTable {
    opened: Arc<Opened>,
    about: About,
}

/// What is known of a table, open or closed.
struct About {
    length: u64,
    file_records: u64,
    files: usize,
    layout: &'static str,
    columns: Vec<Column>,
}

/// A column of a table.
#[napi(object, js_name = "RawSchemaColumn", object_from_js = false)]
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of a value as it is read.
    pub dtype: String,
    /// The same as the file has it.
    pub stored_dtype: String,
}

/// Opens files, folders or patterns as one table.
///
/// # Errors
/// `store_not_found`, a fault of the data, … as the native crate says.
#[napi(ts_return_type = "Promise<NativeTable>")]
pub fn open_tables(paths: Vec<String>) -> AsyncTask<Job<NativeTable>> {
    later(move || NativeTable::of(paths), value)
}

/// The same at once.
///
/// # Errors
/// As `openTables`.
#[napi]
pub fn open_tables_sync(paths: Vec<String>) -> napi::Result<NativeTable> {
    now(|| NativeTable::of(paths))
}

#[napi]
impl NativeTable {
    /// Rows.
    #[must_use]
    #[napi(getter)]
    pub fn length(&self) -> f64 {
        count(self.about.length)
    }

    /// Pieces in which the rows were written.
    #[must_use]
    #[napi(getter)]
    pub fn file_records(&self) -> f64 {
        count(self.about.file_records)
    }

    /// Files.
    #[must_use]
    #[napi(getter)]
    pub fn files(&self) -> f64 {
        count(self.about.files as u64)
    }

    /// Which release of colstore it is laid out for: `0.3` or `0.5`.
    #[must_use]
    #[napi(getter, ts_return_type = "'0.3' | '0.5'")]
    pub fn layout(&self) -> &'static str {
        self.about.layout
    }

    /// Name and type of every column.
    #[must_use]
    #[napi]
    pub fn schema(&self) -> Vec<Column> {
        self.about.columns.clone()
    }

    /// The first row of a record, and the row behind its last; `null` behind the last record.
    ///
    /// # Errors
    /// `invalid_argument` for what is no number of a record, and once the table is closed.
    #[napi(ts_return_type = "Float64Array | null")]
    pub fn record_rows<'e>(&self, env: &'e Env, record: f64) -> napi::Result<Option<Unknown<'e>>> {
        let rows = now(|| Ok(self.opened.get(0)?.table().record_rows(whole(record)?)))?;
        rows.map(|rows| numbers(env, &[rows.start, rows.end])).transpose()
    }

    /// All rows and columns.
    ///
    /// # Errors
    /// `invalid_argument` once the table is closed.
    #[napi]
    pub fn all(&self) -> napi::Result<NativeSelection> {
        now(|| NativeSelection::of(&self.opened, self.opened.get(0)?))
    }

    /// Checks the structure of the files. Progress counts records.
    ///
    /// # Errors
    /// `interrupted`; faults of the data are in the report.
    #[napi(
        ts_args_type = "stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<RawVerification>"
    )]
    pub fn verify(
        &self,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Report>>> {
        let (rows, watch) = now(|| Ok((self.opened.get(0)?, Watch::new(stop, progress.as_ref())?)))?;
        Ok(later(move || verified(rows.table(), &watch), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `verify`.
    #[napi]
    pub fn verify_sync(&self) -> napi::Result<Report> {
        now(|| verified(self.opened.get(0)?.table(), &Watch::default()))
    }

    /// Gives back the files, when the calls that read them are done. The selections of the table can be used no more. Twice is
    /// once.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close(&self) -> AsyncTask<Job<()>> {
        let closed = self.opened.close();
        let run = move || {
            // Unmapping large files takes time.
            drop(closed);
            Ok(())
        };
        later(run, value)
    }

    /// The same at once.
    #[napi]
    pub fn close_sync(&self) {
        drop(self.opened.close());
    }
}

impl NativeTable {
    fn of(paths: Vec<String>) -> Result<Self> {
        let table = table::open(paths.into_iter().map(PathBuf::from).collect::<Vec<_>>())?;
        let columns = table.schema().columns().iter().map(|column| Column {
            name: column.name().to_owned(),
            dtype: column.dtype().to_string(),
            stored_dtype: column.stored_dtype().to_string(),
        });
        let about = About {
            length: table.len(),
            file_records: table.file_records(),
            files: table.files(),
            layout: table.layout().as_str(),
            columns: columns.collect(),
        };
        Ok(NativeTable { opened: Arc::new(Opened::new(&table)), about })
    }
}

/// Writes all rows of a table as one record, in its place. Progress counts bytes.
///
/// # Errors
/// `store_busy`, `interrupted`, a fault of the data; the table is then as it was.
#[napi(
    ts_args_type = "path: string, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
    ts_return_type = "Promise<void>"
)]
pub fn compact_table(
    path: String,
    stop: Option<&NativeStop>,
    progress: Option<Told<'_>>,
) -> napi::Result<AsyncTask<Job<()>>> {
    let watch = now(|| Watch::new(stop, progress.as_ref()))?;
    Ok(later(move || compacted(path, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `compactTable`.
#[napi]
pub fn compact_table_sync(path: String) -> napi::Result<()> {
    now(|| compacted(path, &Watch::default()))
}

/// How a new table is laid out.
pub(crate) fn write_options(layout: &str, statistics: bool) -> Result<WriteOptions> {
    let unknown = || invalid(format!("there is no layout '{layout}'; use 0.3 or 0.5"));
    Ok(WriteOptions { layout: Layout::from_name(layout).ok_or_else(unknown)?, statistics })
}

fn verified(table: &Table, watch: &Watch) -> Result<Report> {
    watch.check()?;
    watch.expect(table.file_records());
    table.verify(watch).map(Report::from)
}

fn compacted(path: String, watch: &Watch) -> Result<()> {
    watch.check()?;
    let path = PathBuf::from(path);
    watch.expect(path.metadata().map_or(0, |file| file.len()));
    table::compact::<Native>(path, watch).map(drop)
}

impl From<Verification> for Report {
    fn from(found: Verification) -> Self {
        Report {
            records: count(found.records),
            rows: Some(count(found.rows)),
            found: count(found.found),
            faults: found.problems.iter().map(Fault::from).collect(),
        }
    }
}
