//! `recask export`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use recask::convert::table::{Compression, ExportOptions};
use recask::{Index, convert};
use serde::Serialize;

use crate::args::{self, Global};
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count};
use crate::progress::{Bar, Unit};
use crate::streams::{Place, common_length};
use crate::tables::choice::Where;
use crate::tables::source::{CsvArgs, FormatName};
use crate::tables::{self, Choice, TablePlace};

/// Write records or rows to a file or folder that other programs read
///
/// What OUT is called says what it becomes. Of stores: .npy, .npz, .jsonl, or a folder with a file for each record. Of tables:
/// .parquet, .arrow (Feather), .arrows, .csv, .tsv, .jsonl, .npz.
/// A ragged store in an .npz has `values`, `offsets` (in elements, one more than there are records) and `shapes` with
/// `shape_offsets`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask export mnist mnist.npz              every stream is one array
  recask export mnist/images first.npy :100
  recask export words words.jsonl -10:       the last ten
  recask export photos-store photos          as they were imported
  recask export flights.cstore late.parquet --where \"delay > 60\" --columns origin,delay
  recask export flights.cstore flights.csv ::10

With --json: {\"path\":…,\"format\":…,\"streams\":[…],\"records\":…}, for a table
{\"path\":…,\"format\":…,\"columns\":[…],\"rows\":…}")]
pub(crate) struct Export {
    /// A store, a dataset or a table
    path: PathBuf,
    /// The file or folder to write
    out: PathBuf,
    /// Which records or rows: 7, -1, 3:10, ::2 [default: all]
    #[arg(value_parser = args::index, value_name = "INDEX")]
    indices: Vec<Index<'static>>,
    #[command(flatten)]
    table: TableArgs,
}

/// Options for tables.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options for tables")]
struct TableArgs {
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    choice: Choice,
    /// What is written, where the name of OUT does not say it
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// How Parquet is compressed [default: snappy]
    #[arg(long, value_enum)]
    compression: Option<CompressionName>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    csv: CsvArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompressionName {
    None,
    /// Every reader has it
    Snappy,
    /// Smaller files
    Zstd,
}

#[derive(Serialize)]
struct Report {
    path: String,
    format: &'static str,
    streams: Vec<String>,
    records: u64,
}

pub(crate) fn run(args: &Export, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(place) = TablePlace::at(&args.path) {
        return export_table(args, &place, global, out);
    }
    args.table.refuse(&args.path)?;
    let place = Place::at(&args.path);
    let streams = place.open()?;
    let longest = streams.iter().map(|stream| stream.store.len()).max().unwrap_or(0);
    let (selection, records) = match args.indices.as_slice() {
        [] => (Index::ALL, longest),
        indices => {
            let records = args::resolve(indices, common_length(&streams)?).at(&args.path)?;
            let count = records.len() as u64;
            (Index::from(records), count)
        }
    };
    let total = records.saturating_mul(streams.len() as u64);
    drop(streams);
    let bar = Bar::new(global, "exporting", total, Unit::Records);
    let exported = between(convert::export(&args.path, &args.out, selection, &bar), &args.path, &args.out)?;
    drop(bar);
    let report = Report {
        path: exported.path.display().to_string(),
        format: exported.format.as_str(),
        streams: exported.streams,
        records: exported.records,
    };
    if global.json {
        out.json(&report)?;
    } else {
        writeln!(out, "wrote {} records to {} ({})", count(report.records), report.path, report.format)?;
    }
    Ok(())
}

fn export_table(args: &Export, place: &TablePlace, global: Global, out: &mut Output) -> Result<(), Failure> {
    let Export { table: options, indices, .. } = args;
    let table = place.open()?;
    let rows = match indices.as_slice() {
        [] => table.all(),
        [one] => table.rows(one.clone()).at(&args.path)?,
        several => table.rows(args::resolve(several, table.len()).at(&args.path)?).at(&args.path)?,
    };
    let filter = options.filter.filter.as_deref();
    let rows = options.choice.among(rows, filter, place.path())?.selection;
    tables::export::run(&rows, place.path(), &args.out, &options.options(), global, out)
}

impl TableArgs {
    fn options(&self) -> ExportOptions {
        let compression = match self.compression {
            None => Compression::default(),
            Some(CompressionName::None) => Compression::None,
            Some(CompressionName::Snappy) => Compression::Snappy,
            Some(CompressionName::Zstd) => Compression::Zstd,
        };
        let format = self.format.map(FormatName::format);
        ExportOptions { format, replace: self.force, csv: self.csv.csv(), compression }
    }

    /// Where there is a store.
    fn refuse(&self, path: &Path) -> Result<(), Failure> {
        tables::refuse(&self.choice.given(), path)?;
        tables::refuse(&self.csv.given(), path)?;
        let given = [
            ("--where", self.filter.filter.is_some()),
            ("--format", self.format.is_some()),
            ("--compression", self.compression.is_some()),
            ("--force", self.force),
        ];
        tables::refuse(&given, path)
    }
}
