//! Creating: everything or nothing, also when interrupted.

use alloc::vec::Vec;

use super::Store;
use super::open::{busy, interrupted_creation, probe};
use super::view::View;
use super::writer::{Journal, Writer};
use crate::codec::{Codec, Coders};
use crate::error::{Code, Error, Result};
use crate::format::identity::Identity;
use crate::format::zrecord::journal::{Head, State};
use crate::format::zrecord::{CodecKind, Geometry, Header, TypedHeader};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageErrorKind, StorageFile};

impl<S: Storage> Store<S> {
    /// Makes an empty store in an empty place and opens it for writing. What it made is removed when it fails.
    ///
    /// # Errors
    /// [`Code::StoreExists`] where anything is there already, errors of the type and the codec before anything is
    /// touched, and what the storage says. The storage comes back with the error.
    pub fn create(
        storage: S,
        identity: Identity,
        codec: Codec,
        geometry: Geometry,
    ) -> Result<Self, (Error, S)> {
        let prepared = TypedHeader::for_new(identity, &geometry)
            .and_then(|typed| check_dictionary(&codec).map(|()| typed))
            .and_then(|typed| Ok((typed, Coders::new(codec)?)))
            .and_then(|parts| clear_place(&storage, &geometry).map(|()| parts));
        let (typed, coders) = match prepared {
            Ok(parts) => parts,
            Err(error) => return Err((error, storage)),
        };
        let only = match lock(&storage, FileId::Lock, LockMode::Exclusive)
            .and_then(|only| still_clear(&storage).map(|()| only))
        {
            Ok(only) => only,
            Err(error) => return Err((error, storage)),
        };
        match make_files(&storage, &typed, coders.codec()) {
            Ok(Made { meta, chunk, journal, lock }) => {
                let header = Header::empty(coders.codec().kind());
                let view = View::new(header, geometry, Vec::new(), alloc::vec![chunk], Vec::new());
                let mut writer = Writer::new(meta, only, journal);
                writer.show_alive(&storage);
                Ok(Store { storage, typed, coders, view, meta_lock: Some(lock), writer: Some(writer) })
            }
            Err(error) => {
                // A file that appeared meanwhile is not ours, so neither is the rest.
                if error.code() != Code::StoreExists {
                    remove_known(&storage);
                }
                Err((error, storage))
            }
        }
    }
}

fn check_dictionary(codec: &Codec) -> Result<()> {
    if codec.kind() == CodecKind::ZstdDict && codec.dictionary().is_none_or(<[u8]>::is_empty) {
        return Err(Error::new(
            Code::InvalidArgument,
            "the codec zstd_dict needs a dictionary; train one first",
        ));
    }
    Ok(())
}

/// Makes sure that nothing is there; an interrupted creation of ours is removed.
fn clear_place<S: Storage>(storage: &S, geometry: &Geometry) -> Result<()> {
    let names = storage.names().map_err(|error| error.in_file(FileId::Store))?;
    if names.iter().all(|name| is_own(name)) && !interrupted_creation(storage)? {
        return Ok(());
    }
    if interrupted_creation(storage)? && names.iter().all(|name| FileId::from_name(name).is_some()) {
        let _only = lock(storage, FileId::Lock, LockMode::Exclusive)?;
        if probe(storage, geometry).is_err() {
            remove_known(storage);
            return Ok(());
        }
    }
    if matches!(storage.lock(FileId::Meta, LockMode::Shared), Err(error) if error.kind() == StorageErrorKind::Busy)
    {
        return Err(busy());
    }
    Err(occupied(storage, geometry))
}

/// Looks again once no other creation can run.
fn still_clear<S: Storage>(storage: &S) -> Result<()> {
    let names = storage.names().map_err(|error| error.in_file(FileId::Store))?;
    if names.iter().all(|name| is_own(name)) { Ok(()) } else { Err(occupied(storage, &Geometry::FORMAT)) }
}

fn is_own(name: &str) -> bool {
    matches!(FileId::from_name(name), Some(FileId::Lock | FileId::Journal))
}

fn occupied<S: Storage>(storage: &S, geometry: &Geometry) -> Error {
    let there = match probe(storage, geometry) {
        Ok(_) => "there is a store already; open it, or choose another place",
        Err(_) => "the directory is not empty; choose another place",
    };
    Error::new(Code::StoreExists, there)
}

struct Made<S: Storage> {
    meta: S::File,
    chunk: S::File,
    journal: Journal<S::File>,
    lock: S::Lock,
}

/// The journal says "creating" before the first file appears and "clean" after the last one is durable.
fn make_files<S: Storage>(storage: &S, typed: &TypedHeader, codec: &Codec) -> Result<Made<S>> {
    let header = Header::empty(codec.kind());
    let journal = storage
        .open(FileId::Journal, OpenMode::OpenOrCreate)
        .map_err(|error| error.in_file(FileId::Journal))?;
    let mut journal =
        Journal::new(journal, Head { state: State::Clean, generation: 0, base: header.encode() });
    journal.set(State::Creating, header.encode())?;
    journal.sync(storage)?;

    let meta = make(storage, FileId::Meta, &header.encode())?;
    let lock = lock(storage, FileId::Meta, LockMode::Shared)?;
    let chunk = make(storage, FileId::Chunk(0), &[])?;
    if let Some(dictionary) = codec.dictionary() {
        make(storage, FileId::Dict, dictionary)?;
    }
    make(storage, FileId::Store, &typed.encode())?;
    sync_names(storage)?;
    journal.set(State::Clean, header.encode())?;
    journal.sync(storage)?;
    Ok(Made { meta, chunk, journal, lock })
}

fn make<S: Storage>(storage: &S, id: FileId, content: &[u8]) -> Result<S::File> {
    let write = || {
        let file = storage.open(id, OpenMode::CreateNew)?;
        file.write_all_at(0, content)?;
        file.sync()?;
        Ok(file)
    };
    write().map_err(|error: crate::storage::StorageError| error.in_file(id))
}

fn sync_names<S: Storage>(storage: &S) -> Result<()> {
    storage.sync_names().map_err(|error| error.in_file(FileId::Store))
}

fn lock<S: Storage>(storage: &S, id: FileId, mode: LockMode) -> Result<S::Lock> {
    storage.lock(id, mode).map_err(|error| match error.kind() {
        StorageErrorKind::Busy => {
            Error::new(Code::StoreBusy, "another process is creating this store").in_file(id)
        }
        _ => error.in_file(id),
    })
}

/// Removes the files of a store that was never created; the journal, which explains the rest, at the end.
fn remove_known<S: Storage>(storage: &S) {
    let names = storage.names().unwrap_or_default();
    let (last, first): (Vec<FileId>, Vec<FileId>) = names
        .iter()
        .filter_map(|name| FileId::from_name(name))
        .partition(|id| matches!(id, FileId::Journal | FileId::Lock));
    for ids in [first, last] {
        for id in ids {
            // Nobody can do anything about a failure here: what is left is found again as an interrupted creation.
            let _ = storage.remove(id);
        }
        let _ = storage.sync_names();
    }
}
