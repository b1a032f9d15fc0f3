//! Paths that stay within the folder of a listing, whatever they are joined to.

/// Says what is wrong with a path, if anything is.
///
/// A colon would make a scheme of a URL or a drive of a path on Windows, and there a backslash leads as far as `/` does.
pub(super) fn check(path: &str) -> Result<(), &'static str> {
    if path == "." {
        return Ok(());
    }
    if path.starts_with('/') {
        return Err("is absolute; give it from the folder of the listing");
    }
    if path.contains(['\\', ':']) || path.contains(char::is_control) {
        return Err("has a backslash, a colon or a control character");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("has a part that is empty, '.' or '..'");
    }
    Ok(())
}

/// The name of the file or folder that a path leads to; `None` for the folder of the listing.
pub(super) fn last(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|last| *last != ".")
}
