//! Dictionaries from whatever has samples.

use std::path::{Path, PathBuf};

use recask_core::Result;

use super::dataset::is_store;
use super::npz::{Npz, Scratch};
use super::problem::{Site, check};
use super::reading::Meter;
use super::source::SourceKind;
use super::{folder, idx, json, npy};
use crate::{AnyStore, Progress, Samples, Tier};

/// Trains a dictionary from evenly spread records of a store, of an array (npy, IDX, an npz of one array), of the files
/// of a folder, or of JSON lines with one field.
///
/// # Errors
/// [`Code::InvalidSource`](crate::Code::InvalidSource) where there is nothing of these or a source has several arrays
/// or fields: import it, and train from the stream. [`Code::InvalidArgument`](crate::Code::InvalidArgument) without
/// records; [`Code::TrainingFailed`](crate::Code::TrainingFailed);
/// [`Code::Interrupted`](crate::Code::Interrupted).
pub fn dictionary_from(source: &Path, tier: Tier, progress: &dyn Progress) -> Result<Vec<u8>> {
    check(progress)?;
    samples_from(source, tier, progress)?.train(tier)
}

fn samples_from(source: &Path, tier: Tier, progress: &dyn Progress) -> Result<Samples> {
    if is_store(source) {
        return match AnyStore::open(source)? {
            AnyStore::Dense(store) => store.samples(tier),
            AnyStore::Ragged(store) => store.samples(tier),
        };
    }
    let site = Site::file(source);
    let meter = Meter::default();
    let several = |names: Vec<&str>| {
        let names = names.join(", ");
        site.invalid(format_args!(
            "there are several streams ({names}); import it, and train from one of them"
        ))
    };
    match SourceKind::detect(source)? {
        SourceKind::Npy => npy::open(site, &meter)?.samples(tier, site),
        SourceKind::Idx => idx::open(site, &meter)?.samples(tier, site),
        SourceKind::Folder => match super::dataset::streams(source)?.as_slice() {
            [] => folder::samples(source, tier, progress),
            stores => Err(several(stores.iter().map(|(name, _)| name.as_str()).collect())),
        },
        SourceKind::Npz => {
            let mut archive = Npz::open(source, &meter)?;
            let names = archive.names()?;
            let [name] = names.as_slice() else {
                return Err(several(names.iter().map(String::as_str).collect()));
            };
            let scratch = Scratch::in_folder(&temporary_folder(source))?;
            let site = Site { path: source, member: Some(name) };
            archive.array(name, &scratch, progress)?.samples(tier, site)
        }
        SourceKind::JsonLines => {
            let fields = json::scan(source, None, progress)?;
            if fields.len() != 1 {
                return Err(several(fields.iter().map(|field| field.name.as_str()).collect()));
            }
            Ok(json::samples(source, &fields, tier, progress)?.pop().unwrap_or_default())
        }
    }
}

fn temporary_folder(source: &Path) -> PathBuf {
    // A sandbox has none.
    if cfg!(target_os = "wasi") { source.with_file_name("") } else { std::env::temp_dir() }
}
