//! The `recask` command as a library: other doors link it and show the same command.
//!
//! Exit statuses: 0 done (also when the reader of the output went away), 1 the work failed or `verify` found a fault,
//! 2 the command line makes no sense, 130 interrupted. Errors stand on stderr as `error[code]: message`, with the
//! codes of [`recask::Code`].

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser as _;

mod args;
mod codec_args;
mod commands;
mod datasets;
mod failure;
mod grid;
mod interrupt;
mod memory;
mod output;
mod picture;
mod progress;
mod record;
mod streams;
mod tables;
mod value;

use args::{Cli, Command, Global};
use failure::Failure;
use output::Output;

/// Runs the command: `args` starts with the name of the program, as [`std::env::args_os`] does.
///
/// The first call in a process takes over its interrupt and termination signals.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::install();
    ExitCode::from(perform(args))
}

/// As [`run`], inside of a program that has other things to do: the signals stay its own, and it gets the exit status.
/// Once `stop` is set, the command leaves what it works on valid and ends with 130, as after Ctrl-C.
///
/// One command runs at a time; another that is started meanwhile waits. `--read-only` holds for the whole process while the
/// command runs.
pub fn run_inside(args: impl IntoIterator<Item = OsString>, stop: &Arc<AtomicBool>) -> u8 {
    static ONE: Mutex<()> = Mutex::new(());
    let _turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _watched = interrupt::watch(stop);
    perform(args)
}

fn perform(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args::hyphens_behind_dashes(args)) {
        Ok(cli) => cli,
        Err(error) => return failure::show_usage(&error),
    };
    recask::fs::on_missing_locks(warn_of_missing_locks);
    let _denied = cli.global.read_only.then(recask::fs::deny_writing);
    let mut out = Output::stdout();
    let result = dispatch(cli, &mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Ok(()) => failure::DONE,
        Err(failure) => {
            // What was found before the failure is part of the answer.
            let _ = out.flush();
            failure.show()
        }
    }
}

fn warn_of_missing_locks(path: &Path) {
    output::note(&format!(
        "warning: there are no file locks here, so see to it that nothing else changes {} meanwhile",
        path.display()
    ));
}

fn dispatch(cli: Cli, out: &mut Output) -> Result<(), Failure> {
    use commands as run;
    let global: Global = cli.global;
    match cli.command {
        #[cfg(not(feature = "demo"))]
        Command::Demo(_) => run::left_out::run("demo", "data to show"),
        #[cfg(feature = "demo")]
        Command::Demo(args) => run::demo::run(&args, global, out),
        Command::Info(args) => run::info::run(&args, global, out),
        Command::Create(args) => run::create::run(args, global, out),
        Command::Import(args) => run::import::run(args, global, out),
        Command::Export(args) => run::export::run(&args, global, out),
        Command::Head(args) => run::show::head(&args, global, out),
        Command::Tail(args) => run::show::tail(&args, global, out),
        Command::Show(args) => run::show::show(&args, global, out),
        Command::Query(args) => run::query::run(&args, global, out),
        Command::Sample(args) => run::sample::run(&args, global, out),
        Command::Append(args) => run::append::run(&args, global, out),
        Command::Delete(args) => run::delete::run(&args, global, out),
        Command::Compact(args) => run::compact::run(&args, global, out),
        Command::Concat(args) => run::concat::run(args, global, out),
        Command::Recode(args) => run::recode::run(args, global, out),
        Command::TrainDict(args) => run::train_dict::run(&args, global, out),
        Command::Stats(args) => run::stats::run(&args, global, out),
        Command::Verify(args) => run::verify::run(&args, global, out),
        Command::Eval(args) => run::eval::run(&args, global, out),
        Command::Index(args) => run::index::run(&args, global, out),
        Command::Bench(args) => run::bench::run(&args, global, out),
        Command::Load(args) => run::load::run(&args, global, out),
        #[cfg(not(feature = "threads"))]
        Command::Calibrate(_) => run::left_out::run("calibrate", "threads to compare"),
        #[cfg(feature = "threads")]
        Command::Calibrate(args) => run::calibrate::run(&args, global, out),
        Command::Completions(args) => run::completions::run(&args, out),
    }
}
