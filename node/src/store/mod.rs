//! Record stores.

mod check;
mod gather;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::core::loader::Stream;
use recask::core::store::Store;
use recask::{
    AnyStore, Code, CodecKind, DenseStore, Error, Native, OpenOptions, RaggedStore, Result, StoreKind,
};

use crate::error::invalid;
use crate::handle::{Handle, Turn};
use crate::memory::copied;
use crate::numbers::{count, level};
use crate::task::{Job, later, now};
use crate::values::{numbers, value};
use crate::watch::{NativeStop, Watch};

/// A store of either kind, for reading or for writing.
#[napi]
pub struct NativeStore {
    handle: Handle<Held>,
    facts: Arc<Facts>,
}

/// What is open.
enum Held {
    /// Shared with loaders, as is the next.
    Dense(Arc<DenseStore>, Again),
    Ragged(Arc<RaggedStore>, Again),
    Writer(Box<AnyStore>),
}

/// How a reader was opened, to do it again.
#[derive(Clone)]
struct Again {
    path: String,
    options: OpenOptions,
}

/// What can be said without waiting for a call that runs.
struct Facts {
    kind: StoreKind,
    dtype: String,
    item_size: u64,
    item_shape: Vec<u64>,
    record_bytes: u64,
    codec: CodecKind,
    dictionary: Option<Vec<u8>>,
    is_writable: bool,
    identity: Vec<u8>,
    /// After the last change.
    length: AtomicU64,
    /// Of the values of the last ragged batch, in bytes: the next one takes about as many.
    batch_bytes: AtomicU64,
}

type Engine = Store<<Native as recask::core::environment::Environment>::Storage>;

/// How a store is opened.
#[napi(object, js_name = "NativeOpenOptions", object_to_js = false)]
#[derive(Debug, Default)]
pub struct Opening {
    /// Whether records may be appended and deleted.
    pub write: Option<bool>,
    /// Refuses a store with another codec.
    pub codec: Option<String>,
    /// Of later appends.
    pub level: Option<f64>,
}

/// Opens a store.
///
/// # Errors
/// `store_not_found`, `codec_mismatch`, `store_busy` while another handle may write, …
#[napi(
    ts_args_type = "path: string, options: NativeOpenOptions, stop?: NativeStop | null",
    ts_return_type = "Promise<NativeStore>"
)]
pub fn open_store(
    path: String,
    options: Option<Opening>,
    stop: Option<&NativeStop>,
) -> napi::Result<AsyncTask<Job<NativeStore>>> {
    let watch = now(|| Watch::new(stop, None))?;
    let open = move || {
        watch.check()?;
        open(path, options.unwrap_or_default())
    };
    Ok(later(open, value))
}

/// The same at once.
///
/// # Errors
/// As `openStore`.
#[napi(ts_args_type = "path: string, options: NativeOpenOptions")]
pub fn open_store_sync(path: String, options: Option<Opening>) -> napi::Result<NativeStore> {
    now(|| open(path, options.unwrap_or_default()))
}

#[napi]
impl NativeStore {
    /// `dense` or `ragged`.
    #[must_use]
    #[napi(getter, ts_return_type = "'dense' | 'ragged'")]
    pub fn kind(&self) -> &'static str {
        self.facts.kind.as_str()
    }

    /// Records.
    #[must_use]
    #[napi(getter)]
    pub fn length(&self) -> f64 {
        count(self.facts.length.load(Ordering::Relaxed))
    }

    /// NumPy's name of the element type.
    #[must_use]
    #[napi(getter)]
    pub fn dtype(&self) -> String {
        self.facts.dtype.clone()
    }

    /// Bytes of one element.
    #[must_use]
    #[napi(getter)]
    pub fn item_size(&self) -> f64 {
        count(self.facts.item_size)
    }

    /// The shape of one record of a dense store; empty for scalars and ragged stores.
    ///
    /// # Errors
    /// Where the engine has no memory.
    #[napi(getter, ts_return_type = "Float64Array")]
    pub fn item_shape<'e>(&self, env: &'e Env) -> napi::Result<Unknown<'e>> {
        numbers(env, &self.facts.item_shape)
    }

    /// Bytes of one record of a dense store, 0 of a ragged one.
    #[must_use]
    #[napi(getter)]
    pub fn record_bytes(&self) -> f64 {
        count(self.facts.record_bytes)
    }

    /// How records are stored.
    #[must_use]
    #[napi(getter, ts_return_type = "'raw' | 'zstd' | 'zstd_dict'")]
    pub fn codec(&self) -> &'static str {
        self.facts.codec.as_str()
    }

    /// Whether records may be appended and deleted.
    #[must_use]
    #[napi(getter)]
    pub fn writable(&self) -> bool {
        self.facts.is_writable
    }

    /// The dictionary of `zstd_dict`.
    ///
    /// # Errors
    /// Where the engine has no memory.
    #[napi(getter, ts_return_type = "Uint8Array | null")]
    pub fn dictionary<'e>(&self, env: &'e Env) -> napi::Result<Option<Unknown<'e>>> {
        self.facts.dictionary.as_deref().map(|dictionary| copied(env, dictionary)).transpose()
    }

    /// The identity as loaderx writes it, as hexadecimal digits.
    #[must_use]
    #[napi(getter)]
    pub fn identity_hex(&self) -> String {
        self.facts.identity.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Gives everything back, after the calls that were made before; a writer syncs first. Twice is once.
    ///
    /// # Errors
    /// What the disk says to the last sync.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close(&self) -> AsyncTask<Job<()>> {
        let turn = self.handle.closing();
        later(move || close(turn), value)
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `close`.
    #[napi]
    pub fn close_sync(&self) -> napi::Result<()> {
        now(|| close(self.handle.closing()))
    }
}

