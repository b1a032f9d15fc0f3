//! `recask append`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::convert::table::Mode;
use recask::table::WriteOptions;
use recask::{AnyStore, convert};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count};
use crate::progress::{Bar, Unit};
use crate::streams::Place;
use crate::tables::source::SourceArgs;
use crate::tables::{self, TablePlace};

/// Add the records of a file or folder to a store, or the rows of a file to a table
///
/// The source is anything that import understands, with one array of the store's type and shape, or with the columns of the
/// table. Readers may have the store open; they see the new records when they refresh, and new rows of a table when they
/// open it again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask append mnist/images more-images.npy
  recask append photos-store/files more-photos/
  recask append flights.cstore february.parquet
  recask append flights/ february.parquet --shard      a new table in a folder of tables

With --json: {\"path\":…,\"appended\":…,\"records\":…}, for a table {\"path\":…,\"appended\":…,\"rows\":…}, with
--shard \"shard\" too, the file that was made")]
pub(crate) struct Append {
    /// The store or table
    path: PathBuf,
    /// The file or folder to read
    source: PathBuf,
    #[command(flatten)]
    table: TableArgs,
}

/// Options for tables.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options for tables")]
struct TableArgs {
    /// Make a new table of the rows, in a folder of tables of the same columns
    #[arg(long)]
    shard: bool,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Serialize)]
struct Report {
    path: String,
    appended: u64,
    records: u64,
}

pub(crate) fn run(args: &Append, global: Global, out: &mut Output) -> Result<(), Failure> {
    let table = &args.table;
    let options = |mode| table.source.options(None, mode, WriteOptions::default());
    if table.shard {
        return tables::import::append_shard(&args.source, &args.path, &options(Mode::Create), global, out);
    }
    if let Some(place) = TablePlace::at(&args.path) {
        if args.path.is_dir() {
            return Err(Failure::Usage(format!(
                "{} is a folder of tables; name one of them, or add another with --shard",
                args.path.display()
            )));
        }
        let options = options(Mode::Append);
        return tables::import::append(&args.source, place.single()?, &options, global, out);
    }
    tables::refuse(&table.source.given(), &args.path)?;
    let path = Place::single(&args.path)?;
    let before = AnyStore::open(path.as_path()).at(&path)?.len();
    let total = convert::append_units(&args.source).at(&args.source)?;
    let bar = Bar::new(global, "appending", total, Unit::Bytes);
    let appended = between(convert::append(&path, &args.source, &bar), &args.source, &path)?;
    drop(bar);
    let records = before + appended;
    let path = path.display().to_string();
    if global.json {
        out.json(&Report { path, appended, records })?;
    } else {
        writeln!(out, "appended {} records to {path}, which has {} now", count(appended), count(records))?;
    }
    Ok(())
}
