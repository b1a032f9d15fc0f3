//! A folder of tables to which tables are added.

use std::fs;
use std::path::{Path, PathBuf};

use recask_core::format::cstore::Manifest;
use recask_core::progress::Progress;
use recask_core::storage::{FileId, LockMode, StorageError};
use recask_core::table::WriteOptions;
use recask_core::{Code, Error, Result};

use super::files::{EXTENSION, tables_in};
use super::hidden::{HiddenTable, failed};
use super::{ColumnInput, Selection, Table};
use crate::fs::{NativeLock, check_writable};

/// The lock that colstore takes too.
const LOCK: &str = ".colstore.lock";
const PREFIX: &str = "shard_";

/// Adds files to a folder that is read as one table: `shard_00000.cstore` and so on, as colstore 0.5.1 names them.
///
/// Every shard has the columns of those that are there, is complete when it gets its name, and replaces nothing; what a
/// crash leaves has a name that begins with a dot, and is no shard. Readers need no lock, who adds holds that of the
/// folder from [`Shards::open`] on.
///
/// ```
/// use recask::table::{ColumnInput, Shards, find};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("trades");
/// let mut shards = Shards::open(&folder)?;
/// shards.append(&[ColumnInput::of("price", &[9.5f64, 9.25])])?;
///
/// // More than fits into memory: many records in one shard.
/// let mut writer = shards.writer()?;
/// for day in 0..3 {
///     writer.write(&[ColumnInput::of("price", &[f64::from(day)])])?;
/// }
/// let path = writer.finish()?;
/// assert_eq!(find(&folder)?, [folder.join("shard_00000.cstore"), path]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shards {
    folder: PathBuf,
    options: WriteOptions,
    schema: Option<Manifest>,
    _lock: NativeLock,
}

/// Adds one shard to a folder: [`Shards::open`] and [`Shards::append`].
///
/// # Errors
/// Those of both.
pub fn append_shard(folder: impl AsRef<Path>, columns: &[ColumnInput<'_>]) -> Result<PathBuf> {
    Shards::open(folder)?.append(columns)
}

impl Shards {
    /// Locks the folder, which is made when it is missing. Shards get the layout of those that are there, with statistics
    /// if the first has them; the first of all that of colstore 0.3.
    ///
    /// # Errors
    /// [`Code::StoreBusy`] while somebody else adds to it, colstore included; those of
    /// [`Table::open`](recask_core::Table::open) where its first shard is damaged; what the system says.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let mut shards = Self::lock(folder.as_ref())?;
        if let Some(first) = shards.first()? {
            let statistics = first.statistics()?.is_some();
            shards.options = WriteOptions { layout: first.layout(), statistics };
        }
        Ok(shards)
    }

    /// [`Shards::open`], with options for the shards to come.
    ///
    /// # Errors
    /// Those of [`Shards::open`].
    pub fn open_with(folder: impl AsRef<Path>, options: &WriteOptions) -> Result<Self> {
        let mut shards = Self::lock(folder.as_ref())?;
        shards.first()?;
        shards.options = *options;
        Ok(shards)
    }

    fn lock(folder: &Path) -> Result<Self> {
        check_writable(folder)?;
        fs::create_dir_all(folder).map_err(|error| failed("create", folder, error))?;
        let lock = NativeLock::take(&folder.join(LOCK), FileId::Lock, LockMode::Exclusive);
        let lock = lock.map_err(StorageError::in_only_file)?;
        let options = WriteOptions::default();
        Ok(Shards { folder: folder.to_owned(), options, schema: None, _lock: lock })
    }

    /// The first shard, whose columns the others must have.
    fn first(&mut self) -> Result<Option<Table>> {
        let Some(path) = tables_in(&self.folder)?.into_iter().next() else { return Ok(None) };
        let first = Table::open(path)?;
        self.schema = Some(first.manifest().clone());
        Ok(Some(first))
    }

    /// The columns that every shard must have; `None` before the first.
    #[must_use]
    pub fn schema(&self) -> Option<&Manifest> {
        self.schema.as_ref()
    }

    /// Adds a shard of one record, and answers where it is. It is durable then.
    ///
    /// # Errors
    /// [`Code::ColumnNotFound`], [`Code::DTypeMismatch`] or [`Code::ShapeMismatch`] for other columns than those of the shards
    /// that are there; the errors of [`TableWriter::write`](super::TableWriter::write); what the system says. No shard is
    /// added then.
    pub fn append(&mut self, columns: &[ColumnInput<'_>]) -> Result<PathBuf> {
        let mut writer = self.writer()?;
        writer.write(columns)?;
        writer.finish()
    }

    /// Adds the rows of another table as a shard of one record, in bounded memory. Progress counts rows.
    ///
    /// # Errors
    /// Those of [`Shards::append`]; [`Code::Interrupted`].
    pub fn append_rows(&mut self, rows: &Selection, progress: &dyn Progress) -> Result<PathBuf> {
        let mut writer = self.writer()?;
        writer.write_rows(rows, progress)?;
        writer.finish()
    }

    /// Starts a shard that is written record by record.
    ///
    /// # Errors
    /// What the system says.
    pub fn writer(&mut self) -> Result<ShardWriter<'_>> {
        let hidden = HiddenTable::beside(&self.path_of(self.next_number()?), &self.options)?;
        Ok(ShardWriter { shards: self, hidden })
    }

    /// The number behind the highest: a shard that was removed leaves a gap.
    fn next_number(&self) -> Result<u64> {
        let list = || {
            let mut next = Some(0);
            for entry in fs::read_dir(&self.folder)? {
                if let Some(number) = number_of(&entry?.file_name().to_string_lossy()) {
                    next = next.and_then(|next: u64| Some(next.max(number.checked_add(1)?)));
                }
            }
            Ok(next)
        };
        let next = list().map_err(|error| failed("list", &self.folder, error))?;
        next.ok_or_else(|| {
            let message = "the highest number of a shard is taken: rename it";
            Error::new(Code::TooLarge, message).at_place(self.folder.display().to_string())
        })
    }

    fn path_of(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{PREFIX}{number:05}.{EXTENSION}"))
    }

    fn check(&self, schema: Option<&Manifest>) -> Result<()> {
        let (Some(ours), Some(theirs)) = (&self.schema, schema) else { return Ok(()) };
        let refused =
            |code, message| Err(Error::new(code, message).at_place(self.folder.display().to_string()));
        if ours.columns.len() != theirs.columns.len() {
            let (given, there) = (theirs.columns.len(), ours.columns.len());
            let message = format!("{given} columns are given, the shards have {there}");
            return refused(Code::ShapeMismatch, message);
        }
        for (our, their) in ours.columns.iter().zip(&theirs.columns) {
            let (name, given) = (our.name().as_str(), their.name().as_str());
            if our.name() != their.name() {
                let message = format!("column '{given}' is given where the shards have column '{name}'");
                return refused(Code::ColumnNotFound, message);
            }
            if our.dtype() != their.dtype() {
                let (given, there) = (their.dtype(), our.dtype());
                let message =
                    format!("column '{name}' is given as '{given}', the shards have it as '{there}'");
                return refused(Code::DTypeMismatch, message);
            }
        }
        Ok(())
    }
}

