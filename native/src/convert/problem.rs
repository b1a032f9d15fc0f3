//! What goes wrong with files outside of stores, as the crate's errors.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use recask_core::{Code, Error, Result};

use crate::Progress;
use crate::fs::check_reachable;

/// The place that a sentence is about: a file, and the array in it where it has several.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) path: &'a Path,
    pub(super) member: Option<&'a str>,
}

impl<'a> Site<'a> {
    pub(super) fn file(path: &'a Path) -> Self {
        Site { path, member: None }
    }

    /// The source cannot be understood.
    pub(super) fn invalid(&self, reason: impl fmt::Display) -> Error {
        Error::new(Code::InvalidSource, format!("{self}: {reason}"))
    }

    /// Reading failed: decoders report damage the same way as the system reports its failures.
    pub(super) fn unreadable(&self, error: io::Error) -> Error {
        if let Err(outside) = check_reachable(self.path) {
            return outside.caused_by(error);
        }
        let code = match error.kind() {
            ErrorKind::InvalidData
            | ErrorKind::InvalidInput
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory => Code::InvalidSource,
            ErrorKind::OutOfMemory => Code::TooLarge,
            _ => environment(&error),
        };
        Error::new(code, format!("could not read {self}: {}", system_text(&error))).caused_by(error)
    }
}

impl fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match self.member {
            Some(member) => write!(f, " (array {member:?})"),
            None => Ok(()),
        }
    }
}

/// Writing failed.
pub(super) fn unwritable(path: &Path, error: io::Error) -> Error {
    if let Err(outside) = check_reachable(path) {
        return outside.caused_by(error);
    }
    let code = match error.kind() {
        ErrorKind::AlreadyExists => Code::StoreExists,
        _ => environment(&error),
    };
    Error::new(code, format!("could not write {}: {}", path.display(), system_text(&error))).caused_by(error)
}

fn environment(error: &io::Error) -> Code {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DeviceFull,
        _ => Code::Io,
    }
}

/// Ends work that was told to stop.
pub(super) fn check(progress: &dyn Progress) -> Result<()> {
    if progress.proceed() {
        return Ok(());
    }
    Err(Error::new(Code::Interrupted, "the work was interrupted before it was complete"))
}

pub(super) fn invalid_argument(text: String) -> Error {
    Error::new(Code::InvalidArgument, text)
}

pub(super) fn too_large(what: impl fmt::Display) -> Error {
    Error::new(Code::TooLarge, format!("{what} does not fit in memory"))
}

/// What the system says, beginning with a small letter.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}
