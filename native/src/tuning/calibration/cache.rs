//! The note in which a calibration is remembered.

use std::io::{ErrorKind, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use recask_core::format::cstore::Json;
use recask_core::{Code, Error, Result};

use super::super::Host;
use super::Measurement;
use crate::fs::check_writable;

pub(super) fn path() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.cache_dir().join("recask").join("calibration.json"))
}

pub(super) fn write(path: &Path, host: &Host, measured: &[Measurement]) -> Result<()> {
    check_writable(path)?;
    let row = |found: &Measurement| {
        Json::Object(vec![
            ("threads".into(), Json::Integer(found.threads.to_string())),
            ("rows".into(), Json::Integer(found.rows.to_string())),
            ("nanoseconds".into(), Json::Integer(found.median.as_nanos().to_string())),
        ])
    };
    let mut note = String::new();
    Json::Object(vec![
        ("host".into(), Json::String(key(host).as_str().into())),
        ("measured".into(), Json::Array(measured.iter().map(row).collect())),
    ])
    .write(false, &mut note);
    let folder = path.parent().unwrap_or(Path::new(""));
    let replace = || {
        std::fs::create_dir_all(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(draft, "{note}")?;
        draft.persist(path)?;
        Ok(())
    };
    replace().map_err(|error: std::io::Error| failed("write", path, error))
}

pub(super) fn read(path: &Path, host: &Host) -> Option<Vec<Measurement>> {
    let note = Json::parse(&std::fs::read(path).ok()?).ok()?;
    if *note.get("host")? != Json::String(key(host).as_str().into()) {
        return None;
    }
    let row = |row: &Json| {
        Some(Measurement {
            threads: NonZeroUsize::new(number(row, "threads")?)?,
            rows: number(row, "rows")?,
            median: Duration::from_nanos(number(row, "nanoseconds")?),
        })
    };
    let Json::Array(rows) = note.get("measured")? else { return None };
    let measured: Vec<_> = rows.iter().map(row).collect::<Option<_>>()?;
    (!measured.is_empty()).then_some(measured)
}

fn number<N: std::str::FromStr>(row: &Json, name: &str) -> Option<N> {
    let Json::Integer(digits) = row.get(name)? else { return None };
    digits.parse().ok()
}

pub(super) fn remove(path: &Path) -> Result<bool> {
    check_writable(path)?;
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("remove", path, error)),
    }
}

/// What must be the same for a measurement to mean something.
fn key(host: &Host) -> String {
    let Host { processor, sockets, physical_cores, logical_cores, memory_nodes } = host;
    let (system, version) = (std::env::consts::OS, env!("CARGO_PKG_VERSION"));
    format!("{version}|{system}|{processor}|{sockets}|{physical_cores}|{logical_cores}|{memory_nodes}")
}

fn failed(action: &str, path: &Path, error: std::io::Error) -> Error {
    let code = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DeviceFull,
        _ => Code::Io,
    };
    let message = format!("could not {action} the note of the calibration: {error}");
    Error::new(code, message).at_place(path.display().to_string()).caused_by(error)
}
