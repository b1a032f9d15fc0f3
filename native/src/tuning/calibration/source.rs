//! The table that a calibration gathers from.

use recask_core::progress::Progress;
use recask_core::{Code, DType, Error, Result};
use tempfile::TempDir;

use super::Effort;
use crate::fs::check_writable;
use crate::table::{ColumnInput, Selection, TableWriter, open_with};
use crate::tuning::Tuning;
use crate::{Mode, sampler};

/// A table in a temporary folder, which is removed when this is dropped, and the rows to gather.
pub(super) struct Source {
    folder: TempDir,
    rows: Vec<u64>,
}

const NAME: &str = "calibration.cstore";

impl Source {
    pub(super) fn write(effort: &Effort, progress: &dyn Progress) -> Result<Self> {
        check_writable(&effort.folder)?;
        let folder = tempfile::tempdir_in(&effort.folder).map_err(|error| {
            let message = format!("could not make a folder in {}: {error}", effort.folder.display());
            Error::new(Code::Io, message).caused_by(error)
        })?;
        let mut writer = TableWriter::create(folder.path().join(NAME))?;
        let mut record = writer.record([("value", DType::F32)], effort.rows)?;
        let block = vec![1f32; 1 << 20];
        while record.missing_rows() > 0 {
            if !progress.proceed() {
                return Err(super::interrupted());
            }
            let rows = usize::try_from(record.missing_rows()).unwrap_or(usize::MAX).min(block.len());
            record.write(&[ColumnInput::of("value", &block[..rows])])?;
        }
        record.finish()?;
        writer.close()?;
        let rows = sampler(Mode::IidSeek, effort.rows, effort.gathered as u64).seed(1).build()?.at(0)?;
        Ok(Source { folder, rows })
    }

    pub(super) fn open(&self, tuning: &Tuning) -> Result<Selection> {
        open_with(self.folder.path().join(NAME), tuning)?.rows(&self.rows)
    }
}
