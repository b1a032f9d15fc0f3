//! How the command ends when it does not end well.

use std::error::Error as _;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use recask::core::error::Fault;
use recask::{Code, Error};
use unicode_width::UnicodeWidthStr as _;

use crate::{interrupt, output};

/// Why the command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Recask refused, working on a path where one is known.
    Work { error: Error, path: Option<PathBuf> },
    /// An expression cannot be understood, or does not fit the table.
    Filter { error: Error, path: PathBuf, text: String },
    /// The arguments contradict each other.
    Usage(String),
    /// The output could not be written.
    Output(io::Error),
    /// `verify` found faults, and has reported them.
    Faulty,
}

/// Exit status for work that is done.
pub(crate) const DONE: u8 = 0;
/// Exit status for work that failed.
const FAILED: u8 = 1;
/// Exit status for a command line without a meaning, as clap has it.
const USAGE: u8 = 2;

impl Failure {
    /// Tells the user and picks the exit status.
    pub(crate) fn show(&self) -> u8 {
        match self {
            Failure::Work { error, path } => {
                output::note(&line(error, path.as_deref()));
                let interrupted = error.code() == Code::Interrupted;
                if interrupted { interrupt::STATUS } else { FAILED }
            }
            Failure::Filter { error, path, text } => {
                output::note(&line(error, Some(path)));
                if let Some(pointer) = pointer(error, text) {
                    output::note(&pointer);
                }
                let interrupted = error.code() == Code::Interrupted;
                if interrupted { interrupt::STATUS } else { FAILED }
            }
            Failure::Usage(message) => {
                output::note(&format!("error[{}]: {message}", Code::InvalidArgument));
                USAGE
            }
            // Whoever read the output had enough of it.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
            Failure::Output(error) => {
                output::note(&format!("error[{}]: could not write the output: {error}", code_of(error)));
                FAILED
            }
            Failure::Faulty => FAILED,
        }
    }
}

/// `error[code]: path: message (stream, file, record, offset, step)`, with the file of a table for a path where the error names one.
pub(crate) fn line(error: &Error, path: Option<&Path>) -> String {
    let (code, message) = (error.code(), error.message());
    let place = error.place().map(str::to_owned).or_else(|| Some(path?.display().to_string()));
    let place = place.filter(|place| !message.contains(place.as_str()));
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let stream = error.stream().map(|stream| format!("stream {stream}"));
    let file = error.file().map(|file| format!("file {file}"));
    let record = error.record().map(|record| format!("record {record}"));
    let offset = error.offset().map(|offset| format!("offset {offset}"));
    let step = error.step().map(|step| format!("step {step}"));
    let details: Vec<String> = [stream, file, record, offset, step].into_iter().flatten().collect();
    match details.as_slice() {
        [] => format!("error[{code}]: {place}{message}"),
        details => format!("error[{code}]: {place}{message} ({})", details.join(", ")),
    }
}

/// The line of the expression with a caret below the character that the error names.
fn pointer(error: &Error, text: &str) -> Option<String> {
    let at = error.character()?.checked_sub(1)?;
    let (start, _) = text.char_indices().chain([(text.len(), ' ')]).nth(at)?;
    let (before, behind) = text.split_at(start);
    let begun = before.rsplit('\n').next()?;
    let line: String = begun.chars().chain(behind.chars().take_while(|&c| c != '\n')).map(spaced).collect();
    let padding = " ".repeat(begun.chars().map(spaced).collect::<String>().width());
    Some(format!("  {}\n  {padding}^", line.trim_end()))
}

/// Control characters would move the caret.
fn spaced(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Work { error, path: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Adds the path that the work was about.
pub(crate) trait At<T> {
    /// The same result, its error with the path.
    fn at(self, path: &Path) -> Result<T, Failure>;
}

impl<T> At<T> for recask::Result<T> {
    fn at(self, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| Failure::Work { error, path: Some(path.to_path_buf()) })
    }
}

/// Adds the path that is to blame, where work had a source and a destination.
pub(crate) fn between<T>(result: recask::Result<T>, source: &Path, dest: &Path) -> Result<T, Failure> {
    let error = match result {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let names = |path: &Path| error.message().contains(&path.display().to_string());
    let by_code = error.code().fault() == Fault::Data
        || matches!(
            error.code(),
            Code::InvalidSource
                | Code::InvalidDType
                | Code::InvalidShape
                | Code::KindMismatch
                | Code::IndexOutOfRange
                | Code::TrainingFailed
                | Code::StoreNotFound
        );
    let path = if names(source) || (by_code && !names(dest)) { source } else { dest };
    Err(error).at(path)
}

/// Reads a whole file that the user named.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| system("read", path, &error))
}

/// "could not `action` `path`", from the operating system.
pub(crate) fn system(action: &str, path: &Path, error: &io::Error) -> Failure {
    if let Err(outside) = recask::fs::check_reachable(path) {
        return outside.into();
    }
    Error::new(code_of(error), format!("could not {action} {}: {error}", path.display())).into()
}

fn code_of(error: &io::Error) -> Code {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        io::ErrorKind::StorageFull => Code::DeviceFull,
        _ => Code::Io,
    }
}

/// Shows what clap says: help and version as they are, errors with a code.
pub(crate) fn show_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // A reader that went away had enough.
        let _ = error.print();
        return DONE;
    }
    let code = error.source().and_then(|source| source.downcast_ref::<Error>());
    let code = code.map_or(Code::InvalidArgument, Error::code);
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::note(&error.to_string());
        return USAGE;
    }
    let text = error.render();
    let text = if io::stderr().is_terminal() { text.ansi().to_string() } else { text.to_string() };
    output::note(text.replacen("error:", &format!("error[{code}]:"), 1).trim_end());
    USAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_character() {
        let at = |character: usize, text: &str| {
            pointer(&Error::new(Code::InvalidFilter, "no").at_character(character), text)
        };
        assert_eq!(at(5, "a > b").unwrap(), "  a > b\n      ^");
        assert_eq!(at(6, "a > b").unwrap(), "  a > b\n       ^");
        assert_eq!(at(8, "雨 = 1\n\tb = 2").unwrap(), "   b = 2\n   ^");
        assert_eq!(at(3, "雨 = 1").unwrap(), "  雨 = 1\n     ^");
        assert_eq!([at(0, "a"), at(9, "a")], [None, None]);
        assert_eq!(pointer(&Error::new(Code::InvalidFilter, "too deep"), "a"), None);
    }
}
