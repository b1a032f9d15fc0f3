//! `recask append`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::{AnyStore, convert};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count};
use crate::progress::{Bar, Unit};
use crate::streams::Place;

/// Add the records of a file or folder to a store
///
/// The source is anything that import understands, with one array of the store's type and shape. Readers may have the
/// store open; they see the new records when they refresh.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask append mnist/images more-images.npy
  recask append photos-store/files more-photos/

With --json: {\"path\":…,\"appended\":…,\"records\":…}")]
pub(crate) struct Append {
    /// The store
    path: PathBuf,
    /// The file or folder to read
    source: PathBuf,
}

#[derive(Serialize)]
struct Report {
    path: String,
    appended: u64,
    records: u64,
}

pub(crate) fn run(args: &Append, global: Global, out: &mut Output) -> Result<(), Failure> {
    let path = Place::single(&args.path)?;
    let before = AnyStore::open(path.as_path()).at(&path)?.len();
    let total = convert::append_units(&args.source).at(&args.source)?;
    let bar = Bar::new(global, "appending", total, Unit::Bytes);
    let appended = between(convert::append(&path, &args.source, &bar), &args.source, &path)?;
    drop(bar);
    let records = before + appended;
    let path = path.display().to_string();
    if global.json {
        out.json(&Report { path, appended, records })?;
    } else {
        writeln!(out, "appended {} records to {path}, which has {} now", count(appended), count(records))?;
    }
    Ok(())
}
