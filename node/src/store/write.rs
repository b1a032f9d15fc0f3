//! Changing stores.

use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Float64Array, Uint8Array, Unknown};
use napi_derive::napi;
use recask::core::ragged::PackedRecords;
use recask::{AnyStore, Code, Codec, CodecKind, DType, DenseStore, Error, Index, RaggedStore, Result};

use super::{Facts, Held, NativeStore, codec_kind};
use crate::error::invalid;
use crate::index::index_of;
use crate::memory::Given;
use crate::numbers::{count, counts, level, whole};
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// What a new store will hold.
#[napi(object, js_name = "NativeCreateOptions", object_to_js = false)]
pub struct Create {
    /// `dense` or `ragged`.
    pub kind: String,
    /// NumPy's name of the element type, or a word.
    pub dtype: String,
    /// Of one record, for a dense store.
    pub item_shape: Option<Float64Array>,
    /// `raw` by default.
    pub codec: Option<String>,
    /// Of the compression.
    pub level: Option<f64>,
    /// For `zstd_dict`.
    pub dictionary: Option<Uint8Array>,
}

/// Makes a store and opens it for writing.
///
/// # Errors
/// `store_exists`, `invalid_dtype`, `invalid_shape`, …
#[napi(ts_return_type = "Promise<NativeStore>")]
pub fn create_store(path: String, options: Create) -> napi::Result<AsyncTask<Job<NativeStore>>> {
    let plan = now(|| Plan::of(&options))?;
    Ok(later(move || plan.create(path), value))
}

/// The same at once.
///
/// # Errors
/// As `createStore`.
#[napi]
pub fn create_store_sync(path: String, options: Create) -> napi::Result<NativeStore> {
    now(|| Plan::of(&options)?.create(path))
}

