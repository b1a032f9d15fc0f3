//! Apache Parquet.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::WriterProperties;
use recask_core::Result;

use super::super::problem::{Site, unwritable};
use super::batches::{self, BatchFile, contained, damaged};
use super::export::Rows;
use super::options::Compression;
use super::source::{Request, Source};
use crate::Progress;
use crate::arrow::Shown;

/// Bytes of columns in one row group, at most.
const ROW_GROUP: u64 = 64 << 20;
/// Rows in one row group, at most.
const MOST_ROWS: u64 = 1 << 20;
/// Rows that are read at once where any number would do.
const BATCH: usize = 1 << 13;

pub(super) fn open<'r>(request: Request<'r>, progress: &dyn Progress) -> Result<Box<dyn Source + 'r>> {
    let path = request.path;
    let file = opened(path)?;
    let metadata = contained(|| Ok(ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())?))?;
    check_places(&metadata, file.metadata().map_err(|error| Site::file(path).unreadable(error))?.len())?;
    batches::open(Parquet { path: path.to_path_buf(), metadata }, request, progress)
}

/// Every column chunk has to lie in the file.
fn check_places(metadata: &ArrowReaderMetadata, len: u64) -> Result<()> {
    let chunks = metadata.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
    for chunk in chunks {
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        let place = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
        let end = place.and_then(|(start, size)| start.checked_add(size));
        if end.is_none_or(|end| end > len) {
            return Err(damaged(format_args!(
                "the values of column {} do not lie in it",
                chunk.column_path()
            )));
        }
    }
    Ok(())
}

struct Parquet {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
}

impl BatchFile for Parquet {
    fn schema(&self) -> SchemaRef {
        self.metadata.schema().clone()
    }

    fn rows(&self) -> u64 {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    fn each(
        &self,
        positions: &[usize],
        rows: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let file = opened(&self.path)?;
        let mut reader = contained(|| {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
            let wanted = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
            Ok(builder.with_projection(wanted).with_batch_size(rows.min(BATCH)).build()?)
        })?;
        while let Some(batch) = contained(|| Ok(reader.next().transpose()?))? {
            take(&batch)?;
        }
        Ok(())
    }
}

fn opened(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| Site::file(path).unreadable(error))
}

pub(super) fn write(rows: &Rows<'_>, file: File, dest: &Path, compression: Compression) -> Result<File> {
    let failed = |error: ParquetError| failed(dest, error);
    let codec = match compression {
        Compression::None => Codec::UNCOMPRESSED,
        Compression::Snappy => Codec::SNAPPY,
        Compression::Zstd => Codec::ZSTD(ZstdLevel::default()),
    };
    let width: u64 = rows
        .selection()
        .columns_selected()
        .map(|column| column.dtype().itemsize())
        .fold(0, u64::saturating_add);
    let group = (ROW_GROUP / width.max(1)).clamp(1, MOST_ROWS);
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(usize::try_from(group).ok())
        .build();
    let shown = Shown::in_parquet(rows.selection())?;
    let mut writer = ArrowWriter::try_new(file, shown.schema(), Some(properties)).map_err(failed)?;
    rows.parts(rows.selection(), |part, first| writer.write(&shown.batch(part, first)?).map_err(failed))?;
    writer.into_inner().map_err(failed)
}

fn failed(dest: &Path, error: ParquetError) -> recask_core::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => unwritable(dest, *error),
            Err(error) => unwritable(dest, std::io::Error::other(error)),
        },
        error => unwritable(dest, std::io::Error::other(error)),
    }
}
