//! The command line: what it looks like, and what its values mean.

use std::ffi::OsString;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use recask::{Code, DType, Error, Index, Shape};

#[cfg(feature = "threads")]
use crate::commands::calibrate;
#[cfg(feature = "demo")]
use crate::commands::demo;
#[cfg(not(all(feature = "demo", feature = "threads")))]
use crate::commands::left_out::LeftOut;
use crate::commands::{
    append, bench, compact, completions, concat, create, delete, eval, export, import, index, info, load,
    query, recode, sample, show, stats, train_dict, verify,
};

const AFTER_HELP: &str = "\
A PATH is a store (a directory), or a dataset: a folder with a store for each stream, such as
images and labels; or a column table: a .cstore file, a folder of them, or a pattern such as
'2024-*.cstore'.

Start here:
  recask demo                                  build, shuffle, check and measure stores of real data
  recask import mnist.npz mnist --codec zstd   one store for each array: mnist/images, mnist/labels
  recask head mnist                            look at the first records
  recask sample mnist --batch 4 --seed 1       which records make up the first shuffled batch
  recask verify mnist && recask stats mnist    check every record; how much space is in use
  recask import weather.csv weather.cstore     a table; also of Parquet, Arrow, JSON lines
  recask query weather.cstore 'wind > 5'       find rows with the WHERE clause of SQL
  recask load mnist --batch 256                how fast would a training program be fed?

Exit status:
  0    done
  1    it failed, or verify found a fault
  2    the command line makes no sense
  130  interrupted

Errors stand on stderr as error[code]: message, with the same codes in every language.
With --json the answer is JSON on stdout: one object, or for show, head, tail, query and sample one
line a record, row or step.";

/// Typed record stores and column tables for machine learning: import, look at, query, shuffle, check and measure them.
///
/// The stores are byte-compatible with loaderx 1.7.2, the tables with colstore 0.3.0.
#[derive(Debug, Parser)]
#[command(name = "recask", version, after_help = AFTER_HELP, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Global {
    /// Answer in JSON, for programs
    #[arg(long, global = true, display_order = 1000)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short, global = true, display_order = 1001)]
    pub(crate) quiet: bool,
    /// Write nothing, whatever the command would write: it is refused before any file is touched
    #[arg(long, global = true, display_order = 1002)]
    pub(crate) read_only: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[cfg(feature = "demo")]
    Demo(demo::Demo),
    #[cfg(not(feature = "demo"))]
    Demo(LeftOut),
    Info(info::Info),
    Create(create::Create),
    Import(import::Import),
    Export(export::Export),
    Head(show::Head),
    Tail(show::Tail),
    Show(show::Show),
    Query(query::Query),
    Sample(sample::Sample),
    Append(append::Append),
    Delete(delete::Delete),
    Compact(compact::Compact),
    Concat(concat::Concat),
    Recode(recode::Recode),
    TrainDict(train_dict::TrainDict),
    Stats(stats::Stats),
    Verify(verify::Verify),
    Eval(eval::Eval),
    Index(index::Index),
    Bench(bench::Bench),
    Load(load::Load),
    #[cfg(feature = "threads")]
    Calibrate(calibrate::Calibrate),
    #[cfg(not(feature = "threads"))]
    Calibrate(LeftOut),
    Completions(completions::Completions),
}

/// A NumPy type string or literal.
pub(crate) fn dtype(text: &str) -> recask::Result<DType> {
    DType::parse(text)
}

/// `28,28`, `28x28`, `(28, 28)`; nothing or `()` for a scalar.
pub(crate) fn shape(text: &str) -> recask::Result<Shape> {
    let wrong = || {
        let text = format!("{text:?} is no shape; write extents such as 28,28, or () for scalars");
        Error::new(Code::InvalidShape, text)
    };
    let trimmed = text.trim();
    let inner = match trimmed.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')').ok_or_else(wrong)?,
        None => trimmed,
    };
    let inner = inner.trim();
    if inner.is_empty() {
        return Ok(Shape::scalar());
    }
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    let dims = inner.split([',', 'x']).map(|dim| dim.trim().parse::<u64>().map_err(|_| wrong()));
    Ok(Shape::from(dims.collect::<recask::Result<Vec<u64>>>()?))
}

