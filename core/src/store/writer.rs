//! What a handle that may write holds: the lock among writers, the journal, and what is not yet durable.
//!
//! *Commit* makes a change visible: `meta.zr` names it. *Sync* makes it durable. Between the two, the journal holds a
//! digest of every append, and `meta.zr` carries a stamp in its reserved bytes that says "look into the journal
//! first"; so whatever a power failure leaves, the next one to open finds the last state whose bytes all arrived.

use alloc::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Store, detached, read_only};
use crate::error::{Code, Error, Result};
use crate::format::zrecord::Header;
use crate::format::zrecord::journal::{Appended, BODY, Head, State};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageErrorKind, StorageFile};

/// After so many appends without a sync, the next one syncs, to bound the journal (1 MiB) and recovery.
const APPENDS_BEFORE_SYNC: u64 = 1 << 14;

pub(crate) struct Writer<S: Storage> {
    pub(super) meta: S::File,
    /// Held for the life of the handle: one writer at a time.
    _only: S::Lock,
    /// Held on the journal: tells readers that `meta.zr` can be trusted, because who wrote it is alive.
    alive: Option<S::Lock>,
    journal: Journal<S::File>,
    pub(super) unsynced: Unsynced,
    /// An operation failed half way: what is on disk is known again only after opening the store anew.
    broken: bool,
}

/// The open journal of a writer.
pub(super) struct Journal<F> {
    file: F,
    head: Head,
    appends: u64,
    /// Whether its name is durable: a journal that cannot be found explains nothing.
    named: bool,
    /// Whether the head is durable.
    settled: bool,
}

/// Files that were written since the last sync.
#[derive(Default)]
pub(super) struct Unsynced {
    pub(super) chunks: BTreeSet<u32>,
    pub(super) segments: BTreeSet<u32>,
    /// A file was created or removed.
    pub(super) names: bool,
}

impl Unsynced {
    fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.segments.is_empty() && !self.names
    }
}

impl<F: StorageFile> Journal<F> {
    pub(super) fn new(file: F, head: Head) -> Self {
        Journal { file, head, appends: 0, named: false, settled: true }
    }

    /// Whether an append to the state `base` may be listed behind this head: the head has to be durable, or the stamp
    /// would name what nobody can look up, and the appends have to lead from its base to here.
    fn is_ready(&self, base: &[u8; Header::SIZE]) -> bool {
        let listing = matches!(self.head.state, State::Clean | State::Appending);
        listing && self.settled && self.named && (self.appends > 0 || self.head.base == *base)
    }

    /// Writes a new head. It counts from the next sync of the journal on.
    pub(super) fn set(&mut self, state: State, base: [u8; Header::SIZE]) -> Result<()> {
        let head = Head { state, generation: self.head.generation.wrapping_add(1), base };
        self.settled = false;
        self.file.write_all_at(0, &head.encode()).map_err(in_journal)?;
        self.head = head;
        self.appends = 0;
        Ok(())
    }

    /// Makes head and body durable.
    pub(super) fn sync<S: Storage>(&mut self, storage: &S) -> Result<()> {
        self.file.sync().map_err(in_journal)?;
        if !self.named {
            storage.sync_names().map_err(in_journal)?;
            self.named = true;
        }
        self.settled = true;
        Ok(())
    }
}

fn in_journal(error: crate::storage::StorageError) -> Error {
    error.in_file(FileId::Journal)
}

/// The header with a stamp that is right for this header and generation alone. loaderx carries reserved bytes along,
/// so after it has changed the header, the stamp is wrong, and the journal is known to be out of date.
pub(super) fn stamped(header: &Header, generation: u64) -> Header {
    let mut stamped = *header;
    stamped.reserved = [0; 10];
    let [a, b, c, d, e, f, g, h] = xxh3_64_with_seed(&stamped.encode(), generation).to_le_bytes();
    stamped.reserved = [a, b, c, d, e, f, g, h, 0, 0];
    stamped
}

pub(super) fn is_stamped(header: &Header, generation: u64) -> bool {
    stamped(header, generation).reserved == header.reserved
}

impl<S: Storage> Writer<S> {
    pub(super) fn new(meta: S::File, only: S::Lock, journal: Journal<S::File>) -> Self {
        Writer { meta, _only: only, alive: None, journal, unsynced: Unsynced::default(), broken: false }
    }

    pub(super) fn write_header(&self, header: &Header) -> Result<()> {
        self.meta.write_all_at(0, &header.encode()).map_err(|error| error.in_file(FileId::Meta))
    }

    pub(super) fn sync_header(&self) -> Result<()> {
        self.meta.sync().map_err(|error| error.in_file(FileId::Meta))
    }

