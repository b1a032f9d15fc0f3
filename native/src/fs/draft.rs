//! Files that get their names when they are complete.

#[cfg(not(target_os = "wasi"))]
pub(crate) use tempfile::TempPath;

#[cfg(target_os = "wasi")]
pub(crate) use self::sandboxed::TempPath;

#[cfg(target_os = "wasi")]
mod sandboxed;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A file that is written under a hidden name beside its own, which it gets when it is complete. Dropping it removes it.
///
/// ```
/// use std::io::Write as _;
///
/// use recask::fs::Draft;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.json");
/// let mut draft = Draft::beside(&path)?;
/// draft.write_all(b"{}")?;
/// assert!(!path.exists());
/// draft.replace(&path)?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    /// Before the path: a file must be closed before it can be removed on some systems.
    file: File,
    path: TempPath,
}

impl Draft {
    /// Makes the file in the folder of `dest`, with the permissions of any new file.
    ///
    /// # Errors
    /// What the system says.
    pub fn beside(dest: &Path) -> io::Result<Self> {
        let folder = dest.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (file, path) = create_in(folder)?;
        Ok(Draft { file, path })
    }

    /// The file, for who writes and syncs it.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The file once more, opened by its name.
    ///
    /// # Errors
    /// What the system says.
    pub fn reopen(&self) -> io::Result<File> {
        File::options().read(true).write(true).open(&self.path)
    }

    /// Gives it its name, in place of a file that is there.
    ///
    /// # Errors
    /// What the system says.
    pub fn replace(self, dest: &Path) -> io::Result<()> {
        self.path.persist(dest).map_err(|refused| refused.error)
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) where something is there; what the system says.
    pub fn publish(self, dest: &Path) -> io::Result<()> {
        self.path.persist_noclobber(dest).map_err(|refused| refused.error)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(not(target_os = "wasi"))]
fn create_in(folder: &Path) -> io::Result<(File, TempPath)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".recask-").suffix(".draft");
    #[cfg(unix)]
    let new = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(new);
    Ok(builder.tempfile_in(folder)?.into_parts())
}

#[cfg(target_os = "wasi")]
fn create_in(folder: &Path) -> io::Result<(File, TempPath)> {
    let seed = crate::system_seed().map_err(io::Error::other)?;
    let path = folder.join(format!(".recask-{seed:016x}.draft"));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    Ok((file, TempPath::try_from_path(path)?))
}