impl NativeStore {
    fn new(held: Held) -> Self {
        let facts = Arc::new(Facts::of(&held));
        NativeStore { handle: Handle::new("store", held), facts }
    }

    fn writer(store: AnyStore) -> Self {
        NativeStore::new(Held::Writer(Box::new(store)))
    }

    /// The records of a reader, for a loader, which may keep them longer than this handle is open.
    ///
    /// # Errors
    /// `invalid_argument` where it is closed, or open for writing.
    pub(crate) fn stream(&self) -> Result<Stream<Native>> {
        self.handle.together()?.read(|held| match held {
            Held::Dense(store, _) => Ok(Arc::clone(store).into()),
            Held::Ragged(store, _) => Ok(Arc::clone(store).into()),
            Held::Writer(_) => {
                let text =
                    "a loader reads stores that were opened for reading; open this one again without write";
                Err(invalid(text))
            }
        })
    }
}

impl Held {
    fn reader(store: AnyStore, again: Again) -> Self {
        match store {
            AnyStore::Dense(store) => Held::Dense(Arc::new(store), again),
            AnyStore::Ragged(store) => Held::Ragged(Arc::new(store), again),
        }
    }

    fn engine(&self) -> &Engine {
        match self {
            Held::Dense(store, _) => store.store(),
            Held::Ragged(store, _) => store.store(),
            Held::Writer(store) => store.engine(),
        }
    }

    fn dense(&self) -> Result<&DenseStore> {
        match self {
            Held::Dense(store, _) => return Ok(store),
            Held::Writer(store) => {
                if let AnyStore::Dense(store) = &**store {
                    return Ok(store);
                }
            }
            Held::Ragged(..) => {}
        }
        Err(Error::new(Code::KindMismatch, "this is a ragged store, not a dense one"))
    }

    fn ragged(&self) -> Result<&RaggedStore> {
        match self {
            Held::Ragged(store, _) => return Ok(store),
            Held::Writer(store) => {
                if let AnyStore::Ragged(store) = &**store {
                    return Ok(store);
                }
            }
            Held::Dense(..) => {}
        }
        Err(Error::new(Code::KindMismatch, "this is a dense store, not a ragged one"))
    }

    fn writer(&mut self) -> Result<&mut AnyStore> {
        match self {
            Held::Writer(store) => Ok(store),
            Held::Dense(..) | Held::Ragged(..) => {
                let text = "the store was opened for reading; open it with write to change it";
                Err(Error::new(Code::ReadOnly, text))
            }
        }
    }
}

impl Facts {
    fn of(held: &Held) -> Self {
        let is_writable = matches!(held, Held::Writer(_));
        let engine = held.engine();
        Facts {
            kind: engine.kind(),
            dtype: engine.dtype().to_string(),
            item_size: engine.dtype().itemsize(),
            item_shape: engine.item_shape().map(|shape| shape.dims().to_vec()).unwrap_or_default(),
            record_bytes: engine.record_bytes(),
            codec: engine.codec().kind(),
            dictionary: engine.codec().dictionary().map(<[u8]>::to_vec),
            is_writable,
            identity: engine.identity().encode(),
            length: engine.len().into(),
            batch_bytes: 0.into(),
        }
    }

    /// Sees how many records there are after a change.
    fn measure(&self, held: &Held) {
        self.length.store(held.engine().len(), Ordering::Relaxed);
    }
}

fn open(path: String, options: Opening) -> Result<NativeStore> {
    let options = OpenOptions {
        write: options.write.unwrap_or_default(),
        codec: codec_kind(options.codec.as_deref())?,
        level: options.level.map(level).transpose()?,
        ..OpenOptions::default()
    };
    let store = AnyStore::open_with(&path, &options)?;
    Ok(if options.write {
        NativeStore::writer(store)
    } else {
        NativeStore::new(Held::reader(store, Again { path, options }))
    })
}

impl Again {
    fn open(&self) -> Result<AnyStore> {
        AnyStore::open_with(&self.path, &self.options)
    }
}

fn codec_kind(name: Option<&str>) -> Result<Option<CodecKind>> {
    let Some(name) = name else { return Ok(None) };
    let known = [CodecKind::Raw, CodecKind::Zstd, CodecKind::ZstdDict];
    let found = known.into_iter().find(|kind| kind.as_str() == name);
    found.map(Some).ok_or_else(|| invalid(format!("there is no codec '{name}'; use raw, zstd or zstd_dict")))
}

fn close(turn: Option<Turn<Held>>) -> Result<()> {
    match turn.and_then(Turn::take) {
        Some(Held::Writer(store)) => store.close(),
        Some(Held::Dense(..) | Held::Ragged(..)) | None => Ok(()),
    }
}
