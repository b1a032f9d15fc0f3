//! Where the files of one store live: the only door between the core and the outside.
//!
//! A [`Storage`] is one directory of a record store, or the one file of a column table. Calls are positional, synchronous and all-or-error, because
//! the order of writes *is* the algorithm. Every implementation runs the [`conformance`] suite.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::error::{Code, Error};

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
#[cfg(any(test, feature = "conformance"))]
pub mod fault;
pub mod memory;

/// The files of a record store, and the file of a column table. `Display` is the name on disk; a table has the name that
/// its place gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileId {
    /// `store.zr`: kind and identity.
    Store,
    /// `meta.zr`: physical header, and the lock that loaderx takes.
    Meta,
    /// `dict.zr`: the zstd dictionary.
    Dict,
    /// `N.loc`: segment N of the record table.
    Loc(u32),
    /// `N.chunk`: payload.
    Chunk(u32),
    /// `recask.journal`: what an interrupted operation needs to be finished or undone.
    Journal,
    /// `recask.lock`: held by the one process that may write.
    Lock,
    /// A column table, and the lock that colstore takes.
    Table,
    /// The table that will take the place of [`FileId::Table`]; what is left of an interrupted operation is worthless.
    Draft,
}

impl FileId {
    /// The file with this name, if a record store has such a file.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let number = |text: &str| {
            let canonical = text == "0" || (!text.is_empty() && !text.starts_with('0'));
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            if canonical && digits { text.parse().ok() } else { None }
        };
        match name {
            "store.zr" => Some(FileId::Store),
            "meta.zr" => Some(FileId::Meta),
            "dict.zr" => Some(FileId::Dict),
            "recask.journal" => Some(FileId::Journal),
            "recask.lock" => Some(FileId::Lock),
            _ => {
                if let Some(stem) = name.strip_suffix(".loc") {
                    number(stem).map(FileId::Loc)
                } else {
                    name.strip_suffix(".chunk").and_then(number).map(FileId::Chunk)
                }
            }
        }
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileId::Store => f.write_str("store.zr"),
            FileId::Meta => f.write_str("meta.zr"),
            FileId::Dict => f.write_str("dict.zr"),
            FileId::Loc(n) => write!(f, "{n}.loc"),
            FileId::Chunk(n) => write!(f, "{n}.chunk"),
            FileId::Journal => f.write_str("recask.journal"),
            FileId::Lock => f.write_str("recask.lock"),
            FileId::Table => f.write_str("table.cstore"),
            FileId::Draft => f.write_str("table.cstore.draft"),
        }
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// For reading; needs no permission to write. May be mapped.
    Read,
    /// An existing file for reading and writing.
    ReadWrite,
    /// For reading and writing; created empty when missing, kept as it is when present.
    OpenOrCreate,
    /// A file that must not exist yet, for reading and writing.
    CreateNew,
}

/// How a lock is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Many holders.
    Shared,
    /// One holder.
    Exclusive,
}

/// One directory of files.
///
/// Names become durable only with [`Storage::sync_names`], contents only with [`StorageFile::sync`].
pub trait Storage: Send + Sync {
    /// An open file.
    type File: StorageFile;
    /// A held lock; dropping it releases the lock.
    type Lock: Send + Sync;

    /// Opens a file. Missing: [`StorageErrorKind::NotFound`]; `CreateNew` on a present one:
    /// [`StorageErrorKind::AlreadyExists`].
    fn open(&self, id: FileId, mode: OpenMode) -> Result<Self::File, StorageError>;

    /// Whether there is such a file; `None` where only a request over a network could tell.
    fn has(&self, id: FileId) -> Result<Option<bool>, StorageError> {
        match self.open(id, OpenMode::Read) {
            Ok(_) => Ok(Some(true)),
            Err(error) if error.kind() == StorageErrorKind::NotFound => Ok(Some(false)),
            Err(error) => Err(error),
        }
    }

    /// Removes a file. Missing: [`StorageErrorKind::NotFound`].
    fn remove(&self, id: FileId) -> Result<(), StorageError>;

    /// Gives a file another name, in one step: `to` is the old file or the new one at any moment, also after a crash.
    /// A file that was there keeps its permissions for the new one; who has it open keeps it. Missing `from`:
    /// [`StorageErrorKind::NotFound`].
    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError>;

