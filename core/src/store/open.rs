//! Opening: constant work in the number of records, whatever state the last writer left.

use alloc::format;
use alloc::vec::Vec;

use super::recover::{Recovered, read_head, recover};
use super::view::View;
use super::writer::{Journal, Writer};
use super::{Store, expect_codec};
use crate::codec::{Codec, Coders};
use crate::error::{Code, Error, Result};
use crate::format::zrecord::journal::{Head, State};
use crate::format::zrecord::{CodecKind, Geometry, Header, StoreKind, TypedHeader};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageErrorKind, StorageFile};

/// How to open a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// Whether records may be appended and deleted.
    pub write: bool,
    /// The compression level of later appends; the codec's default otherwise.
    pub level: Option<i32>,
    /// Refuse a store with another codec.
    pub codec: Option<CodecKind>,
    /// The sizes that the format fixes.
    pub geometry: Geometry,
}

impl<S: Storage> Store<S> {
    /// Opens the store that `storage` holds.
    ///
    /// A reader shares the store with other readers and one appender; it writes nothing.
    ///
    /// # Errors
    /// [`Code::StoreNotFound`], [`Code::StoreBusy`], [`Code::IncompleteStore`], or a data error that names the file.
    pub fn open(storage: S, options: &OpenOptions) -> Result<Self> {
        let typed = probe(&storage, &options.geometry)?;
        let only = options.write.then(|| lock_writers(&storage)).transpose()?;
        let lock = storage.lock(FileId::Meta, LockMode::Shared).map_err(|error| match error.kind() {
            StorageErrorKind::Busy => busy(),
            StorageErrorKind::NotFound => missing_meta(),
            _ => error.in_file(FileId::Meta),
        })?;
        let recovered = if options.write || !writer_is_alive(&storage) {
            recover(&storage, read_meta(&storage)?, options.geometry)?
        } else {
            let header = Header { reserved: [0; 10], ..read_meta(&storage)? };
            Recovered { header, overlay: Vec::new(), head: None, pending: false, unsynced_from: None }
        };
        let header = recovered.header;
        if typed.kind() == StoreKind::Ragged && !header.length.is_multiple_of(2) {
            let text = format!(
                "a ragged store has two table entries for each record, this one has {}",
                header.length
            );
            return Err(Error::new(Code::CorruptHeader, text).in_file(FileId::Meta).at_offset(14));
        }
        if let Some(codec) = options.codec {
            expect_codec(codec, header.codec)?;
        }
        let dictionary = read_dictionary(&storage, header.codec)?;
        let mode = if options.write { OpenMode::ReadWrite } else { OpenMode::Read };
        let (segments, chunks) = open_files(&storage, &header, options.geometry, mode)?;
        let view = View::new(header, options.geometry, segments, chunks, recovered.overlay.clone());
        view.check_files()?;
        let coders =
            Coders::new(Codec::of_store(header.codec, dictionary, options.level)).map_err(|error| {
                if header.codec == CodecKind::ZstdDict { error.in_file(FileId::Dict) } else { error }
            })?;
        let mut store = Store { storage, typed, coders, view, meta_lock: Some(lock), writer: None };
        if let Some(only) = only {
            store.become_writer(only, recovered)?;
        }
        Ok(store)
    }

    /// For a reader: sees what has been appended since. A writer always sees all.
    ///
    /// # Errors
    /// Data errors as in [`Store::open`]; the handle then keeps what it saw before.
    pub fn refresh(&mut self) -> Result<()> {
        if self.writer.is_some() {
            return self.attach();
        }
        self.check_attached()?;
        // Whoever wrote this header did so while we were here, so no power failure lies in between.
        let header = Header { reserved: [0; 10], ..read_meta(&self.storage)? };
        let seen = *self.view.header();
        if header.length <= seen.length || header.tail < seen.tail {
            return Ok(());
        }
        if header.codec != seen.codec {
            return Err(Error::new(Code::CorruptHeader, "the codec of the store changed while it was open"));
        }
        let (segments, chunks) = open_files(&self.storage, &header, self.geometry(), OpenMode::Read)?;
        let view = View::new(header, self.geometry(), segments, chunks, self.view.overlay().clone());
        view.check_files()?;
        self.view = view;
        Ok(())
    }

