//! Rows of CSV: a first pass finds the types, a second one copies.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder};
use recask_core::{DType, Error, Result};

use super::super::super::problem::Site;
use super::super::super::reading::{Meter, open_unpacked};
use super::super::cell::Block;
use super::super::infer::Seen;
use super::super::options::Rules;
use super::super::passes::Pass;
use super::super::source::{Request, Source, Take, some_columns};
use crate::Progress;

/// A quote that does not end would make one field of a whole file.
const MAX_ROW: u64 = 32 << 20;
/// Rows between two reports.
const REPORT: u64 = 1 << 12;

pub(in super::super) fn open<'r>(
    request: Request<'r>,
    progress: &dyn Progress,
) -> Result<Box<dyn Source + 'r>> {
    let mut rows = Rows::open(request)?;
    let chosen = some_columns(request.chosen(&rows.names)?)?;
    let rules = &request.options.rules;
    let mut seen = vec![Seen::default(); chosen.len()];
    let pass = Pass::one_of(2, progress);
    let mut count = 0;
    while rows.next(&pass)? {
        count += 1;
        for (seen, &at) in seen.iter_mut().zip(&chosen) {
            if let Some(cell) = rows.cell(at)? {
                seen.see_cell(cell, rows.line, rules);
            }
        }
    }
    rows.meter.report(&pass)?;
    let name = |&at: &usize| rows.names.get(at).cloned().unwrap_or_default();
    let columns = chosen.iter().zip(&seen).map(|(at, seen)| {
        let name = name(at);
        let dtype = match request.target_of(&name) {
            Some(dtype) => dtype.clone(),
            None => seen.of_cells(rules)?,
        };
        Ok((name, dtype))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Table { request, chosen, columns, rows: count }))
}

struct Table<'r> {
    request: Request<'r>,
    chosen: Vec<usize>,
    columns: Vec<(String, DType)>,
    rows: u64,
}

impl Source for Table<'_> {
    fn columns(&self) -> Vec<(String, DType)> {
        self.columns.clone()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn copy(&mut self, progress: &dyn Progress, take: Take<'_>) -> Result<()> {
        let rules: &Rules = &self.request.options.rules;
        let pass = Pass::one_of(2, progress);
        let mut rows = Rows::open(self.request)?;
        let mut block = Block::new(&self.columns, rules);
        while rows.next(&pass)? {
            for (cells, &at) in block.cells().zip(&self.chosen) {
                let pushed = match rows.cell(at)? {
                    Some(cell) => cells.push_cell(cell),
                    None => cells.push_null(),
                };
                pushed.map_err(|reason| rows.wrong(at, &reason))?;
            }
            block.end_row(take)?;
        }
        block.hand_over(take)?;
        rows.meter.report(&pass)
    }
}

/// The rows of a file, one after the other.
struct Rows<'r> {
    request: Request<'r>,
    reader: Reader<Bounded>,
    row_left: Rc<Cell<u64>>,
    meter: Meter,
    names: Vec<String>,
    row: ByteRecord,
    /// Whether `row` was read to count its fields and is still to be handed over.
    is_read: bool,
    /// The line on which the row begins, counted from 1.
    line: u64,
    count: u64,
}

impl<'r> Rows<'r> {
    fn open(request: Request<'r>) -> Result<Self> {
        let (path, csv) = (request.path, request.options.csv);
        let meter = Meter::default();
        let row_left = Rc::new(Cell::new(MAX_ROW));
        let data = open_unpacked(Site::file(path), &meter)?;
        let reader = ReaderBuilder::new()
            .delimiter(csv.delimiter_of(path))
            .has_headers(false)
            .from_reader(Bounded { data, left: Rc::clone(&row_left) });
        let mut rows = Rows {
            request,
            reader,
            row_left,
            meter,
            names: Vec::new(),
            row: ByteRecord::new(),
            is_read: false,
            line: 1,
            count: 0,
        };
        if !rows.next(&())? {
            return Err(rows.site().invalid("there is no line, so there are no columns"));
        }
        for at in 0..rows.row.len() {
            let name = if csv.header { rows.text(at)?.to_owned() } else { format!("column{at}") };
            rows.names.push(name);
        }
        rows.is_read = !csv.header;
        Ok(rows)
    }

    /// Goes on to the next row, if there is one.
    fn next(&mut self, progress: &dyn Progress) -> Result<bool> {
        if std::mem::take(&mut self.is_read) {
            return Ok(true);
        }
        self.row_left.set(MAX_ROW);
        let is_row = self.reader.read_byte_record(&mut self.row).map_err(|error| self.damaged(error))?;
        self.line = self.row.position().map_or(self.line, csv::Position::line);
        self.count += 1;
        if self.count.is_multiple_of(REPORT) {
            self.meter.report(progress)?;
        }
        Ok(is_row)
    }

    /// A field of the row; nothing where it is empty.
    fn cell(&self, at: usize) -> Result<Option<&str>> {
        self.text(at).map(|text| (!text.is_empty()).then_some(text))
    }

    fn text(&self, at: usize) -> Result<&str> {
        std::str::from_utf8(self.row.get(at).unwrap_or_default())
            .map_err(|_| self.wrong(at, "is not UTF-8; save the file as UTF-8 first"))
    }

    fn wrong(&self, at: usize, reason: &str) -> Error {
        match self.names.get(at) {
            Some(name) => {
                self.site().invalid(format_args!("line {}, column '{name}': the value {reason}", self.line))
            }
            None => self.site().invalid(format_args!(
                "line {}: the name of column {} {reason}",
                self.line,
                at + 1
            )),
        }
    }

    fn site(&self) -> Site<'r> {
        Site::file(self.request.path)
    }

    fn damaged(&self, error: csv::Error) -> Error {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => self.site().unreadable(error),
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => self.site().invalid(format_args!(
                "line {} has {len} fields, the lines before it {expected_len}",
                pos.map_or(self.line + 1, |position| position.line())
            )),
            _ => self.site().invalid(format_args!("the lines behind line {} cannot be read", self.line)),
        }
    }
}

/// Data of which one row must not take too much.
struct Bounded {
    data: Box<dyn super::super::super::reading::Data>,
    left: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.data.read(buf)?;
        let left = self.left.get().checked_sub(read as u64).ok_or_else(|| {
            let text =
                format!("one row is longer than {MAX_ROW} bytes; there may be a quote that does not end");
            io::Error::new(ErrorKind::InvalidData, text)
        })?;
        self.left.set(left);
        Ok(read)
    }
}
