//! `cargo xtask`: everything that is done to this workspace besides building it.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::report::Failure;
use crate::targets::Source;

mod bare_metal;
mod bench;
mod browser;
mod conformance;
mod debian;
mod deny;
mod dependencies;
mod examples;
mod flights;
mod fuzz;
mod interleavings;
mod lint;
mod matrix;
mod measured;
mod node;
mod npm;
mod peer;
mod process;
mod report;
mod sanitizer;
mod setup;
mod suites;
mod targets;
mod test;
mod webassembly;
mod workspace;

/// The task runner of Recask.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Find or install what the tests need, and say what was done
    Setup {
        /// Where the targets of WebAssembly and without an operating system come from; by default what is there, else what can be had
        #[arg(long, value_enum)]
        targets_from: Option<Source>,
    },
    /// Build what runs in browsers, in sandboxes and in Node.js: wasm/pkg, target/dist/recask.wasm, target/dist/evaluate.wasm and node/pkg
    Build {
        /// Only these parts
        #[arg(long, value_enum, value_name = "PART", num_args = 1..)]
        only: Vec<webassembly::Part>,
    },
    /// Check everything, in order, up to the first failure
    Test(test::Options),
    /// Run the conformance cases through every door and print cases by doors
    Matrix,
    /// Measure: reading, writing and loading beside plain copies and bare zstd, and beside packages of Python and npm
    Bench {
        /// Only benchmarks with this in their name, such as gather/64B, or wasm/gather/64B for the ones in browsers
        filter: Option<String>,
    },
    /// Feed damaged and random input to the parsers
    Fuzz {
        /// How long, for each target
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// What runs on every change: the same as `test`
    Ci,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Setup { targets_from } => setup::run(targets_from),
        Task::Build { only } => webassembly::build(&only),
        Task::Test(options) => test::run(&options),
        Task::Matrix => matrix::run(),
        Task::Bench { filter } => bench::run(filter.as_deref()),
        Task::Fuzz { seconds } => fuzz::run(seconds),
        Task::Ci => test::run(&test::Options::default()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
