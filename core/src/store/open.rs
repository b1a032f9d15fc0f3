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
        let recovered = if options.write {
            recover(&storage, read_meta(&storage)?, options.geometry)?
        } else {
            committed(&storage, options.geometry)?
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
            store.become_writer(only, &recovered)?;
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
        // The writer may be gone, and a power failure before it, so `meta.zr` alone still says too much.
        let Recovered { header, overlay, .. } = committed(&self.storage, self.geometry())?;
        let seen = *self.view.header();
        if header.length <= seen.length || header.tail < seen.tail {
            return Ok(());
        }
        if header.codec != seen.codec {
            return Err(Error::new(Code::CorruptHeader, "the codec of the store changed while it was open"));
        }
        let (segments, chunks) = open_files(&self.storage, &header, self.geometry(), OpenMode::Read)?;
        let view = View::new(header, self.geometry(), segments, chunks, overlay);
        view.check_files()?;
        self.view = view;
        Ok(())
    }

    /// After another process changed the store: the same handle on the new files.
    pub(super) fn reopen_files(&mut self, header: Header) -> Result<()> {
        let (segments, chunks) = open_files(&self.storage, &header, self.geometry(), OpenMode::ReadWrite)?;
        let view = View::new(header, self.geometry(), segments, chunks, Vec::new());
        view.check_files()?;
        self.view = view;
        Ok(())
    }

    /// Restores what the journal says, so that loaderx sees it too.
    fn become_writer(&mut self, only: S::Lock, recovered: &Recovered) -> Result<()> {
        let open = |id, mode| self.storage.open(id, mode).map_err(|error| error.in_file(id));
        let meta = open(FileId::Meta, OpenMode::ReadWrite)?;
        let journal = open(FileId::Journal, OpenMode::OpenOrCreate)?;
        let fresh = Head { state: State::Clean, generation: 0, base: self.view.header().encode() };
        let head = recovered.head.unwrap_or(fresh);
        self.writer = Some(Writer::new(meta, only, Journal::new(journal, head)));
        if recovered.pending || recovered.unsynced_from.is_some() || head.state != State::Clean {
            // A repair that fails half way must not be taken for a store in order when the handle is dropped.
            self.or_break(|store| store.restore(recovered))?;
        }
        let Store { storage, writer, .. } = self;
        if let Some(writer) = writer {
            writer.show_alive(storage);
        }
        Ok(())
    }

    fn restore(&mut self, recovered: &Recovered) -> Result<()> {
        if let Some(from) = recovered.unsynced_from {
            let header = *self.view.header();
            let first_segment = self.geometry().slot(from.length).map_or(0, |(segment, _)| segment);
            let segments = u32::try_from(self.view.segments.len()).unwrap_or(u32::MAX);
            let unsynced = &mut self.writer()?.unsynced;
            unsynced.chunks.extend(from.tail.chunk..=header.tail.chunk);
            unsynced.segments.extend(first_segment.min(segments)..segments);
        }
        self.writer()?.unsynced.names = true;
        self.apply(&recovered.overlay)?;
        self.sync_all()?;
        self.view.set_overlay(Vec::new());
        Ok(())
    }
}

/// The committed state for a reader, found without writing while a writer may come or go.
fn committed<S: Storage>(storage: &S, geometry: Geometry) -> Result<Recovered> {
    const TRIES: usize = 8;
    let head = || Ok::<_, Error>(read_head(storage)?.map(|(_, head)| head));
    for _ in 0..TRIES {
        if writer_is_alive(storage) {
            let header = Header { reserved: [0; 10], ..read_meta(storage)? };
            return Ok(Recovered::as_it_is(header, None));
        }
        let before = head()?;
        let recovered = recover(storage, read_meta(storage)?, geometry)?;
        // `meta.zr`, the head and the body belong together only if nobody wrote a new head in between.
        if before == head()? && before == recovered.head {
            return Ok(recovered);
        }
    }
    Err(busy())
}

/// Reads `store.zr`, and says what is wrong where it is not there.
pub(super) fn probe<S: Storage>(storage: &S, geometry: &Geometry) -> Result<TypedHeader> {
    let bytes = match read_whole(storage, FileId::Store, TypedHeader::MAX_FILE) {
        Err(error) if error.code() == Code::MissingFile => return Err(without_store_file(storage)),
        read => read?,
    };
    match read_head(storage)? {
        Some((_, head)) if head.state == State::Creating && !is_in_use(storage, &head.base) => {
            Err(never_created())
        }
        _ => TypedHeader::decode(&bytes, geometry),
    }
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

/// Whether a store whose creation was interrupted came into use all the same: loaderx, which knows no journal, opened
/// it and wrote to it.
fn is_in_use<S: Storage>(storage: &S, base: &[u8; Header::SIZE]) -> bool {
    read_meta(storage).is_ok_and(|header| header.encode() != *base)
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

const NO_DICTIONARY: &str = "dict.zr is missing; without it no record can be decoded";

pub(super) fn read_dictionary<S: Storage>(storage: &S, codec: CodecKind) -> Result<Option<Vec<u8>>> {
    let corrupt = |text: &'static str| Err(Error::new(Code::CorruptDictionary, text).in_file(FileId::Dict));
    let exists = storage.has(FileId::Dict).map_err(|error| error.in_file(FileId::Dict))?;
    match (codec, exists) {
        (CodecKind::Raw | CodecKind::Zstd, Some(true)) => Err(unneeded_dictionary(codec)),
        // A file that should not be there is not worth a request.
        (CodecKind::Raw | CodecKind::Zstd, Some(false) | None) => Ok(None),
        (CodecKind::ZstdDict, Some(false)) => corrupt(NO_DICTIONARY),
        (CodecKind::ZstdDict, Some(true) | None) => {
            let bytes = match read_whole(storage, FileId::Dict, i32::MAX as u64) {
                Err(error) if error.code() == Code::MissingFile => return corrupt(NO_DICTIONARY),
                bytes => bytes?,
            };
            if bytes.is_empty() {
                return corrupt("dict.zr is empty; without a dictionary no record can be decoded");
            }
            Ok(Some(bytes))
        }
    }
}

pub(super) fn unneeded_dictionary(codec: CodecKind) -> Error {
    let text = format!("dict.zr exists, but the codec {} uses no dictionary", codec.as_str());
    Error::new(Code::CorruptDictionary, text).in_file(FileId::Dict)
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