    /// After another process changed the store: the same handle on the new files.
    pub(super) fn reopen_files(&mut self, header: Header) -> Result<()> {
        let (segments, chunks) = open_files(&self.storage, &header, self.geometry(), OpenMode::ReadWrite)?;
        self.view = View::new(header, self.geometry(), segments, chunks, Vec::new());
        self.view.check_files()
    }

    /// Restores what the journal says, so that loaderx sees it too.
    fn become_writer(&mut self, only: S::Lock, recovered: Recovered) -> Result<()> {
        let open = |id, mode| self.storage.open(id, mode).map_err(|error| error.in_file(id));
        let meta = open(FileId::Meta, OpenMode::ReadWrite)?;
        let journal = open(FileId::Journal, OpenMode::OpenOrCreate)?;
        let fresh = Head { state: State::Clean, generation: 0, base: self.view.header().encode() };
        let creating = recovered.head.is_some_and(|head| head.state == State::Creating);
        let stale = recovered.head.is_some_and(|head| head.state != State::Clean) && !recovered.pending;
        self.writer = Some(Writer::new(meta, only, Journal::new(journal, recovered.head.unwrap_or(fresh))));
        if let Some(from) = recovered.unsynced_from {
            let header = *self.view.header();
            let first_segment = self.geometry().slot(from.length).map_or(0, |(segment, _)| segment);
            let writer = self.writer()?;
            writer.unsynced.chunks.extend(from.tail.chunk..=header.tail.chunk);
            writer.unsynced.names = true;
            let segments = u32::try_from(self.view.segments.len()).unwrap_or(u32::MAX);
            self.writer()?.unsynced.segments.extend(first_segment.min(segments)..segments);
        }
        if recovered.pending && !recovered.overlay.is_empty() {
            self.apply(&recovered.overlay)?;
        }
        if recovered.pending || creating || stale {
            if creating {
                self.writer()?.unsynced.names = true;
            }
            self.sync()?;
        }
        let Store { storage, writer, .. } = self;
        if let Some(writer) = writer {
            writer.show_alive(storage);
        }
        Ok(())
    }
}

/// Reads `store.zr`, and says what is wrong where it is not there.
pub(super) fn probe<S: Storage>(storage: &S, geometry: &Geometry) -> Result<TypedHeader> {
    let bytes = match read_whole(storage, FileId::Store, TypedHeader::MAX_FILE) {
        Err(error) if error.code() == Code::MissingFile => return Err(without_store_file(storage)),
        read => read?,
    };
    if interrupted_creation(storage)? && !is_complete(storage, &bytes, geometry) {
        return Err(never_created());
    }
    TypedHeader::decode(&bytes, geometry)
}

fn without_store_file<S: Storage>(storage: &S) -> Error {
    match storage.open(FileId::Meta, OpenMode::Read) {
        Err(error) if error.kind() == StorageErrorKind::NotFound => Error::new(
            Code::StoreNotFound,
            "there is no record store here: neither store.zr nor meta.zr exists",
        ),
        Err(error) => error.in_file(FileId::Meta),
        Ok(_) => match interrupted_creation(storage) {
            Ok(true) => never_created(),
            Ok(false) => {
                let text = "store.zr is missing: a creation was interrupted, or the file was lost; remove the directory to start anew";
                Error::new(Code::IncompleteStore, text).in_file(FileId::Store)
            }
            Err(error) => error,
        },
    }
}

fn never_created() -> Error {
    Error::new(Code::StoreNotFound, "the creation of this store was interrupted; create it again")
}

pub(super) fn interrupted_creation<S: Storage>(storage: &S) -> Result<bool> {
    Ok(read_head(storage)?.is_some_and(|(_, head)| head.state == State::Creating))
}

/// Whether an interrupted creation had written every file.
pub(super) fn is_complete<S: Storage>(storage: &S, store: &[u8], geometry: &Geometry) -> bool {
    let check = || -> Result<()> {
        TypedHeader::decode(store, geometry)?;
        let header = read_meta(storage)?;
        read_dictionary(storage, header.codec)?;
        open_files(storage, &header, *geometry, OpenMode::Read)?;
        Ok(())
    };
    check().is_ok()
}

