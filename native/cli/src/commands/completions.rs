//! `recask completions`.

use std::io::Write as _;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Print a script that completes the command in a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask completions bash > ~/.local/share/bash-completion/completions/recask
  recask completions zsh > ~/.zfunc/_recask
  recask completions fish > ~/.config/fish/completions/recask.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Completions, out: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "recask", &mut script);
    Ok(out.write_all(&script)?)
}
