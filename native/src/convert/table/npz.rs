//! NumPy archives: each array of one axis is a column.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use recask_core::table::ColumnInput;
use recask_core::{DType, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::super::export::zip_failed;
use super::super::npy::{header, read_header};
use super::super::npz::{Npz, damaged};
use super::super::problem::{Site, unwritable};
use super::super::reading::{Meter, read_up_to};
use super::export::{Rows, flushed};
use super::source::{Request, Source, Take, some_columns, window};
use crate::Progress;
use crate::fs::read_at;

pub(super) fn open(request: Request<'_>) -> Result<Box<dyn Source + '_>> {
    let mut archive = Npz::open(request.path, &Meter::default())?;
    let names = archive.names()?;
    let chosen = some_columns(request.chosen(&names)?)?;
    let mut columns: Vec<(String, DType)> = Vec::new();
    let mut rows = None;
    for name in chosen.into_iter().filter_map(|at| names.get(at)) {
        let site = Site { path: request.path, member: Some(name) };
        let layout = archive.layout(name)?;
        if !layout.item_shape.dims().is_empty() {
            return Err(site.invalid(format_args!(
                "the array has {} axes, a column one; choose the other arrays",
                layout.item_shape.dims().len() + 1
            )));
        }
        let expected = *rows.get_or_insert(layout.records);
        if layout.records != expected {
            return Err(site.invalid(format_args!(
                "the array has {} values, those before it {expected}; columns have the same length",
                layout.records
            )));
        }
        columns.push((name.clone(), layout.dtype));
    }
    Ok(Box::new(Archive { request, columns, rows: rows.unwrap_or(0) }))
}

struct Archive<'r> {
    request: Request<'r>,
    columns: Vec<(String, DType)>,
    rows: u64,
}

impl Source for Archive<'_> {
    fn columns(&self) -> Vec<(String, DType)> {
        self.columns.clone()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    /// The arrays are read side by side, through one handle however many there are.
    fn copy(&mut self, progress: &dyn Progress, take: Take<'_>) -> Result<()> {
        let path = self.request.path;
        let site = Site::file(path);
        let file = File::open(path).map_err(|error| site.unreadable(error))?;
        let len = file.metadata().map_err(|error| site.unreadable(error))?.len();
        let meter = Meter::up_to(len);
        let file = Reader { file: Arc::new(file), len, at: 0, meter: meter.clone() };
        let archive = ZipArchive::new(file).map_err(|error| damaged(site, error))?;
        let mut archives = vec![archive; self.columns.len()];
        let mut arrays = Vec::with_capacity(archives.len());
        for (archive, (name, _)) in archives.iter_mut().zip(&self.columns) {
            let site = Site { path, member: Some(name) };
            let mut data = archive.by_name(&format!("{name}.npy")).map_err(|error| damaged(site, error))?;
            read_header(&mut data, site)?;
            arrays.push(data);
        }
        let step = window(&self.columns) as u64;
        let mut buffers = vec![Vec::new(); arrays.len()];
        let mut left = self.rows;
        while left > 0 {
            let rows = left.min(step);
            for ((data, (name, dtype)), buffer) in arrays.iter_mut().zip(&self.columns).zip(&mut buffers) {
                let site = Site { path, member: Some(name) };
                read(data, rows.saturating_mul(dtype.itemsize()), buffer, site)?;
            }
            let columns = self.columns.iter().zip(&buffers);
            let inputs: Vec<_> =
                columns.map(|((name, dtype), bytes)| ColumnInput::new(name, dtype.clone(), bytes)).collect();
            take(&inputs)?;
            left -= rows;
            meter.report(progress)?;
        }
        // Archives check their sums at the end of each array.
        for (data, (name, _)) in arrays.iter_mut().zip(&self.columns) {
            let site = Site { path, member: Some(name) };
            let mut more = Vec::new();
            read_up_to(data, 1, &mut more).map_err(|error| site.unreadable(error))?;
            if !more.is_empty() {
                return Err(
                    site.invalid(format_args!("there are more bytes than the {} values have", self.rows))
                );
            }
        }
        meter.report(progress)
    }
}

fn read(data: &mut dyn Read, bytes: u64, buffer: &mut Vec<u8>, site: Site<'_>) -> Result<()> {
    read_up_to(data, bytes, buffer).map_err(|error| site.unreadable(error))?;
    if buffer.len() as u64 == bytes {
        Ok(())
    } else {
        Err(site.invalid("the data ends before the array does"))
    }
}

/// A place in a file that many read from.
#[derive(Clone)]
struct Reader {
    file: Arc<File>,
    len: u64,
    at: u64,
    meter: Meter,
}

impl Read for Reader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, self.at, buf)?;
        self.at = self.at.saturating_add(read as u64);
        self.meter.count(read as u64);
        Ok(read)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

pub(super) fn write(rows: &Rows<'_>, file: File, dest: &Path) -> Result<File> {
    let failed = |error: io::Error| unwritable(dest, error);
    let mut zip = ZipWriter::new(BufWriter::new(file));
    for column in rows.selection().columns_selected() {
        // Values are handed over in the order of this machine, NumPy's headers name it.
        let dtype = column.dtype();
        // As NumPy does: not compressed, and ready for more than 4 GiB.
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        zip.start_file(format!("{}.npy", column.name()), options).map_err(|error| zip_failed(dest, error))?;
        zip.write_all(&header(dtype, &[rows.selection().len()])).map_err(failed)?;
        let alone = rows.selection().clone().select([column.name()])?;
        rows.parts(&alone, |part, _| {
            let values = part.column(column.name())?;
            zip.write_all(values.as_bytes()).map_err(failed)
        })?;
    }
    let buffer = zip.finish().map_err(|error| zip_failed(dest, error))?;
    flushed(buffer, dest)
}
