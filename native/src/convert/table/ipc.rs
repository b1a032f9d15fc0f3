//! Arrow's own files (Feather version 2) and streams.

mod frames;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};
use recask_core::Result;

use self::frames::{Content, Frames};
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
    let path = request.path;
    let (schema, rows) = contained(path, || {
        let mut frames = Frames::open(path, format)?;
        let schema = frames.schema();
        Ok((schema, frames.count_rows()?))
    })?;
    batches::open(Ipc { path: path.to_path_buf(), format, schema, rows }, request, progress)
}

struct Ipc {
    path: PathBuf,
    format: Format,
    schema: SchemaRef,
    rows: u64,
}

impl BatchFile for Ipc {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn each(
        &self,
        positions: &[usize],
        _rows: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (mut frames, mut decoder) = contained(&self.path, || {
            let frames = Frames::open(&self.path, self.format)?;
            let decoder = frames.decoder().with_projection(positions.to_vec());
            Ok((frames, decoder))
        })?;
        loop {
            let batch = contained(&self.path, || {
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
    let shown = Shown::of(rows.selection())?;
    let buffer = BufWriter::new(file);
    let buffer = if format == Format::ArrowStream {
        let mut writer = StreamWriter::try_new(buffer, &shown.schema()).map_err(failed)?;
        rows.parts(rows.selection(), |part, first| writer.write(&shown.batch(part, first)?).map_err(failed))?;
        writer.into_inner().map_err(failed)?
    } else {
        let mut writer = FileWriter::try_new(buffer, &shown.schema()).map_err(failed)?;
        rows.parts(rows.selection(), |part, first| writer.write(&shown.batch(part, first)?).map_err(failed))?;
        writer.into_inner().map_err(failed)?
    };
    flushed(buffer, dest)
}
