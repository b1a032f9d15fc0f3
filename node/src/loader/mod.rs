//! The loader: batches that threads of Rust read ahead.
//!
//! | module | does |
//! |---|---|
//! | `streams` | what is read |
//! | `plan` | what a loader is asked for |
//! | `run` | a loader that runs, and where it stands |
//! | `batch` | a batch on its way to JavaScript, in memory of the pool |
//! | `state` | states of runs as JavaScript reads them |
//!
//! Its threads are its own. A call that waits for a batch takes a thread of the pool of Node.js meanwhile, but nothing that the
//! batch needs runs there, so it always comes.

mod batch;
mod plan;
mod run;
mod state;
mod streams;

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, BigInt, Unknown};
use napi_derive::napi;
use recask::Result;

use self::batch::{Delivered, shown};
use self::plan::{LoaderOptions, Plan};
use self::run::{Run, Standing};
use self::streams::NativeStreams;
use crate::error::Fault;
use crate::handle::{Handle, Turn};
use crate::memory::{lend, lend_now};
use crate::numbers::long;
use crate::sampler::NativeSampler;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Watch};

/// Endless aligned batches in the order of a sampler, made ahead of their use.
#[napi]
pub struct NativeLoader {
    run: Handle<Run>,
    standing: Arc<Standing>,
}

/// Starts a loader over streams, which are taken. What they were made of may be closed then.
///
/// # Errors
/// `invalid_argument`, `shape_mismatch`, `state_mismatch`, a fault of the data; `interrupted`.
#[napi(
    ts_args_type = "streams: NativeStreams, options: RawLoaderOptions, stop?: NativeStop | null",
    ts_return_type = "Promise<NativeLoader>"
)]
pub fn loader(
    streams: &mut NativeStreams,
    options: LoaderOptions,
    stop: Option<&NativeStop>,
) -> napi::Result<AsyncTask<Job<NativeLoader>>> {
    let (plan, watch) = now(|| Ok((Plan::of(streams, options)?, Watch::new(stop, None)?)))?;
    Ok(later(move || watch.check().and_then(|()| NativeLoader::start(plan)), value))
}

/// The same at once.
///
/// # Errors
/// As `loader`.
#[napi]
pub fn loader_sync(streams: &mut NativeStreams, options: LoaderOptions) -> napi::Result<NativeLoader> {
    now(|| NativeLoader::start(Plan::of(streams, options)?))
}

#[napi]
impl NativeLoader {
    /// The next batch; `null` behind the end. Calls take turns.
    ///
    /// # Errors
    /// A fault of the data, with its step; the loader has ended then. `invalid_argument` once it is closed, here and everywhere.
    #[napi(ts_return_type = "Promise<NativeBatch | null>")]
    pub fn next(&self) -> napi::Result<AsyncTask<Job<Option<Delivered>>>> {
        let turn = now(|| self.run.alone())?;
        Ok(later(move || turn.change(Run::next), |env, batch| shown(env, batch, lend)))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `next`.
    #[napi(ts_return_type = "NativeBatch | null")]
    pub fn next_sync<'e>(&self, env: &'e Env) -> napi::Result<Unknown<'e>> {
        shown(env, now(|| self.run.alone()?.change(Run::next))?, lend_now)
    }

    /// What was left out since the last batch.
    #[must_use]
    #[napi(ts_return_type = "(RawFault & { stream: string; step: bigint })[]")]
    pub fn losses(&self) -> Vec<Fault> {
        self.standing.take_losses()
    }

    /// Where the run stands behind the batch that was given last, as a line that every door of Recask resumes from.
    ///
    /// # Errors
    /// Of the records by which the data are told from others.
    #[napi]
    pub fn state(&self) -> napi::Result<String> {
        self.standing.state()
    }

    /// Goes on at another step, also after an error. What was read ahead is dropped.
    ///
    /// # Errors
    /// `invalid_argument`; after an error `io` where the system has no more threads.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn seek(&self, step: BigInt) -> napi::Result<AsyncTask<Job<()>>> {
        let (step, turn) = now(|| Ok((long(&step)?, self.run.alone()?)))?;
        Ok(later(move || turn.change(|run| run.seek(step)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `seek`.
    #[napi]
    pub fn seek_sync(&self, step: BigInt) -> napi::Result<()> {
        now(|| {
            let step = long(&step)?;
            self.run.alone()?.change(|run| run.seek(step))
        })
    }

    /// The order.
    #[must_use]
    #[napi]
    pub fn sampler(&self) -> NativeSampler {
        NativeSampler::new(self.standing.sampler())
    }

    /// Ends a call that waits for a batch, and gives threads, memory and files back. Twice is once.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close(&self) -> AsyncTask<Job<()>> {
        self.standing.stop();
        let turn = self.run.closing();
        let run = move || {
            drop(turn.and_then(Turn::take));
            Ok(())
        };
        later(run, value)
    }

    /// The same at once.
    #[napi]
    pub fn close_sync(&self) {
        self.standing.stop();
        drop(self.run.closing().and_then(Turn::take));
    }
}

impl NativeLoader {
    fn start(plan: Plan) -> Result<Self> {
        let (run, standing) = Run::start(plan)?;
        Ok(NativeLoader { run: Handle::new("loader", run), standing })
    }
}
