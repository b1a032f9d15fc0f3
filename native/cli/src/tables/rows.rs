//! Rows of a table on standard output, block by block, so that memory holds no more than one block.

use std::io::{self, Write as _};

use recask::core::table::ColumnData;
use recask::{DType, Index, Selection};

use super::cell;
use super::form::Form;
use crate::failure::Failure;
use crate::grid::{Align, Grid};
use crate::interrupt;
use crate::output::{self, Output};

/// Rows and bytes of a block.
const BLOCK_ROWS: u64 = 1024;
const BLOCK_BYTES: u64 = 4 << 20;

/// Prints rows in one form; several selections of the same columns go on below each other.
pub(crate) struct Printer<'o> {
    out: &'o mut Output,
    form: Form,
    grid: Option<Grid>,
    hidden: Vec<String>,
    titled: bool,
}

/// The rows of one column, cut into values.
struct Values<'c> {
    dtype: &'c DType,
    name: &'c str,
    bytes: &'c [u8],
    width: usize,
}

impl<'c> Values<'c> {
    fn of(column: &'c ColumnData) -> Self {
        let width = usize::try_from(column.dtype().itemsize()).unwrap_or(usize::MAX);
        Values { dtype: column.dtype(), name: column.name(), bytes: column.as_bytes(), width }
    }

    fn at(&self, row: usize) -> &'c [u8] {
        let start = row.saturating_mul(self.width);
        self.bytes.get(start..).and_then(|rest| rest.get(..self.width)).unwrap_or_default()
    }
}

impl<'o> Printer<'o> {
    pub(crate) fn new(form: Form, out: &'o mut Output) -> Self {
        Printer { out, form, grid: None, hidden: Vec::new(), titled: false }
    }

    /// Prints all rows of a selection. Titles are printed also when there are none.
    pub(crate) fn print(&mut self, selection: &Selection) -> Result<(), Failure> {
        let row_bytes: u64 = selection.columns_selected().map(|column| column.dtype().itemsize()).sum();
        let step = (BLOCK_BYTES / row_bytes.max(1)).clamp(1, BLOCK_ROWS);
        let mut start = 0u64;
        loop {
            interrupt::check()?;
            let end = start.saturating_add(step).min(selection.len());
            self.block(&piece(selection, start, end)?)?;
            if end >= selection.len() {
                return Ok(());
            }
            start = end;
        }
    }

    /// Says which columns did not fit.
    pub(crate) fn finish(self) -> io::Result<()> {
        const NAMED: usize = 8;
        if self.hidden.is_empty() {
            return Ok(());
        }
        let (count, mut names) = (self.hidden.len(), self.hidden);
        names.truncate(NAMED);
        let more = if count > NAMED { ", …" } else { "" };
        let (columns, names) =
            (output::counted(count as u64, "column more", "columns more"), names.join(", "));
        writeln!(self.out, "… {columns}: {names}{more} (choose some with --columns)")
    }

    fn block(&mut self, selection: &Selection) -> Result<(), Failure> {
        let columns = selection.columns()?;
        let columns: Vec<Values<'_>> = columns.iter().map(Values::of).collect();
        let numbers = selection.row_numbers()?;
        match self.form {
            Form::People => self.grid(&columns, &numbers)?,
            Form::Json => self.json(&columns, numbers.len())?,
            Form::Csv => self.csv(&columns, numbers.len())?,
        }
        Ok(())
    }

    fn grid(&mut self, columns: &[Values<'_>], numbers: &[u64]) -> io::Result<()> {
        let row = |(row, number): (usize, &u64)| {
            let cells = columns.iter().map(|column| cell::text(column.dtype, column.at(row)));
            std::iter::once(number.to_string()).chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = numbers.iter().enumerate().map(row).collect();
        let grid = match &mut self.grid {
            Some(grid) => grid,
            None => {
                let titles =
                    columns.iter().map(|column| (cell::name(column.name), cell::align(column.dtype)));
                let mut grid = Grid::new(std::iter::once(("row".to_owned(), Align::Right)).chain(titles));
                if let Some(width) = self.out.width() {
                    self.hidden = grid.cut(&rows, width);
                }
                self.grid.insert(grid)
            }
        };
        grid.write(&rows, self.out)
    }

    fn json(&mut self, columns: &[Values<'_>], rows: usize) -> io::Result<()> {
        let names: Vec<String> =
            columns.iter().map(|column| serde_json::to_string(column.name)).collect::<Result<_, _>>()?;
        let mut line = String::new();
        for row in 0..rows {
            line.clear();
            line.push('{');
            for (i, (column, name)) in columns.iter().zip(&names).enumerate() {
                line.extend([if i > 0 { "," } else { "" }, name, ":"]);
                cell::json(column.dtype, column.at(row), &mut line);
            }
            line.push_str("}\n");
            self.out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn csv(&mut self, columns: &[Values<'_>], rows: usize) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(&mut *self.out);
        if !std::mem::replace(&mut self.titled, true) {
            csv.write_record(columns.iter().map(|column| column.name))?;
        }
        for row in 0..rows {
            csv.write_record(columns.iter().map(|column| cell::csv(column.dtype, column.at(row))))?;
        }
        csv.flush()
    }
}

/// Rows `start` to `end` of a selection.
fn piece(selection: &Selection, start: u64, end: u64) -> recask::Result<Selection> {
    let [start, end] = [start, end].map(|at| i64::try_from(at).unwrap_or(i64::MAX));
    selection.clone().rows(Index::range(Some(start), Some(end), 1))
}
