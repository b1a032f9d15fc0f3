//! Rows as JSON lines.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use recask_core::Result;

use super::super::super::export::write_text;
use super::super::super::problem::unwritable;
use super::super::export::{Rows, flushed};
use super::super::text::write_value;

pub(in super::super) fn write(rows: &Rows<'_>, file: File, dest: &Path) -> Result<File> {
    let mut out = BufWriter::new(file);
    let keys: Vec<String> = rows
        .selection()
        .columns_selected()
        .enumerate()
        .map(|(at, column)| {
            let mut key = String::from(if at == 0 { "{" } else { ", " });
            write_text(column.name(), &mut key);
            key.push_str(": ");
            key
        })
        .collect();
    let mut line = String::new();
    rows.each(|columns| {
        let mut values: Vec<_> = columns
            .iter()
            .zip(&keys)
            .map(|(column, key)| {
                let width = usize::try_from(column.dtype().itemsize()).unwrap_or(usize::MAX);
                (key, column.dtype(), column.as_bytes().chunks_exact(width))
            })
            .collect();
        loop {
            line.clear();
            for (key, dtype, values) in &mut values {
                let Some(value) = values.next() else { return Ok(()) };
                line.push_str(key);
                write_value(dtype, value, &mut line);
            }
            line.push_str("}\n");
            out.write_all(line.as_bytes()).map_err(|error| unwritable(dest, error))?;
        }
    })?;
    flushed(out, dest)
}
