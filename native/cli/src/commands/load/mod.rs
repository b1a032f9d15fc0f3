//! `recask load`.

mod answer;
mod order;
mod state_file;

use std::hint::black_box;
use std::path::PathBuf;
#[cfg(feature = "threads")]
use std::sync::mpsc::{self, RecvTimeoutError};
#[cfg(feature = "threads")]
use std::thread;
use std::thread::sleep;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use recask::loader::{Batch, Loader, LoaderBuilder, OnLoss, Order};
use recask::{Code, Progress as _};
use serde::Serialize;

use crate::args::Global;
use crate::datasets;
use crate::failure::{At as _, Failure};
use crate::interrupt;
use crate::output::Output;
use crate::progress::{Bar, Unit};
use answer::{Answer, Plan};
use order::OrderArgs;
use state_file::StateFile;

/// Measure how fast a training program would be fed
///
/// Loads shuffled batches of a dataset on worker threads, as a training program does, and tells the rate, how long the
/// program would have waited, and the memory that it took. Every store in the folder of a dataset is a stream, and so is every
/// table (*.cstore) beside them; a folder with nothing but tables is one table. All streams have the same number of records, and
/// a batch has the same records of each.
///
/// The time that a program takes for itself is not part of this, unless --consume says how long one training step lasts: then
/// waiting for about 0% of the time means that the loader keeps up.
///
/// Without --seed one is drawn from the system and printed on stderr.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask load mnist
  recask load mnist --batch 512 --workers 4 --streams images,labels
  recask load mnist --consume 20 --steps 200       is it fast enough for steps of 20 ms?
  recask load mnist --memory-limit 1GiB            refused before it starts if it may need more
  recask load mnist --rank 1 --world 8             the second of eight processes
  recask load mnist --seed 1 --state run.json      again: goes on where the last run stopped

The budget is the most that all batches that may exist at once can take. The peak is that of the
process, pages of mapped files included.
Ctrl-C stops, writes the state and tells the figures so far. A run that fails leaves the file with
the state as it was.

