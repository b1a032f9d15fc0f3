//! Checking everything that can be checked without checksums: every entry, every record, no byte used twice.

use alloc::format;
use alloc::vec::Vec;

use spin::Mutex;

use super::compact::overlap;
use super::open::unneeded_dictionary;
use super::{RecordReader, Store};
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::format::zrecord::{Entry, StoreKind, shape_record};
use crate::progress::{self, Progress};
use crate::storage::{FileId, OpenMode, Storage, StorageErrorKind, StorageFile};

/// The most faults that are listed.
const MOST_LISTED: usize = 100_000;
/// Table entries checked by one task.
const TASK: u64 = 1 << 12;

/// One fault: its error says file, record, offset and reason.
pub type Problem = Error;

/// What a check of a whole store found.
#[derive(Debug)]
pub struct Verification {
    /// Records looked at.
    pub records: u64,
    /// Faults in the order of records, then those between records; at most 100,000 are listed.
    pub problems: Vec<Problem>,
    /// Faults that were found.
    pub found: u64,
}

impl Verification {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.found == 0
    }

    fn add(&mut self, problem: Problem) {
        self.found += 1;
        if self.problems.len() < MOST_LISTED {
            self.problems.push(problem);
        }
    }
}

impl<S: Storage> Store<S> {
    /// Checks every table entry, decodes every record, and looks for records that share bytes.
    ///
    /// Reads all payload once, in parallel; needs 24 bytes of memory for each table entry. Progress counts records.
    /// Neither format has checksums, so a changed byte that still decodes is not seen.
    ///
    /// # Errors
    /// [`Code::Interrupted`]; faults of the data are in the result.
    pub fn verify(&self, executor: &impl Executor, progress: &dyn Progress) -> Result<Verification> {
        self.check_attached()?;
        let mut report = Verification { records: self.len(), problems: Vec::new(), found: 0 };
        if let Err(problem) = self.view.check_sizes() {
            report.add(problem);
            return Ok(report);
        }
        let found = Mutex::new(Verifier::default());
        let per_task = TASK / self.kind().entries();
        let tasks: Vec<u64> = (0..self.len()).step_by(usize::try_from(per_task).unwrap_or(1)).collect();
        executor.try_for_each(tasks, |first| {
            progress::check(progress)?;
            let count = per_task.min(self.len() - first);
            let (problems, extents) = self.verify_some(first, count)?;
            found.lock().extend(problems, extents);
            progress.advance(count);
            Ok(())
        })?;
        Ok(found.into_inner().finish(self))
    }

    /// Whether the files are those that the header needs: what opening checks, where it costs no request over a network.
    ///
    /// # Errors
    /// [`Code::TruncatedFile`], [`Code::MissingFile`], [`Code::CorruptHeader`] or [`Code::CorruptDictionary`];
    /// [`Code::NotFetched`] while a length is not known.
    pub fn check_files(&self) -> Result<()> {
        self.check_attached()?;
        // All are asked before any answer is waited for.
        let lengths: Vec<_> = self.view.files().map(|(id, file)| (id, file.len())).collect();
        let dictionary = self
            .codec()
            .dictionary()
            .is_none()
            .then(|| self.storage.open(FileId::Dict, OpenMode::Read).and_then(|file| file.len()));
        for (id, length) in lengths {
            length.map_err(|error| error.in_file(id))?;
        }
        match dictionary {
            Some(Ok(_)) => return Err(unneeded_dictionary(self.codec().kind())),
            Some(Err(error)) if error.kind() != StorageErrorKind::NotFound => {
                return Err(error.in_file(FileId::Dict));
            }
            Some(Err(_)) | None => {}
        }
        self.view.check_files()
    }

    #[expect(clippy::type_complexity, reason = "faults, and the extents that were possible")]
    fn verify_some(&self, first: u64, count: u64) -> Result<(Vec<Problem>, Vec<(u64, Entry)>)> {
        let per_record = self.kind().entries();
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        let size = usize::try_from(count * per_record).unwrap_or(usize::MAX);
        self.view.entries(first * per_record, size, &mut bytes, &mut entries)?;
        let mut problems = Vec::new();
        let mut extents = Vec::new();
        let mut record = Vec::new();
        self.with_reader(|reader| {
            for (number, entries) in (first..).zip(entries.chunks(usize::try_from(per_record).unwrap_or(1))) {
                let physical = number * per_record;
                let rules = self.view.rules();
                for (slot, entry) in (physical..).zip(entries) {
                    match rules.check_strictly(slot, entry) {
                        Ok(_) => extents.push((slot, *entry)),
                        Err(problem) => problems.push(problem.at_record(number)),
                    }
                }
                if let Err(problem) = self.verify_record(reader, physical, entries, &mut record)
                    && problems.last().is_none_or(|last: &Problem| last.record() != Some(number))
                {
                    problems.push(problem.at_record(number));
                }
            }
            Ok(())
        })?;
        match problems.iter().position(|problem: &Problem| problem.code() == Code::NotFetched) {
            Some(at) => Err(problems.swap_remove(at)),
            None => Ok((problems, extents)),
        }
    }

