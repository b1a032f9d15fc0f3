//! `recask verify`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use recask::core::error::Fault as Side;
use recask::{AnyStore, Code, Error, Table};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, line};
use crate::output::{self, Output, count, counted};
use crate::progress::{Bar, Unit};
use crate::streams::Place;
use crate::tables::{self, TablePlace};

/// Check every table entry, decode every record, and name each fault
///
/// Reads all data of a store once, and of a table every header; changes nothing. The formats have no checksums of the
/// data, so a changed byte that still decodes is not seen. Exit status 1 when anything is wrong, a store or table that
/// does not open included.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask verify mnist
  recask verify mnist/images --json
  recask verify flights.cstore

With --json: {\"path\":…,\"ok\":false,\"records\":…,\"found\":1,\"faults\":[{\"file\":\"0.chunk\",
\"record\":7,\"offset\":1234,\"code\":\"corrupt_record\",\"message\":…}]}, where file, record and offset
are null when they are not known. A dataset has \"ok\", \"records\" and \"found\" in all, one such object
for each stream in \"streams\", and in \"faults\" those of all streams, each with its \"stream\".
A table has \"rows\" and \"trailing_bytes\" (ignored ones behind the records) too; a folder or pattern of
tables is like a dataset, with an object for each file in \"streams\".
At most 100,000 faults of a store or table are listed; \"found\" counts all.")]
pub(crate) struct Verify {
    /// A store, a dataset or a table
    path: PathBuf,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fault {
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
    file: Option<String>,
    record: Option<u64>,
    offset: Option<u64>,
    code: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Report {
    path: String,
    ok: bool,
    records: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trailing_bytes: Option<u64>,
    found: u64,
    faults: Vec<Fault>,
}

/// Of a dataset, or of several tables.
#[derive(Serialize)]
struct DatasetReport {
    path: String,
    kind: &'static str,
    ok: bool,
    records: u64,
    found: u64,
    faults: Vec<Fault>,
    streams: BTreeMap<String, Report>,
}

impl Fault {
    fn of(error: &Error) -> Self {
        Fault {
            stream: None,
            file: error.file().map(|file| file.to_string()),
            record: error.record(),
            offset: error.offset(),
            code: error.code().as_str(),
            message: error.message().to_owned(),
        }
    }

    /// `fault: 0.chunk, record 7, offset 1234: corrupt_record: …`
    fn line(&self, path: &Path) -> String {
        let file = self.file.as_ref().map_or_else(|| path.to_path_buf(), |file| path.join(file));
        let record = self.record.map(|record| format!(", record {record}")).unwrap_or_default();
        let offset = self.offset.map(|offset| format!(", offset {offset}")).unwrap_or_default();
        format!("fault: {}{record}{offset}: {}: {}", file.display(), self.code, self.message)
    }
}

pub(crate) fn run(args: &Verify, global: Global, out: &mut Output) -> Result<(), Failure> {
    let table = TablePlace::at(&args.path);
    let parts = match &table {
        Some(table) => table.parts()?,
        None => Place::at(&args.path).stores(),
    };
    let several = parts.iter().any(|(name, _)| name.is_some());
    let mut reports = Vec::new();
    for (name, path) in parts {
        let report = if table.is_some() { check_table(&path, global) } else { check_store(&path, global) };
        let report = match report {
            Ok(report) => report,
            Err(error) => unchecked(error, &path, global)?,
        };
        if !global.json {
            tell(&path, &report, out)?;
        }
        reports.push((name, report));
    }
    let ok = reports.iter().all(|(_, report)| report.ok);
    if global.json {
        let kind = if table.is_some() { "table" } else { "dataset" };
        answer(several.then_some((&args.path, kind)), reports, out)?;
    }
    if ok { Ok(()) } else { Err(Failure::Faulty) }
}

fn check_store(path: &Path, global: Global) -> recask::Result<Report> {
    let store = AnyStore::open(path)?;
    let bar = Bar::new(global, "verifying", store.len(), Unit::Records);
    let verification = store.verify(&bar)?;
    Ok(Report {
        path: path.display().to_string(),
        ok: verification.is_ok(),
        records: verification.records,
        rows: None,
        trailing_bytes: None,
        found: verification.found,
        faults: verification.problems.iter().map(Fault::of).collect(),
    })
}

fn check_table(path: &Path, global: Global) -> recask::Result<Report> {
    let records = Table::open(path).map_or(0, |table| table.file_records());
    let bar = Bar::new(global, "verifying", records, Unit::Records);
    let verification = tables::verify::check(path, &bar)?;
    Ok(Report {
        path: path.display().to_string(),
        ok: verification.is_ok(),
        records: verification.records,
        rows: Some(verification.rows),
        trailing_bytes: Some(verification.trailing_bytes),
        found: verification.found,
        faults: verification.problems.iter().map(Fault::of).collect(),
    })
}

/// The report about what does not open.
fn unchecked(error: Error, path: &Path, global: Global) -> Result<Report, Failure> {
    if error.code() == Code::Interrupted {
        return Err(error).at(path);
    }
    // Not the store's fault: nothing there, or in use. That is for the user to know at once.
    if error.code().fault() != Side::Data {
        if !global.json {
            return Err(error).at(path);
        }
        output::note(&line(&error, Some(path)));
    }
    let (path, faults) = (path.display().to_string(), vec![Fault::of(&error)]);
    Ok(Report { path, ok: false, records: 0, rows: None, trailing_bytes: None, found: 1, faults })
}

fn tell(path: &Path, report: &Report, out: &mut Output) -> Result<(), Failure> {
    for fault in &report.faults {
        writeln!(out, "{}", fault.line(path))?;
    }
    let (path, records) = (&report.path, counted(report.records, "record", "records"));
    let records = match report.rows {
        Some(rows) => format!("{} in {records}", counted(rows, "row", "rows")),
        None => records,
    };
    match report.found {
        0 => writeln!(out, "{path}: ok, {records}")?,
        1 => writeln!(out, "{path}: 1 fault in {records}")?,
        found => writeln!(out, "{path}: {} faults in {records}", count(found))?,
    }
    Ok(())
}

fn answer(
    several: Option<(&PathBuf, &'static str)>,
    mut reports: Vec<(Option<String>, Report)>,
    out: &mut Output,
) -> Result<(), Failure> {
    let Some((path, kind)) = several else {
        return match reports.pop() {
            Some((_, report)) => Ok(out.json(&report)?),
            None => Ok(()),
        };
    };
    let all = || reports.iter().map(|(_, report)| report);
    let faults = reports.iter().flat_map(|(name, report)| {
        report.faults.iter().map(|fault| Fault { stream: name.clone(), ..fault.clone() })
    });
    let report = DatasetReport {
        path: path.display().to_string(),
        kind,
        ok: all().all(|report| report.ok),
        records: all().map(|report| report.records).sum(),
        found: all().map(|report| report.found).sum(),
        faults: faults.collect(),
        streams: reports.into_iter().filter_map(|(name, report)| Some((name?, report))).collect(),
    };
    Ok(out.json(&report)?)
}
