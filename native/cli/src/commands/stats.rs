//! `recask stats`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, real, size};
use crate::streams::Place;
use crate::tables::choice::Where;
use crate::tables::{self, Choice, FormArgs, TablePlace};

/// Say how much of a store is in use, or what the columns of a table hold
///
/// Of a store:
///   live bytes    stored bytes of all records
///   chunk bytes   bytes up to where the next record would go
///   reclaimable   what compact would free: chunk bytes without live bytes
///
/// Of each column of a table, leaving missing values (NaN, NaT) out of all figures but count:
///   count, missing   values, missing ones included, and missing ones
///   distinct         different values, all missing ones being one; beyond 4,096 an estimate, ~, within about 2 %
///   min, max         of text by code points
///   mean             of points in time too
///   std              the standard deviation of the whole population, as NumPy's std
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask stats mnist
  recask stats mnist/images --json
  recask stats flights.cstore --columns delay,distance
  recask stats weather.cstore --where \"weather = 'rain'\" --csv

With --json: {\"records\":…,\"live_bytes\":…,\"chunk_bytes\":…,\"reclaimable\":…}, for a dataset
{\"path\":…,\"kind\":\"dataset\",\"streams\":{\"images\":{…},…}}, for a table
{\"path\":…,\"kind\":\"table\",\"rows\":…,\"columns\":[{\"name\":…,\"dtype\":…,\"count\":…,\"missing\":…,
\"distinct\":…,\"distinct_exact\":true,\"min\":…,\"max\":…,\"mean\":…,\"std\":…},…]}, with null where there is no such figure;
spans, and the std of points in time, are a number of ticks"
)]
pub(crate) struct Stats {
    /// A store, a dataset or a table
    path: PathBuf,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    form: FormArgs,
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
    if let Some(table) = TablePlace::at(&args.path) {
        let form = args.form.form(global)?;
        return tables::stats::run(&table, &args.choice, args.filter.filter.as_deref(), form, out);
    }
    tables::refuse(&args.choice.given(), &args.path)?;
    tables::refuse(&[("--where", args.filter.filter.is_some()), ("--csv", args.form.csv)], &args.path)?;
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
