//! What a process can reach at all, and where paths lead.

#[cfg(not(target_os = "wasi"))]
use std::io;
use std::path::Path;
#[cfg(not(target_os = "wasi"))]
use std::path::PathBuf;

use recask_core::Result;
#[cfg(target_os = "wasi")]
use recask_core::{Code, Error};

/// Whether a path lies in what this process was given: in a WASI sandbox one of the preopened folders, elsewhere always. What is
/// there, and whether it may be read, is another question.
///
/// ```
/// recask::fs::check_reachable(std::path::Path::new("data"))?;
/// # Ok::<(), recask::Error>(())
/// ```
///
/// # Errors
/// [`Code::PermissionDenied`](recask_core::Code::PermissionDenied), which names the folders that there are and says what to do.
pub fn check_reachable(path: &Path) -> Result<()> {
    #[cfg(target_os = "wasi")]
    if let Some(text) = super::sandbox::refusal(path) {
        return Err(Error::new(Code::PermissionDenied, text));
    }
    let _ = path;
    Ok(())
}

/// Where a path leads, through all symbolic links.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

#[cfg(target_os = "wasi")]
pub(crate) use super::sandbox::canonical;
