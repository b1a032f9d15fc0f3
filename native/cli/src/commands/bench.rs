//! `recask bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use recask::core::exec::Executor as _;
use recask::core::sampler::Steps;
use recask::{AnyStore, DenseBatch, Mode, RaggedBatch, RayonExecutor, sampler};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::interrupt;
use crate::output::{Output, count, real};
use crate::streams::Place;
use crate::tables;

/// Measure how fast shuffled batches are read
///
/// Gathers batches of a cyclic order into memory that is used again, and after each one copies the same bytes from memory
/// to memory with as many threads: the ratio says how near reading comes to a plain copy.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask bench mnist/images
  recask bench mnist/images --batch 1024 --threads 1 --seconds 10

With --json: {\"path\":…,\"kind\":…,\"codec\":…,\"records\":…,\"batch\":…,\"threads\":…,\"seconds\":…,
\"batches\":…,\"records_per_second\":…,\"mib_per_second\":…,\"median_ms\":…,\"p99_ms\":…,
\"copy_mib_per_second\":…,\"ratio\":…}")]
pub(crate) struct Bench {
    /// The store
    path: PathBuf,
    /// Records in a batch
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// How long to measure
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// How many threads decode [default: as many as the machine runs at once]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

#[derive(Serialize)]
struct Report {
    path: String,
    kind: &'static str,
    codec: &'static str,
    records: u64,
    batch: u64,
    threads: usize,
    seconds: f64,
    batches: u64,
    records_per_second: f64,
    mib_per_second: f64,
    median_ms: f64,
    p99_ms: f64,
    copy_mib_per_second: f64,
    ratio: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    let usual = (0.01..=86_400.0).contains(&seconds);
    if usual { Ok(seconds) } else { Err("give 0.01 to 86400 seconds".to_owned()) }
}

pub(crate) fn run(args: &Bench, global: Global, out: &mut Output) -> Result<(), Failure> {
    let path = Place::single(&args.path)?;
    let threads = match args.threads {
        Some(threads) => threads,
        None => recask::tuning::Host::detect().logical_cores,
    };
    let executor = RayonExecutor::with_threads(threads)?;
    tables::refuse_table(&path)?;
    let store = AnyStore::open(path.as_path()).at(&path)?;
    let (kind, codec, records) = (store.kind().as_str(), store.codec().kind().as_str(), store.len());
    let sampler = sampler(Mode::Cyclic, records, args.batch).build().at(&path)?;
    let batch = sampler.batch().min(records);
    let mut bench = Run {
        source: Source::of(store, executor.clone()),
        steps: sampler.iter(),
        indices: Vec::new(),
        executor,
        target: Vec::new(),
    };
    let warm_up = Duration::from_secs_f64((args.seconds / 10.0).min(0.5));
    bench.measure(warm_up).at(&path)?;
    let measured = bench.measure(Duration::from_secs_f64(args.seconds)).at(&path)?;
    let reading = measured.reading.as_secs_f64().max(1e-9);
    let mib = real(measured.bytes) / f64::from(1 << 20);
    let copy_mib_per_second = mib / measured.copying.as_secs_f64().max(1e-9);
    let report = Report {
        path: path.display().to_string(),
        kind,
        codec,
        records,
        batch,
        threads: threads.get(),
        seconds: reading,
        batches: measured.batches,
        records_per_second: real(measured.batches * batch) / reading,
        mib_per_second: mib / reading,
        median_ms: measured.latencies.quantile(0.5),
        p99_ms: measured.latencies.quantile(0.99),
        copy_mib_per_second,
        ratio: mib / reading / copy_mib_per_second,
    };
    if global.json { Ok(out.json(&report)?) } else { tell(&report, out) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate shown without a fraction"
)]
fn tell(report: &Report, out: &mut Output) -> Result<(), Failure> {
    Ok(out.facts(&[
        (
            "store",
            format!("{} ({}, {}, {} records)", report.path, report.kind, report.codec, count(report.records)),
        ),
        (
            "batches",
            format!(
                "{} of {} shuffled records, {} threads",
                count(report.batches),
                report.batch,
                report.threads
            ),
        ),
        (
            "read",
            format!(
                "{} records/s, {:.0} MiB/s",
                count(report.records_per_second as u64),
                report.mib_per_second
            ),
        ),
        ("batch latency", format!("median {:.3} ms, 99% below {:.3} ms", report.median_ms, report.p99_ms)),
        ("plain copy", format!("{:.0} MiB/s of the same bytes", report.copy_mib_per_second)),
        ("ratio", format!("{:.3} of the plain copy", report.ratio)),
    ])?)
}

/// A store with memory for its batches.
enum Source {
    Dense(recask::DenseStore, Option<DenseBatch>),
    Ragged(recask::RaggedStore, RaggedBatch),
}

impl Source {
    fn of(store: AnyStore, executor: RayonExecutor) -> Self {
        match store {
            AnyStore::Dense(store) => Source::Dense(store.with_executor(executor), None),
            AnyStore::Ragged(store) => {
                let batch = RaggedBatch::new(store.dtype().clone());
                Source::Ragged(store.with_executor(executor), batch)
            }
        }
    }

