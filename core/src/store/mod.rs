//! The record engine: physical records over a [`Storage`], the same for dense and ragged stores.
//!
//! | file | does |
//! |---|---|
//! | `open` | reads headers, decides what a journal means, opens the files |
//! | `view` | a snapshot: header, files, and where each record lies |
//! | `read` | one record, decoded |
//! | `reads` | the ranges that reading some records needs |
//! | `lengths` | how long files are now, so that no map is read behind the end of its file |
//! | `lost` | the same as `read` without maps, of files that were cut or damaged |
//! | `create` `append` `delete` `compact` | the four changes |
//! | `writer` | what a handle that may write holds: locks, journal, unsynced files |
//! | `recover` | what a journal says about the last writer |
//! | `stats` `verify` | whole-store scans |
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use alloc::format;

use crate::codec::{Codec, Coders};
use crate::dtype::DType;
use crate::error::{Code, Error, Result};
use crate::format::identity::Identity;
use crate::format::zrecord::{CodecKind, Geometry, Header, StoreKind, TypedHeader};
use crate::shape::Shape;
use crate::storage::Storage;

mod append;
mod compact;
mod create;
mod delete;
mod lengths;
mod lost;
mod open;
mod read;
mod reads;
mod recover;
mod stats;
mod verify;
mod view;
mod writer;

pub(crate) use append::Append;
pub(crate) use lost::{CarefulReader, Lost, is_loss, survivor};
pub use open::OpenOptions;
pub(crate) use read::RecordReader;
pub use reads::Payload;
pub use stats::Stats;
pub use verify::{Problem, Verification, Verifier};
pub(crate) use view::View;
pub(crate) use writer::Writer;

/// A store of physical records. Use [`DenseStore`](crate::dense::DenseStore) and
/// [`RaggedStore`](crate::ragged::RaggedStore), which give them types.
pub struct Store<S: Storage> {
    storage: S,
    typed: TypedHeader,
    coders: Coders,
    view: View<S::File>,
    /// The shared lock on `meta.zr`; `None` for a moment while it is being upgraded, or after it was lost.
    meta_lock: Option<S::Lock>,
    writer: Option<Writer<S>>,
}

impl<S: Storage> Store<S> {
    /// Dense or ragged.
    pub fn kind(&self) -> StoreKind {
        self.typed.kind()
    }

    /// The element type.
    pub fn dtype(&self) -> &DType {
        match &self.typed.identity {
            Identity::Dense { dtype, .. } | Identity::Ragged { dtype } => dtype,
        }
    }

    /// The shape of one record, for a dense store.
    pub fn item_shape(&self) -> Option<&Shape> {
        match &self.typed.identity {
            Identity::Dense { item_shape, .. } => Some(item_shape),
            Identity::Ragged { .. } => None,
        }
    }

    /// Element type and item shape, as they are written.
    pub fn identity(&self) -> &Identity {
        &self.typed.identity
    }

    /// Width of a dense record in bytes, 0 for ragged stores.
    pub fn record_bytes(&self) -> u64 {
        self.typed.record_bytes
    }

    /// How records are stored.
    pub fn codec(&self) -> &Codec {
        self.coders.codec()
    }

    /// The committed header that this handle sees.
    pub fn header(&self) -> &Header {
        self.view.header()
    }

    /// Records, as the user counts them.
    pub fn len(&self) -> u64 {
        self.view.header().length / self.kind().entries()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this handle may write.
    pub fn is_writable(&self) -> bool {
        self.writer.is_some()
    }

    /// The sizes that the format fixes.
    pub fn geometry(&self) -> Geometry {
        self.view.rules().geometry
    }

    pub(crate) fn view(&self) -> &View<S::File> {
        &self.view
    }

    /// Turns the engine's physical record into the record that the user counts.
    pub(crate) fn blame(&self, physical: u64) -> impl Fn(Error) -> Error + Copy {
        // Only the error pays for the division: this runs for every record of a gather.
        let per_record = self.kind().entries();
        move |error| error.with_record(physical / per_record)
    }

    /// Refuses to read while the lock on `meta.zr` is lost.
    pub(crate) fn check_attached(&self) -> Result<()> {
        if self.meta_lock.is_some() { Ok(()) } else { Err(detached()) }
    }

    /// A reader that keeps its decoder and scratch for many records.
    pub(crate) fn with_reader<T>(
        &self,
        work: impl FnOnce(&mut RecordReader<'_, '_, S::File>) -> Result<T>,
    ) -> Result<T> {
        self.coders.with_decoder(|decoder| work(&mut RecordReader::new(&self.view, decoder)))
    }
}

fn detached() -> Error {
    let text = "another process took the store between two operations of this handle; try again once it has closed it";
    Error::new(Code::StoreBusy, text)
}

fn read_only() -> Error {
    Error::new(Code::ReadOnly, "the store was opened for reading; open it for writing to change it")
}

impl<S: Storage> core::fmt::Debug for Store<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "Store({}, {}, {} records)",
            self.kind().as_str(),
            self.coders.codec().kind().as_str(),
            self.len()
        )
    }
}

/// Refuses `given` where it differs from the codec of the store.
pub(crate) fn expect_codec(given: CodecKind, stored: CodecKind) -> Result<()> {
    if given == stored {
        return Ok(());
    }
    let text = format!("the store's codec is {}, not {}", stored.as_str(), given.as_str());
    Err(Error::new(Code::CodecMismatch, text))
}
