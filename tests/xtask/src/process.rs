//! Running other programs: nobody answers their questions, and their failure is ours.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::report::{Failure, Result, fail};

/// Runs with the output shown.
pub(crate) fn run(command: &mut Command) -> Result {
    println!("$ {}", line(command));
    let status = command.stdin(Stdio::null()).status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { fail(format!("`{}` ended with {status}", line(command))) }
}

/// Runs, and returns what it printed; its errors are shown.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let (succeeded, text) = output(command)?;
    if succeeded {
        return Ok(text);
    }
    print!("{text}");
    fail(format!("`{}` failed", line(command)))
}

/// Runs, and returns whether it succeeded and what it printed; its errors are shown.
pub(crate) fn output(command: &mut Command) -> Result<(bool, String)> {
    let quiet = command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = quiet.output().map_err(|error| cannot_start(command, &error))?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Whether it starts and succeeds; shows nothing.
pub(crate) fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure(format!("cannot run {}: {error}", command.get_program().display()))
}

/// As one would type it, with the variables that matter.
fn line(command: &Command) -> String {
    let variables =
        command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", name.display(), quoted(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into_owned() } else { format!("'{word}'") }
}
