//! `recask demo`: real data through every step, each record compared with its source.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use recask::convert::{self, CodecChoice, ImportOptions};
use recask::{AnyStore, Progress, Tier};
use serde::Serialize;

use crate::args::Global;
use crate::commands::info::StoreInfo;
use crate::failure::{At as _, Failure, system};
use crate::interrupt;
use crate::output::{Output, count, real, size};
use crate::streams::Place;

mod edit;
mod shuffle;
mod tables;
mod truth;

use truth::{SOURCES, Source, Truth};

/// Build, shuffle, edit and check stores and tables of real data; a tour that takes seconds and no network
///
/// Handwritten digits (dense images and labels) and a pronouncing dictionary (ragged words and phonemes) are imported with
/// every codec, read in shuffled order, deleted from, compacted and verified. Every record is compared with its source.
/// Weather and flights become column tables: imported, compared value by value, queried, exported, rebuilt from the exports.
/// All of it stays for you to look at.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask demo
  recask demo --out tour

With --json: {\"path\":…,\"seconds\":…,\"compared\":…,\"stores\":[{\"path\":…,\"kind\":…,\"dtype\":…,
\"codec\":…,\"records\":…,\"source_bytes\":…,\"stored_bytes\":…,\"ratio\":…,\"records_per_second\":…,
\"mib_per_second\":…},…],\"edited\":{\"deleted\":…,\"freed\":…,\"records\":…},
\"tables\":[{\"path\":…,\"rows\":…,\"columns\":…,\"source_bytes\":…,\"bytes\":…,\"values\":…,\"rows_per_second\":…,
\"query\":…,\"found\":…},…]}")]
pub(crate) struct Demo {
    /// Where the stores go; must not exist, or be empty [default: a new folder for temporary files, which stays]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    path: String,
    seconds: f64,
    compared: u64,
    stores: Vec<Measured>,
    edited: edit::Edited,
    tables: Vec<tables::Measured>,
}

#[derive(Serialize)]
struct Measured {
    path: String,
    kind: &'static str,
    dtype: String,
    codec: &'static str,
    records: u64,
    source_bytes: u64,
    stored_bytes: u64,
    ratio: f64,
    records_per_second: f64,
    mib_per_second: f64,
}

/// Stops on Ctrl-C and shows nothing: every step of the tour takes seconds at most.
struct Watch;

impl Progress for Watch {
    fn proceed(&self) -> bool {
        !interrupt::requested()
    }
}

/// Prints what is going on, unless the answer is JSON.
struct Guide<'o> {
    out: &'o mut Output,
    silent: bool,
}

impl Guide<'_> {
    fn say(&mut self, line: &str) -> Result<(), Failure> {
        if !self.silent {
            writeln!(self.out, "{line}")?;
            self.out.flush()?;
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Demo, global: Global, out: &mut Output) -> Result<(), Failure> {
    recask::fs::check_writable(args.out.as_deref().unwrap_or(&std::env::temp_dir()))?;
    match &args.out {
        Some(path) => {
            refuse_occupied(path)?;
            std::fs::create_dir_all(path).map_err(|error| system("create", path, &error))?;
            tour(path, global, out)
        }
        None => {
            let temporary = std::env::temp_dir();
            let folder = tempfile::Builder::new().prefix("recask-demo-").tempdir();
            let folder = folder.map_err(|error| system("create a folder in", &temporary, &error))?;
            tour(folder.path(), global, out)?;
            // A tour that failed cleans up, one that succeeded leaves its stores.
            let _ = folder.keep();
            Ok(())
        }
    }
}

fn refuse_occupied(path: &Path) -> Result<(), Failure> {
    let occupied = match std::fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => path.exists(),
    };
    if occupied {
        return Err(Failure::Usage(format!(
            "{} is there already and not empty; choose another --out",
            path.display()
        )));
    }
    Ok(())
}

fn tour(root: &Path, global: Global, out: &mut Output) -> Result<(), Failure> {
    let started = Instant::now();
    let mut guide = Guide { out, silent: global.json };
    guide.say(&format!("Stores of real data in {}", root.display()))?;
    let mut stores = Vec::new();
    let mut compared = 0;
    for (folder, codec) in codecs() {
        let took = import_all(root, folder, codec)?;
        guide.say(&format!("  {folder:9}  imported {} sources in {}", SOURCES.len(), seconds(took)))?;
        for source in SOURCES {
            for truth in source.truths()? {
                let (measured, records) = measure(&root.join(folder).join(source.name), &truth)?;
                compared += records;
                stores.push(measured);
            }
        }
    }
    guide.say(&format!("  shuffled   {} records, each compared with its source", count(compared)))?;
    let edited = edit::delete_and_compact(&root.join("edited"))?;
    compared += edited.records;
    guide.say(&format!(
        "  edited     deleted {} records, compacted ({} freed), compared the {} that stay",
        count(edited.deleted),
        size(edited.freed),
        count(edited.records)
    ))?;
    let verified = verify_all(root)?;
    guide.say(&format!("  verified   {verified} stores without a fault"))?;
    let tables = visit_tables(&root.join("tables"), &mut guide)?;
    let took = started.elapsed();
    if global.json {
        let (path, seconds) = (root.display().to_string(), took.as_secs_f64());
        out.json(&Report { path, seconds, compared, stores, edited, tables })?;
        return Ok(());
    }
    let header =
        ["store", "dtype", "codec", "records", "data", "stored", "ratio", "shuffled records/s", "MiB/s"];
    let rows: Vec<_> = stores.iter().map(|measured| measured.row(root)).collect();
    out.table(&header, &rows)?;
    farewell(root, took, out)
}

