//! The `recask` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    recask_cli::run(std::env::args_os())
}
