//! What the journal says about the last writer.
//!
//! Works without writing, so that a reader sees the same state that a writer would restore.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry as MapEntry;
use alloc::vec::Vec;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::view::Overlay;
use super::writer::is_stamped;
use crate::error::{Error, Result};
use crate::format::zrecord::journal::{Appended, BODY, Head, Redo, State};
use crate::format::zrecord::{CodecKind, Entry, Geometry, Header};
use crate::storage::{FileId, OpenMode, Storage, StorageErrorKind, StorageFile};

/// The state that the store is in, whatever `meta.zr` says.
#[derive(Debug)]
pub(super) struct Recovered {
    pub(super) header: Header,
    pub(super) overlay: Overlay,
    /// The head of the journal, if there is one.
    pub(super) head: Option<Head>,
    /// Whether anything has to be written to make `meta.zr` and the table say the same.
    pub(super) pending: bool,
    /// What has to be synced before the header may count without the journal: everything from here on.
    pub(super) unsynced_from: Option<Header>,
}

impl Recovered {
    /// The header in `meta.zr`, with nothing to restore.
    pub(super) fn as_it_is(header: Header, head: Option<Head>) -> Self {
        Recovered { header, overlay: Overlay::new(), head, pending: false, unsynced_from: None }
    }

    /// A header that loaderx may have written after our last operation was cut off; it may have synced nothing.
    fn from_others(header: Header, head: Head) -> Self {
        let unsynced_from = Some(Header::empty(header.codec));
        Recovered { unsynced_from, ..Recovered::as_it_is(header, Some(head)) }
    }
}

/// The journal's head; `None` where there is no journal, or an unused one.
pub(super) fn read_head<S: Storage>(storage: &S) -> Result<Option<(S::File, Head)>> {
    let file = match storage.open(FileId::Journal, OpenMode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == StorageErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.in_file(FileId::Journal)),
    };
    let len = file.len().map_err(in_journal)?;
    let mut bytes = [0; Head::SIZE];
    let size = usize::try_from(len).unwrap_or(usize::MAX).min(Head::SIZE);
    let Some(bytes) = bytes.get_mut(..size) else { return Ok(None) };
    file.read_exact_at(0, bytes).map_err(in_journal)?;
    Ok(Head::decode(bytes)?.map(|head| (file, head)))
}

/// Decides. `meta` is the header in `meta.zr`.
pub(super) fn recover<S: Storage>(storage: &S, meta: Header, geometry: Geometry) -> Result<Recovered> {
    let journal = read_head(storage)?;
    let Some((file, head)) = journal else { return Ok(Recovered::as_it_is(meta, None)) };
    match head.state {
        // The usual case: no append since the last sync.
        State::Clean if meta.encode() == head.base => Ok(Recovered::as_it_is(meta, Some(head))),
        State::Creating => Ok(Recovered::from_others(meta, head)),
        State::Clean | State::Appending => {
            let base = Header::decode(&head.base)?;
            if !is_stamped(&meta, head.generation) {
                // Either no append arrived, or loaderx went on from here: then it carries an old stamp along.
                return Ok(Recovered::from_others(Header { reserved: base.reserved, ..meta }, head));
            }
            let header = longest_arrived(storage, &file, &head, base, geometry)?;
            Ok(Recovered {
                pending: true,
                unsynced_from: Some(base),
                ..Recovered::as_it_is(header, Some(head))
            })
        }
        State::Redo { body_len, body_hash } => {
            let redo = read_redo(&file, body_len, body_hash)?;
            match redo {
                Some(redo) if meta.encode() == head.base => Ok(Recovered {
                    header: Header::decode(&redo.header)?,
                    overlay: redo.entries,
                    head: Some(head),
                    pending: true,
                    unsynced_from: None,
                }),
                // The change never became durable, so it never began. Or it was done, since the new header is written
                // last. Or loaderx made a change of its own, perhaps one to the very same header.
                _ => Ok(Recovered::from_others(meta, head)),
            }
        }
    }
}

fn in_journal(error: crate::storage::StorageError) -> Error {
    error.in_file(FileId::Journal)
}

