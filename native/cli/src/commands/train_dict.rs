//! `recask train-dict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::convert;
use serde::Serialize;

use crate::args::Global;
use crate::codec_args::TierName;
use crate::failure::{At as _, Failure, system};
use crate::output::{Output, size};
use crate::progress::{Bar, Unit};
use crate::tables::{self, TablePlace};

/// Train a zstd dictionary from a store, file or folder
///
/// The samples are the ones that loaderx takes, so the dictionary is the same.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask train-dict tokens tokens.dict --tier fast
  recask create ragged more --dtype int32 --dict tokens.dict

With --json: {\"source\":…,\"path\":…,\"tier\":…,\"bytes\":…}")]
pub(crate) struct TrainDict {
    /// A store, a file of one array, or a folder of files
    source: PathBuf,
    /// The file to write
    out: PathBuf,
    /// How large it may be
    #[arg(long, value_enum, default_value_t)]
    tier: TierName,
}

#[derive(Serialize)]
struct Report {
    source: String,
    path: String,
    tier: &'static str,
    bytes: usize,
}

pub(crate) fn run(args: &TrainDict, global: Global, out: &mut Output) -> Result<(), Failure> {
    if TablePlace::at(&args.source).is_some() {
        tables::refuse_table(&args.source)?;
    }
    recask::fs::check_writable(&args.out)?;
    let tier = args.tier.tier();
    let bar = Bar::new(global, "reading samples", tier.budget(), Unit::Bytes);
    let dictionary = convert::dictionary_from(&args.source, tier, &bar).at(&args.source)?;
    drop(bar);
    std::fs::write(&args.out, &dictionary).map_err(|error| system("write", &args.out, &error))?;
    let report = Report {
        source: args.source.display().to_string(),
        path: args.out.display().to_string(),
        tier: tier.as_str(),
        bytes: dictionary.len(),
    };
    if global.json {
        out.json(&report)?;
    } else {
        writeln!(out, "wrote a dictionary of {} to {}", size(report.bytes as u64), report.path)?;
    }
    Ok(())
}
