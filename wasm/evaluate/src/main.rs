//! Evaluates predictions against labels, in the folders that a sandbox gives to it.
//!
//! JSON on standard output; errors on standard error as `error[code]: message`. Exit status 1: it failed, 2: the command line makes
//! no sense.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use recask::{Code, Error};
use recask_evaluate::arguments::{AFTER_HELP, Arguments};
use recask_evaluate::evaluate;

/// Evaluate predictions against labels
#[derive(Parser)]
#[command(name = "evaluate", version, after_help = AFTER_HELP)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

fn main() -> ExitCode {
    let arguments = match Command::try_parse() {
        Ok(command) => command.arguments,
        Err(error) => return show_usage(&error),
    };
    let report = evaluate(&arguments.request(), &());
    let text =
        report.and_then(|report| if arguments.summary { Ok(report.summary()) } else { report.to_json() });
    match text {
        Ok(text) => write(&text),
        Err(error) => {
            note(&line(&error));
            ExitCode::FAILURE
        }
    }
}

fn write(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output had enough of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error[{}]: could not write the output: {error}", Code::Io));
            ExitCode::FAILURE
        }
    }
}

/// `error[code]: place: message (details)`, as the command `recask` has it.
fn line(error: &Error) -> String {
    let place = error.place().filter(|place| !error.message().contains(place));
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let file = error.file().map(|file| format!("file {file}"));
    let record = error.record().map(|record| format!("record {record}"));
    let offset = error.offset().map(|offset| format!("offset {offset}"));
    let details: Vec<String> = [file, record, offset].into_iter().flatten().collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    format!("error[{}]: {place}{}{details}", error.code(), error.message())
}

/// Help goes to standard output; a command line without a meaning is an error like others.
fn show_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return write(&error.render().to_string());
    }
    let text = error.render().to_string();
    note(text.replacen("error:", &format!("error[{}]:", Code::InvalidArgument), 1).trim_end());
    ExitCode::from(2)
}

/// When nobody reads it, nothing is to be done.
fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
