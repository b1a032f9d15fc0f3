//! What `recask load` says about a run.

use std::io::Write as _;
use std::time::Duration;

use recask::loader::{Batch, Budget, Loader, Loss, Report};
use serde::Serialize;

use super::{Delivery, Load};
use crate::failure::Failure;
use crate::memory;
use crate::output::{Output, count, counted, real, size};

/// So many losses are told to people.
const SHOWN_LOSSES: usize = 10;

/// What was asked for.
#[derive(Serialize)]
pub(super) struct Plan {
    path: String,
    streams: Vec<StreamInfo>,
    length: u64,
    mode: String,
    /// `None` for an order without chance.
    seed: Option<u64>,
    batch: u64,
    rank: u64,
    world: u64,
    workers: usize,
    prefetch: usize,
    order: Delivery,
    start_step: u64,
    batch_budget_bytes: u64,
    budget_bytes: u64,
    #[serde(skip)]
    budget_batches: u64,
    #[serde(skip)]
    skips: bool,
}

#[derive(Serialize)]
struct StreamInfo {
    name: String,
    kind: &'static str,
}

/// What came of it.
#[derive(Serialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    plan: Plan,
    next_step: u64,
    batches: u64,
    records: u64,
    value_bytes: u64,
    seconds: f64,
    batches_per_second: f64,
    records_per_second: f64,
    mib_per_second: f64,
    waited_seconds: f64,
    waited_share: f64,
    /// `None` where the system does not tell.
    peak_bytes: Option<u64>,
    lost_records: u64,
    skipped_steps: u64,
    losses: Vec<LossInfo>,
}

#[derive(Serialize)]
struct LossInfo {
    step: u64,
    stream: String,
    record: u64,
    code: &'static str,
    message: String,
}

impl LossInfo {
    fn of(loss: &Loss) -> Self {
        LossInfo {
            step: loss.step,
            stream: loss.stream.clone(),
            record: loss.record,
            code: loss.error.code().as_str(),
            message: loss.error.message().to_owned(),
        }
    }
}

impl Plan {
    pub(super) fn of(args: &Load, loader: &Loader<Batch>, budget: &Budget) -> Self {
        let sampler = loader.sampler();
        Plan {
            path: args.path.display().to_string(),
            streams: loader
                .streams()
                .map(|(name, stream)| StreamInfo { name: name.to_owned(), kind: stream.kind() })
                .collect(),
            length: sampler.length(),
            mode: sampler.mode().to_string(),
            seed: sampler.mode().needs_seed().then(|| sampler.seed()),
            batch: sampler.batch(),
            rank: sampler.rank(),
            world: sampler.world(),
            workers: args.workers,
            prefetch: args.prefetch,
            order: args.delivery,
            start_step: loader.step(),
            batch_budget_bytes: budget.batch_bytes(),
            budget_bytes: budget.bytes(),
            budget_batches: budget.batches(),
            skips: args.skip.is_some(),
        }
    }
}

impl Answer {
    pub(super) fn new(plan: Plan, next_step: u64, report: &Report, took: Duration) -> Self {
        let per_second = |amount: u64| real(amount) / took.as_secs_f64().max(1e-9);
        Answer {
            plan,
            next_step,
            batches: report.batches,
            records: report.records,
            value_bytes: report.value_bytes,
            seconds: took.as_secs_f64(),
            batches_per_second: per_second(report.batches),
            records_per_second: per_second(report.records),
            mib_per_second: per_second(report.value_bytes) / f64::from(1 << 20),
            waited_seconds: report.waited.as_secs_f64(),
            waited_share: report.waited.as_secs_f64() / took.as_secs_f64().max(1e-9),
            peak_bytes: memory::peak(),
            lost_records: report.lost_records,
            skipped_steps: report.skipped_steps,
            losses: report.losses.iter().map(LossInfo::of).collect(),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate shown without a fraction"
    )]
    pub(super) fn tell(&self, out: &mut Output) -> Result<(), Failure> {
        let plan = &self.plan;
        let streams: Vec<String> =
            plan.streams.iter().map(|stream| format!("{} ({})", stream.name, stream.kind)).collect();
        let mut facts = vec![
            ("data", format!("{}, {}", plan.path, counted(plan.length, "record", "records"))),
            ("streams", streams.join(", ")),
            ("order", plan.order()),
            ("loader", plan.loader()),
            (
                "loaded",
                format!(
                    "{} with {} in {:.2} s; the next step is {}",
                    counted(self.batches, "batch", "batches"),
                    counted(self.records, "record", "records"),
                    self.seconds,
                    self.next_step
                ),
            ),
            (
                "rate",
                format!(
                    "{:.1} batches/s, {} records/s, {:.1} MiB/s",
                    self.batches_per_second,
                    count(self.records_per_second as u64),
                    self.mib_per_second
                ),
            ),
            (
                "waited",
                format!("{:.2} s, {:.1}% of the time", self.waited_seconds, self.waited_share * 100.0),
            ),
            (
                "budget",
                format!(
                    "{}: {} of at most {}",
                    size(plan.budget_bytes),
                    counted(plan.budget_batches, "batch", "batches"),
                    size(plan.batch_budget_bytes)
                ),
            ),
            ("peak memory", self.peak_bytes.map_or_else(|| "not known on this system".to_owned(), size)),
        ];
        if plan.skips {
            facts.push((
                "left out",
                format!(
                    "{}, {}",
                    counted(self.lost_records, "lost record", "lost records"),
                    counted(self.skipped_steps, "step", "steps")
                ),
            ));
        }
        out.facts(&facts)?;
        for loss in self.losses.iter().take(SHOWN_LOSSES) {
            let LossInfo { step, stream, record, code, message } = loss;
            writeln!(out, "lost: step {step}, stream {stream}, record {record}: {code}: {message}")?;
        }
        match self.lost_records.saturating_sub(SHOWN_LOSSES as u64) {
            0 => Ok(()),
            more => Ok(writeln!(out, "lost: {} more", count(more))?),
        }
    }
}

impl Plan {
    fn order(&self) -> String {
        let seed = self.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
        let rank = match self.world {
            1 => String::new(),
            world => format!(", rank {} of {world}", self.rank),
        };
        format!("{}, batch {}{seed}{rank}", self.mode, self.batch)
    }

    fn loader(&self) -> String {
        let workers = match self.workers {
            0 => "no workers".to_owned(),
            workers => counted(workers as u64, "worker", "workers"),
        };
        let order = match self.order {
            Delivery::Step => "steps",
            Delivery::Completed => "completion",
        };
        format!("{workers}, prefetch {}, in the order of {order}", self.prefetch)
    }
}
