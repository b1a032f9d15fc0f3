//! The `recask` command.
//!
//! It runs on the thread pool: a script that runs it goes on meanwhile, and its signals stay its own, for an addon that takes the
//! signals of a process over takes them from Node.js. The program `recask` of the package stops it, as any other call, when the
//! signal comes to it.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::standard_streams::Blocking;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::NativeStop;

/// Runs the command with these arguments, of which the first is the name of the program; answers its exit status. Its output is
/// that of the process. Commands run one after the other. One that is stopped leaves what it works on valid and ends with 130.
#[napi(ts_args_type = "args: string[], stop?: NativeStop | null", ts_return_type = "Promise<number>")]
pub fn command(args: Vec<String>, stop: Option<&NativeStop>) -> AsyncTask<Job<u32>> {
    let stop = stop.map(NativeStop::flag).unwrap_or_default();
    later(move || Ok(run(args, &stop)), value)
}

/// The same at once.
///
/// # Errors
/// `panicked`, which is a fault of Recask.
#[napi]
pub fn command_sync(args: Vec<String>) -> napi::Result<u32> {
    now(|| Ok(run(args, &Arc::default())))
}

fn run(args: Vec<String>, stop: &Arc<AtomicBool>) -> u32 {
    let _blocking = Blocking::new();
    recask_cli::run_inside(args.into_iter().map(OsString::from), stop).into()
}
