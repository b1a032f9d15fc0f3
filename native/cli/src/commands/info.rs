//! `recask info`.

use std::path::{Path, PathBuf};

use clap::Args;
use recask::AnyStore;
use recask::core::storage::FileId;
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{Output, count, size};
use crate::streams::{Place, Stream};
use crate::tables::{self, TablePlace};

/// Say what a store or table holds, without reading its records
///
/// A store opens in constant time, however many records there are; a table reads the headers of its records.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask info mnist/images
  recask info mnist                  all streams of a dataset
  recask info mnist/images --json
  recask info flights.cstore

With --json: {\"path\":…,\"kind\":\"dense\",\"dtype\":\"|u1\",\"item_shape\":[28,28],\"codec\":\"zstd\",
\"records\":…,\"record_bytes\":…,\"disk_bytes\":…}; ragged stores have no item_shape and record_bytes,
zstd_dict ones have dictionary_bytes too. A dataset is
{\"path\":…,\"kind\":\"dataset\",\"streams\":{\"images\":{…},\"labels\":{…}}}.
A table is {\"path\":…,\"kind\":\"table\",\"rows\":…,\"file_records\":…,\"columns\":[{\"name\":…,\"dtype\":…},…],
\"layout\":\"0.3\",\"row_bytes\":…,\"bytes\":…,\"files\":1,\"statistics\":false,\"needs_compaction\":false,
\"tuning\":{\"threads\":…,\"gather_threads\":…,\"advice\":…,\"placement\":…,\"calibrated\":false}}.")]
pub(crate) struct Info {
    /// A store, a dataset or a table
    path: PathBuf,
}

/// The JSON of one store.
#[derive(Debug, Serialize)]
pub(crate) struct StoreInfo {
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    pub(crate) dtype: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_shape: Option<Vec<u64>>,
    pub(crate) codec: &'static str,
    pub(crate) records: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dictionary_bytes: Option<usize>,
    pub(crate) disk_bytes: u64,
}

impl StoreInfo {
    pub(crate) fn of(path: &Path, store: &AnyStore) -> Self {
        StoreInfo {
            path: path.display().to_string(),
            kind: store.kind().as_str(),
            dtype: store.dtype().to_string(),
            item_shape: store.item_shape().map(|shape| shape.dims().to_vec()),
            codec: store.codec().kind().as_str(),
            records: store.len(),
            record_bytes: store.item_shape().map(|_| store.engine().record_bytes()),
            dictionary_bytes: store.codec().dictionary().map(<[u8]>::len),
            disk_bytes: disk_bytes(path),
        }
    }
}

pub(crate) fn run(args: &Info, global: Global, out: &mut Output) -> Result<(), Failure> {
    if let Some(table) = TablePlace::at(&args.path) {
        return tables::info::run(&table, global, out);
    }
    let place = Place::at(&args.path);
    let streams = place.open()?;
    if global.json {
        let infos =
            streams.iter().map(|stream| (stream.name.clone(), StoreInfo::of(&stream.path, &stream.store)));
        out.json(&place.answer(infos.collect()))?;
        return Ok(());
    }
    match streams.as_slice() {
        [Stream { name: None, path, store }] => show_one(path, store, out),
        streams => show_all(streams, out),
    }
}

fn show_one(path: &Path, store: &AnyStore, out: &mut Output) -> Result<(), Failure> {
    let info = StoreInfo::of(path, store);
    let mut facts = vec![("path", info.path), ("kind", info.kind.to_owned()), ("dtype", info.dtype)];
    if let (Some(shape), Some(bytes)) = (store.item_shape(), info.record_bytes) {
        facts.push(("item shape", format!("{shape}, {} a record", size(bytes))));
    }
    let dictionary = info.dictionary_bytes.map(|bytes| format!(" ({} dictionary)", size(bytes as u64)));
    facts.push(("codec", format!("{}{}", info.codec, dictionary.unwrap_or_default())));
    facts.push(("records", count(info.records)));
    facts.push(("on disk", size(info.disk_bytes)));
    Ok(out.facts(&facts)?)
}

fn show_all(streams: &[Stream], out: &mut Output) -> Result<(), Failure> {
    let row = |stream: &Stream| {
        let info = StoreInfo::of(&stream.path, &stream.store);
        vec![
            stream.name.clone().unwrap_or_default(),
            info.kind.to_owned(),
            info.dtype,
            stream.store.item_shape().map_or_else(|| "ragged".to_owned(), ToString::to_string),
            info.codec.to_owned(),
            count(info.records),
            size(info.disk_bytes),
        ]
    };
    let rows: Vec<_> = streams.iter().map(row).collect();
    Ok(out.table(&["stream", "kind", "dtype", "item shape", "codec", "records", "on disk"], &rows)?)
}

/// What the files of the store take, foreign files left out.
pub(crate) fn disk_bytes(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().and_then(FileId::from_name).is_some())
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}
