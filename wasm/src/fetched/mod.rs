//! Reading without I/O: what is known of the files of one place, the bytes that were brought for the call at hand, and what it
//! misses.

mod exports;
mod file;
mod planned;
mod spans;
mod walk;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use recask_core::plan::{Coalesce, ReadRange, coalesce};
use recask_core::storage::{FileId, StorageError, StorageErrorKind};

pub(crate) use self::exports::{RawFiles, coalescing, registered};
pub(crate) use self::file::FetchedFile;
use self::planned::Planned;
use self::spans::Spans;
use self::walk::Walk;

/// The files of one store, or the one of a table.
#[derive(Debug)]
pub(crate) struct Files {
    id: u32,
    name: Mutex<String>,
    known: RwLock<Known>,
    wanted: Mutex<Vec<(FileId, Range<u64>)>>,
    walks: Mutex<BTreeMap<FileId, Walk>>,
    planned: Planned,
}

#[derive(Debug, Default)]
struct Known {
    /// The length of a file, or that there is none.
    files: BTreeMap<FileId, Option<u64>>,
    /// Files that are not listed do not exist.
    is_complete: bool,
    spans: BTreeMap<FileId, Spans>,
}

impl Known {
    /// The length of a file that may be there; `None` where that is not known yet.
    fn length(&self, id: FileId) -> Result<Option<u64>, StorageError> {
        match self.files.get(&id) {
            Some(Some(length)) => Ok(Some(*length)),
            Some(None) => Err(missing(id)),
            None if self.is_complete => Err(missing(id)),
            None => Ok(None),
        }
    }

    fn holds(&self, id: FileId, bytes: &Range<u64>) -> bool {
        let is_hopeless = match self.length(id) {
            Ok(length) => length.is_some_and(|length| bytes.end > length),
            Err(_) => true,
        };
        is_hopeless || self.spans.get(&id).is_some_and(|spans| spans.holds(bytes))
    }
}

impl Files {
    fn new(id: u32) -> Self {
        Files {
            id,
            name: Mutex::default(),
            known: RwLock::default(),
            wanted: Mutex::default(),
            walks: Mutex::default(),
            planned: Planned::default(),
        }
    }

    pub(crate) fn planned(&self) -> &Planned {
        &self.planned
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// As messages call it.
    pub(crate) fn name(&self) -> String {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_name(&self, name: String) {
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    /// Whether there is such a file, as far as that is known.
    pub(crate) fn has(&self, id: FileId) -> Option<bool> {
        let known = self.known();
        match known.files.get(&id) {
            Some(length) => Some(length.is_some()),
            None => known.is_complete.then_some(false),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let known = self.known();
        known.files.iter().filter(|(_, length)| length.is_some()).map(|(id, _)| id.to_string()).collect()
    }

    pub(crate) fn open(files: &Arc<Self>, id: FileId) -> Result<FetchedFile, StorageError> {
        if files.has(id) == Some(false) {
            return Err(missing(id));
        }
        Ok(FetchedFile::new(Arc::clone(files), id))
    }

    /// Wants the first bytes, and so the length, of files of which nothing is known yet; whether any is wanted.
    pub(crate) fn want_heads(&self, ids: &[FileId]) -> bool {
        let heads: Vec<FileId> =
            ids.iter().copied().filter(|&id| self.has(id) != Some(false) && !self.has_head(id)).collect();
        heads.iter().for_each(|&id| self.want(id, 0..head_len(id)));
        !heads.is_empty()
    }

    fn has_head(&self, id: FileId) -> bool {
        let known = self.known();
        let Some(&Some(length)) = known.files.get(&id) else { return false };
        length == 0 || known.spans.get(&id).is_some_and(|spans| spans.holds(&(0..head_len(id).min(length))))
    }

    /// Wants those of these ranges that are not here, joined where they are near; whether any is wanted.
    pub(crate) fn want_ranges(&self, reads: &[ReadRange], rule: Coalesce) -> bool {
        let known = self.known();
        let missing: Vec<ReadRange> = reads
            .iter()
            .filter(|read| !known.holds(read.file, &(read.offset..read.end())))
            .copied()
            .collect();
        drop(known);
        // Spans do not overlap, so that none is looked for in a list that may be long.
        self.wanted().extend(coalesce(&missing, rule).into_iter().map(|span| (span.file, span.bytes)));
        !missing.is_empty()
    }

    /// Whether all these bytes are here, as [`Files::holds`] has it.
    pub(crate) fn hold(&self, reads: &[ReadRange]) -> bool {
        let known = self.known();
        reads.iter().all(|read| known.holds(read.file, &(read.offset..read.end())))
    }

    /// Whether these bytes are here; also where the file is known to end before they do, for reading them then fails.
    pub(crate) fn holds(&self, id: FileId, bytes: Range<u64>) -> bool {
        self.known().holds(id, &bytes)
    }

    /// [`Files::want`] for bytes that are not wanted yet.
    pub(crate) fn want_another(&self, id: FileId, bytes: Range<u64>) {
        self.wanted().push((id, bytes));
    }

    pub(crate) fn want(&self, id: FileId, bytes: Range<u64>) {
        let mut wanted = self.wanted();
        if !wanted.contains(&(id, bytes.clone())) {
            wanted.push((id, bytes));
        }
    }

    /// Wants what a read missed, and what a walk that it is part of will miss next.
    fn want_next(&self, id: FileId, bytes: Range<u64>) {
        let length = self.known().files.get(&id).copied().flatten();
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        let guesses = walks.entry(id).or_default().guess(&bytes, length);
        drop(walks);
        self.want(id, bytes);
        guesses
            .into_iter()
            .filter(|guess| !self.holds(id, guess.clone()))
            .for_each(|guess| self.want(id, guess));
    }

    /// What was wanted since the last call.
    pub(crate) fn take_wanted(&self) -> Vec<(FileId, Range<u64>)> {
        std::mem::take(&mut *self.wanted())
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_mut(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn wanted(&self) -> MutexGuard<'_, Vec<(FileId, Range<u64>)>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is asked for of a file of which nothing is known: most headers are smaller.
fn head_len(id: FileId) -> u64 {
    match id {
        FileId::Dict => 256 << 10,
        FileId::Table => 16 << 10,
        _ => 4 << 10,
    }
}

fn missing(id: FileId) -> StorageError {
    StorageError::new(StorageErrorKind::NotFound, format!("{id} does not exist"))
}

fn not_fetched(id: FileId) -> StorageError {
    StorageError::new(StorageErrorKind::NotFetched, format!("bytes of {id} have not been brought"))
}
