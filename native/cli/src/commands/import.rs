//! `recask import`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use recask::convert::table::{Format, Mode};
use recask::convert::{self, ImportOptions, Imported};
use serde::Serialize;

use crate::args::Global;
use crate::codec_args::{CodecArgs, TrainArgs};
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count, real, size};
use crate::progress::{Bar, Unit};
use crate::tables;
use crate::tables::layout::LayoutArgs;
use crate::tables::place::is_named;
use crate::tables::source::SourceArgs;

/// Turn a file or folder into stores, or a file into a table
///
/// Reads in bounded memory, so the source may be larger than memory. Understands, for stores:
///
///   .npy            one store, DEST itself
///   .npz            one store for each array, DEST/name
///   MNIST IDX       one store, DEST itself (also .gz)
///   .jsonl          one store for each field, DEST/name: numbers dense, text and lists ragged (also .gz)
///   a folder        each file a ragged record of bytes in DEST/files, sorted by name, and DEST/names
///
/// and for a table, which DEST becomes when its name ends in .cstore:
///
///   .parquet, .arrow, .feather, .arrows, .csv, .tsv, .jsonl, .npz (.csv, .tsv and .jsonl also .gz)
///
/// Parquet, Arrow and CSV always become a table.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask import mnist.npz mnist --codec zstd
  recask import train-images-idx3-ubyte.gz images
  recask import corpus.jsonl.gz corpus --fields tokens,label --train-dict
  recask import photos/ photos-store
  recask import flights.parquet flights.cstore
  recask import weather.csv weather.cstore --nulls nan --columns date,wind

An import that fails or is interrupted removes what it made; with --force the old table stays then.

With --json: {\"source\":…,\"path\":…,\"source_bytes\":…,\"seconds\":…,\"stores\":[{\"name\":…,
\"path\":…,\"kind\":…,\"dtype\":…,\"item_shape\":…,\"codec\":…,\"records\":…},…]}, for a table
{\"source\":…,\"path\":…,\"kind\":\"table\",\"rows\":…,\"columns\":[{\"name\":…,\"dtype\":…},…],\"layout\":…,
\"source_bytes\":…,\"seconds\":…}"
)]
pub(crate) struct Import {
    /// The file or folder to read
    source: PathBuf,
    /// Where the store, the streams or the table go; made when missing
    dest: PathBuf,
    #[command(flatten)]
    codec: CodecArgs,
    #[command(flatten)]
    train: TrainArgs,
    /// Only these arrays, fields or columns of the source, separated by commas
    #[arg(long, visible_alias = "columns", value_delimiter = ',', value_name = "NAMES")]
    fields: Option<Vec<String>>,
    #[command(flatten)]
    table: TableArgs,
}

/// Options for tables.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options for tables")]
struct TableArgs {
    /// Replace a table that is there, when the new one is complete
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Serialize)]
struct Report {
    source: String,
    path: String,
    source_bytes: u64,
    seconds: f64,
    stores: Vec<Store>,
}

#[derive(Serialize)]
struct Store {
    name: Option<String>,
    path: String,
    kind: &'static str,
    dtype: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_shape: Option<Vec<u64>>,
    codec: &'static str,
    records: u64,
}

pub(crate) fn run(args: Import, global: Global, out: &mut Output) -> Result<(), Failure> {
    let Import { source, dest, codec, train, fields, table } = args;
    if becomes_table(&source, &dest) {
        if codec.is_given() || train.training().is_some() {
            return Err(Failure::Usage("a table has no codec; leave the options of codecs out".into()));
        }
        let mode = if table.force { Mode::Recreate } else { Mode::Create };
        let options = table.source.options(fields, mode, table.layout.options());
        return tables::import::import(&source, &dest, &options, global, out);
    }
    tables::refuse(&[("--force", table.force)], &dest)?;
    tables::refuse(&table.layout.given(), &dest)?;
    tables::refuse(&table.source.given(), &dest)?;
    let options = ImportOptions { codec: codec.choice(train.training())?, fields };
    let started = Instant::now();
    let source_bytes = convert::append_units(&source).at(&source)?;
    let units = convert::import_units(&source).at(&source)?;
    let bar = Bar::new(global, "importing", units, Unit::Bytes);
    let imported = between(convert::import(&source, &dest, &options, &bar), &source, &dest)?;
    drop(bar);
    let seconds = started.elapsed().as_secs_f64();
    let stores: Vec<Store> = imported.iter().map(store).collect();
    if global.json {
        let (source, path) = (source.display().to_string(), dest.display().to_string());
        out.json(&Report { source, path, source_bytes, seconds, stores })?;
        return Ok(());
    }
    let row = |(store, imported): (Store, &Imported)| {
        let shape = imported.item_shape.as_ref().map_or_else(|| "ragged".to_owned(), ToString::to_string);
        vec![store.path, store.dtype, shape, store.codec.to_owned(), count(store.records)]
    };
    let rows: Vec<_> = stores.into_iter().zip(&imported).map(row).collect();
    out.table(&["store", "dtype", "item shape", "codec", "records"], &rows)?;
    let rate = real(source_bytes) / seconds.max(1e-9) / f64::from(1 << 20);
    writeln!(
        out,
        "{} in {seconds:.1} s, {rate:.0} MiB/s; next: recask head {}",
        size(source_bytes),
        dest.display()
    )?;
    Ok(())
}

/// By the name of what is to be made, or by a source that only a table can be made of.
fn becomes_table(source: &Path, dest: &Path) -> bool {
    let only_table =
        |format| matches!(format, Format::Parquet | Format::Arrow | Format::ArrowStream | Format::Csv);
    is_named(dest) || (source.is_file() && Format::of_extension(source).is_some_and(only_table))
}

fn store(imported: &Imported) -> Store {
    Store {
        name: imported.name.clone(),
        path: imported.path.display().to_string(),
        kind: imported.kind.as_str(),
        dtype: imported.dtype.to_string(),
        item_shape: imported.item_shape.as_ref().map(|shape| shape.dims().to_vec()),
        codec: imported.codec.as_str(),
        records: imported.records,
    }
}