/// The number in `shard_00012.cstore`.
fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// One shard that is being written: [`Shards::writer`]. Dropping it adds no shard.
pub struct ShardWriter<'s> {
    shards: &'s mut Shards,
    hidden: HiddenTable,
}

impl ShardWriter<'_> {
    /// Writes rows as one record.
    ///
    /// # Errors
    /// Those of [`Shards::append`].
    pub fn write(&mut self, columns: &[ColumnInput<'_>]) -> Result<()> {
        let writer = self.hidden.writer();
        writer.write(columns)?;
        self.shards.check(writer.schema())
    }

    /// Writes rows of other tables as one record, in bounded memory. Progress counts rows.
    ///
    /// # Errors
    /// Those of [`Shards::append_rows`].
    pub fn write_rows(&mut self, rows: &Selection, progress: &dyn Progress) -> Result<()> {
        let writer = self.hidden.writer();
        writer.write_rows(rows, progress)?;
        self.shards.check(writer.schema())
    }

    /// The rows that were written.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.hidden.rows()
    }

    /// Adds the shard, and answers where it is. It is durable then.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when nothing was written; those of [`Shards::append`].
    pub fn finish(mut self) -> Result<PathBuf> {
        let schema = self.hidden.writer().schema().cloned();
        self.shards.check(schema.as_ref())?;
        // Who takes no lock may have taken the number.
        const TRIES: u64 = 1000;
        let number = self.shards.next_number()?;
        let names = (number..number.saturating_add(TRIES)).map(|number| self.shards.path_of(number));
        let path = self.hidden.publish(names)?;
        if self.shards.schema.is_none() {
            self.shards.schema = schema;
        }
        Ok(path)
    }
}

impl std::fmt::Debug for ShardWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ShardWriter({})", self.shards.folder.display())
    }
}
