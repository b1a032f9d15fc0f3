//! `recask head`, `recask tail` and `recask show`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use recask::Index;

use crate::args::{self, Global};
use crate::failure::{At as _, Failure};
use crate::interrupt;
use crate::output::Output;
use crate::picture;
use crate::record::{self, Record};
use crate::streams::{Place, Stream, common_length};
use crate::tables::show::End;
use crate::tables::{self, FormArgs, TablePlace};

const JSON_HELP: &str = "\
With --json one line a record: {\"index\":3,\"shape\":[2],\"data\":[1, 2]}, for a dataset
{\"index\":3,\"streams\":{\"images\":{\"shape\":…,\"data\":…},…}}. Data is nested as the shape says.
Numbers are exact, 64-bit integers too; non-finite floats are \"nan\", \"inf\", \"-inf\"; complex
numbers [re, im]; bools true and false; S and U text; points in time ISO 8601 text, spans a number
of ticks, both \"NaT\" where there is none; structures objects; V hexadecimal text.
Of a table, one line a row: an object with such a value for each column.";

const ROWS: u64 = 10;
const RECORDS: u64 = 5;

/// Show the first records or rows
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:\n  recask head mnist\n  recask head words -n 20 --json\n  recask head flights.cstore --columns origin,delay\n\n{JSON_HELP}"))]
pub(crate) struct Head {
    /// A store, a dataset or a table
    path: PathBuf,
    /// How many [default: 5 records, 10 rows of a table]
    #[arg(short = 'n', value_name = "COUNT")]
    count: Option<u64>,
    #[command(flatten)]
    look: Look,
}

/// Show the last records or rows
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:\n  recask tail mnist\n  recask tail flights.cstore -n 3 --csv\n\n{JSON_HELP}"))]
pub(crate) struct Tail {
    /// A store, a dataset or a table
    path: PathBuf,
    /// How many [default: 5 records, 10 rows of a table]
    #[arg(short = 'n', value_name = "COUNT")]
    count: Option<u64>,
    #[command(flatten)]
    look: Look,
}

/// Show chosen records or rows
#[derive(Args, Debug)]
#[command(after_help = format!("\
Examples:
  recask show mnist/images 7
  recask show mnist -1             the last record of every stream
  recask show words 3:10 ::5000    ranges as in Python: start:stop:step
  recask show words -3: --json
  recask show flights.cstore :1000 --csv

{JSON_HELP}"))]
pub(crate) struct Show {
    /// A store, a dataset or a table
    path: PathBuf,
    /// Which records or rows: 7, -1, 3:10, ::2
    #[arg(required = true, value_parser = args::index, value_name = "INDEX")]
    indices: Vec<Index<'static>>,
    #[command(flatten)]
    look: Look,
}

#[derive(Args, Clone, Debug)]
struct Look {
    /// Draw small images with block characters
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "auto", default_missing_value = "always")]
    art: When,
    /// Only these columns of a table, in this order, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    columns: Option<Vec<String>>,
    #[command(flatten)]
    form: FormArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal
    Auto,
    Always,
    Never,
}

pub(crate) fn head(args: &Head, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(table) = TablePlace::at(&args.path) {
        let end = End::First(args.count.unwrap_or(ROWS));
        return tables::show::end(&table, end, args.look.columns(), args.look.form.form(global)?, out);
    }
    let streams = Place::at(&args.path).open()?;
    let longest = streams.iter().map(|stream| stream.store.len()).max().unwrap_or(0);
    each(
        &streams,
        0..args.count.unwrap_or(RECORDS).min(longest),
        args.look.draws(&args.path, out)?,
        global,
        out,
    )
}

pub(crate) fn tail(args: &Tail, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(table) = TablePlace::at(&args.path) {
        let end = End::Last(args.count.unwrap_or(ROWS));
        return tables::show::end(&table, end, args.look.columns(), args.look.form.form(global)?, out);
    }
    let streams = Place::at(&args.path).open()?;
    let len = common_length(&streams)?;
    each(
        &streams,
        len.saturating_sub(args.count.unwrap_or(RECORDS))..len,
        args.look.draws(&args.path, out)?,
        global,
        out,
    )
}

pub(crate) fn show(args: &Show, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(table) = TablePlace::at(&args.path) {
        let form = args.look.form.form(global)?;
        return tables::show::chosen(&table, &args.indices, args.look.columns(), form, out);
    }
    let streams = Place::at(&args.path).open()?;
    let records = args::resolve(&args.indices, common_length(&streams)?).at(&args.path)?;
    each(&streams, records, args.look.draws(&args.path, out)?, global, out)
}

impl Look {
    fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    /// For a store.
    fn draws(&self, path: &Path, out: &Output) -> Result<bool, Failure> {
        let options = [("--columns", self.columns.is_some()), ("--csv", self.form.csv)];
        tables::refuse(&options, path)?;
        Ok(match self.art {
            When::Auto => out.is_terminal(),
            When::Always => true,
            When::Never => false,
        })
    }
}

/// One record at a time, so memory holds no more than one.
fn each(
    streams: &[Stream],
    records: impl IntoIterator<Item = u64>,
    art: bool,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    for index in records {
        interrupt::check()?;
        if global.json {
            json(streams, index, out)?;
            continue;
        }
        for stream in streams.iter().filter(|stream| index < stream.store.len()) {
            let record = record::read(&stream.store, index).at(&stream.path)?;
            text(stream.name.as_deref(), index, &record, art, out)?;
        }
    }
    Ok(())
}

fn json(streams: &[Stream], index: u64, out: &mut Output) -> Result<(), Failure> {
    write!(out, "{{\"index\":{index},")?;
    if let [Stream { name: None, path, store }] = streams {
        record::read(store, index).at(path)?.json(out)?;
    } else {
        write!(out, "\"streams\":{{")?;
        for (i, stream) in streams.iter().filter(|stream| index < stream.store.len()).enumerate() {
            let name = serde_json::to_string(stream.name.as_deref().unwrap_or_default()).unwrap_or_default();
            write!(out, "{}{name}:{{", if i > 0 { "," } else { "" })?;
            record::read(&stream.store, index).at(&stream.path)?.json(out)?;
            write!(out, "}}")?;
        }
        write!(out, "}}")?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

fn text(
    name: Option<&str>,
    index: u64,
    record: &Record<'_>,
    art: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let drawn = if art { picture::draw(record.dtype, &record.shape, &record.bytes) } else { None };
    let body = drawn.unwrap_or_else(|| record.text());
    let heading = if record.shape.is_empty() {
        format!("[{index}]{name}")
    } else {
        format!("[{index}]{name} {}", recask::Shape::from(&*record.shape))
    };
    // What fits stands beside the heading.
    if body.contains('\n') || heading.len() + body.len() > 100 {
        writeln!(out, "{heading}\n{body}")?;
    } else {
        writeln!(out, "{heading}  {body}")?;
    }
    Ok(())
}
