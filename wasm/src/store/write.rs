//! Changing stores whose files are open.

use js_sys::{Float64Array, Function, Object, Reflect, Uint8Array};
use recask_core::environment::{Access, Environment as _};
use recask_core::ragged::PackedRecords;
use recask_core::store::OpenOptions;
use recask_core::{AnyStore, Code, Codec, DType, DenseStore, Error, RaggedStore, Result};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};

use super::gather::Scratch;
use super::{Held, RawStore, closed, codec_kind};
use crate::answer::{Fallible, answer};
use crate::environment::{Web, WebStorage};
use crate::executor::WebExecutor;
use crate::index::index_of;
use crate::live::{JsDirectory, LiveFolder};
use crate::numbers::{count, whole};
use crate::progress::Told;

/// Makes a store in an empty directory and opens it for writing.
#[wasm_bindgen(js_name = createStore)]
pub fn create_store(directory: JsDirectory, options: &Object) -> Fallible<RawStore> {
    let created = create(WebStorage::Live(LiveFolder::new(directory)), options);
    answer(&[], created.map(writer))
}

/// Opens the store of a directory for writing.
#[wasm_bindgen(js_name = openStoreForWriting)]
pub fn open_store_for_writing(
    directory: JsDirectory,
    level: Option<i32>,
    codec: Option<String>,
) -> Fallible<RawStore> {
    let opened = codec_kind(codec.as_deref()).and_then(|codec| {
        let options = OpenOptions { write: true, level, codec, ..OpenOptions::default() };
        AnyStore::open_with(WebStorage::Live(LiveFolder::new(directory)), &options)
    });
    answer(&[], opened.map(|store| writer(alone(store))))
}

#[wasm_bindgen]
impl RawStore {
    /// Appends records of a dense store; the index of the first.
    #[wasm_bindgen(js_name = appendDense)]
    pub fn append_dense(&mut self, bytes: &[u8]) -> Fallible<f64> {
        let appended = self.writer().and_then(|store| match store {
            AnyStore::Dense(store) => store.append_bytes(bytes),
            AnyStore::Ragged(_) => Err(other_kind()),
        });
        answer(&[], appended.map(count))
    }

    /// Appends records of a ragged store; the index of the first.
    #[wasm_bindgen(js_name = appendRagged)]
    pub fn append_ragged(&mut self, bytes: &[u8], extents: &Float64Array, ranks: &[u8]) -> Fallible<f64> {
        let extents = extents.to_vec().into_iter().map(whole).collect::<Fallible<Vec<u64>>>()?;
        let appended = self.writer().and_then(|store| match store {
            AnyStore::Ragged(store) => {
                store.append_packed(&PackedRecords { bytes, extents: &extents, ranks })
            }
            AnyStore::Dense(_) => Err(other_kind()),
        });
        answer(&[], appended.map(count))
    }

    /// Removes records; the last ones take their places.
    pub fn delete(&mut self, index: &JsValue) -> Fallible<()> {
        let deleted = index_of(index).and_then(|index| self.writer().and_then(|store| store.delete(index)));
        answer(&[], deleted)
    }

    /// Gives the space of deleted records back.
    pub fn compact(&mut self, progress: Function) -> Fallible<()> {
        let compacted = self.writer().and_then(|store| {
            let told = Told::new(progress, store.len());
            store.compact(&told)
        });
        answer(&[], compacted)
    }

    /// Makes all changes durable.
    pub fn sync(&mut self) -> Fallible<()> {
        let synced = self.writer().and_then(|store| match store {
            AnyStore::Dense(store) => store.sync(),
            AnyStore::Ragged(store) => store.sync(),
        });
        answer(&[], synced)
    }

    /// Syncs, and gives everything back.
    pub fn close(&mut self) -> Fallible<()> {
        // A file that has to be opened first makes the sync fail, and then the store has to be here for the next call.
        if self.writable() {
            self.sync()?;
        }
        let closed = match std::mem::replace(&mut self.held, Held::Closed) {
            Held::Writer(store) => store.close(),
            Held::Reader(_) | Held::Closed => Ok(()),
        };
        answer(&[], closed)
    }
}

impl RawStore {
    pub(super) fn writer(&mut self) -> Result<&mut AnyStore<Web>> {
        match &mut self.held {
            Held::Writer(store) => Ok(store),
            Held::Reader(_) => {
                let text = "the store was opened for reading; open it with write to change it";
                Err(Error::new(Code::ReadOnly, text))
            }
            Held::Closed => Err(closed()),
        }
    }
}

fn writer(store: AnyStore<Web>) -> RawStore {
    RawStore { held: Held::Writer(Box::new(store)), files: Vec::new(), scratch: Scratch::default() }
}

/// Open files belong to the thread that has them.
fn alone(store: AnyStore<Web>) -> AnyStore<Web> {
    match store {
        AnyStore::Dense(store) => AnyStore::Dense(store.with_executor(WebExecutor::Alone)),
        AnyStore::Ragged(store) => AnyStore::Ragged(store.with_executor(WebExecutor::Alone)),
    }
}

fn create(place: WebStorage, options: &Object) -> Result<AnyStore<Web>> {
    let field = |name| Reflect::get(options, &JsValue::from(name)).unwrap_or_default();
    let text = |name| field(name).as_string().unwrap_or_default();
    let dtype: DType = text("dtype").parse()?;
    let codec = codec(&text("codec"), &field("dictionary"), field("level").as_f64())?;
    // A folder may be made; asked for early, it fails early.
    let place = Web::attach(&place, Access::Create)?;
    let store = match text("kind").as_str() {
        "dense" => {
            let shape = field("itemShape").dyn_into::<Float64Array>().unwrap_or_default().to_vec();
            let shape = shape.into_iter().map(extent).collect::<Result<Vec<u64>>>()?;
            AnyStore::Dense(DenseStore::builder(dtype, shape).codec(codec).create(place)?)
        }
        "ragged" => AnyStore::Ragged(RaggedStore::builder(dtype).codec(codec).create(place)?),
        other => {
            let text = format!("there is no kind of store '{other}'; use dense or ragged");
            return Err(Error::new(Code::InvalidArgument, text));
        }
    };
    Ok(alone(store))
}

fn codec(name: &str, dictionary: &JsValue, level: Option<f64>) -> Result<Codec> {
    use recask_core::format::zrecord::CodecKind;
    let name = if name.is_empty() { "raw" } else { name };
    let codec = match codec_kind(Some(name))? {
        Some(CodecKind::Zstd) => Codec::zstd(),
        Some(CodecKind::ZstdDict) => {
            let dictionary = dictionary.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec).unwrap_or_default();
            Codec::zstd_dict(dictionary)
        }
        _ => Codec::raw(),
    };
    let Some(level) = level else { return Ok(codec) };
    if level.fract() != 0.0 || level.abs() > 1e6 {
        return Err(Error::new(Code::InvalidArgument, format!("{level} is no compression level")));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just now")]
    Ok(codec.level(level as i32))
}

fn extent(value: f64) -> Result<u64> {
    whole(value).map_err(|_| Error::new(Code::InvalidShape, format!("{value} is no extent of a shape")))
}

fn other_kind() -> Error {
    Error::new(Code::KindMismatch, "records of the other kind were given to this store")
}