fn lock_writers<S: Storage>(storage: &S) -> Result<S::Lock> {
    storage.lock(FileId::Lock, LockMode::Exclusive).map_err(|error| match error.kind() {
        StorageErrorKind::Busy => Error::new(
            Code::StoreBusy,
            "another process is writing to this store; try again once it has closed it",
        )
        .in_file(FileId::Lock),
        _ => error.in_file(FileId::Lock),
    })
}

pub(super) fn busy() -> Error {
    let text = "another process has the store for itself (loaderx always does, even to read); try again once it has closed it";
    Error::new(Code::StoreBusy, text).in_file(FileId::Meta)
}

fn missing_meta() -> Error {
    let text = "meta.zr is missing although store.zr exists; without it no record can be found";
    Error::new(Code::IncompleteStore, text).in_file(FileId::Meta)
}

/// Whether a writer holds the journal: then `meta.zr` is right, however much is not durable yet.
fn writer_is_alive<S: Storage>(storage: &S) -> bool {
    matches!(storage.lock(FileId::Journal, LockMode::Shared), Err(error) if error.kind() == StorageErrorKind::Busy)
}

pub(super) fn read_meta<S: Storage>(storage: &S) -> Result<Header> {
    match read_whole(storage, FileId::Meta, 4096) {
        Err(error) if error.code() == Code::MissingFile => Err(missing_meta()),
        bytes => Header::decode(&bytes?),
    }
}

pub(super) fn read_dictionary<S: Storage>(storage: &S, codec: CodecKind) -> Result<Option<Vec<u8>>> {
    let corrupt = |text| Err(Error::new(Code::CorruptDictionary, text).in_file(FileId::Dict));
    let exists = match storage.open(FileId::Dict, OpenMode::Read) {
        Ok(_) => true,
        Err(error) if error.kind() == StorageErrorKind::NotFound => false,
        Err(error) => return Err(error.in_file(FileId::Dict)),
    };
    match (codec, exists) {
        (CodecKind::Raw | CodecKind::Zstd, false) => Ok(None),
        (CodecKind::Raw | CodecKind::Zstd, true) => {
            corrupt(format!("dict.zr exists, but the codec {} uses no dictionary", codec.as_str()))
        }
        (CodecKind::ZstdDict, false) => {
            corrupt("dict.zr is missing; without it no record can be decoded".into())
        }
        (CodecKind::ZstdDict, true) => {
            let bytes = read_whole(storage, FileId::Dict, i32::MAX as u64)?;
            if bytes.is_empty() {
                return corrupt("dict.zr is empty; without a dictionary no record can be decoded".into());
            }
            Ok(Some(bytes))
        }
    }
}

/// The whole of a small file, refused when larger than `limit` bytes.
fn read_whole<S: Storage>(storage: &S, id: FileId, limit: u64) -> Result<Vec<u8>> {
    let file = storage.open(id, OpenMode::Read).map_err(|error| error.in_file(id))?;
    let len = file.len().map_err(|error| error.in_file(id))?;
    let size = usize::try_from(len).ok().filter(|_| len <= limit).ok_or_else(|| {
        Error::new(Code::CorruptHeader, format!("{id} has {len} bytes, more than it can have")).in_file(id)
    })?;
    let mut bytes = alloc::vec![0; size];
    file.read_exact_at(0, &mut bytes).map_err(|error| error.in_file(id))?;
    Ok(bytes)
}

type Files<F> = (Vec<F>, Vec<F>);

fn open_files<S: Storage>(
    storage: &S,
    header: &Header,
    geometry: Geometry,
    mode: OpenMode,
) -> Result<Files<S::File>> {
    let open = |id| storage.open(id, mode).map_err(|error| error.in_file(id));
    let chunks = (0..=header.tail.chunk).map(|chunk| open(FileId::Chunk(chunk))).collect::<Result<_>>()?;
    let needed = u32::try_from(geometry.segments(header.length)).map_err(|_| {
        let text = format!("meta.zr announces {} records, more than a table can have", header.length);
        Error::new(Code::CorruptHeader, text).in_file(FileId::Meta).at_offset(14)
    })?;
    let segments = (0..needed).map(|segment| open(FileId::Loc(segment))).collect::<Result<_>>()?;
    Ok((segments, chunks))
}