    /// Decodes one record and checks it against its type.
    fn verify_record<F: StorageFile>(
        &self,
        reader: &mut RecordReader<'_, '_, F>,
        physical: u64,
        entries: &[Entry],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let width = match self.kind() {
            StoreKind::Dense => Some(u32::try_from(self.record_bytes()).unwrap_or(u32::MAX)),
            StoreKind::Ragged => None,
        };
        let Some(payload) = entries.first() else { return Ok(()) };
        let piece = reader.piece(physical, payload, width)?;
        out.resize(usize::try_from(piece.decoded).unwrap_or(usize::MAX), 0);
        reader.read(&piece, out)?;
        if let Some(shape) = entries.get(1) {
            let piece = reader.piece(physical + 1, shape, None)?;
            let corrupt = |reason| {
                Error::new(Code::CorruptRecord, format!("the record's shape is wrong: {reason}"))
                    .in_file(piece.read.file)
                    .at_offset(piece.read.offset)
            };
            let rank = shape_record::rank_of(piece.decoded).map_err(corrupt)?;
            let mut dims = [0; shape_record::MAX_RANK];
            let mut bytes = [0; shape_record::MAX_BYTES];
            let (Some(bytes), Some(dims)) = (bytes.get_mut(..shape_record::len(rank)), dims.get_mut(..rank))
            else {
                return Ok(());
            };
            reader.read(&piece, bytes)?;
            shape_record::decode(bytes, self.dtype().itemsize(), payload.decoded, dims).map_err(corrupt)?;
        }
        Ok(())
    }
}

/// A check of a whole store in portions, for who has to bring the bytes of each first. [`Store::verify`] in one go is the
/// same in parallel.
#[derive(Debug, Default)]
pub struct Verifier {
    problems: Vec<Problem>,
    extents: Vec<(u64, Entry)>,
}

impl Verifier {
    /// Checks `count` records from `first` on; every record of the store has to be checked once.
    ///
    /// # Errors
    /// [`Code::NotFetched`], after which the same records may be checked again; faults of the data are in the result.
    pub fn check<S: Storage>(&mut self, store: &Store<S>, first: u64, count: u64) -> Result<()> {
        let count = count.min(store.len().saturating_sub(first));
        let (problems, extents) = store.verify_some(first, count)?;
        self.extend(problems, extents);
        Ok(())
    }

    /// What was found, and which records share bytes.
    #[must_use]
    pub fn finish<S: Storage>(mut self, store: &Store<S>) -> Verification {
        let mut report = Verification { records: store.len(), problems: Vec::new(), found: 0 };
        let per_record = store.kind().entries();
        self.problems.sort_by_key(Error::record);
        self.problems.into_iter().for_each(|problem| report.add(problem));
        self.extents.sort_unstable_by_key(|(slot, entry)| (entry.chunk, entry.offset, *slot));
        for pair in self.extents.windows(2) {
            if let [(a_slot, a), (b_slot, b)] = pair
                && let Some(problem) = overlap(a, b).or_else(|| alias(a, b, a_slot / per_record))
            {
                report.add(problem.at_record(b_slot / per_record));
            }
        }
        report
    }

    fn extend(&mut self, problems: Vec<Problem>, extents: Vec<(u64, Entry)>) {
        self.problems.extend(problems);
        self.extents.extend(extents);
    }
}

fn alias(a: &Entry, b: &Entry, other: u64) -> Option<Error> {
    (a.chunk == b.chunk && a.offset == b.offset).then(|| {
        let text = format!(
            "the record has the very bytes of record {other}: a delete was interrupted and one record is lost"
        );
        Error::new(Code::OverlappingEntries, text)
            .in_file(FileId::Chunk(b.chunk))
            .at_offset(u64::from(b.offset))
    })
}
