//! `recask export`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::{Index, convert};
use serde::Serialize;

use crate::args::{self, Global};
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count};
use crate::progress::{Bar, Unit};
use crate::streams::{Place, common_length};

/// Write records to a file or folder that other programs read
///
/// What OUT is called says what it becomes: .npy, .npz, .jsonl, or a folder with a file for each record.
/// A ragged store in an .npz has `values`, `offsets` (in elements, one more than there are records) and `shapes` with
/// `shape_offsets`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask export mnist mnist.npz              every stream is one array
  recask export mnist/images first.npy :100
  recask export words words.jsonl -10:       the last ten
  recask export photos-store photos          as they were imported

With --json: {\"path\":…,\"format\":…,\"streams\":[…],\"records\":…}")]
pub(crate) struct Export {
    /// A store or a dataset
    path: PathBuf,
    /// The file or folder to write
    out: PathBuf,
    /// Which records: 7, -1, 3:10, ::2 [default: all]
    #[arg(value_parser = args::index, value_name = "INDEX")]
    indices: Vec<Index<'static>>,
}

#[derive(Serialize)]
struct Report {
    path: String,
    format: &'static str,
    streams: Vec<String>,
    records: u64,
}

pub(crate) fn run(args: &Export, global: Global, out: &mut Output) -> Result<(), Failure> {
    let place = Place::at(&args.path);
    let streams = place.open()?;
    let longest = streams.iter().map(|stream| stream.store.len()).max().unwrap_or(0);
    let (selection, records) = match args.indices.as_slice() {
        [] => (Index::ALL, longest),
        indices => {
            let records = args::resolve(indices, common_length(&streams)?).at(&args.path)?;
            let count = records.len() as u64;
            (Index::from(records), count)
        }
    };
    let total = records.saturating_mul(streams.len() as u64);
    drop(streams);
    let bar = Bar::new(global, "exporting", total, Unit::Records);
    let exported = between(convert::export(&args.path, &args.out, selection, &bar), &args.path, &args.out)?;
    drop(bar);
    let report = Report {
        path: exported.path.display().to_string(),
        format: exported.format.as_str(),
        streams: exported.streams,
        records: exported.records,
    };
    if global.json {
        out.json(&report)?;
    } else {
        writeln!(out, "wrote {} records to {} ({})", count(report.records), report.path, report.format)?;
    }
    Ok(())
}
