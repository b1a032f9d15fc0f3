//! Record stores.

mod bring;
mod gather;
mod stored;
mod verifier;
mod write;

use std::sync::Arc;

use js_sys::Float64Array;
use recask_core::format::zrecord::CodecKind;
use recask_core::loader::Stream;
use recask_core::storage::FileId;
use recask_core::store::{OpenOptions, Stats, Store};
use recask_core::{AnyStore, Code, Error, Result};
use wasm_bindgen::prelude::wasm_bindgen;

pub(crate) use self::bring::bring;
use self::gather::Scratch;
pub(crate) use self::verifier::{report_of, with_rows};
use crate::answer::{Fallible, answer, fault, needs, object};
use crate::environment::{Web, WebStorage};
use crate::fetched::{Files, RawFiles};
use crate::numbers::{count, number};
use crate::values;

/// A store of either kind, for reading or for writing.
#[wasm_bindgen]
pub struct RawStore {
    held: Held,
    /// Of a reader.
    files: Vec<Arc<Files>>,
    scratch: Scratch,
}

enum Held {
    /// Shared with feeds.
    Reader(Stream<Web>),
    Writer(Box<AnyStore<Web>>),
    Closed,
}

type Engine = Store<WebStorage>;

/// Opens a store for reading.
#[wasm_bindgen(js_name = openStore)]
pub fn open_store(files: &RawFiles, codec: Option<String>) -> Fallible<RawStore> {
    let files = Arc::clone(files.files());
    // Three small files, and all at once.
    if files.want_heads(&[FileId::Store, FileId::Meta, FileId::Journal]) {
        return Err(needs(&[files]));
    }
    let places = [Arc::clone(&files)];
    let opened = codec_kind(codec.as_deref()).and_then(|codec| {
        AnyStore::open_with(WebStorage::Fetched(files), &OpenOptions { codec, ..OpenOptions::default() })
    });
    let store = answer(&places, opened)?;
    Ok(RawStore { held: Held::Reader(store.into()), files: places.into(), scratch: Scratch::default() })
}

