//! Rows and columns of a table.

use std::sync::Arc;

use js_sys::{Array, BigInt, Float64Array, Object};
use recask_core::table::filter::{Parameters, Value};
use recask_core::table::{Missing, Selection, TableRead};
use recask_core::{Code, Error, Index, Result};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

use crate::answer::{Fallible, answer, fault, object};
use crate::environment::Web;
use crate::fetched::{Files, coalescing};
use crate::index::index_of;
use crate::numbers::{count, whole};
use crate::store::not_here;
use crate::summary::summary_of;
use crate::values;

/// Some rows and columns. Methods that choose give a new one.
#[wasm_bindgen]
pub struct RawSelection {
    rows: Selection<Web>,
    places: Vec<Arc<Files>>,
}

#[wasm_bindgen]
impl RawSelection {
    /// Rows that are selected.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> f64 {
        count(self.rows.len())
    }

    /// The names of the selected columns.
    pub fn names(&self) -> Array {
        values::texts(self.rows.columns_selected().map(recask_core::table::SchemaColumn::name))
    }

    /// Only these columns.
    pub fn select(&self, names: Vec<String>) -> Fallible<RawSelection> {
        self.derived(self.rows.clone().select(names))
    }

    /// Only these of the rows.
    pub fn rows(&self, index: &JsValue) -> Fallible<RawSelection> {
        self.derived(index_of(index).and_then(|index| self.rows.clone().rows(index)))
    }

    /// The first rows.
    pub fn head(&self, rows: f64) -> Fallible<RawSelection> {
        Ok(RawSelection::new(self.rows.clone().head(whole(rows)?), self.places.clone()))
    }

    /// The last rows.
    pub fn tail(&self, rows: f64) -> Fallible<RawSelection> {
        Ok(RawSelection::new(self.rows.clone().tail(whole(rows)?), self.places.clone()))
    }

    /// Those of `first..first + rows` that pass, as positions.
    pub fn filter(
        &self,
        expression: &str,
        parameters: &JsValue,
        first: f64,
        rows: f64,
    ) -> Fallible<Float64Array> {
        let (first, rows) = (whole(first)?, whole(rows)?);
        let passing = (|| {
            let parameters = parameters_of(parameters)?;
            let window = self.window(first, rows)?;
            self.bring(window.filter_reads(expression, &parameters, coalescing())?)?;
            // Positions of the window are what is wanted, and rows of the table are what the filter gives.
            let all = window.row_numbers()?;
            let passing = window.filter_with(expression, &parameters)?.row_numbers()?;
            let mut passing = passing.into_iter().peekable();
            let positions = (first..).zip(all).filter(|(_, row)| passing.next_if_eq(row).is_some());
            Ok(positions.map(|(position, _)| count(position)).collect::<Vec<f64>>())
        })();
        self.answer(passing).map(|positions| Float64Array::from(positions.as_slice()))
    }

    /// The rows of the table that are selected.
    #[wasm_bindgen(js_name = rowNumbers)]
    pub fn row_numbers(&self) -> Fallible<Float64Array> {
        let numbers = crate::limit::check(self.rows.len().saturating_mul(16))
            .and_then(|()| self.rows.row_numbers())
            .map(|numbers| values::numbers(&numbers).unchecked_into());
        self.answer(numbers)
    }

    /// All values of the selected columns.
    pub fn columns(&self) -> Fallible<Array> {
        let columns = (|| {
            crate::limit::check(self.bytes())?;
            self.bring(self.rows.reads(coalescing())?)?;
            Ok(values::columns(&self.rows.columns()?))
        })();
        self.answer(columns)
    }

    /// Figures of every selected column.
    pub fn summaries(&self, skip_missing: bool) -> Fallible<Array> {
        let missing = if skip_missing { Missing::Skip } else { Missing::Propagate };
        let summaries = (|| {
            self.bring(self.rows.reads(coalescing())?)?;
            self.rows.summaries(missing)
        })();
        let summaries = self.answer(summaries)?;
        Ok(self
            .rows
            .columns_selected()
            .zip(&summaries)
            .map(|(column, found)| summary_of(column, found))
            .collect())
    }

    /// How many different values a selected column has.
    pub fn distinct(&self, name: &str) -> Fallible<Object> {
        let distinct = (|| {
            self.bring(self.rows.clone().select([name])?.reads(coalescing())?)?;
            self.rows.distinct(name)
        })();
        let found = self.answer(distinct)?;
        Ok(object([("count", JsValue::from(count(found.count))), ("isExact", found.is_exact.into())]))
    }
}