/// `7`, `-1`, `3:10`, `::2`.
pub(crate) fn index(text: &str) -> recask::Result<Index<'static>> {
    Index::parse(text)
}

/// The records that several indices select, in their order.
pub(crate) fn resolve(indices: &[Index<'static>], len: u64) -> recask::Result<Vec<u64>> {
    let mut records = Vec::new();
    for index in indices {
        records.extend_from_slice(&index.resolve(len)?);
    }
    Ok(records)
}

/// Commands that take indices, which may begin with a hyphen.
const INDEXED: [&str; 3] = ["show", "delete", "export"];

/// Moves indices behind `--` from the first one on that begins with a hyphen, so that `show p -1 --json` and
/// `show p -5: 3` need no `--` of the user's.
pub(crate) fn hyphens_behind_dashes(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let args: Vec<OsString> = args.into_iter().collect();
    let is = |arg: &OsString, text: &str| arg.to_str() == Some(text);
    let command = args.iter().skip(1).find(|arg| !arg.to_string_lossy().starts_with('-'));
    let indexed = command.and_then(|name| INDEXED.into_iter().find(|known| is(name, known)));
    let (Some(name), false) = (indexed, args.iter().any(|arg| is(arg, "--"))) else { return args };
    let cli = Cli::command();
    let takes_value = |arg: &OsString| {
        let command = cli.find_subcommand(name);
        let long = arg.to_str().and_then(|arg| arg.strip_prefix("--"));
        long.is_some_and(|long| {
            command.into_iter().flat_map(clap::Command::get_arguments).any(|option| {
                let takes_value = option.get_action().takes_values() && !option.is_require_equals_set();
                option.get_long() == Some(long) && takes_value
            })
        })
    };
    let (mut options, mut indices) = (Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let from_end = looks_like_index_from_end(arg);
        if from_end || (!indices.is_empty() && !arg.to_string_lossy().starts_with('-')) {
            indices.push(arg.clone());
        } else {
            options.push(arg.clone());
            if takes_value(arg) {
                options.extend(rest.next().cloned());
            }
        }
    }
    if indices.is_empty() {
        return args;
    }
    options.push("--".into());
    options.extend(indices);
    options
}

fn looks_like_index_from_end(arg: &OsString) -> bool {
    arg.to_str().is_some_and(|arg| {
        arg.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            && Index::parse(arg).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn shapes_are_read_in_the_usual_spellings() {
        for text in ["28,28", "28x28", "(28, 28)", " 28 , 28 "] {
            assert_eq!(shape(text).unwrap(), Shape::from([28, 28]), "{text:?}");
        }
        assert_eq!(shape("(5,)").unwrap(), Shape::from([5]));
        assert_eq!([shape("").unwrap(), shape("()").unwrap()], [Shape::scalar(), Shape::scalar()]);
        for text in ["a", "(1", "1,,2", "-1", "1 2"] {
            assert_eq!(shape(text).unwrap_err().code(), Code::InvalidShape, "{text:?}");
        }
    }

    #[test]
    fn indices_from_the_end_need_no_dashes() {
        let moved = |line: &str| {
            let args = line.split(' ').map(OsString::from);
            let args = hyphens_behind_dashes(args);
            args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(moved("recask show p 3 -1 5 --json"), "recask show p 3 --json -- -1 5");
        assert_eq!(moved("recask --json show p -5: -q"), "recask --json show p -q -- -5:");
        assert_eq!(moved("recask show p -- -1"), "recask show p -- -1");
        assert_eq!(moved("recask show p 3 --json"), "recask show p 3 --json");
        assert_eq!(moved("recask show p --columns -1 -2"), "recask show p --columns -1 -- -2");
        assert_eq!(moved("recask export p q --rows -5:"), "recask export p q --rows -5:");
        assert_eq!(moved("recask create dense p --level -1"), "recask create dense p --level -1");
    }
}