    /// All names in the directory, in no order, foreign ones included.
    fn names(&self) -> Result<Vec<String>, StorageError>;

    /// Makes every creation and removal so far durable.
    fn sync_names(&self) -> Result<(), StorageError>;

    /// Takes an advisory lock without waiting; [`StorageErrorKind::Busy`] where another handle holds it in a
    /// conflicting mode. [`FileId::Lock`] and [`FileId::Journal`] are created by an exclusive lock when missing;
    /// other files, and shared locks, need the file: [`StorageErrorKind::NotFound`].
    /// A storage that cannot lock answers `Ok`.
    fn lock(&self, id: FileId, mode: LockMode) -> Result<Self::Lock, StorageError>;
}

/// One open file. All offsets are from its start; calls take `&self` and may come from several threads.
pub trait StorageFile: Send + Sync {
    /// The size in bytes now.
    fn len(&self) -> Result<u64, StorageError>;

    /// The size in bytes now; `None` where only a request over a network could tell. Reads behind the end then fail with
    /// [`StorageErrorKind::UnexpectedEnd`].
    fn known_len(&self) -> Result<Option<u64>, StorageError> {
        self.len().map(Some)
    }

    /// Whether the file is empty.
    fn is_empty(&self) -> Result<bool, StorageError> {
        Ok(self.len()? == 0)
    }

    /// Fills `buf` from `offset`; [`StorageErrorKind::UnexpectedEnd`] where the file is shorter.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError>;

    /// Writes all of `data` at `offset`; a gap before it reads as zeros.
    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError>;

    /// Writes the parts one after the other, starting at `offset`.
    fn write_all_vectored_at(&self, offset: u64, parts: &[&[u8]]) -> Result<(), StorageError> {
        let mut at = offset;
        for part in parts {
            self.write_all_at(at, part)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    /// Cuts the file, or extends it with zeros.
    fn set_len(&self, len: u64) -> Result<(), StorageError>;

    /// Makes the contents and the size durable.
    fn sync(&self) -> Result<(), StorageError>;

    /// The bytes of `range` without a copy, where this file is mapped that far.
    fn mapped(&self, range: Range<u64>) -> Option<&[u8]> {
        let _ = range;
        None
    }
}

/// Why a storage call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageErrorKind {
    /// No such file or directory.
    NotFound,
    /// The file exists already.
    AlreadyExists,
    /// A lock is held elsewhere.
    Busy,
    /// Access was refused.
    PermissionDenied,
    /// The device or quota is full.
    Full,
    /// The file ended before the read did.
    UnexpectedEnd,
    /// The bytes are not here yet.
    NotFetched,
    /// Anything else; the message says what.
    Other,
}

/// A failed storage call: its kind, a sentence, and the cause.
#[derive(Debug)]
pub struct StorageError {
    kind: StorageErrorKind,
    message: Cow<'static, str>,
    source: Option<Box<dyn core::error::Error + Send + Sync>>,
}

impl StorageError {
    /// An error with its kind and a lower-case sentence.
    #[must_use]
    pub fn new(kind: StorageErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        StorageError { kind, message: message.into(), source: None }
    }

    /// Keeps the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl core::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Why the call failed.
    #[must_use]
    pub fn kind(&self) -> StorageErrorKind {
        self.kind
    }

    /// The public error, naming the file that the call was about.
    #[must_use]
    pub fn in_file(self, file: FileId) -> Error {
        self.in_only_file().in_file(file)
    }

    /// The public error of a call about a file that has no name here: a column table is one file, and who opened it
    /// knows which.
    #[must_use]
    pub fn in_only_file(self) -> Error {
        let code = match self.kind {
            StorageErrorKind::NotFound => Code::MissingFile,
            StorageErrorKind::AlreadyExists => Code::StoreExists,
            StorageErrorKind::Busy => Code::StoreBusy,
            StorageErrorKind::PermissionDenied => Code::PermissionDenied,
            StorageErrorKind::Full => Code::DeviceFull,
            StorageErrorKind::UnexpectedEnd => Code::TruncatedFile,
            StorageErrorKind::NotFetched => Code::NotFetched,
            StorageErrorKind::Other => Code::Io,
        };
        let message = self.message.clone();
        Error::new(code, message).caused_by(self)
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for StorageError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn core::error::Error + 'static))
    }
}
