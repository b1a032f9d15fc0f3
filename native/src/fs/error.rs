//! What the operating system says, as a storage error that names the path.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::Path;

use recask_core::storage::{StorageError, StorageErrorKind};

use super::reach::check_reachable;

/// "could not `action` `path`: what the system said".
pub(crate) fn storage_error(action: &str, path: &Path, error: io::Error) -> StorageError {
    if let Err(outside) = check_reachable(path) {
        let message = outside.message().to_owned();
        return StorageError::new(StorageErrorKind::PermissionDenied, message).caused_by(error);
    }
    let message = format!("could not {action} {}: {}", path.display(), system_text(&error));
    StorageError::new(kind_of(&error), message).caused_by(error)
}

/// The text of the system, beginning with a small letter like every message.
pub(super) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let mut lower = String::with_capacity(text.len());
    if let Some(first) = letters.next() {
        // An acronym stays as it is.
        let acronym = letters.clone().next().is_some_and(char::is_uppercase);
        if acronym { lower.push(first) } else { lower.extend(first.to_lowercase()) }
    }
    let _ = lower.write_str(letters.as_str());
    lower
}

fn kind_of(error: &io::Error) -> StorageErrorKind {
    match error.kind() {
        ErrorKind::NotFound => StorageErrorKind::NotFound,
        ErrorKind::AlreadyExists => StorageErrorKind::AlreadyExists,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StorageErrorKind::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StorageErrorKind::Full,
        ErrorKind::UnexpectedEof => StorageErrorKind::UnexpectedEnd,
        _ => StorageErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sentences_with_the_path_and_what_the_system_said() {
        let error = io::Error::from(ErrorKind::StorageFull);
        let error = storage_error("write", Path::new("data/0.chunk"), error);
        assert_eq!(error.to_string(), "could not write data/0.chunk: no storage space");
        assert_eq!(error.kind(), StorageErrorKind::Full);
    }

    #[test]
    fn kinds_follow_the_system() {
        let kinds = [
            (ErrorKind::NotFound, StorageErrorKind::NotFound),
            (ErrorKind::AlreadyExists, StorageErrorKind::AlreadyExists),
            (ErrorKind::PermissionDenied, StorageErrorKind::PermissionDenied),
            (ErrorKind::ReadOnlyFilesystem, StorageErrorKind::PermissionDenied),
            (ErrorKind::QuotaExceeded, StorageErrorKind::Full),
            (ErrorKind::IsADirectory, StorageErrorKind::Other),
        ];
        for (system, expected) in kinds {
            assert_eq!(kind_of(&system.into()), expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_and_a_full_quota_are_full() {
        const ENOSPC: i32 = 28;
        const EDQUOT: i32 = 122;
        for code in [ENOSPC, EDQUOT] {
            assert_eq!(kind_of(&io::Error::from_raw_os_error(code)), StorageErrorKind::Full);
        }
        let text = system_text(&io::Error::from_raw_os_error(ENOSPC));
        assert_eq!(text, "no space left on device (os error 28)");
    }
}
