//! Streams as JSON lines: one object a line, with a key for each stream.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use recask_core::{Code, DType, DenseBatch, Error, RaggedBatch, Result};

use super::super::array::WINDOW;
use super::super::problem::{check, unwritable};
use super::json::{write_json, write_text};
use super::selection::Source;
use super::{finish, longest};
use crate::{AnyStore, Progress};

/// Lines that are written at once.
const MOST_LINES: u64 = 1 << 12;

pub(super) fn write(sources: &[Source<'_>], file: File, out: &Path, progress: &dyn Progress) -> Result<()> {
    let lines = longest(sources);
    if let Some(source) = sources.iter().find(|source| source.selection.len() != lines) {
        let text = format!(
            "the stream {:?} has {} records and another {lines}; lines need one of each",
            source.name,
            source.selection.len()
        );
        return Err(Error::new(Code::ShapeMismatch, text));
    }
    let mut columns = Vec::with_capacity(sources.len());
    for source in sources {
        columns.push(Column::new(source, progress)?);
    }
    let mut file = BufWriter::new(file);
    let mut line = String::new();
    let (mut next, mut step) = (0, 64);
    while next < lines {
        check(progress)?;
        let count = step.min(lines - next);
        let mut bytes = 0;
        for column in &mut columns {
            bytes += column.load(next, count)?;
        }
        for position in 0..usize::try_from(count).unwrap_or(usize::MAX) {
            line.clear();
            for (i, column) in columns.iter().enumerate() {
                line.push_str(if i == 0 { "{" } else { ", " });
                column.write(position, &mut line);
            }
            line.push_str("}\n");
            file.write_all(line.as_bytes()).map_err(|error| unwritable(out, error))?;
        }
        next += count;
        progress.advance(count.saturating_mul(sources.len() as u64));
        step = (WINDOW / (bytes / count).max(1)).clamp(1, MOST_LINES);
    }
    check(progress)?;
    finish(file, out)
}

/// One stream of the lines, with the window that is written.
struct Column<'s> {
    source: &'s Source<'s>,
    /// The name as JSON, with what follows it.
    key: String,
    window: Window,
}

enum Window {
    Dense(Option<DenseBatch>),
    Ragged { batch: RaggedBatch, is_text: bool },
}

impl<'s> Column<'s> {
    fn new(source: &'s Source<'s>, progress: &dyn Progress) -> Result<Self> {
        let mut key = String::new();
        write_text(&source.name, &mut key);
        key.push_str(": ");
        let window = match &source.store {
            AnyStore::Dense(_) => Window::Dense(None),
            AnyStore::Ragged(store) => Window::Ragged {
                batch: RaggedBatch::new(store.dtype().clone()),
                is_text: is_text(source, progress)?,
            },
        };
        Ok(Column { source, key, window })
    }

    /// Reads the next records; answers how many bytes they have.
    fn load(&mut self, first: u64, count: u64) -> Result<u64> {
        let part = self.source.selection.part(first, count);
        Ok(match (&self.source.store, &mut self.window) {
            (AnyStore::Dense(store), Window::Dense(batch)) => match batch {
                Some(batch) => {
                    store.gather_batch(part, batch)?;
                    batch.as_bytes().len()
                }
                None => batch.insert(store.gather(part)?).as_bytes().len(),
            },
            (AnyStore::Ragged(store), Window::Ragged { batch, .. }) => {
                store.gather_batch(part, batch)?;
                batch.as_bytes().len()
            }
            // A column has the window of its store.
            _ => 0,
        } as u64)
    }

    fn write(&self, position: usize, line: &mut String) {
        line.push_str(&self.key);
        match &self.window {
            Window::Dense(batch) => {
                if let Some((batch, record)) =
                    batch.as_ref().and_then(|batch| Some((batch, batch.record(position)?)))
                {
                    write_json(batch.dtype(), batch.shape().get(1..).unwrap_or_default(), record, line);
                }
            }
            Window::Ragged { batch, is_text } => {
                if let Some(record) = batch.record(position) {
                    match std::str::from_utf8(record.bytes) {
                        Ok(text) if *is_text => write_text(text, line),
                        _ => write_json(record.dtype, record.shape, record.bytes, line),
                    }
                }
            }
        }
    }
}

/// Whether every record is one-dimensional UTF-8, as imports make of text. The first other one ends the search.
fn is_text(source: &Source<'_>, progress: &dyn Progress) -> Result<bool> {
    let AnyStore::Ragged(store) = &source.store else {
        return Ok(false);
    };
    if *store.dtype() != DType::U8 {
        return Ok(false);
    }
    let mut batch = RaggedBatch::new(DType::U8);
    let (mut next, mut step) = (0, 16);
    while next < source.selection.len() {
        check(progress)?;
        store.gather_batch(source.selection.part(next, step), &mut batch)?;
        let all = batch
            .records()
            .all(|record| record.shape.len() == 1 && std::str::from_utf8(record.bytes).is_ok());
        if !all {
            return Ok(false);
        }
        next += batch.len() as u64;
        let mean = (batch.as_bytes().len() as u64).checked_div(batch.len() as u64).unwrap_or(1).max(1);
        step = (WINDOW / mean).clamp(1, MOST_LINES);
    }
    Ok(true)
}
