//! What a PATH names: one store, or a dataset folder with a store for each stream.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use recask::{AnyStore, OpenOptions, convert};
use serde::Serialize;

use crate::failure::{At as _, Failure};
use crate::tables;

/// A PATH after a look at it.
pub(crate) enum Place {
    /// A store, or nothing: opening it will tell.
    Store(PathBuf),
    /// A folder of stores, by name.
    Dataset { path: PathBuf, streams: Vec<(String, PathBuf)> },
}

/// The answer about a dataset: one object for each stream.
#[derive(Debug, Serialize)]
pub(crate) struct Dataset<T> {
    pub(crate) path: String,
    pub(crate) kind: &'static str,
    pub(crate) streams: BTreeMap<String, T>,
}

/// An open store, with its name in a dataset.
pub(crate) struct Stream {
    pub(crate) name: Option<String>,
    pub(crate) path: PathBuf,
    pub(crate) store: AnyStore,
}

impl Place {
    pub(crate) fn at(path: &Path) -> Place {
        if !convert::is_store(path) && path.is_dir() {
            // A folder that cannot be listed cannot be opened either, and opening says why.
            let streams = convert::streams(path).unwrap_or_default();
            if !streams.is_empty() {
                return Place::Dataset { path: path.to_path_buf(), streams };
            }
        }
        Place::Store(path.to_path_buf())
    }

    /// The one store here, for commands that change a single store.
    pub(crate) fn single(path: &Path) -> Result<PathBuf, Failure> {
        match Place::at(path) {
            Place::Store(path) => Ok(path),
            Place::Dataset { path, streams } => {
                let names: Vec<String> =
                    streams.iter().map(|(_, stream)| stream.display().to_string()).collect();
                let text = format!("{} holds several stores; name one: {}", path.display(), names.join(", "));
                Err(Failure::Usage(text))
            }
        }
    }

    /// Every store here, in the order of their names.
    pub(crate) fn stores(&self) -> Vec<(Option<String>, PathBuf)> {
        match self {
            Place::Store(path) => vec![(None, path.clone())],
            Place::Dataset { streams, .. } => {
                streams.iter().map(|(name, path)| (Some(name.clone()), path.clone())).collect()
            }
        }
    }

    /// Opens every store for reading.
    pub(crate) fn open(&self) -> Result<Vec<Stream>, Failure> {
        let open = |(name, path): (Option<String>, PathBuf)| {
            tables::refuse_table(&path)?;
            let store = AnyStore::open(path.as_path()).at(&path)?;
            Ok(Stream { name, path, store })
        };
        self.stores().into_iter().map(open).collect()
    }

    /// The JSON of a store is its answer, that of a dataset has one for each stream.
    pub(crate) fn answer<T>(&self, mut answers: Vec<(Option<String>, T)>) -> Answer<T> {
        match self {
            Place::Store(_) if answers.len() == 1 => Answer::Store(answers.remove(0).1),
            Place::Store(path) | Place::Dataset { path, .. } => Answer::Dataset(Dataset {
                path: path.display().to_string(),
                kind: "dataset",
                streams: answers.into_iter().filter_map(|(name, answer)| Some((name?, answer))).collect(),
            }),
        }
    }
}

/// What a command answers about a PATH.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer<T> {
    Store(T),
    Dataset(Dataset<T>),
}

/// Opens a store to change it.
pub(crate) fn open_for_writing(path: &Path) -> Result<AnyStore, Failure> {
    tables::refuse_table(path)?;
    AnyStore::open_with(path, &OpenOptions { write: true, ..OpenOptions::default() }).at(path)
}

/// The number of records that all streams have.
pub(crate) fn common_length(streams: &[Stream]) -> Result<u64, Failure> {
    let length = streams.first().map_or(0, |stream| stream.store.len());
    if streams.iter().all(|stream| stream.store.len() == length) {
        return Ok(length);
    }
    let lengths: Vec<String> = streams
        .iter()
        .map(|stream| format!("{} has {}", stream.path.display(), stream.store.len()))
        .collect();
    let text =
        format!("the streams differ in their number of records; name one of them: {}", lengths.join(", "));
    Err(Failure::Usage(text))
}
