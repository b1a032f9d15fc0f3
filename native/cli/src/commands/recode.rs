//! `recask recode`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use recask::convert::CodecChoice;
use recask::core::storage::FileId;
use recask::{AnyStore, Codec, DenseStore, RaggedStore, Tier};
use serde::Serialize;

use crate::args::Global;
use crate::codec_args::{CodecArgs, TrainArgs};
use crate::failure::{At as _, Failure};
use crate::output::{Output, count, real, size};
use crate::progress::{Bar, Unit};
use crate::streams::Place;
use crate::tables::layout::LayoutArgs;
use crate::tables::{self, TablePlace};

/// Copy a store into a new one with another codec, or give a table another layout
///
/// Deleted records leave no gaps in the copy. The source stays as it is. A copy that fails or is interrupted is removed.
///
/// A table without DEST is replaced in one step when the new file is complete. Its records stay as they are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask recode images images-zstd --codec zstd --level 9
  recask recode tokens tokens-dict --train-dict --tier max
  recask recode mnist mnist-raw --codec raw          every stream of a dataset
  recask recode flights.cstore --layout 0.5 --statistics
  recask recode flights.cstore for-colstore-0.3.cstore --layout 0.3

With --json: {\"source\":…,\"path\":…,\"codec\":…,\"records\":…,\"source_bytes\":…,\"stored_bytes\":…},
for a dataset one for each stream in \"streams\"; for a table {\"source\":…,\"path\":…,\"layout\":…,\"statistics\":…,
\"rows\":…,\"file_records\":…}")]
pub(crate) struct Recode {
    /// The store or dataset to copy, or the table
    source: PathBuf,
    /// Where the copy goes; must not exist, or be an empty directory [default for a table: in place]
    dest: Option<PathBuf>,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    codec: CodecArgs,
    #[command(flatten)]
    train: TrainArgs,
}

#[derive(Serialize)]
struct Report {
    source: String,
    path: String,
    codec: &'static str,
    records: u64,
    source_bytes: u64,
    stored_bytes: u64,
}

pub(crate) fn run(args: Recode, global: Global, out: &mut Output) -> Result<(), Failure> {
    let Recode { source, dest, layout, codec, train } = args;
    let training = train.training();
    if let Some(table) = TablePlace::at(&source) {
        if codec.is_given() || training.is_some() {
            return Err(Failure::Usage("a table has no codec; give --layout 0.3 or 0.5".into()));
        }
        if layout.given().iter().all(|(_, given)| !given) {
            return Err(Failure::Usage("say how to lay out the table: give --layout 0.3 or 0.5".into()));
        }
        return tables::recode::run(&table, dest.as_deref(), &layout.options(), global, out);
    }
    tables::refuse(&layout.given(), &source)?;
    let dest =
        dest.ok_or_else(|| Failure::Usage("say where the copy of the store goes: give DEST".into()))?;
    if !codec.is_given() && training.is_none() {
        return Err(Failure::Usage("say how to store the copy: give --codec raw, zstd or zstd_dict".into()));
    }
    let choice = codec.choice(training)?;
    let place = Place::at(&source);
    let mut made = Made::default();
    let reports = match copy_all(&place, &dest, &choice, global, &mut made) {
        Ok(reports) => reports,
        Err(failure) => {
            made.discard();
            return Err(failure);
        }
    };
    if global.json {
        out.json(&place.answer(reports))?;
        return Ok(());
    }
    for (_, report) in &reports {
        let Report { source, path, codec, records, source_bytes, stored_bytes } = report;
        let ratio = real(*source_bytes) / real((*stored_bytes).max(1));
        let (records, before, after) = (count(*records), size(*source_bytes), size(*stored_bytes));
        writeln!(
            out,
            "{source} -> {path}: {records} records, {before} -> {after} as {codec} (ratio {ratio:.2})"
        )?;
    }
    Ok(())
}

fn copy_all(
    place: &Place,
    dest: &Path,
    choice: &CodecChoice,
    global: Global,
    made: &mut Made,
) -> Result<Vec<(Option<String>, Report)>, Failure> {
    let mut reports = Vec::new();
    for stream in place.open()? {
        let path = stream.name.as_ref().map_or_else(|| dest.to_path_buf(), |name| dest.join(name));
        let codec = codec_for(choice, &stream.store).at(&stream.path)?;
        let kind = codec.kind().as_str();
        let bar = Bar::new(global, "copying", stream.store.len(), Unit::Records);
        let missing = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let missing = missing.map(Path::to_path_buf).collect();
        let target = create_like(&stream.store, codec, &path).at(&path)?;
        made.stores.push((path.clone(), missing));
        let copied = copy(&stream.store, target, &bar).at(&path)?;
        let report = Report {
            source: stream.path.display().to_string(),
            path: path.display().to_string(),
            codec: kind,
            records: copied.records,
            source_bytes: stream.store.stats().at(&stream.path)?.live_bytes,
            stored_bytes: copied.live_bytes,
        };
        reports.push((stream.name, report));
    }
    Ok(reports)
}

fn codec_for(choice: &CodecChoice, source: &AnyStore) -> recask::Result<Codec> {
    let (codec, level) = match choice {
        CodecChoice::Raw => (Codec::raw(), None),
        CodecChoice::Zstd { level } => (Codec::zstd(), *level),
        CodecChoice::ZstdDict { dictionary, level } => (Codec::zstd_dict(dictionary.as_slice()), *level),
        CodecChoice::TrainDict { tier, level } => (Codec::zstd_dict(train(source, *tier)?), *level),
    };
    Ok(level.map_or(codec.clone(), |level| codec.level(level)))
}

fn train(source: &AnyStore, tier: Tier) -> recask::Result<Vec<u8>> {
    let samples = match source {
        AnyStore::Dense(store) => store.samples(tier)?,
        AnyStore::Ragged(store) => store.samples(tier)?,
    };
    samples.train(tier)
}

fn create_like(source: &AnyStore, codec: Codec, path: &Path) -> recask::Result<AnyStore> {
    match source {
        AnyStore::Dense(source) => DenseStore::builder(source.dtype().clone(), source.item_shape().clone())
            .codec(codec)
            .create(path)
            .map(AnyStore::Dense),
        AnyStore::Ragged(source) => {
            RaggedStore::builder(source.dtype().clone()).codec(codec).create(path).map(AnyStore::Ragged)
        }
    }
}

fn copy(source: &AnyStore, mut target: AnyStore, bar: &Bar) -> recask::Result<recask::Stats> {
    match (source, &mut target) {
        (AnyStore::Dense(source), AnyStore::Dense(target)) => source.copy_to(target, bar)?,
        (AnyStore::Ragged(source), AnyStore::Ragged(target)) => source.copy_to(target, bar)?,
        // The target was created with the kind of the source.
        _ => {}
    }
    let stats = target.stats()?;
    target.close()?;
    Ok(stats)
}

/// The stores that this command made, with the directories that were missing before each, innermost first.
#[derive(Default)]
struct Made {
    stores: Vec<(PathBuf, Vec<PathBuf>)>,
}

impl Made {
    /// Removes their files, and the directories that hold nothing else. What cannot be removed stays.
    fn discard(self) {
        for (path, missing) in self.stores.into_iter().rev() {
            for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                if entry.file_name().to_str().and_then(FileId::from_name).is_some() {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
            for directory in &missing {
                let _ = std::fs::remove_dir(directory);
            }
        }
    }
}
