//! `recask import`.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use recask::convert::{self, ImportOptions, Imported};
use serde::Serialize;

use crate::args::Global;
use crate::codec_args::{CodecArgs, TrainArgs};
use crate::failure::{At as _, Failure, between};
use crate::output::{Output, count, real, size};
use crate::progress::{Bar, Unit};

/// Turn a file or folder into stores
///
/// Reads in bounded memory, so the source may be larger than memory. Understands:
///
///   .npy            one store, DEST itself
///   .npz            one store for each array, DEST/name
///   MNIST IDX       one store, DEST itself (also .gz)
///   .jsonl          one store for each field, DEST/name: numbers dense, text and lists ragged (also .gz)
///   a folder        each file a ragged record of bytes in DEST/files, sorted by name, and DEST/names
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask import mnist.npz mnist --codec zstd
  recask import train-images-idx3-ubyte.gz images
  recask import corpus.jsonl.gz corpus --fields tokens,label --train-dict
  recask import photos/ photos-store

An import that fails or is interrupted removes what it made.

With --json: {\"source\":…,\"path\":…,\"source_bytes\":…,\"seconds\":…,\"stores\":[{\"name\":…,
\"path\":…,\"kind\":…,\"dtype\":…,\"item_shape\":…,\"codec\":…,\"records\":…},…]}"
)]
pub(crate) struct Import {
    /// The file or folder to read
    source: PathBuf,
    /// Where the store or the streams go; made when missing
    dest: PathBuf,
    #[command(flatten)]
    codec: CodecArgs,
    #[command(flatten)]
    train: TrainArgs,
    /// Only these arrays of an .npz or fields of a .jsonl, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    fields: Option<Vec<String>>,
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
    let Import { source, dest, codec, train, fields } = args;
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
