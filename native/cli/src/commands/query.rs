//! `recask query`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{Output, count, counted};
use crate::tables::{self, Choice, Form, FormArgs, Printer};

/// Find the rows of a table for which an expression holds
///
/// The expression is the WHERE clause of SQL over the columns:
///
///   delay > 60 AND distance BETWEEN 100 AND 500.5
///   weather IN ('rain', 'snow') AND NOT temp_max < 10
///   date >= '2015-03-01' AND date < '2015-06-01'
///   weather LIKE 's%' AND (temp_max - temp_min) / 2 > 7.5
///   "a name with spaces" IS NOT NULL
///
/// Comparisons are exact, 64-bit integers too; a NaN or NaT is found by IS NULL and by <> only.
/// Without an expression all rows are found.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask query weather.cstore \"weather = 'snow'\"
  recask query flights.cstore \"delay > 60\" --columns origin,delay --limit 10
  recask query flights.cstore \"origin = :from AND delay > :most\" --param from=SEA --param most=60
  recask query flights.cstore \"delay > 60\" --count
  recask query 'year/*.cstore' \"delay > 60\" --csv > late.csv

On a table for people, 50 rows are shown unless --limit says otherwise.
With --json one line a row, an object with a value for each column, as recask help show explains
them; with --count {\"path\":…,\"rows\":…,\"found\":…}."
)]
pub(crate) struct Query {
    /// A table, a folder of tables, or a pattern such as 'year/*.cstore'
    path: PathBuf,
    /// What has to hold for a row [default: all rows]
    expression: Option<String>,
    #[command(flatten)]
    choice: Choice,
    /// Only say how many rows there are
    #[arg(long, conflicts_with = "csv")]
    count: bool,
    #[command(flatten)]
    form: FormArgs,
}

#[derive(Serialize)]
struct Counted {
    path: String,
    rows: u64,
    found: u64,
}

/// Rows that people see of a result without a limit.
const SHOWN: u64 = 50;

pub(crate) fn run(args: &Query, global: Global, out: &mut Output) -> Result<(), Failure> {
    let form = args.form.form(global)?;
    let place = tables::required(&args.path)?;
    let table = place.open()?;
    let chosen = args.choice.of(&table, args.expression.as_deref(), place.path())?;
    let (rows, found) = (table.len(), chosen.found);
    if args.count {
        let path = place.path().display().to_string();
        match form {
            Form::Json => out.json(&Counted { path, rows, found })?,
            _ => writeln!(out, "{} found among {}", counted(found, "row", "rows"), count(rows))?,
        }
        return Ok(());
    }
    let mut selection = chosen.selection;
    if form == Form::People && !args.choice.is_limited() {
        selection = selection.head(SHOWN);
    }
    let mut printer = Printer::new(form, out);
    printer.print(&selection)?;
    printer.finish()?;
    if form == Form::People {
        let shown = selection.len();
        let part = if shown < found { format!("{} of ", count(shown)) } else { String::new() };
        writeln!(out, "{part}{} found among {}", counted(found, "row", "rows"), count(rows))?;
    }
    Ok(())
}
