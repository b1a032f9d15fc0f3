//! `recask index`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use recask::convert::{self, Found};
use recask::core::listing::{ListedKind, ListedStream, Listing, is_read};
use recask::core::storage::FileId;
use recask::fs::Draft;
use recask::{AnyStore, Code, Error, StoreKind, Table};
use serde::Serialize;

use crate::args::Global;
use crate::failure::{At as _, Failure, system};
use crate::output::{Output, counted, size};

/// Write down what a folder holds, for readers over HTTP
///
/// A static host does not list its folders. DIR/recask.json names the stores and tables in DIR and in the folders below it, the
/// files of each, and how long they are, so that a browser finds them and asks for nothing that is not there. Write it again
/// when something has changed. Folders and files whose name begins with a dot are left out.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  recask index public/mnist
  recask index public/mnist --check     is it up to date? Exit status 1: no
  recask index public/mnist --json

A stream is called like its path in DIR, a table without .cstore. When DIR is itself a store, its
path is . and its name that of the folder.

With --json: {\"path\":…,\"streams\":[{\"name\":…,\"kind\":…,\"path\":…,\"files\":…,\"bytes\":…},…],\"changed\":…}")]
pub(crate) struct Index {
    /// A folder of stores and tables, or a store
    dir: PathBuf,
    /// Write nothing, and say whether the listing is up to date
    #[arg(long)]
    check: bool,
}

#[derive(Serialize)]
struct Report {
    path: String,
    streams: Vec<StreamReport>,
    /// Whether there was no such listing before.
    changed: bool,
}

#[derive(Serialize)]
struct StreamReport {
    name: String,
    kind: &'static str,
    path: String,
    files: usize,
    bytes: u64,
}

pub(crate) fn run(args: &Index, global: Global, out: &mut Output) -> Result<(), Failure> {
    let file = args.dir.join(Listing::FILE_NAME);
    if !args.check {
        recask::fs::check_writable(&file)?;
    }
    let listing = list(&args.dir)?;
    let text = listing.to_string();
    let changed = match fs::read(&file) {
        Ok(found) => found != text.as_bytes(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(system("read", &file, &error)),
    };
    if changed && !args.check {
        write(&file, &text).map_err(|error| system("write", &file, &error))?;
    }
    let report = Report::of(&file, &listing, changed);
    if global.json {
        out.json(&report)?;
    } else {
        let bytes = report.streams.iter().map(|stream| stream.bytes).sum();
        let state = match (changed, args.check) {
            (true, true) => "out of date",
            (true, false) => "written",
            (false, _) => "up to date",
        };
        let streams = counted(report.streams.len() as u64, "stream", "streams");
        writeln!(out, "{}: {state}, {streams}, {}", report.path, size(bytes))?;
    }
    if changed && args.check { Err(Failure::Faulty) } else { Ok(()) }
}

/// What a folder holds.
fn list(dir: &Path) -> Result<Listing, Failure> {
    if dir.is_file() {
        let text = "this is a file; give the folder that it is published in";
        return Err(Error::new(Code::InvalidArgument, text)).at(dir);
    }
    let mut streams = Vec::new();
    for Found { name, path, is_table } in convert::find(dir)? {
        streams.push(if is_table {
            table(&path, &name)?
        } else {
            store(&path, &name, if path == dir { "." } else { &name })?
        });
    }
    Listing::new(streams).at(dir)
}

fn store(dir: &Path, name: &str, path: &str) -> Result<ListedStream, Failure> {
    let kind = match AnyStore::open(dir).at(dir)?.kind() {
        StoreKind::Dense => ListedKind::Dense,
        StoreKind::Ragged => ListedKind::Ragged,
    };
    let sizes = || {
        let mut files = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let file = entry.file_name().to_str().and_then(FileId::from_name);
            if let Some(file) = file.filter(|file| is_read(*file)) {
                files.push((file, fs::metadata(entry.path())?.len()));
            }
        }
        Ok(files)
    };
    let files = sizes().map_err(|error| system("list", dir, &error))?;
    ListedStream::new(name, kind, path, files).at(dir)
}

fn table(file: &Path, name: &str) -> Result<ListedStream, Failure> {
    Table::open(file).at(file)?;
    let bytes = fs::metadata(file).map_err(|error| system("read", file, &error))?.len();
    ListedStream::new(name, ListedKind::Table, format!("{name}.cstore"), [(FileId::Table, bytes)]).at(file)
}

/// Writes a file so that it holds the old text or the new one at any time.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut draft = Draft::beside(path)?;
    draft.write_all(text.as_bytes())?;
    draft.file().sync_all()?;
    draft.replace(path)
}

impl Report {
    fn of(file: &Path, listing: &Listing, changed: bool) -> Self {
        let stream = |stream: &ListedStream| StreamReport {
            name: stream.name().to_owned(),
            kind: stream.kind().as_str(),
            path: stream.path().to_owned(),
            files: stream.files().len(),
            bytes: stream.files().values().sum(),
        };
        let path = file.display().to_string();
        Report { path, streams: listing.streams().iter().map(stream).collect(), changed }
    }
}
