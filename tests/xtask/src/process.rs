//! Running other programs: nobody answers their questions, and their failure is ours.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

use crate::report::{Failure, Result, fail};

/// How long one program may run: what hangs fails, instead of letting everything wait.
const PATIENCE: Duration = Duration::from_secs(45 * 60);

/// Runs with the output shown.
pub(crate) fn run(command: &mut Command) -> Result {
    run_within(PATIENCE, command)
}

fn run_within(patience: Duration, command: &mut Command) -> Result {
    println!("$ {}", line(command));
    let mut child = command.stdin(Stdio::null()).spawn().map_err(|error| cannot_start(command, &error))?;
    let Some(status) = child.wait_timeout(patience)? else {
        child.kill()?;
        child.wait()?;
        return fail(format!("`{}` did not end within {patience:?}", line(command)));
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_ended_and_named() {
        let Failure(message) =
            run_within(Duration::from_millis(100), Command::new("sleep").arg("60")).unwrap_err();
        assert_eq!(message, "`sleep 60` did not end within 100ms");
    }
}