#[napi]
impl NativeStore {
    /// Appends records of a dense store, given as bytes in the order of its type; the index of the first.
    ///
    /// # Errors
    /// `shape_mismatch`, `read_only`, `device_full`, …; the store then is as it was.
    #[napi(ts_args_type = "bytes: Uint8Array", ts_return_type = "Promise<number>")]
    pub fn append_dense(&self, bytes: Unknown<'_>) -> napi::Result<AsyncTask<Job<f64>>> {
        let (bytes, turn) = now(|| Ok((Given::of(&bytes)?.to_block()?, self.handle.alone()?)))?;
        let facts = Arc::clone(&self.facts);
        Ok(later(move || turn.change(|held| append_dense(held, &bytes, &facts)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `appendDense`.
    #[napi(ts_args_type = "bytes: Uint8Array")]
    pub fn append_dense_sync(&self, bytes: Unknown<'_>) -> napi::Result<f64> {
        now(|| {
            let turn = self.handle.alone()?;
            Given::of(&bytes)?.read(|bytes| turn.change(|held| append_dense(held, bytes, &self.facts)))
        })
    }

    /// Appends records of a ragged store, with shapes as `gatherRagged` gives them; the index of the first.
    ///
    /// # Errors
    /// As `appendDense`.
    #[napi(
        ts_args_type = "bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array",
        ts_return_type = "Promise<number>"
    )]
    pub fn append_ragged(
        &self,
        bytes: Unknown<'_>,
        extents: Unknown<'_>,
        ranks: Unknown<'_>,
    ) -> napi::Result<AsyncTask<Job<f64>>> {
        let (bytes, extents, ranks, turn) = now(|| {
            let ranks = Given::of(&ranks)?.to_block()?;
            Ok((Given::of(&bytes)?.to_block()?, counts(&extents)?, ranks, self.handle.alone()?))
        })?;
        let facts = Arc::clone(&self.facts);
        let append = move || turn.change(|held| append_ragged(held, &bytes, &extents, &ranks, &facts));
        Ok(later(append, value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `appendRagged`.
    #[napi(ts_args_type = "bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array")]
    pub fn append_ragged_sync(
        &self,
        bytes: Unknown<'_>,
        extents: Unknown<'_>,
        ranks: Unknown<'_>,
    ) -> napi::Result<f64> {
        now(|| {
            let (extents, ranks) = (counts(&extents)?, Given::of(&ranks)?.to_block()?);
            let turn = self.handle.alone()?;
            Given::of(&bytes)?
                .read(|bytes| turn.change(|held| append_ragged(held, bytes, &extents, &ranks, &self.facts)))
        })
    }

    /// Removes records; the last ones take their places.
    ///
    /// # Errors
    /// `index_out_of_range`, `store_busy` while others have it open, …
    #[napi(ts_args_type = "index: RawIndex", ts_return_type = "Promise<void>")]
    pub fn delete(&self, index: Unknown<'_>) -> napi::Result<AsyncTask<Job<()>>> {
        let (index, turn) = now(|| Ok((index_of(index)?, self.handle.alone()?)))?;
        let facts = Arc::clone(&self.facts);
        Ok(later(move || turn.change(|held| delete(held, index, &facts)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `delete`.
    #[napi(ts_args_type = "index: RawIndex")]
    pub fn delete_sync(&self, index: Unknown<'_>) -> napi::Result<()> {
        now(|| {
            let index = index_of(index)?;
            self.handle.alone()?.change(|held| delete(held, index, &self.facts))
        })
    }

    /// Gives the space of deleted records back. Progress counts stored bytes.
    ///
    /// # Errors
    /// `store_busy`, `interrupted`; a store that was stopped is as valid as before.
    #[napi(
        ts_args_type = "stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<void>"
    )]
    pub fn compact(
        &self,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<()>>> {
        let (watch, turn) = now(|| Ok((Watch::new(stop, progress.as_ref())?, self.handle.alone()?)))?;
        Ok(later(move || turn.change(|held| compact(held, &watch)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `compact`.
    #[napi]
    pub fn compact_sync(&self) -> napi::Result<()> {
        now(|| self.handle.alone()?.change(|held| compact(held, &Watch::default())))
    }

    /// Makes all changes durable.
    ///
    /// # Errors
    /// `read_only`, or what the disk says.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn sync(&self) -> napi::Result<AsyncTask<Job<()>>> {
        let turn = now(|| self.handle.alone())?;
        Ok(later(move || turn.change(sync), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `sync`.
    #[napi]
    pub fn sync_sync(&self) -> napi::Result<()> {
        now(|| self.handle.alone()?.change(sync))
    }
}

/// [`Create`], understood.
struct Plan {
    kind: Kind,
    dtype: DType,
    codec: Codec,
}

enum Kind {
    Dense(Vec<u64>),
    Ragged,
}

impl Plan {
    fn of(options: &Create) -> Result<Self> {
        let kind = match options.kind.as_str() {
            "dense" => {
                let shape = options.item_shape.as_deref().unwrap_or_default();
                Kind::Dense(shape.iter().map(|&extent| extent_of(extent)).collect::<Result<_>>()?)
            }
            "ragged" => Kind::Ragged,
            other => {
                return Err(invalid(format!("there is no kind of store '{other}'; use dense or ragged")));
            }
        };
        let codec = match codec_kind(options.codec.as_deref())? {
            Some(CodecKind::Zstd) => Codec::zstd(),
            Some(CodecKind::ZstdDict) => {
                Codec::zstd_dict(options.dictionary.as_deref().unwrap_or_default().to_vec())
            }
            _ => Codec::raw(),
        };
        let codec = match options.level {
            Some(new_level) => codec.level(level(new_level)?),
            None => codec,
        };
        Ok(Plan { kind, dtype: options.dtype.parse()?, codec })
    }

    fn create(self, path: String) -> Result<NativeStore> {
        let Plan { kind, dtype, codec } = self;
        let store = match kind {
            Kind::Dense(shape) => {
                AnyStore::Dense(DenseStore::builder(dtype, shape).codec(codec).create(path)?)
            }
            Kind::Ragged => AnyStore::Ragged(RaggedStore::builder(dtype).codec(codec).create(path)?),
        };
        Ok(NativeStore::writer(store))
    }
}

fn extent_of(value: f64) -> Result<u64> {
    whole(value).map_err(|_| Error::new(Code::InvalidShape, format!("{value} is no extent of a shape")))
}

fn append_dense(held: &mut Held, bytes: &[u8], facts: &Facts) -> Result<f64> {
    let first = match held.writer()? {
        AnyStore::Dense(store) => store.append_bytes(bytes)?,
        AnyStore::Ragged(_) => return Err(other_kind()),
    };
    facts.measure(held);
    Ok(count(first))
}

fn append_ragged(held: &mut Held, bytes: &[u8], extents: &[u64], ranks: &[u8], facts: &Facts) -> Result<f64> {
    let first = match held.writer()? {
        AnyStore::Ragged(store) => store.append_packed(&PackedRecords { bytes, extents, ranks })?,
        AnyStore::Dense(_) => return Err(other_kind()),
    };
    facts.measure(held);
    Ok(count(first))
}

fn delete(held: &mut Held, index: Index<'_>, facts: &Facts) -> Result<()> {
    let deleted = held.writer()?.delete(index);
    facts.measure(held);
    deleted
}

fn compact(held: &mut Held, watch: &Watch) -> Result<()> {
    watch.check()?;
    let store = held.writer()?;
    // What is wrong with the table, compaction says better.
    watch.expect(store.stats().map_or(0, |stats| stats.live_bytes));
    store.compact(watch)
}

fn sync(held: &mut Held) -> Result<()> {
    match held.writer()? {
        AnyStore::Dense(store) => store.sync(),
        AnyStore::Ragged(store) => store.sync(),
    }
}

fn other_kind() -> Error {
    Error::new(Code::KindMismatch, "records of the other kind were given to this store")
}