fn read_redo<F: StorageFile>(file: &F, body_len: u64, body_hash: u64) -> Result<Option<Redo>> {
    let len = file.len().map_err(in_journal)?;
    // A body that is not there in full was not durable; the file's size bounds what is allocated.
    if BODY.checked_add(body_len).is_none_or(|end| end > len) {
        return Ok(None);
    }
    let Ok(size) = usize::try_from(body_len) else { return Ok(None) };
    let mut body = alloc::vec![0; size];
    file.read_exact_at(BODY, &mut body).map_err(in_journal)?;
    Ok(if Redo::hash(&body) == body_hash { Redo::decode(&body) } else { None })
}

/// The header of the last append up to which all bytes are there.
fn longest_arrived<S: Storage>(
    storage: &S,
    journal: &S::File,
    head: &Head,
    base: Header,
    geometry: Geometry,
) -> Result<Header> {
    let len = journal.len().map_err(in_journal)?;
    let mut files = Files { storage, open: BTreeMap::new() };
    let mut header = base;
    for number in 0.. {
        let position = Appended::position(number);
        if position.saturating_add(Appended::SIZE as u64) > len {
            break;
        }
        let mut bytes = [0; Appended::SIZE];
        journal.read_exact_at(position, &mut bytes).map_err(in_journal)?;
        let Some(append) = Appended::decode(&bytes) else { break };
        let follows = append.generation == head.generation
            && append.number == number
            && append.length > header.length
            && append.tail >= header.tail;
        if !follows
            || files.digest(header.length..append.length, base.codec, geometry)? != Some(append.digest)
        {
            break;
        }
        header = Header { tail: append.tail, length: append.length, ..header };
    }
    Ok(header)
}

/// The digest of an append: of the stored bytes of its records in table order, and of their entries.
pub(super) struct Digest {
    stored: Xxh3,
    table: Xxh3,
}

impl Digest {
    pub(super) fn new() -> Self {
        Digest { stored: Xxh3::new(), table: Xxh3::new() }
    }

    pub(super) fn stored(&mut self, bytes: &[u8]) {
        self.stored.update(bytes);
    }

    pub(super) fn table(&mut self, bytes: &[u8]) {
        self.table.update(bytes);
    }

    pub(super) fn finish(&self) -> u64 {
        let [stored, table] = [self.stored.digest(), self.table.digest()].map(u64::to_le_bytes);
        xxh3_64([stored, table].as_flattened())
    }
}

/// Files opened on demand, for reading.
struct Files<'a, S: Storage> {
    storage: &'a S,
    open: BTreeMap<FileId, Option<S::File>>,
}

impl<S: Storage> Files<'_, S> {
    /// `None` where bytes are missing.
    fn digest(
        &mut self,
        slots: core::ops::Range<u64>,
        codec: CodecKind,
        geometry: Geometry,
    ) -> Result<Option<u64>> {
        const BLOCK: usize = 1 << 16;
        let mut digest = Digest::new();
        let mut block = Vec::new();
        for slot in slots {
            let Some((segment, offset)) = geometry.slot(slot) else { return Ok(None) };
            let mut bytes = [0; Entry::SIZE];
            if !self.read(FileId::Loc(segment), offset, &mut bytes)? {
                return Ok(None);
            }
            digest.table(&bytes);
            let entry = Entry::decode(&bytes);
            let stored = if codec == CodecKind::Raw { entry.decoded } else { entry.stored };
            let (mut at, end) = (u64::from(entry.offset), u64::from(entry.offset) + u64::from(stored));
            while at < end {
                let size = usize::try_from(end - at).unwrap_or(BLOCK).min(BLOCK);
                block.resize(size, 0);
                if !self.read(FileId::Chunk(entry.chunk), at, &mut block)? {
                    return Ok(None);
                }
                digest.stored(&block);
                at += size as u64;
            }
        }
        Ok(Some(digest.finish()))
    }

    fn read(&mut self, id: FileId, offset: u64, bytes: &mut [u8]) -> Result<bool> {
        let file = match self.open.entry(id) {
            MapEntry::Occupied(open) => open.into_mut(),
            MapEntry::Vacant(place) => place.insert(match self.storage.open(id, OpenMode::Read) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == StorageErrorKind::NotFound => None,
                Err(error) => return Err(error.in_file(id)),
            }),
        };
        let Some(file) = file else { return Ok(false) };
        match file.read_exact_at(offset, bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == StorageErrorKind::UnexpectedEnd => Ok(false),
            Err(error) => Err(error.in_file(id)),
        }
    }
}
