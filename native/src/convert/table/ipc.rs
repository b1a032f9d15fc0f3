//! Arrow's own files (Feather version 2) and streams.

mod frames;
mod memory;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};
use recask_core::{Error, Result};

use self::frames::{Content, Failure, Frames};
pub use self::memory::{to_ipc, write_ipc};
use super::super::problem::unwritable;
use super::batches::{self, BatchFile, contained};
use super::export::{Rows, flushed};
use super::format::Format;
use super::source::{Request, Source};
use crate::Progress;
use crate::arrow::Shown;

pub(super) fn open<'r>(
    request: Request<'r>,
    format: Format,
    progress: &dyn Progress,
) -> Result<Box<dyn Source + 'r>> {
    batches::open(Ipc::of(request.path.to_path_buf(), format)?, request, progress)
}

/// Where the bytes are.
trait Origin {
    /// The bytes from their beginning, and how many there are.
    fn open(&self) -> Result<(impl Read + Seek, u64), Failure>;

    fn len(&self) -> u64;
}

impl Origin for PathBuf {
    fn open(&self) -> Result<(impl Read + Seek, u64), Failure> {
        let file = File::open(self)?;
        let len = file.metadata()?.len();
        Ok((file, len))
    }

    fn len(&self) -> u64 {
        std::fs::metadata(self).map_or(0, |metadata| metadata.len())
    }
}

struct Ipc<O> {
    origin: O,
    format: Format,
    schema: SchemaRef,
    rows: u64,
}

impl<O: Origin> Ipc<O> {
    fn of(origin: O, format: Format) -> Result<Self> {
        let (schema, rows) = contained(|| {
            let (file, len) = origin.open()?;
            let mut frames = Frames::open(file, len, format)?;
            let schema = frames.schema();
            Ok((schema, frames.count_rows()?))
        })?;
        Ok(Ipc { origin, format, schema, rows })
    }
}

impl<O: Origin> BatchFile for Ipc<O> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn bytes(&self) -> u64 {
        self.origin.len()
    }

    fn each(
        &self,
        positions: &[usize],
        _rows: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (mut frames, mut decoder) = contained(|| {
            let (file, len) = self.origin.open()?;
            let frames = Frames::open(file, len, self.format)?;
            let decoder = frames.decoder().with_projection(positions.to_vec());
            Ok((frames, decoder))
        })?;
        loop {
            let batch = contained(|| {
                while let Some(frame) = frames.next()? {
                    match frame.content {
                        Content::Dictionary => decoder.read_dictionary(&frame.block, &frame.bytes)?,
                        Content::Batch => return Ok(decoder.read_record_batch(&frame.block, &frame.bytes)?),
                    }
                }
                Ok(None)
            })?;
            match batch {
                Some(batch) => take(&batch)?,
                None => return Ok(()),
            }
        }
    }
}

pub(super) fn write(rows: &Rows<'_>, file: File, dest: &Path, format: Format) -> Result<File> {
    let failed = |error: ArrowError| match error {
        ArrowError::IoError(_, error) => unwritable(dest, error),
        error => unwritable(dest, std::io::Error::other(error)),
    };
    flushed(write_to(BufWriter::new(file), rows, format, &failed)?, dest)
}

/// A stream where that is the format, else a file.
fn write_to<W: Write>(
    out: W,
    rows: &Rows<'_>,
    format: Format,
    failed: &dyn Fn(ArrowError) -> Error,
) -> Result<W> {
    let shown = Shown::of(rows.selection())?;
    if format == Format::ArrowStream {
        let mut writer = StreamWriter::try_new(out, &shown.schema()).map_err(failed)?;
        rows.parts(rows.selection(), |part, first| writer.write(&shown.batch(part, first)?).map_err(failed))?;
        return writer.into_inner().map_err(failed);
    }
    let mut writer = FileWriter::try_new(out, &shown.schema()).map_err(failed)?;
    rows.parts(rows.selection(), |part, first| writer.write(&shown.batch(part, first)?).map_err(failed))?;
    writer.into_inner().map_err(failed)
}
