//! `recask delete`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::Index;
use serde::Serialize;

use crate::args::{self, Global};
use crate::failure::{At as _, Failure};
use crate::output::{Output, count};
use crate::streams::{Place, open_for_writing};

/// Delete records; the last records take their places
///
/// From the highest deleted index down, the last record of the store moves into the hole, so the order of the others
/// changes. All of it happens or nothing. The space is free after compact. Nobody else may have the store open.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask delete mnist/images 17
  recask delete mnist/images 0:100 -1

With --json: {\"path\":…,\"deleted\":…,\"records\":…}")]
pub(crate) struct Delete {
    /// The store
    path: PathBuf,
    /// Which records: 7, -1, 3:10, ::2
    #[arg(required = true, value_parser = args::index, value_name = "INDEX")]
    indices: Vec<Index<'static>>,
}

#[derive(Serialize)]
struct Report {
    path: String,
    deleted: u64,
    records: u64,
}

pub(crate) fn run(args: &Delete, global: Global, out: &mut Output) -> Result<(), Failure> {
    let path = Place::single(&args.path)?;
    let mut store = open_for_writing(&path)?;
    let before = store.len();
    let records = args::resolve(&args.indices, before).at(&path)?;
    store.delete(records).at(&path)?;
    let records = store.len();
    store.close().at(&path)?;
    let (path, deleted) = (path.display().to_string(), before - records);
    if global.json {
        out.json(&Report { path, deleted, records })?;
    } else {
        writeln!(out, "deleted {} records of {path}, which has {} now", count(deleted), count(records))?;
    }
    Ok(())
}
