//! `recask head` and `recask show`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recask::Index;

use crate::args::{self, Global};
use crate::failure::{At as _, Failure};
use crate::interrupt;
use crate::output::Output;
use crate::picture;
use crate::record::{self, Record};
use crate::streams::{Place, Stream, common_length};

const JSON_HELP: &str = "\
With --json one line a record: {\"index\":3,\"shape\":[2],\"data\":[1, 2]}, for a dataset
{\"index\":3,\"streams\":{\"images\":{\"shape\":…,\"data\":…},…}}. Data is nested as the shape says.
Numbers are exact, 64-bit integers too; non-finite floats are \"nan\", \"inf\", \"-inf\"; complex
numbers [re, im]; bools true and false; S and U text; points in time ISO 8601 text, spans a number
of ticks, both \"NaT\" where there is none; structures objects; V hexadecimal text.";

/// Show the first records
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:\n  recask head mnist\n  recask head words -n 20 --json\n\n{JSON_HELP}"))]
pub(crate) struct Head {
    /// A store or a dataset
    path: PathBuf,
    /// How many records
    #[arg(short = 'n', default_value_t = 5, value_name = "RECORDS")]
    count: u64,
    #[command(flatten)]
    look: Look,
}

/// Show chosen records
#[derive(Args, Debug)]
#[command(after_help = format!("\
Examples:
  recask show mnist/images 7
  recask show mnist -1             the last record of every stream
  recask show words 3:10 ::5000    ranges as in Python: start:stop:step
  recask show words -3: --json

{JSON_HELP}"))]
pub(crate) struct Show {
    /// A store or a dataset
    path: PathBuf,
    /// Which records: 7, -1, 3:10, ::2
    #[arg(required = true, value_parser = args::index, value_name = "INDEX")]
    indices: Vec<Index<'static>>,
    #[command(flatten)]
    look: Look,
}

#[derive(Args, Clone, Copy, Debug)]
struct Look {
    /// Draw small images with block characters
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = "auto", default_missing_value = "always")]
    art: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal
    Auto,
    Always,
    Never,
}

pub(crate) fn head(args: &Head, global: Global, out: &mut Output) -> Result<(), Failure> {
    let streams = Place::at(&args.path).open()?;
    let longest = streams.iter().map(|stream| stream.store.len()).max().unwrap_or(0);
    each(&streams, 0..args.count.min(longest), args.look, global, out)
}

pub(crate) fn show(args: &Show, global: Global, out: &mut Output) -> Result<(), Failure> {
    let streams = Place::at(&args.path).open()?;
    let records = args::resolve(&args.indices, common_length(&streams)?).at(&args.path)?;
    each(&streams, records, args.look, global, out)
}

/// One record at a time, so memory holds no more than one.
fn each(
    streams: &[Stream],
    records: impl IntoIterator<Item = u64>,
    look: Look,
    global: Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let art = match look.art {
        When::Auto => out.is_terminal(),
        When::Always => true,
        When::Never => false,
    };
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
