//! What a loader was asked for.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use recask::loader::{LoaderBuilder, Loss, OnLoss, State, Stream};
use recask::{Loader, Mode, Result};

use super::batch::{Made, made};
use super::run::Losses;
use super::streams::NativeStreams;
use crate::error::invalid;
use crate::numbers::{long, whole};

/// What a loader delivers, and how.
#[napi(object, js_name = "RawLoaderOptions", object_to_js = false)]
#[derive(Debug)]
pub struct LoaderOptions {
    /// Records of a batch, over all ranks.
    pub batch: f64,
    /// The order; `cyclic` by default.
    #[napi(ts_type = "'sequential' | 'iid' | 'cyclic' | 'iid_seek'")]
    pub mode: Option<String>,
    /// By default one from the system.
    pub seed: Option<BigInt>,
    /// Whose slices of the batches these are.
    pub rank: Option<f64>,
    /// How many ranks share a batch.
    pub world: Option<f64>,
    /// Batches that are made ahead, beside those that threads are at; 2 by default.
    pub prefetch: Option<f64>,
    /// Threads that read, each a whole batch; 2 by default. With 0 batches are made when they are asked for.
    pub threads: Option<f64>,
    /// The first step.
    pub step: Option<BigInt>,
    /// Nothing of this step or behind it is read.
    pub end: Option<BigInt>,
    /// Goes on where it was taken; batch, mode and seed come from it.
    pub state: Option<String>,
    /// What happens to records that cannot be read; `fail` by default.
    #[napi(ts_type = "'fail' | 'skip_records' | 'skip_steps'")]
    pub on_loss: Option<String>,
}

/// [`LoaderOptions`], understood.
pub(super) struct Plan {
    streams: Vec<(String, Stream)>,
    order: Order,
    ranks: (u64, u64),
    prefetch: usize,
    threads: usize,
    end: Option<u64>,
    on_loss: OnLoss,
    /// Where the run begins, unless a state says it.
    step: Option<u64>,
}

enum Order {
    New { batch: u64, mode: Mode, seed: Option<u64> },
    Resumed(State),
}

impl Plan {
    pub(super) fn of(streams: &mut NativeStreams, options: LoaderOptions) -> Result<Self> {
        let on_loss = match options.on_loss.as_deref() {
            None | Some("fail") => OnLoss::Fail,
            Some("skip_records") => OnLoss::SkipRecords,
            Some("skip_steps") => OnLoss::SkipSteps,
            Some(other) => {
                return Err(invalid(format!(
                    "there is no policy '{other}' for records that cannot be read; use fail, skip_records or skip_steps"
                )));
            }
        };
        let order = match &options.state {
            Some(state) => Order::Resumed(state.parse()?),
            None => Order::New {
                batch: whole(options.batch)?,
                mode: options.mode.as_deref().unwrap_or("cyclic").parse()?,
                seed: options.seed.as_ref().map(long).transpose()?,
            },
        };
        let few = |number: Option<f64>, default: usize| {
            let number = number.map(whole).transpose()?;
            Ok(number.map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX)))
        };
        Ok(Plan {
            streams: streams.take()?,
            order,
            ranks: (options.rank.map_or(Ok(0), whole)?, options.world.map_or(Ok(1), whole)?),
            prefetch: few(options.prefetch, 2)?,
            threads: few(options.threads, 2)?,
            end: options.end.as_ref().map(long).transpose()?,
            on_loss,
            step: options.step.as_ref().map(long).transpose()?,
        })
    }

    /// Starts a loader, which tells of what it leaves out.
    pub(super) fn start(self, losses: &Losses) -> Result<Loader<Made>> {
        let (rank, world) = self.ranks;
        let named = |builder: LoaderBuilder, (name, stream): (String, Stream)| builder.stream(name, stream);
        let builder = self.streams.into_iter().fold(Loader::builder(), named);
        let builder = builder.ranks(rank, world).prefetch(self.prefetch).workers(self.threads);
        let builder = match self.order {
            Order::New { batch, mode, seed } => seeded(builder.batch(batch).mode(mode), seed),
            Order::Resumed(state) => builder.resume(state),
        };
        let builder = match self.step {
            Some(step) => builder.first_step(step),
            None => builder,
        };
        let builder = match self.end {
            Some(end) => builder.end(end),
            None => builder,
        };
        let losses = losses.clone();
        let noted = move |loss: &Loss| losses.note(loss);
        builder.on_loss(self.on_loss).on_lost(noted).transform(made).start()
    }
}

fn seeded(builder: LoaderBuilder, seed: Option<u64>) -> LoaderBuilder {
    match seed {
        Some(seed) => builder.seed(seed),
        None => builder,
    }
}
