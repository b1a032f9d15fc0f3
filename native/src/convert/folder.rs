//! Folders of files, walked in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use recask_core::codec::dictionary::sample_positions;
use recask_core::format::zrecord::Geometry;
use recask_core::{Code, Error, Result};

use super::problem::{Site, invalid_argument};
use super::ragged::Filling;
use super::reading::{Counted, Meter, read_up_to};
use crate::{Progress, RaggedStore, Samples, Tier};

/// Folders inside of each other; a deeper nesting is a mistake.
const MAX_DEPTH: usize = 64;

/// A file of the folder.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Relative to the folder, with `/` between the parts.
    pub(super) name: String,
}

/// The files below a folder in the byte order of their relative names. One directory listing per level is in memory.
pub(super) struct Walk {
    /// What is left of each level, last first.
    levels: Vec<Vec<Entry>>,
}

struct Entry {
    /// With a `/` at the end for a folder, so that order is the order of whole names.
    name: String,
    path: PathBuf,
}

impl Walk {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        Ok(Walk { levels: vec![list(folder, "")?] })
    }
}

impl Iterator for Walk {
    type Item = Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.levels.last_mut()?.pop() else {
                self.levels.pop();
                continue;
            };
            if !entry.name.ends_with('/') {
                return Some(Ok(Found { path: entry.path, name: entry.name }));
            }
            let listed = if self.levels.len() < MAX_DEPTH {
                list(&entry.path, &entry.name)
            } else {
                Err(Site::file(&entry.path).invalid("the folders are nested too deeply"))
            };
            match listed {
                Ok(level) => self.levels.push(level),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn list(folder: &Path, prefix: &str) -> Result<Vec<Entry>> {
    let site = Site::file(folder);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| site.unreadable(error))? {
        let entry = entry.map_err(|error| site.unreadable(error))?;
        let path = entry.path();
        let site = Site::file(&path);
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else {
            return Err(site.invalid("the name of the file is not UTF-8; rename it"));
        };
        let kind = entry.file_type().map_err(|error| site.unreadable(error))?;
        if kind.is_dir() {
            entries.push(Entry { name: name + "/", path });
        } else if fs::metadata(&path).map_err(|error| site.unreadable(error))?.is_file() {
            entries.push(Entry { name, path });
        } else {
            return Err(
                site.invalid("this is neither a file nor a folder; links to folders are not followed")
            );
        }
    }
    entries.sort_by(|a, b| b.name.cmp(&a.name));
    Ok(entries)
}

/// Reads a whole file, which makes one record.
pub(super) fn read_file(found: &Found, meter: &Meter, buffer: &mut Vec<u8>) -> Result<()> {
    let site = Site::file(&found.path);
    let mut file = Counted::open(site, meter)?;
    let len = file.len(site)?;
    if len > Geometry::FORMAT.record_bytes {
        let text =
            format!("{site} has {len} bytes; a record holds at most {}", Geometry::FORMAT.record_bytes);
        return Err(Error::new(Code::RecordTooLarge, text));
    }
    read_up_to(&mut file, len, buffer).map_err(|error| site.unreadable(error))?;
    match buffer.len() as u64 {
        0 => Err(site.invalid("the file is empty; a record needs at least one byte")),
        read if read < len => Err(site.invalid("the file became shorter while it was read")),
        _ => Ok(()),
    }
}

/// Appends every file, and every name where there is a store for them; answers how many.
pub(super) fn fill(
    folder: &Path,
    files: &mut RaggedStore,
    names: Option<&mut RaggedStore>,
    progress: &dyn Progress,
) -> Result<u64> {
    let meter = Meter::default();
    let mut files = Filling::new(files);
    let mut names = names.map(Filling::new);
    let mut buffer = Vec::new();
    let mut count = 0;
    for found in Walk::new(folder)? {
        let found = found?;
        read_file(&found, &meter, &mut buffer)?;
        files.push(&[buffer.len() as u64], &buffer);
        if let Some(names) = &mut names {
            names.push(&[found.name.len() as u64], found.name.as_bytes());
        }
        if files.is_full() {
            files.flush()?;
            names.as_mut().map_or(Ok(()), Filling::flush)?;
        }
        meter.report(progress)?;
        count += 1;
    }
    files.flush()?;
    names.as_mut().map_or(Ok(()), Filling::flush)?;
    Ok(count)
}

/// The files that a dictionary is trained from: evenly spread.
pub(super) fn samples(folder: &Path, tier: Tier, progress: &dyn Progress) -> Result<Samples> {
    let (mut count, mut bytes) = (0u64, 0u64);
    for found in Walk::new(folder)? {
        let path = found?.path;
        count += 1;
        bytes += fs::metadata(&path).map_err(|error| Site::file(&path).unreadable(error))?.len();
    }
    let mean = bytes.checked_div(count).ok_or_else(|| {
        invalid_argument(format!("{} has no files to train a dictionary from", folder.display()))
    })?;
    let mut samples = Samples::new();
    let mut buffer = Vec::new();
    let mut wanted = sample_positions(count, mean, tier).into_iter().peekable();
    for (position, found) in (0u64..).zip(Walk::new(folder)?) {
        if wanted.next_if_eq(&position).is_some() {
            super::problem::check(progress)?;
            read_file(&found?, &Meter::default(), &mut buffer)?;
            samples.push(&buffer);
        }
    }
    Ok(samples)
}

/// How many bytes all files have.
pub(super) fn bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0u64;
    for found in Walk::new(folder)? {
        let path = found?.path;
        let len = fs::metadata(&path).map_err(|error| Site::file(&path).unreadable(error))?.len();
        bytes = bytes.saturating_add(len);
    }
    Ok(bytes)
}
