//! `recask verify`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use recask::core::error::Fault as Side;
use recask::{AnyStore, Error};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, line};
use crate::output::{self, Output, count};
use crate::progress::{Bar, Unit};
use crate::streams::Place;

/// Check every table entry, decode every record, and name each fault
///
/// Reads all data once and changes nothing. The format has no checksums, so a changed byte that still decodes is not
/// seen. Exit status 1 when anything is wrong, a store that does not open included.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask verify mnist
  recask verify mnist/images --json

With --json: {\"path\":…,\"ok\":false,\"records\":…,\"found\":1,\"faults\":[{\"file\":\"0.chunk\",
\"record\":7,\"offset\":1234,\"code\":\"corrupt_record\",\"message\":…}]}, where file, record and offset
are null when they are not known. A dataset has \"ok\", \"records\" and \"found\" in all, one such object
for each stream in \"streams\", and in \"faults\" those of all streams, each with its \"stream\".
At most 100,000 faults of a store are listed; \"found\" counts all.")]
pub(crate) struct Verify {
    /// A store or a dataset
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
    found: u64,
    faults: Vec<Fault>,
}

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
    let place = Place::at(&args.path);
    let mut reports = Vec::new();
    for (name, path) in place.stores() {
        let report = check(&path, global)?;
        if !global.json {
            tell(&path, &report, out)?;
        }
        reports.push((name, report));
    }
    let ok = reports.iter().all(|(_, report)| report.ok);
    if global.json {
        answer(&place, reports, out)?;
    }
    if ok { Ok(()) } else { Err(Failure::Faulty) }
}

fn check(path: &Path, global: Global) -> Result<Report, Failure> {
    let shown = path.display().to_string();
    let store = match AnyStore::open(path) {
        Ok(store) => store,
        Err(error) => {
            // Not the store's fault: nothing there, or in use. That is for the user to know at once.
            if error.code().fault() != Side::Data {
                if !global.json {
                    return Err(error).at(path);
                }
                output::note(&line(&error, Some(path)));
            }
            return Ok(Report {
                path: shown,
                ok: false,
                records: 0,
                found: 1,
                faults: vec![Fault::of(&error)],
            });
        }
    };
    let bar = Bar::new(global, "verifying", store.len(), Unit::Records);
    let verification = store.verify(&bar).at(path)?;
    Ok(Report {
        path: shown,
        ok: verification.is_ok(),
        records: verification.records,
        found: verification.found,
        faults: verification.problems.iter().map(Fault::of).collect(),
    })
}

fn tell(path: &Path, report: &Report, out: &mut Output) -> Result<(), Failure> {
    for fault in &report.faults {
        writeln!(out, "{}", fault.line(path))?;
    }
    let (path, records) = (&report.path, count(report.records));
    match report.found {
        0 => writeln!(out, "{path}: ok, {records} records")?,
        1 => writeln!(out, "{path}: 1 fault in {records} records")?,
        found => writeln!(out, "{path}: {} faults in {records} records", count(found))?,
    }
    Ok(())
}

fn answer(
    place: &Place,
    mut reports: Vec<(Option<String>, Report)>,
    out: &mut Output,
) -> Result<(), Failure> {
    let Place::Dataset { path, .. } = place else {
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
        kind: "dataset",
        ok: all().all(|report| report.ok),
        records: all().map(|report| report.records).sum(),
        found: all().map(|report| report.found).sum(),
        faults: faults.collect(),
        streams: reports.into_iter().filter_map(|(name, report)| Some((name?, report))).collect(),
    };
    Ok(out.json(&report)?)
}
