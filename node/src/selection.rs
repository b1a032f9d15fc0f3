//! Rows and columns of a table.

use std::sync::Arc;

use napi::bindgen_prelude::{Array, AsyncTask, Object, Unknown};
use napi::{Env, JsValue as _};
use napi_derive::napi;
use recask::table::filter::Parameters;
use recask::table::{Missing, SchemaColumn};
use recask::{Progress as _, Result, Selection};

use crate::figures::Figures;
use crate::index::index_of;
use crate::memory::{Block, lend, lend_now};
use crate::numbers::{count, whole};
use crate::parameters::parameters_of;
use crate::table::Opened;
use crate::task::{Job, later, now};
use crate::values::{numbers, value};
use crate::watch::{NativeStop, Told, Watch};

/// Rows that are looked at before a filter asks whether it was stopped.
const FILTERED: usize = 1 << 22;
/// Bytes that are read before a call asks whether it was stopped.
const READ: u64 = 64 << 20;

/// Some rows and columns. Methods that choose give a new one.
#[napi]
pub struct NativeSelection {
    opened: Arc<Opened>,
    number: u64,
    length: u64,
}

/// How many different values a column has.
#[napi(object, js_name = "RawDistinct", object_from_js = false)]
#[derive(Debug)]
pub struct Distinct {
    /// A number, or an estimate.
    pub count: f64,
    /// Whether it is no estimate.
    pub is_exact: bool,
}

#[napi]
impl NativeSelection {
    /// Rows that are selected.
    #[must_use]
    #[napi(getter)]
    pub fn length(&self) -> f64 {
        count(self.length)
    }

    /// The names of the selected columns.
    ///
    /// # Errors
    /// `invalid_argument` once the table is closed, here and everywhere.
    #[napi]
    pub fn names(&self) -> napi::Result<Vec<String>> {
        now(|| Ok(self.rows()?.columns_selected().map(|column| column.name().to_owned()).collect()))
    }

    /// Only these columns.
    ///
    /// # Errors
    /// `column_not_found`.
    #[napi]
    pub fn select(&self, names: Vec<String>) -> napi::Result<NativeSelection> {
        now(|| self.derived(self.rows()?.select(names)?))
    }

    /// Only these of the rows.
    ///
    /// # Errors
    /// `index_out_of_range`, `invalid_argument`.
    #[napi(js_name = "rows", ts_args_type = "index: RawIndex")]
    pub fn narrow(&self, index: Unknown<'_>) -> napi::Result<NativeSelection> {
        now(|| self.derived(self.rows()?.rows(index_of(index)?)?))
    }

    /// The first rows.
    ///
    /// # Errors
    /// `invalid_argument`.
    #[napi]
    pub fn head(&self, rows: f64) -> napi::Result<NativeSelection> {
        now(|| self.derived(self.rows()?.head(whole(rows)?)))
    }

    /// The last rows.
    ///
    /// # Errors
    /// `invalid_argument`.
    #[napi]
    pub fn tail(&self, rows: f64) -> napi::Result<NativeSelection> {
        now(|| self.derived(self.rows()?.tail(whole(rows)?)))
    }