impl RawSelection {
    pub(crate) fn new(rows: Selection<Web>, places: Vec<Arc<Files>>) -> Self {
        RawSelection { rows, places }
    }

    pub(crate) fn selection(&self) -> &Selection<Web> {
        &self.rows
    }

    pub(crate) fn places(&self) -> &[Arc<Files>] {
        &self.places
    }

    fn derived(&self, rows: Result<Selection<Web>>) -> Fallible<RawSelection> {
        let rows = rows.map_err(|error| fault(&error))?;
        Ok(RawSelection::new(rows, self.places.clone()))
    }

    fn window(&self, first: u64, rows: u64) -> Result<Selection<Web>> {
        let bound = |at: u64| i64::try_from(at).ok();
        self.rows.clone().rows(Index::range(bound(first), bound(first.saturating_add(rows)), 1))
    }

    fn bytes(&self) -> u64 {
        let widths = self.rows.columns_selected().map(|column| column.dtype().itemsize());
        widths.fold(0, u64::saturating_add).saturating_mul(self.rows.len())
    }

    fn bring(&self, reads: Vec<TableRead>) -> Result<()> {
        bring(&self.places, reads)
    }

    fn answer<T>(&self, result: Result<T>) -> Fallible<T> {
        answer(&self.places, result)
    }
}

/// Makes sure that these bytes are here.
pub(crate) fn bring(places: &[Arc<Files>], reads: Vec<TableRead>) -> Result<()> {
    use recask_core::storage::FileId;
    crate::limit::check(reads.iter().map(|read| read.bytes.end - read.bytes.start).sum())?;
    let mut is_complete = true;
    for TableRead { file, bytes } in reads {
        if let Some(files) = places.get(file).filter(|files| !files.holds(FileId::Table, bytes.clone())) {
            files.want_another(FileId::Table, bytes);
            is_complete = false;
        }
    }
    if is_complete { Ok(()) } else { Err(not_here()) }
}

/// A list for `?` and `$1`, an object for `:name`.
fn parameters_of(given: &JsValue) -> Result<Parameters> {
    if let Some(list) = given.dyn_ref::<Array>() {
        return list.iter().try_fold(Parameters::new(), |all, value| Ok(all.push(value_of(&value)?)));
    }
    let Some(named) = given.dyn_ref::<Object>() else { return Ok(Parameters::new()) };
    Object::entries(named).iter().try_fold(Parameters::new(), |all, entry| {
        let entry: Array = entry.unchecked_into();
        Ok(all.with(entry.get(0).as_string().unwrap_or_default(), value_of(&entry.get(1))?))
    })
}

fn value_of(given: &JsValue) -> Result<Value> {
    if let Some(flag) = given.as_bool() {
        return Ok(Value::from(flag));
    }
    if let Some(number) = given.as_f64() {
        let is_whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
        return Ok(if is_whole { Value::from(number as i64) } else { Value::from(number) });
    }
    if let Some(text) = given.as_string() {
        return Ok(Value::from(text));
    }
    let digits = given.dyn_ref::<BigInt>().and_then(|number| number.to_string(10).ok()).map(String::from);
    if let Some(number) = digits.and_then(|digits| digits.parse::<i128>().ok()) {
        return Ok(Value::Integer(number));
    }
    Err(Error::new(Code::InvalidArgument, "a parameter of a filter is a number, a text or a boolean"))
}