#[wasm_bindgen]
impl RawStore {
    /// `dense` or `ragged`.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> Fallible<String> {
        Ok(self.engine()?.kind().as_str().into())
    }

    /// Records.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> Fallible<f64> {
        Ok(count(self.engine()?.len()))
    }

    /// NumPy's name of the element type.
    #[wasm_bindgen(getter)]
    pub fn dtype(&self) -> Fallible<String> {
        Ok(self.engine()?.dtype().to_string())
    }

    /// Bytes of one element.
    #[wasm_bindgen(getter, js_name = itemSize)]
    pub fn item_size(&self) -> Fallible<f64> {
        Ok(count(self.engine()?.dtype().itemsize()))
    }

    /// The shape of one record of a dense store; empty for scalars and ragged stores.
    #[wasm_bindgen(getter, js_name = itemShape)]
    pub fn item_shape(&self) -> Fallible<Float64Array> {
        let shape = self.engine()?.item_shape().map(recask_core::Shape::dims).unwrap_or_default();
        Ok(values::numbers(shape).into())
    }

    /// Bytes of one record of a dense store, 0 of a ragged one.
    #[wasm_bindgen(getter, js_name = recordBytes)]
    pub fn record_bytes(&self) -> Fallible<f64> {
        Ok(count(self.engine()?.record_bytes()))
    }

    /// `raw`, `zstd` or `zstd_dict`.
    #[wasm_bindgen(getter)]
    pub fn codec(&self) -> Fallible<String> {
        Ok(self.engine()?.codec().kind().as_str().into())
    }

    /// Whether records may be appended and deleted.
    #[wasm_bindgen(getter)]
    pub fn writable(&self) -> bool {
        matches!(self.held, Held::Writer(_))
    }

    /// The identity as loaderx writes it.
    #[wasm_bindgen(getter, js_name = identityHex)]
    pub fn identity_hex(&self) -> Fallible<String> {
        let identity = self.engine()?.identity().encode();
        Ok(identity.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The four figures, in bytes.
    pub fn stats(&self) -> Fallible<js_sys::Object> {
        let stats = self.brought_table().and_then(Store::stats);
        let Stats { records, live_bytes, chunk_bytes, reclaimable } = self.answer(stats)?;
        Ok(object([
            ("records", number(records)),
            ("liveBytes", number(live_bytes)),
            ("chunkBytes", number(chunk_bytes)),
            ("reclaimable", number(reclaimable)),
        ]))
    }

    /// Of a reader: sees what was appended since.
    pub fn refresh(&mut self) -> Fallible<()> {
        let Some(files) = self.files.first() else {
            let refreshed = self.writer().and_then(AnyStore::refresh);
            return answer(&[], refreshed);
        };
        if files.want_heads(&[FileId::Store, FileId::Meta, FileId::Journal]) {
            return Err(needs(&self.files));
        }
        let place = WebStorage::Fetched(Arc::clone(files));
        // A feed may go on with the handle as it was.
        let store = answer(&self.files, AnyStore::open(place))?;
        if self.engine()?.identity() != store.engine().identity() {
            let text = "another store is in this place now; open it anew";
            return Err(fault(&Error::new(Code::SourceChanged, text)));
        }
        if store.len() >= self.engine()?.len() {
            self.held = Held::Reader(store.into());
        }
        Ok(())
    }
}

impl RawStore {
    fn engine(&self) -> Fallible<&Engine> {
        self.try_engine().map_err(|error| fault(&error))
    }

    fn try_engine(&self) -> Result<&Engine> {
        match &self.held {
            Held::Reader(Stream::Dense(store)) => Ok(store.store()),
            Held::Reader(Stream::Ragged(store)) => Ok(store.store()),
            Held::Writer(store) => Ok(store.engine()),
            Held::Reader(Stream::Table(_)) | Held::Closed => Err(closed()),
        }
    }

    /// The engine, once the whole table is here.
    fn brought_table(&self) -> Result<&Engine> {
        let store = self.try_engine()?;
        if let Some(files) = self.files.first() {
            let table = store.whole_table();
            crate::limit::check(table.iter().map(|(_, bytes)| bytes).sum())?;
            let mut is_complete = true;
            for (id, bytes) in table.into_iter().filter(|(id, bytes)| !files.holds(*id, 0..*bytes)) {
                files.want(id, 0..bytes);
                is_complete = false;
            }
            if !is_complete {
                return Err(not_here());
            }
        }
        Ok(store)
    }

    /// Makes sure that the stored bytes of records are here, in two rounds; then how many bytes they have when decoded.
    fn bring(&self, records: &[u64]) -> Result<u64> {
        let store = self.try_engine()?;
        let Some(files) = self.files.first() else {
            return Ok(store.record_bytes().saturating_mul(records.len() as u64));
        };
        bring(store, files, records)
    }

    fn answer<T>(&self, result: Result<T>) -> Fallible<T> {
        answer(&self.files, result)
    }

    pub(crate) fn stream(&self) -> Result<(Stream<Web>, Arc<Files>)> {
        match (&self.held, self.files.first()) {
            (Held::Reader(stream), Some(files)) => Ok((stream.clone(), Arc::clone(files))),
            (Held::Closed, _) => Err(closed()),
            _ => Err(Error::new(
                Code::InvalidArgument,
                "a loader reads stores that were opened for reading; open this one again without write",
            )),
        }
    }
}

fn codec_kind(name: Option<&str>) -> Result<Option<CodecKind>> {
    let Some(name) = name else { return Ok(None) };
    let known = [CodecKind::Raw, CodecKind::Zstd, CodecKind::ZstdDict].into_iter();
    known.clone().find(|kind| kind.as_str() == name).map(Some).ok_or_else(|| {
        let text = format!("there is no codec '{name}'; use raw, zstd or zstd_dict");
        Error::new(Code::InvalidArgument, text)
    })
}

pub(crate) fn not_here() -> Error {
    Error::new(Code::NotFetched, "bytes have to be brought first")
}

fn closed() -> Error {
    Error::new(Code::InvalidArgument, "the store is closed")
}
