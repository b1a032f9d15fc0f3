//! Where a run stands, in a file between two commands.

use std::io::{self, Write as _};
use std::path::Path;

use recask::fs::Draft;
use recask::loader::State;
use recask::{Code, Error};

use crate::failure::{At as _, Failure, read_file, system};

/// A file with a state, or one that is to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateFile<'a>(&'a Path);

impl<'a> StateFile<'a> {
    /// Looks whether there can be such a file, before much work is done for it.
    pub(super) fn at(path: &'a Path) -> Result<Self, Failure> {
        recask::fs::check_writable(path)?;
        let file = StateFile(path);
        if path.is_dir() {
            let text = "this is a folder; name a file for the state";
            return Err(Error::new(Code::InvalidArgument, text)).at(path);
        }
        match file.folder().metadata() {
            Ok(_) => Ok(file),
            Err(error) => Err(system("write", path, &error)),
        }
    }

    /// The state in the file; `None` where there is no file.
    pub(super) fn read(self) -> Result<Option<State>, Failure> {
        // A link into nowhere is a mistake and not the begin of a run.
        if self.0.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let text = String::from_utf8(read_file(self.0)?).map_err(|error| {
            let text = "this is no state of a loader: it is no text";
            Error::new(Code::InvalidArgument, text).caused_by(error)
        });
        text.and_then(|text| text.trim_end().parse()).map(Some).at(self.0)
    }

    /// Writes the state in place of an earlier one, so that the file has one of both at any time.
    pub(super) fn write(self, state: &State) -> Result<(), Failure> {
        let replace = || {
            let mut draft = Draft::beside(self.0)?;
            writeln!(draft, "{state}")?;
            draft.file().sync_all()?;
            draft.replace(self.0)
        };
        replace().map_err(|error: io::Error| system("write", self.0, &error))
    }

    fn folder(self) -> &'a Path {
        self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}