    /// Only rows that pass; parameters are a list for `?` and `$1`, or an object for `:name`. Progress counts rows.
    ///
    /// # Errors
    /// `invalid_filter`, `interrupted`, a fault of the data.
    #[napi(
        ts_args_type = "expression: string, parameters: unknown, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<NativeSelection>"
    )]
    pub fn filter(
        &self,
        expression: String,
        parameters: Option<Unknown<'_>>,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<NativeSelection>>> {
        let (parameters, call) = now(|| Ok((parameters_of(parameters)?, self.call(stop, progress)?)))?;
        let run = move || {
            let passing = filtered(&call.rows, &expression, &parameters, &call.watch)?;
            NativeSelection::of(&call.opened, passing)
        };
        Ok(later(run, value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `filter`.
    #[napi(ts_args_type = "expression: string, parameters: unknown")]
    pub fn filter_sync(
        &self,
        expression: String,
        parameters: Option<Unknown<'_>>,
    ) -> napi::Result<NativeSelection> {
        now(|| {
            let parameters = parameters_of(parameters)?;
            self.derived(filtered(&self.rows()?, &expression, &parameters, &Watch::default())?)
        })
    }

    /// The rows of the table that are selected, which are in memory.
    ///
    /// # Errors
    /// `too_large`.
    #[napi(ts_return_type = "Float64Array")]
    pub fn row_numbers<'e>(&self, env: &'e Env) -> napi::Result<Unknown<'e>> {
        numbers(env, &now(|| self.rows()?.row_numbers())?)
    }

    /// All values of the selected columns. Progress counts rows.
    ///
    /// # Errors
    /// `interrupted`, `too_large`, a fault of the data.
    #[napi(
        ts_args_type = "stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<{ name: string; dtype: string; bytes: Uint8Array }[]>"
    )]
    pub fn columns(
        &self,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Vec<Values>>>> {
        let call = now(|| self.call(stop, progress))?;
        Ok(later(move || columns(&call.rows, &call.watch), |env, columns| shown(env, columns, lend)))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `columns`.
    #[napi(ts_return_type = "{ name: string; dtype: string; bytes: Uint8Array }[]")]
    pub fn columns_sync<'e>(&self, env: &'e Env) -> napi::Result<Unknown<'e>> {
        shown(env, now(|| columns(&self.rows()?, &Watch::default()))?, lend_now)
    }

    /// Figures of every selected column. Progress counts rows, once for each column.
    ///
    /// # Errors
    /// `interrupted`, a fault of the data.
    #[napi(
        ts_args_type = "skipMissing: boolean, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<RawSummary[]>"
    )]
    pub fn summaries(
        &self,
        skip_missing: bool,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Vec<Figures>>>> {
        let call = now(|| self.call(stop, progress))?;
        Ok(later(move || summaries(&call.rows, skip_missing, &call.watch), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `summaries`.
    #[napi]
    pub fn summaries_sync(&self, skip_missing: bool) -> napi::Result<Vec<Figures>> {
        now(|| summaries(&self.rows()?, skip_missing, &Watch::default()))
    }

    /// How many different values a selected column has. It is not stopped once it reads.
    ///
    /// # Errors
    /// `column_not_found`, `interrupted`, a fault of the data.
    #[napi(
        ts_args_type = "name: string, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<RawDistinct>"
    )]
    pub fn distinct(
        &self,
        name: String,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Distinct>>> {
        let call = now(|| self.call(stop, progress))?;
        Ok(later(move || distinct(&call.rows, &name, &call.watch), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `distinct`.
    #[napi]
    pub fn distinct_sync(&self, name: String) -> napi::Result<Distinct> {
        now(|| distinct(&self.rows()?, &name, &Watch::default()))
    }
}

/// A call on rows, which stay open for it.
pub(crate) struct Call {
    opened: Arc<Opened>,
    pub(crate) rows: Selection,
    pub(crate) watch: Watch,
}

impl NativeSelection {
    /// Rows of a table that is open.
    pub(crate) fn of(opened: &Arc<Opened>, rows: Selection) -> Result<Self> {
        let length = rows.len();
        Ok(NativeSelection { number: opened.keep(rows)?, opened: Arc::clone(opened), length })
    }

    pub(crate) fn rows(&self) -> Result<Selection> {
        self.opened.get(self.number)
    }

    pub(crate) fn call(&self, stop: Option<&NativeStop>, progress: Option<Told<'_>>) -> Result<Call> {
        let watch = Watch::new(stop, progress.as_ref())?;
        Ok(Call { opened: Arc::clone(&self.opened), rows: self.rows()?, watch })
    }

    fn derived(&self, rows: Selection) -> Result<Self> {
        Self::of(&self.opened, rows)
    }
}

impl Drop for NativeSelection {
    fn drop(&mut self) {
        self.opened.forget(self.number);
    }
}

/// The values of a column.
#[derive(Debug)]
pub struct Values {
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) bytes: Block,
}

/// Columns as JavaScript has them, lent as the call does it.
pub(crate) fn shown<'e>(
    env: &'e Env,
    columns: Vec<Values>,
    lend: impl Fn(&'e Env, Block) -> napi::Result<Unknown<'e>>,
) -> napi::Result<Unknown<'e>> {
    let mut list = Array::from_vec::<Object<'_>>(env, Vec::new())?;
    for Values { name, dtype, bytes } in columns {
        let mut object = Object::new(env)?;
        object.set("name", name)?;
        object.set("dtype", dtype)?;
        object.set("bytes", lend(env, bytes)?)?;
        list.insert(object)?;
    }
    Ok(list.to_unknown())
}

/// In portions, so that it can be stopped.
fn filtered(rows: &Selection, expression: &str, parameters: &Parameters, watch: &Watch) -> Result<Selection> {
    watch.check()?;
    watch.expect(rows.len());
    // Of rows without bytes there may be more than anybody could look at; they are all alike.
    if rows.len() <= FILTERED as u64 || rows.table().schema().row_width() == 0 {
        let passing = rows.clone().filter_with(expression, parameters)?;
        watch.advance(rows.len());
        return Ok(passing);
    }
    let mut passing = Vec::new();
    for part in rows.batches(FILTERED) {
        watch.check()?;
        let count = part.len();
        passing.append(&mut part.filter_with(expression, parameters)?.row_numbers()?);
        watch.advance(count);
    }
    rows.table().rows(passing)?.select(rows.columns_selected().map(SchemaColumn::name))
}

fn columns(rows: &Selection, watch: &Watch) -> Result<Vec<Values>> {
    watch.check()?;
    watch.expect(rows.len());
    let mut columns = Vec::with_capacity(rows.columns_selected().len());
    for column in rows.columns_selected() {
        let bytes = Block::new(rows.len().saturating_mul(column.dtype().itemsize()))?;
        columns.push(Values { name: column.name().to_owned(), dtype: column.dtype().to_string(), bytes });
    }
    let widths: Vec<u64> = rows.columns_selected().map(|column| column.dtype().itemsize()).collect();
    let width = widths.iter().copied().fold(0, u64::saturating_add);
    let portion = usize::try_from(READ / width.max(1)).unwrap_or(usize::MAX).max(1);
    let mut rest: Vec<&mut [u8]> = columns.iter_mut().map(|column| &mut *column.bytes).collect();
    for part in rows.batches(portion) {
        watch.check()?;
        let mut targets = Vec::with_capacity(rest.len());
        for (rest, width) in rest.iter_mut().zip(&widths) {
            let size = usize::try_from(part.len().saturating_mul(*width)).unwrap_or(usize::MAX);
            targets.extend(rest.split_off_mut(..size));
        }
        part.gather_into(&mut targets)?;
        watch.advance(part.len());
    }
    Ok(columns)
}

fn summaries(rows: &Selection, skip_missing: bool, watch: &Watch) -> Result<Vec<Figures>> {
    let missing = if skip_missing { Missing::Skip } else { Missing::Propagate };
    watch.expect(rows.len().saturating_mul(rows.columns_selected().len() as u64));
    let mut figures = Vec::with_capacity(rows.columns_selected().len());
    for column in rows.columns_selected() {
        watch.check()?;
        figures.push(Figures::of(column, rows.summary(column.name(), missing)?));
        watch.advance(rows.len());
    }
    Ok(figures)
}

fn distinct(rows: &Selection, name: &str, watch: &Watch) -> Result<Distinct> {
    watch.check()?;
    watch.expect(rows.len());
    let found = rows.distinct(name)?;
    watch.advance(rows.len());
    Ok(Distinct { count: count(found.count), is_exact: found.is_exact })
}