    fn gather(&mut self, indices: &[u64]) -> recask::Result<&[u8]> {
        match self {
            Source::Dense(store, batch) => {
                let batch = match batch {
                    Some(batch) => {
                        store.gather_batch(indices, batch)?;
                        batch
                    }
                    None => batch.insert(store.gather(indices)?),
                };
                Ok(batch.as_bytes())
            }
            Source::Ragged(store, batch) => {
                store.gather_batch(indices, batch)?;
                Ok(batch.as_bytes())
            }
        }
    }
}

struct Run {
    source: Source,
    steps: Steps,
    indices: Vec<u64>,
    executor: RayonExecutor,
    target: Vec<u8>,
}

#[derive(Default)]
struct Measured {
    batches: u64,
    bytes: u64,
    reading: Duration,
    copying: Duration,
    latencies: Latencies,
}

impl Run {
    fn measure(&mut self, time: Duration) -> recask::Result<Measured> {
        let mut measured = Measured::default();
        let started = Instant::now();
        loop {
            interrupt::check()?;
            self.steps.next_into(&mut self.indices)?;
            let before = Instant::now();
            let bytes = self.source.gather(&self.indices)?;
            let took = before.elapsed();
            self.target.resize(bytes.len(), 0);
            let before = Instant::now();
            copy(&self.executor, bytes, &mut self.target)?;
            measured.copying += before.elapsed();
            measured.batches += 1;
            measured.bytes += bytes.len() as u64;
            measured.reading += took;
            measured.latencies.add(took);
            if started.elapsed() >= time {
                return Ok(measured);
            }
        }
    }
}

/// A parallel memcpy.
fn copy(executor: &RayonExecutor, from: &[u8], to: &mut [u8]) -> recask::Result<()> {
    const LEAST: usize = 128 << 10;
    let tasks = (from.len() / LEAST).clamp(1, executor.width().get());
    let share = from.len().div_ceil(tasks).max(1);
    let tasks = from.chunks(share).zip(to.chunks_mut(share)).collect();
    executor.try_for_each(tasks, |(from, to): (&[u8], &mut [u8])| {
        to.copy_from_slice(from);
        std::hint::black_box(to);
        Ok(())
    })
}

/// Latencies of batches in bounded memory: when there are many, every second, fourth, … one counts.
#[derive(Default)]
struct Latencies {
    kept: Vec<Duration>,
    seen: u64,
    /// One of 2^thinned is kept.
    thinned: u32,
}

impl Latencies {
    const MOST: usize = 1 << 20;

    fn add(&mut self, latency: Duration) {
        if self.seen.is_multiple_of(1 << self.thinned) {
            if self.kept.len() == Self::MOST {
                let mut odd = true;
                self.kept.retain(|_| {
                    odd = !odd;
                    !odd
                });
                self.thinned += 1;
            }
            self.kept.push(latency);
        }
        self.seen += 1;
    }

    /// In milliseconds.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position in the list")]
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let at = (real(last as u64) * share).round() as usize;
        sorted.get(at).map_or(0.0, |latency| latency.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_all_batches() {
        let mut latencies = Latencies::default();
        (1..=101).for_each(|ms| latencies.add(Duration::from_millis(ms)));
        assert!((latencies.quantile(0.5) - 51.0).abs() < 1e-9);
        assert!((latencies.quantile(0.99) - 100.0).abs() < 1e-9);
        assert_eq!(Latencies::default().quantile(0.5).to_bits(), 0);
    }
}