fn visit_tables(root: &Path, guide: &mut Guide<'_>) -> Result<Vec<tables::Measured>, Failure> {
    let tables = tables::tour(root)?;
    let [rows, values] =
        [tables.iter().map(|table| table.rows).sum(), tables.iter().map(|table| table.values).sum()];
    let (rows, values) = (count(rows), count(values));
    guide.say(&format!(
        "  tables     imported weather and flights, {rows} rows; compared each of {values} values"
    ))?;
    for table in &tables {
        guide.say(&format!(
            "  queried    {} -> {} rows, as a loop finds",
            table.query,
            count(table.found)
        ))?;
    }
    let rebuilt = count(tables::rebuild(root)?);
    guide.say(&format!(
        "  rebuilt    {rebuilt} flights from Parquet and Arrow exports, compacted: the same bytes\n"
    ))?;
    Ok(tables)
}

/// The codecs, with the folders that their stores go to.
fn codecs() -> [(&'static str, CodecChoice); 3] {
    [
        ("raw", CodecChoice::Raw),
        ("zstd", CodecChoice::Zstd { level: None }),
        ("zstd_dict", CodecChoice::TrainDict { tier: Tier::Fast, level: None }),
    ]
}

fn import_all(root: &Path, folder: &str, codec: CodecChoice) -> Result<Duration, Failure> {
    let options = ImportOptions { codec, fields: None };
    let started = Instant::now();
    for source in SOURCES {
        let file = source.unpack(&root.join("sources"))?;
        convert::import(&file, &root.join(folder).join(source.name), &options, &Watch).at(&file)?;
    }
    Ok(started.elapsed())
}

/// Reads a store in shuffled order, compares every record, and says how that went.
fn measure(dataset: &Path, truth: &Truth) -> Result<(Measured, u64), Failure> {
    let path = dataset.join(truth.stream);
    let store = AnyStore::open(path.as_path()).at(&path)?;
    let info = StoreInfo::of(&path, &store);
    let stored_bytes = store.stats().at(&path)?.live_bytes;
    let read = shuffle::read_all(&store, truth).at(&path)?;
    let seconds = read.time.as_secs_f64().max(1e-9);
    let measured = Measured {
        path: info.path,
        kind: info.kind,
        dtype: info.dtype,
        codec: info.codec,
        records: info.records,
        source_bytes: read.bytes,
        stored_bytes,
        ratio: real(read.bytes) / real(stored_bytes.max(1)),
        records_per_second: real(info.records) / seconds,
        mib_per_second: real(read.bytes) / seconds / f64::from(1 << 20),
    };
    Ok((measured, info.records))
}

impl Measured {
    fn row(&self, root: &Path) -> Vec<String> {
        let path = Path::new(&self.path);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate without a fraction"
        )]
        let rate = self.records_per_second as u64;
        vec![
            path.strip_prefix(root).unwrap_or(path).display().to_string(),
            self.dtype.clone(),
            self.codec.to_owned(),
            count(self.records),
            size(self.source_bytes),
            size(self.stored_bytes),
            format!("{:.2}", self.ratio),
            count(rate),
            format!("{:.0}", self.mib_per_second),
        ]
    }
}

/// Every dataset under the root.
fn verify_all(root: &Path) -> Result<usize, Failure> {
    let mut stores = 0;
    for folder in ["raw", "zstd", "zstd_dict", "edited"] {
        for Source { name, .. } in SOURCES {
            let dataset = root.join(folder).join(name);
            if !dataset.is_dir() {
                continue;
            }
            for stream in Place::at(&dataset).open()? {
                let verification = stream.store.verify(&Watch).at(&stream.path)?;
                if let Some(problem) = verification.problems.into_iter().next() {
                    return Err(problem).at(&stream.path);
                }
                stores += 1;
            }
        }
    }
    Ok(stores)
}

fn farewell(root: &Path, took: Duration, out: &mut Output) -> Result<(), Failure> {
    let root = root.display();
    write!(
        out,
        "\nAll of it in {}. \"ratio\" is data by stored bytes. Look around:\n\
         \x20 recask head {root}/zstd/mnist\n\
         \x20 recask show {root}/raw/words 1000:1005 -1\n\
         \x20 recask sample {root}/raw/digits --batch 8 --seed 42 --steps 3\n\
         \x20 recask stats {root}/zstd_dict/words\n\
         \x20 recask bench {root}/zstd/mnist/images --seconds 1\n\
         \x20 recask export {root}/zstd/words {root}/words.jsonl\n\
         \x20 recask query {root}/tables/weather.cstore \"weather = 'snow'\"\n\
         \x20 recask stats {root}/tables/flights.cstore\n",
        seconds(took)
    )?;
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
