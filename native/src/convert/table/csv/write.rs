//! Rows as CSV.

use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use csv::{Writer, WriterBuilder};
use recask_core::dtype::Kind;
use recask_core::table::SchemaColumn;
use recask_core::{DType, Error, Result};

use super::super::super::problem::unwritable;
use super::super::export::{Rows, flushed};
use super::super::options::Csv;
use super::super::text::write_value;

pub(in super::super) fn write(rows: &Rows<'_>, file: File, dest: &Path, csv: Csv) -> Result<File> {
    let failed = |error: csv::Error| failed(dest, error);
    let mut out: Writer<_> =
        WriterBuilder::new().delimiter(csv.delimiter_of(dest)).from_writer(BufWriter::new(file));
    if csv.header {
        out.write_record(rows.selection().columns_selected().map(SchemaColumn::name)).map_err(failed)?;
    }
    let mut field = String::new();
    rows.each(|columns| {
        let mut values: Vec<_> = columns
            .iter()
            .map(|column| {
                let width = usize::try_from(column.dtype().itemsize()).unwrap_or(usize::MAX);
                (column.dtype(), column.as_bytes().chunks_exact(width))
            })
            .collect();
        loop {
            for (dtype, values) in &mut values {
                let Some(value) = values.next() else { return Ok(()) };
                out.write_field(plain(dtype, value, &mut field).as_bytes()).map_err(failed)?;
            }
            // Ends the row.
            out.write_record(None::<&[u8]>).map_err(failed)?;
        }
    })?;
    flushed(out.into_inner().map_err(|error| unwritable(dest, error.into_error()))?, dest)
}

/// A value without quotes; the floats that are no numbers as every reader of CSV knows them.
fn plain<'f>(dtype: &DType, value: &[u8], field: &'f mut String) -> Cow<'f, str> {
    field.clear();
    write_value(dtype, value, field);
    match dtype.kind() {
        Kind::Text | Kind::Bytes => match serde_json::from_str(field) {
            Ok(text) => Cow::Owned(text),
            Err(_) => Cow::Borrowed(field),
        },
        Kind::Float if field.starts_with('"') => Cow::Borrowed(match field.trim_matches('"') {
            "Infinity" => "inf",
            "-Infinity" => "-inf",
            other => other,
        }),
        _ => Cow::Borrowed(field.trim_matches('"')),
    }
}

fn failed(dest: &Path, error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => unwritable(dest, error),
        kind => unwritable(dest, std::io::Error::other(format!("{kind:?}"))),
    }
}
