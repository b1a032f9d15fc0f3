//! `recask eval`.

use std::io::Write as _;

use clap::Args;
use recask_evaluate::arguments::{AFTER_HELP, Arguments};
use recask_evaluate::evaluate;

use crate::args::Global;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  recask eval --labels mnist/labels --predictions mnist/pred
  recask eval --labels mnist/labels --predictions mnist/logits --scores logits --top-k 3
  recask eval --labels flights.cstore --label-column delay \\
              --predictions flights.cstore --prediction-column forecast --summary
  recask eval --labels mnist/labels --predictions mnist/pred --records found.cstore
  recask query found.cstore 'not correct and confidence > 0.9'

";

/// Evaluate predictions against labels
///
/// Accuracy, precision, recall and F1 of every class, the confusion matrix, calibration errors, log loss and Brier score; or the
/// errors, R2 and correlation of a regression. Any number of records are read in constant memory.
#[derive(Args, Debug)]
#[command(after_help = format!("{EXAMPLES}{AFTER_HELP}"))]
pub(crate) struct Eval {
    #[command(flatten)]
    arguments: Arguments,
}

pub(crate) fn run(args: &Eval, global: Global, out: &mut Output) -> Result<(), Failure> {
    if args.arguments.summary && global.json {
        return Err(Failure::Usage("--summary is for people and --json for programs; leave one out".into()));
    }
    let report = evaluate(&args.arguments.request(), &interrupt::Watch)?;
    let text = if args.arguments.summary { report.summary() } else { report.to_json()? };
    Ok(out.write_all(text.as_bytes())?)
}
