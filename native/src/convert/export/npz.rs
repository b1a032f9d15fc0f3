//! Streams as a zip archive of NumPy's array files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use recask_core::{Code, DType, Error, Result};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::npy::header;
use super::super::problem::{too_large, unwritable};
use super::npy::header_of;
use super::selection::{Selection, Source};
use super::{finish, write_records};
use crate::{AnyStore, Progress, RaggedStore};

/// The arrays of a ragged stream have its name before theirs where `is_dataset`.
pub(super) fn write(
    sources: &[Source<'_>],
    is_dataset: bool,
    file: File,
    out: &Path,
    progress: &dyn Progress,
) -> Result<()> {
    let mut archive = Archive { zip: ZipWriter::new(BufWriter::new(file)), out };
    for source in sources {
        match &source.store {
            AnyStore::Dense(_) => {
                archive.start(&source.name, &header_of(source)?)?;
                write_records(source, &mut archive.zip, out, progress)?;
            }
            AnyStore::Ragged(store) => {
                let prefix = if is_dataset { format!("{}.", source.name) } else { String::new() };
                archive.ragged(&prefix, store, &source.selection, progress)?;
            }
        }
    }
    let file = archive.zip.finish().map_err(|error| failed(out, error))?;
    finish(file, out)
}

struct Archive<'o> {
    zip: ZipWriter<BufWriter<File>>,
    out: &'o Path,
}

impl Archive<'_> {
    fn start(&mut self, name: &str, header: &[u8]) -> Result<()> {
        // As NumPy does: not compressed, and ready for more than 4 GiB.
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        self.zip.start_file(format!("{name}.npy"), options).map_err(|error| failed(self.out, error))?;
        self.write(header)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.zip.write_all(bytes).map_err(|error| unwritable(self.out, error))
    }

    /// The header of `values` needs their number, so the records are read twice.
    fn ragged(
        &mut self,
        prefix: &str,
        store: &RaggedStore,
        selection: &Selection<'_>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let (mut offsets, mut shape_offsets, mut shapes) = (vec![0u64], vec![0u64], Vec::new());
        Source::each_ragged(store, selection, &Unwatched(progress), |batch| {
            extend(&mut offsets, batch.offsets())?;
            extend(&mut shape_offsets, batch.shape_offsets())?;
            reserve(&mut shapes, batch.shapes().len())?;
            shapes.extend_from_slice(batch.shapes());
            Ok(())
        })?;
        let values = offsets.last().copied().unwrap_or(0);
        self.start(&format!("{prefix}values"), &header(store.dtype(), &[values]))?;
        let mut written = 0;
        Source::each_ragged(store, selection, progress, |batch| {
            written += batch.offsets().last().copied().unwrap_or(0);
            self.write(batch.as_bytes())
        })?;
        if written != values {
            return Err(Error::new(
                Code::StoreBusy,
                "the store changed while it was exported; export it again",
            ));
        }
        for (name, list) in [("offsets", &offsets), ("shapes", &shapes), ("shape_offsets", &shape_offsets)] {
            self.start(&format!("{prefix}{name}"), &header(&DType::I64, &[list.len() as u64]))?;
            for part in list.chunks(1 << 16) {
                // The counts of what a store holds stay below 2^63.
                let bytes: Vec<u8> = part.iter().flat_map(|count| count.to_le_bytes()).collect();
                self.write(&bytes)?;
            }
        }
        Ok(())
    }
}

/// Continues `offsets`, of which each list begins with 0.
fn extend(offsets: &mut Vec<u64>, more: &[u64]) -> Result<()> {
    let end = offsets.last().copied().unwrap_or(0);
    reserve(offsets, more.len())?;
    offsets.extend(more.iter().skip(1).map(|offset| end.saturating_add(*offset)));
    Ok(())
}

fn reserve(list: &mut Vec<u64>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| too_large("the list of offsets"))
}

/// Can stop the work, but counts nothing.
struct Unwatched<'p>(&'p dyn Progress);

impl Progress for Unwatched<'_> {
    fn proceed(&self) -> bool {
        self.0.proceed()
    }
}

pub(in super::super) fn failed(out: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => unwritable(out, error),
        error => unwritable(out, std::io::Error::other(error)),
    }
}