    /// Makes a change of the table durable in the journal, before the table itself is touched.
    pub(super) fn announce(
        &mut self,
        storage: &S,
        body: &[u8],
        state: State,
        base: [u8; Header::SIZE],
    ) -> Result<()> {
        self.journal.file.write_all_at(BODY, body).map_err(in_journal)?;
        self.journal.set(state, base)?;
        self.journal.sync(storage)
    }

    /// Says that this process is alive, if it can be said; readers otherwise look more closely.
    pub(super) fn show_alive(&mut self, storage: &S) {
        if self.alive.is_none() {
            self.alive = storage.lock(FileId::Journal, LockMode::Exclusive).ok();
        }
    }

    /// Writes no more. Readers then look into the journal, as after a crash.
    fn give_up(&mut self) {
        self.broken = true;
        self.alive = None;
    }
}

impl<S: Storage> Store<S> {
    /// The writer, if this handle has one that works.
    pub(super) fn writer(&mut self) -> Result<&mut Writer<S>> {
        match &mut self.writer {
            None => Err(read_only()),
            Some(writer) if writer.broken => Err(Error::new(
                Code::Io,
                "an earlier change of this handle failed half way; close the store and open it again, which repairs it",
            )),
            Some(writer) => Ok(writer),
        }
    }

    /// Runs `change` and remembers when it failed, so that nothing is written on top of it.
    pub(super) fn or_break<T>(&mut self, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = change(self);
        if result.is_err()
            && let Some(writer) = &mut self.writer
        {
            writer.give_up();
        }
        result
    }

    /// Makes a commit of appended records visible: journal first, then `meta.zr`.
    pub(super) fn commit_append(&mut self, header: Header, digest: u64) -> Result<()> {
        if self.writer()?.journal.appends >= APPENDS_BEFORE_SYNC {
            self.or_break(Self::sync_all)?;
        }
        let base = self.view.header().encode();
        let Store { storage, writer, view, .. } = self;
        let Some(writer) = writer else { return Err(read_only()) };
        if !writer.journal.is_ready(&base) {
            writer
                .journal
                .set(State::Appending, base)
                .and_then(|()| writer.journal.sync(storage))
                .inspect_err(|_| writer.give_up())?;
        }
        writer.show_alive(storage);
        let Journal { file, head, appends, .. } = &writer.journal;
        let (generation, number, position) = (head.generation, *appends, Appended::position(*appends));
        let Header { tail, length, .. } = header;
        let appended = Appended { generation, number, tail, length, digest };
        let committed = file
            .write_all_at(position, &appended.encode())
            .map_err(in_journal)
            .and_then(|()| writer.write_header(&stamped(&header, generation)));
        if let Err(error) = committed {
            // The append failed, so nobody may find it later, in the journal or in `meta.zr`.
            let before = if number == 0 { *view.header() } else { stamped(view.header(), generation) };
            let withdrawn = file
                .write_all_at(position, &[0; Appended::SIZE])
                .and_then(|()| file.sync())
                .map_err(in_journal)
                .and_then(|()| writer.write_header(&before));
            if withdrawn.is_err() {
                writer.give_up();
            }
            return Err(error);
        }
        writer.journal.appends += 1;
        view.publish(header);
        Ok(())
    }

    /// Makes every commit of this handle durable.
    ///
    /// # Errors
    /// [`Code::ReadOnly`], or what the storage says; after a failed sync this handle writes no more, because nobody
    /// knows what arrived. Opening the store again finds the last state whose bytes did.
    pub fn sync(&mut self) -> Result<()> {
        self.writer()?;
        self.attach()?;
        self.or_break(Self::sync_all)
    }

    pub(super) fn sync_all(&mut self) -> Result<()> {
        let Store { storage, writer, view, .. } = self;
        let Some(writer) = writer else { return Err(read_only()) };
        let header = *view.header();
        let Journal { head, settled, appends, .. } = &writer.journal;
        if writer.unsynced.is_empty() && *appends == 0 && head.state == State::Clean && *settled {
            return Ok(());
        }
        for &chunk in &writer.unsynced.chunks {
            view.chunk(chunk)?.sync().map_err(|error| error.in_file(FileId::Chunk(chunk)))?;
        }
        for &segment in &writer.unsynced.segments {
            view.segment(segment)?.sync().map_err(|error| error.in_file(FileId::Loc(segment)))?;
        }
        if writer.unsynced.names {
            storage.sync_names().map_err(|error| error.in_file(FileId::Meta))?;
        }
        // The header without a stamp: from here on it counts without the journal.
        writer.write_header(&header)?;
        writer.sync_header()?;
        writer.journal.set(State::Clean, header.encode())?;
        writer.journal.sync(storage)?;
        writer.unsynced = Unsynced::default();
        Ok(())
    }

