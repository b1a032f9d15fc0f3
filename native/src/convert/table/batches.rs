//! What the formats of Arrow have in common: files of record batches.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{Array as _, RecordBatch};
use arrow_schema::SchemaRef;
use recask_core::table::ColumnInput;
use recask_core::{Code, DType, Error, Result};

use super::super::problem::check;
use super::passes::Pass;
use super::source::{Request, Source, Take, some_columns, window};
use super::spread::Spread;
use crate::Progress;
use crate::arrow::{Inward, Values, measure};

/// A file of record batches.
pub(super) trait BatchFile {
    fn schema(&self) -> SchemaRef;

    fn rows(&self) -> u64;

    /// The size of the file: the units of progress.
    fn bytes(&self) -> u64;

    /// Hands over all batches with the columns at these positions of the schema, which are sorted; no more than `rows`
    /// rows at once where the file leaves a choice.
    fn each(
        &self,
        positions: &[usize],
        rows: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()>;
}

/// Looks a file through: checks types, and measures the widths of text that are not given.
pub(super) fn open<'r, F: BatchFile + 'r>(
    file: F,
    request: Request<'r>,
    progress: &dyn Progress,
) -> Result<Box<dyn Source + 'r>> {
    let schema = file.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let chosen = some_columns(request.chosen(&names)?)?;
    let rules = &request.options.rules;
    let fields = || chosen.iter().filter_map(|&at| Some((at, schema.fields().get(at)?)));
    let mut to_measure = Vec::new();
    for (at, field) in fields() {
        if request.target_of(field.name()).is_none() && Inward::needs_width(field, rules)? {
            to_measure.push(at);
        }
    }
    let bytes = file.bytes();
    let passes = if to_measure.is_empty() { 1 } else { 2 };
    let mut widths = vec![0; names.len()];
    if !to_measure.is_empty() {
        to_measure.sort_unstable();
        to_measure.dedup();
        let pass = Pass::one_of(passes, progress);
        let mut spread = Spread::new(&pass, bytes, file.rows());
        file.each(&to_measure, usize::MAX, &mut |batch| {
            for (&at, array) in to_measure.iter().zip(batch.columns()) {
                if let (Some(width), Some(name)) = (widths.get_mut(at), names.get(at)) {
                    *width = measure(name, array, rules)?.max(*width);
                }
            }
            spread.advance(batch.num_rows() as u64)
        })?;
    }
    let mut columns = Vec::with_capacity(chosen.len());
    for (at, field) in fields() {
        let column = match request.target_of(field.name()) {
            Some(dtype) => Inward::into_column(field, rules, dtype)?,
            None => Inward::new(field, rules, widths.get(at).copied().unwrap_or(0))?,
        };
        columns.push((at, column));
    }
    check(progress)?;
    Ok(Box::new(Batches { file, columns, passes }))
}

struct Batches<F> {
    file: F,
    /// With their positions in the file.
    columns: Vec<(usize, Inward)>,
    passes: u64,
}

impl<F: BatchFile> Source for Batches<F> {
    fn columns(&self) -> Vec<(String, DType)> {
        self.columns.iter().map(|(_, column)| (column.name().to_owned(), column.dtype().clone())).collect()
    }

    fn rows(&self) -> u64 {
        self.file.rows()
    }

    fn copy(&mut self, progress: &dyn Progress, take: Take<'_>) -> Result<()> {
        let pass = Pass::one_of(self.passes, progress);
        let mut spread = Spread::new(&pass, self.file.bytes(), self.file.rows());
        let window = window(&Source::columns(self));
        let mut positions: Vec<usize> = self.columns.iter().map(|(at, _)| *at).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut row = 0u64;
        self.file.each(&positions, window, &mut |batch| {
            let mut start = 0;
            // A file may keep all of its rows in one batch.
            while start < batch.num_rows() {
                let count = window.min(batch.num_rows() - start);
                let mut values = Vec::with_capacity(self.columns.len());
                for (at, column) in &self.columns {
                    let array = positions.binary_search(at).ok().and_then(|at| batch.columns().get(at));
                    let array = array.ok_or_else(|| damaged("a batch lacks a column"))?;
                    values.push(column.values(&array.slice(start, count), row)?);
                }
                take(&inputs(&self.columns, &values))?;
                start += count;
                row += count as u64;
                spread.advance(count as u64)?;
            }
            Ok(())
        })?;
        if row == self.file.rows() {
            return Ok(());
        }
        Err(damaged(format_args!(
            "there are {row} rows where the file says that it has {}",
            self.file.rows()
        )))
    }
}

fn inputs<'v>(columns: &'v [(usize, Inward)], values: &'v [Values]) -> Vec<ColumnInput<'v>> {
    let columns = columns.iter().zip(values);
    columns
        .map(|((_, column), values)| ColumnInput::new(column.name(), column.dtype().clone(), values))
        .collect()
}

/// The file cannot be understood.
pub(super) fn damaged(reason: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidSource, format!("the file cannot be read: {reason}"))
}

/// Runs a decoder. They check what they read; should one of their checks be missing, a damaged file still ends in an error.
pub(super) fn contained<T>(
    decode: impl FnOnce() -> Result<T, Box<dyn std::error::Error + Send + Sync>>,
) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(error)) => Err(damaged(error)),
        Err(_) => Err(damaged("it is damaged in a way that its decoder did not expect")),
    }
}
