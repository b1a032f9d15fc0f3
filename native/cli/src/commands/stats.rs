//! `recask stats`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, real, size};
use crate::streams::Place;

/// Say how much of a store is in use
///
/// live bytes    stored bytes of all records
/// chunk bytes   bytes up to where the next record would go
/// reclaimable   what compact would free: chunk bytes without live bytes
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask stats mnist
  recask stats mnist/images --json

With --json: {\"records\":…,\"live_bytes\":…,\"chunk_bytes\":…,\"reclaimable\":…}, for a dataset
{\"path\":…,\"kind\":\"dataset\",\"streams\":{\"images\":{…},…}}"
)]
pub(crate) struct Stats {
    /// A store or a dataset
    path: PathBuf,
}

/// The four figures of the format.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) records: u64,
    pub(crate) live_bytes: u64,
    pub(crate) chunk_bytes: u64,
    pub(crate) reclaimable: u64,
}

impl From<recask::Stats> for Figures {
    fn from(stats: recask::Stats) -> Self {
        let recask::Stats { records, live_bytes, chunk_bytes, reclaimable } = stats;
        Figures { records, live_bytes, chunk_bytes, reclaimable }
    }
}

pub(crate) fn run(args: &Stats, global: Global, out: &mut Output) -> Result<(), Failure> {
    let place = Place::at(&args.path);
    let mut all = Vec::new();
    for stream in place.open()? {
        let stats = stream.store.stats().at(&stream.path)?;
        all.push((stream.name, Figures::from(stats)));
    }
    if global.json {
        out.json(&place.answer(all))?;
        return Ok(());
    }
    let row = |(name, figures): &(Option<String>, Figures)| {
        let share = 100.0 * real(figures.reclaimable) / real(figures.chunk_bytes.max(1));
        vec![
            name.clone().unwrap_or_else(|| args.path.display().to_string()),
            count(figures.records),
            size(figures.live_bytes),
            size(figures.chunk_bytes),
            format!("{} ({share:.0}%)", size(figures.reclaimable)),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    Ok(out.table(&["store", "records", "live bytes", "chunk bytes", "reclaimable"], &rows)?)
}