    /// Syncs, removes the journal, and lets the locks go. For a reader: just lets its lock go.
    ///
    /// # Errors
    /// As [`Store::sync`]. The handle is gone either way.
    pub fn close(mut self) -> Result<()> {
        self.finish()
    }

    fn finish(&mut self) -> Result<()> {
        let synced = match &self.writer {
            Some(writer) if !writer.broken => {
                self.sync().and_then(|()| match self.storage.remove(FileId::Journal) {
                    Err(error) if error.kind() != StorageErrorKind::NotFound => Err(in_journal(error)),
                    _ => Ok(()),
                })
            }
            _ => Ok(()),
        };
        self.writer = None;
        self.meta_lock = None;
        synced
    }

    /// Runs `change` while nobody else has the store open. Others make this [`Code::StoreBusy`].
    pub(super) fn alone<T>(&mut self, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.attach()?;
        let done = self.lock_alone().and_then(|()| change(self));
        // Lets others in again. Should loaderx come in between, this handle waits for it to leave.
        self.meta_lock = None;
        let _ = self.attach();
        done
    }

    fn lock_alone(&mut self) -> Result<()> {
        // Locks cannot be exchanged in one step: ours has to go first.
        self.meta_lock = None;
        let lock = self.storage.lock(FileId::Meta, LockMode::Exclusive).map_err(|error| {
            let text = "others have the store open; deleting and compacting need it alone: try again once they closed it";
            match error.kind() {
                StorageErrorKind::Busy => Error::new(Code::StoreBusy, text).in_file(FileId::Meta),
                _ => error.in_file(FileId::Meta),
            }
        })?;
        self.meta_lock = Some(lock);
        self.reload()
    }

    /// For a writer: gets a lost lock back, and sees what happened meanwhile.
    pub(super) fn attach(&mut self) -> Result<()> {
        if self.meta_lock.is_none() {
            let lock = self.storage.lock(FileId::Meta, LockMode::Shared).map_err(|_| detached())?;
            self.reload()?;
            self.meta_lock = Some(lock);
        }
        Ok(())
    }

    /// Looks whether somebody changed the store while this handle held no lock; only loaderx can have.
    fn reload(&mut self) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        if writer.broken {
            // The files may hold either state of our own change; only opening them anew tells which.
            return Ok(());
        }
        let mut bytes = [0; Header::SIZE];
        writer.meta.read_exact_at(0, &mut bytes).map_err(|error| error.in_file(FileId::Meta))?;
        let seen = *self.view.header();
        let ours = [seen, stamped(&seen, writer.journal.head.generation)];
        let found = Header::decode(&bytes)?;
        if ours.contains(&found) {
            return Ok(());
        }
        // loaderx carries reserved bytes along, so ours would stay for ever.
        let header = Header { reserved: seen.reserved, ..found };
        self.reopen_files(header)?;
        let last = |files: &[S::File]| u32::try_from(files.len()).unwrap_or(u32::MAX);
        let (chunks, segments) = (last(&self.view.chunks), last(&self.view.segments));
        if let Some(writer) = &mut self.writer {
            // It may have gone without a sync, with our own last appends below its changes.
            writer.unsynced =
                Unsynced { chunks: (0..chunks).collect(), segments: (0..segments).collect(), names: true };
        }
        self.or_break(Self::sync_all)
    }

    /// A file of the table, made when missing.
    pub(super) fn segment_for_writing(&mut self, segment: u32) -> Result<()> {
        while self.view.segments.len() as u64 <= u64::from(segment) {
            let id = FileId::Loc(u32::try_from(self.view.segments.len()).unwrap_or(u32::MAX));
            let file = self.storage.open(id, OpenMode::OpenOrCreate).map_err(|error| error.in_file(id))?;
            self.view.segments.push(file);
            self.writer()?.unsynced.names = true;
        }
        Ok(())
    }

    /// A chunk, made when missing.
    pub(super) fn chunk_for_writing(&mut self, chunk: u32) -> Result<()> {
        while self.view.chunks.len() as u64 <= u64::from(chunk) {
            let id = FileId::Chunk(u32::try_from(self.view.chunks.len()).unwrap_or(u32::MAX));
            let file = self.storage.open(id, OpenMode::OpenOrCreate).map_err(|error| error.in_file(id))?;
            self.view.chunks.push(file);
            self.writer()?.unsynced.names = true;
        }
        Ok(())
    }
}

impl<S: Storage> Drop for Store<S> {
    fn drop(&mut self) {
        // Committed records are visible in any case; who wants to know whether they are durable calls `close`.
        let _ = self.finish();
    }
}
