//! What Recask needs of the crate `tempfile`, which not every sandbox can link.

use std::fs;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::super::sandbox::hard_link;

/// A file that is removed when this is dropped, unless it got its name.
#[derive(Debug)]
pub(crate) struct TempPath(Option<PathBuf>);

/// It has its old name still.
pub(crate) struct Refused {
    pub(crate) error: io::Error,
    pub(crate) path: TempPath,
}

impl TempPath {
    pub(crate) fn try_from_path(path: PathBuf) -> io::Result<Self> {
        Ok(TempPath(Some(path)))
    }

    /// In place of a file that is there.
    pub(crate) fn persist(self, dest: impl AsRef<Path>) -> Result<(), Refused> {
        self.settle(|path| fs::rename(path, dest))
    }

    /// Where nothing is: a second name is refused then, which a rename would not be.
    pub(crate) fn persist_noclobber(self, dest: impl AsRef<Path>) -> Result<(), Refused> {
        self.settle(|path| hard_link(path, dest.as_ref()).and_then(|()| fs::remove_file(path)))
    }

    fn settle(mut self, name: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Refused> {
        match name(&self) {
            Ok(()) => {
                self.0 = None;
                Ok(())
            }
            Err(error) => Err(Refused { error, path: self }),
        }
    }
}

impl Deref for TempPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.as_deref().unwrap_or(Path::new(""))
    }
}

impl AsRef<Path> for TempPath {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl Drop for TempPath {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // There is an error to report already; what cannot be removed stays.
            let _ = fs::remove_file(path);
        }
    }
}
