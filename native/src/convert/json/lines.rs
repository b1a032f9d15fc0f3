//! Lines of bounded length, each one object.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use recask_core::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::super::problem::Site;
use super::super::reading::{BUFFER, Data, Meter, open_unpacked};
use crate::Progress;

/// A longer line is not JSON lines but some other file.
const MAX_LINE: u64 = 32 << 20;
/// Lines between two reports of progress.
const REPORT: u64 = 1 << 10;

/// The objects of a file, one after the other.
pub(in super::super) struct Lines {
    path: PathBuf,
    data: BufReader<Box<dyn Data>>,
    meter: Meter,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(in super::super) fn open(path: &Path, meter: Meter) -> Result<Self> {
        let data = BufReader::with_capacity(BUFFER, open_unpacked(Site::file(path), &meter)?);
        Ok(Lines { path: path.to_path_buf(), data, meter, line: Vec::new(), number: 0 })
    }

    /// The next object; blank lines are passed over.
    pub(in super::super) fn next(&mut self, progress: &dyn Progress) -> Result<Option<Map<String, Value>>> {
        self.next_as(progress)
    }

    /// The next object as something else than a map.
    pub(in super::super) fn next_as<T: DeserializeOwned>(
        &mut self,
        progress: &dyn Progress,
    ) -> Result<Option<T>> {
        loop {
            if self.number.is_multiple_of(REPORT) {
                self.report(progress)?;
            }
            self.line.clear();
            let read = (&mut self.data).take(MAX_LINE + 1).read_until(b'\n', &mut self.line);
            if read.map_err(|error| Site::file(&self.path).unreadable(error))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.line.len() as u64 > MAX_LINE {
                return Err(self.invalid(&format!("is longer than {MAX_LINE} bytes")));
            }
            let mut line = self.line.as_slice();
            if self.number == 1 {
                line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            return match serde_json::from_slice(line) {
                Ok(object) => Ok(Some(object)),
                Err(error) => {
                    let text = error.to_string();
                    let reason = text.split(" at line ").next().unwrap_or_default();
                    Err(self.invalid(&format!("is no JSON object: {reason} (column {})", error.column())))
                }
            };
        }
    }

    /// The number of the line that [`Lines::next`] answered, from 1.
    pub(in super::super) fn number(&self) -> u64 {
        self.number
    }

    pub(in super::super) fn report(&self, progress: &dyn Progress) -> Result<()> {
        self.meter.report(progress)
    }

    /// The value of a field, which every line has to have.
    pub(super) fn field<'o>(&self, object: &'o Map<String, Value>, name: &str) -> Result<&'o Value> {
        match object.get(name) {
            Some(Value::Null) => Err(self.wrong(name, "is null; every line needs a value")),
            Some(value) => Ok(value),
            None => Err(self.wrong(name, "is missing; every line needs a value")),
        }
    }

    /// The error for a field of the current line.
    pub(in super::super) fn wrong(&self, field: &str, reason: &str) -> Error {
        self.invalid(&format!("field {field:?} {reason}"))
    }

    fn invalid(&self, reason: &str) -> Error {
        Site::file(&self.path).invalid(format_args!("line {}: {reason}", self.number))
    }
}
