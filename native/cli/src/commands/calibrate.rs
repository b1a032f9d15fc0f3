//! `recask calibrate`.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use recask::tuning::{Calibration, Effort, Host};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, counted};
use crate::progress::{Bar, Unit};

/// Measure how many threads read rows of tables fastest on this machine, and remember it
///
/// Reading scattered rows waits for memory, so there is a number of threads beyond which more do not help; which one is hard
/// to tell without a look. The result is used from then on by everything of Recask that this user runs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask calibrate
  recask calibrate --show       what is remembered
  recask calibrate --forget     back to the rule for machines that were not measured

With --json: {\"path\":…,\"gather_threads\":…,\"measured\":[{\"threads\":…,\"rows_per_second\":…,\"median_ms\":…},…]},
where gather_threads is null and nothing is measured when nothing is remembered; with --forget {\"forgotten\":…}")]
pub(crate) struct Calibrate {
    /// Only show what is remembered
    #[arg(long, conflicts_with = "forget")]
    show: bool,
    /// Forget what was measured
    #[arg(long)]
    forget: bool,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS")]
    seconds: f64,
    /// The size of the temporary table that is read
    #[arg(long, default_value_t = 256, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    mib: u64,
}

#[derive(Serialize)]
struct Report {
    path: Option<String>,
    gather_threads: Option<usize>,
    measured: Vec<Measured>,
}

#[derive(Serialize)]
struct Measured {
    threads: usize,
    rows_per_second: f64,
    median_ms: f64,
}

#[derive(Serialize)]
struct Forgotten {
    forgotten: bool,
}

pub(crate) fn run(args: &Calibrate, global: Global, out: &mut Output) -> Result<(), Failure> {
    if args.forget {
        return forget(global, out);
    }
    let host = Host::detect();
    let calibration = if args.show {
        Calibration::recall(&host)
    } else {
        let bar = Bar::new(global, "measuring", 0, Unit::Steps);
        let calibration = Calibration::measure(&host, &effort(args)?, &bar).at(&std::env::temp_dir())?;
        drop(bar);
        calibration.remember()?;
        Some(calibration)
    };
    let measured = calibration.iter().flat_map(Calibration::measured).map(|measured| Measured {
        threads: measured.threads.get(),
        rows_per_second: measured.rows_per_second(),
        median_ms: measured.median.as_secs_f64() * 1e3,
    });
    let report = Report {
        path: Calibration::path().map(|path| path.display().to_string()),
        gather_threads: calibration.as_ref().map(|calibration| calibration.gather_threads().get()),
        measured: measured.collect(),
    };
    if global.json {
        out.json(&report)?;
        return Ok(());
    }
    tell(&report, &host, out)
}

fn effort(args: &Calibrate) -> Result<Effort, Failure> {
    let time = Duration::try_from_secs_f64(args.seconds)
        .map_err(|_| Failure::Usage("--seconds must be a number of seconds, such as 3".into()))?;
    // Of four bytes each.
    let rows = args.mib << 18;
    let most = Effort::default().gathered;
    let gathered = usize::try_from(rows).unwrap_or(most).min(most);
    Ok(Effort { rows, gathered, time, ..Effort::default() })
}

fn forget(global: Global, out: &mut Output) -> Result<(), Failure> {
    let path = Calibration::path();
    let forgotten = Calibration::forget().at(path.as_deref().unwrap_or(Path::new("")))?;
    if global.json {
        out.json(&Forgotten { forgotten })?;
    } else {
        writeln!(out, "{}", if forgotten { "forgotten" } else { "nothing was remembered" })?;
    }
    Ok(())
}

fn tell(report: &Report, host: &Host, out: &mut Output) -> Result<(), Failure> {
    let Some(threads) = report.gather_threads else {
        let rule = threads_of(host.gather_threads().get());
        writeln!(out, "nothing was measured on this machine; the rule for it gives {rule}")?;
        return Ok(());
    };
    let row = |measured: &Measured| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate without a fraction"
        )]
        let rate = measured.rows_per_second as u64;
        vec![measured.threads.to_string(), count(rate), format!("{:.2}", measured.median_ms)]
    };
    let rows: Vec<_> = report.measured.iter().map(row).collect();
    out.table(&["threads", "rows/s", "median ms"], &rows)?;
    let path = report.path.as_deref().unwrap_or_default();
    writeln!(out, "scattered rows are read with {}; remembered in {path}", threads_of(threads))?;
    Ok(())
}

fn threads_of(threads: usize) -> String {
    counted(threads as u64, "thread", "threads")
}