With --json: {\"path\":…,\"streams\":[{\"name\":…,\"kind\":…},…],\"length\":…,\"mode\":…,\"seed\":…,\"batch\":…,
\"rank\":…,\"world\":…,\"workers\":…,\"prefetch\":…,\"order\":\"step\",\"start_step\":…,\"next_step\":…,
\"batches\":…,\"records\":…,\"value_bytes\":…,\"seconds\":…,\"batches_per_second\":…,
\"records_per_second\":…,\"mib_per_second\":…,\"waited_seconds\":…,\"waited_share\":…,
\"batch_budget_bytes\":…,\"budget_bytes\":…,\"peak_bytes\":…,\"lost_records\":…,\"skipped_steps\":…,
\"losses\":[{\"step\":…,\"stream\":…,\"record\":…,\"code\":…,\"message\":…},…]}")]
pub(crate) struct Load {
    /// A dataset, store or table
    path: PathBuf,
    /// Which streams to read, in this order [default: all, by name]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    streams: Option<Vec<String>>,
    /// How many batches to load
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    #[command(flatten)]
    order: OrderArgs,
    /// How many threads make batches; 0 makes them where they are consumed
    #[arg(long, default_value_t = DEFAULT_WORKERS)]
    workers: usize,
    /// How many batches are made ahead
    #[arg(long, default_value_t = 4)]
    prefetch: usize,
    /// In which order batches are delivered
    #[arg(long = "order", value_name = "ORDER", value_enum, default_value_t)]
    delivery: Delivery,
    /// Refuse to start where all batches together may take more, such as 512MiB
    #[arg(long, value_name = "BYTES", value_parser = byte_size)]
    memory_limit: Option<u64>,
    /// Leave out what cannot be read instead of failing
    #[arg(long, value_name = "WHAT", value_enum)]
    skip: Option<Skip>,
    /// Go on from the state in this file, where it exists, and write the state to it at the end
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Simulate a program that works this long on each batch
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    consume: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Delivery {
    /// Step by step, whichever worker was faster
    #[default]
    Step,
    /// Each batch as soon as it is ready
    Completed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Skip {
    /// The records that cannot be read, in every stream
    Records,
    /// The steps with such records, so that every batch keeps its size
    Steps,
}

fn byte_size(text: &str) -> Result<u64, String> {
    let wrong =
        |_| format!("{text:?} is no size; write bytes, or a number with a unit such as 512MiB or 1.5GiB");
    text.trim().parse::<ByteSize>().map(|size| size.as_u64()).map_err(wrong)
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    let milliseconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    let usual = (0.0..=3_600_000.0).contains(&milliseconds);
    if usual {
        Ok(Duration::from_secs_f64(milliseconds / 1e3))
    } else {
        Err("give 0 to 3600000 milliseconds".to_owned())
    }
}

const DEFAULT_WORKERS: usize = if cfg!(feature = "threads") { 2 } else { 0 };
/// How often Ctrl-C is looked for.
const NAP: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Load, global: Global, out: &mut Output) -> Result<(), Failure> {
    let state_file = args.state.as_deref().map(StateFile::at).transpose()?;
    let state = match &state_file {
        Some(file) => file.read()?,
        None => None,
    };
    let builder = args.order.apply(builder(args)?, state)?;
    let budget = builder.budget().at(&args.path)?;

    let bar = Bar::new(global, "loading", args.steps, Unit::Batches);
    let started = Instant::now();
    let mut loader = builder.start().at(&args.path)?;
    let plan = Plan::of(args, &loader, &budget);
    let consumed = consume(args, &mut loader, &bar);
    let took = started.elapsed();
    drop(bar);

    let is_answered = consumed.as_ref().map_or_else(|error| error.code() == Code::Interrupted, |()| true);
    if is_answered {
        if let Some(file) = &state_file {
            file.write(&loader.state()?)?;
        }
        let answer = Answer::new(plan, loader.step(), loader.report(), took);
        if global.json { out.json(&answer)? } else { answer.tell(out)? }
    }
    consumed.at(&args.path)
}

/// A loader of the streams at the path, before its order is known.
fn builder(args: &Load) -> Result<LoaderBuilder<Batch>, Failure> {
    let mut sources = datasets::find(&args.path)?;
    if let Some(wanted) = &args.streams {
        sources = datasets::pick(&args.path, sources, wanted)?;
    }
    let on_loss = match args.skip {
        None => OnLoss::Fail,
        Some(Skip::Records) => OnLoss::SkipRecords,
        Some(Skip::Steps) => OnLoss::SkipSteps,
    };
    let order = match args.delivery {
        Delivery::Step => Order::ByStep,
        Delivery::Completed => Order::AsCompleted,
    };
    let mut builder =
        Loader::builder().workers(args.workers).prefetch(args.prefetch).order(order).on_loss(on_loss);
    if let Some(bytes) = args.memory_limit {
        builder = builder.memory_limit(bytes);
    }
    for source in sources {
        let stream = source.open()?;
        builder = builder.stream(source.name, stream);
    }
    Ok(builder)
}

/// Takes the batches as a training program does. Ctrl-C ends it, also while it waits for a batch.
#[cfg(feature = "threads")]
fn consume(args: &Load, loader: &mut Loader<Batch>, bar: &Bar) -> recask::Result<()> {
    let stopper = loader.stopper();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(NAP) == Err(RecvTimeoutError::Timeout) {
                if interrupt::requested() {
                    return stopper.stop();
                }
            }
        });
        let _done = done;
        take(args, loader, bar)
    })
}

#[cfg(not(feature = "threads"))]
fn consume(args: &Load, loader: &mut Loader<Batch>, bar: &Bar) -> recask::Result<()> {
    take(args, loader, bar)
}

fn take(args: &Load, loader: &mut Loader<Batch>, bar: &Bar) -> recask::Result<()> {
    for _ in 0..args.steps {
        interrupt::check()?;
        let Some(batch) = loader.next() else { break };
        let batch = black_box(batch?);
        if let Some(time) = args.consume {
            pretend_to_train(time)?;
        }
        drop(batch);
        bar.advance(1);
    }
    interrupt::check()
}

/// Sleeps, and hears Ctrl-C meanwhile.
fn pretend_to_train(time: Duration) -> recask::Result<()> {
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        interrupt::check()?;
        sleep(left.min(NAP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_lasts_some_milliseconds() {
        assert_eq!(milliseconds("2.5"), Ok(Duration::from_micros(2500)));
        assert_eq!(milliseconds("0"), Ok(Duration::ZERO));
        for text in ["", "-1", "NaN", "inf", "3600001", "20ms"] {
            assert!(milliseconds(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_limit_has_units_or_is_in_bytes() {
        for (text, bytes) in
            [("65536", 65_536), ("512 MiB", 512 << 20), ("1.5GiB", 3 << 29), (" 2gib ", 2 << 30)]
        {
            assert_eq!(byte_size(text), Ok(bytes), "{text:?}");
        }
        for text in ["", "MiB", "-1", "1 lot", "0x10"] {
            assert!(byte_size(text).unwrap_err().contains("is no size"), "{text:?}");
        }
    }
}
