//! Reading batches.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Object, ToNapiValue as _, Unknown};
use napi_derive::napi;
use recask::core::buffer::Buffer;
use recask::{Code, DenseStore, Error, Index, RaggedBatch, Result};

use super::{Facts, Held, NativeStore};
use crate::error::thrown;
use crate::index::index_of;
use crate::memory::{Block, Filled, Given, filled_now, lend, lend_now};
use crate::task::{Job, later, now};
use crate::values::{self, Shapes, value};
use crate::watch::{NativeStop, Watch};

/// Values, and the shape of the batch.
type Dense = (Block, Vec<u64>);
/// Values, and what is beside them.
type Ragged = (Block, Shapes);

#[napi]
impl NativeStore {
    /// Dense: records in a new array, and the shape of the batch.
    ///
    /// # Errors
    /// `index_out_of_range`, a fault of the data, …
    #[napi(
        ts_args_type = "index: RawIndex, stop?: NativeStop | null",
        ts_return_type = "Promise<{ bytes: Uint8Array; shape: Float64Array }>"
    )]
    pub fn gather_dense(
        &self,
        index: Unknown<'_>,
        stop: Option<&NativeStop>,
    ) -> napi::Result<AsyncTask<Job<Dense>>> {
        let (index, watch, turn) =
            now(|| Ok((index_of(index)?, Watch::new(stop, None)?, self.handle.together()?)))?;
        let gather = move || {
            turn.read(|held| {
                let store = held.dense()?;
                let wanted = Wanted::of(store, &index)?;
                let mut block = Block::new(wanted.bytes)?;
                wanted.read(store, &mut block, &watch)?;
                Ok((block, wanted.shape(store)))
            })
        };
        Ok(later(gather, |env, (block, shape)| {
            values::dense(env, lend(env, block)?, &shape)?.into_unknown(env)
        }))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `gatherDense`.
    #[napi(ts_args_type = "index: RawIndex", ts_return_type = "{ bytes: Uint8Array; shape: Float64Array }")]
    pub fn gather_dense_sync<'e>(&self, env: &'e Env, index: Unknown<'_>) -> napi::Result<Object<'e>> {
        let (bytes, shape) = now(|| {
            let index = index_of(index)?;
            self.handle.together()?.read(|held| {
                let store = held.dense()?;
                let wanted = Wanted::of(store, &index)?;
                let bytes = filled_now(env, wanted.bytes, |out| wanted.read(store, out, &Watch::default()));
                Ok((bytes, wanted.shape(store)))
            })
        })?;
        values::dense(env, bytes?, &shape)
    }

    /// Dense: records into an array of exactly their size. What it holds after an error is not said.
    ///
    /// # Errors
    /// As `gatherDense`; `buffer_size`; `invalid_argument` where the array is detached, or another call fills it.
    #[napi(
        ts_args_type = "index: RawIndex, target: Uint8Array, stop?: NativeStop | null",
        ts_return_type = "Promise<void>"
    )]
    pub fn gather_dense_into(
        &self,
        index: Unknown<'_>,
        target: Unknown<'_>,
        stop: Option<&NativeStop>,
    ) -> napi::Result<AsyncTask<Job<Filled>>> {
        let (index, watch, target, turn) = now(|| {
            let (index, watch) = (index_of(index)?, Watch::new(stop, None)?);
            Ok((index, watch, Given::of(&target)?.filled_later()?, self.handle.together()?))
        })?;
        let gather = move || {
            turn.read(|held| {
                let store = held.dense()?;
                let wanted = Wanted::of(store, &index)?;
                wanted.check(target.len())?;
                target.fill(|out| wanted.read(store, out, &watch))
            })
        };
        Ok(later(gather, |env, filled: Filled| value(env, filled.deliver(env).map_err(thrown)?)))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `gatherDenseInto`.
    #[napi(ts_args_type = "index: RawIndex, target: Uint8Array")]
    pub fn gather_dense_into_sync(&self, index: Unknown<'_>, target: Unknown<'_>) -> napi::Result<()> {
        now(|| {
            let (index, target) = (index_of(index)?, Given::of(&target)?);
            self.handle.together()?.read(|held| {
                let store = held.dense()?;
                let wanted = Wanted::of(store, &index)?;
                wanted.check(target.len())?;
                target.fill(|out| wanted.read(store, out, &Watch::default()))
            })
        })
    }

    /// Ragged: packed values, offsets in elements, and shapes.
    ///
    /// # Errors
    /// As `gatherDense`.
    #[napi(
        ts_args_type = "index: RawIndex, stop?: NativeStop | null",
        ts_return_type = "Promise<{ bytes: Uint8Array; offsets: Float64Array; extents: Float64Array; ranks: Uint8Array }>"
    )]
    pub fn gather_ragged(
        &self,
        index: Unknown<'_>,
        stop: Option<&NativeStop>,
    ) -> napi::Result<AsyncTask<Job<Ragged>>> {
        let (index, watch, turn) =
            now(|| Ok((index_of(index)?, Watch::new(stop, None)?, self.handle.together()?)))?;
        let facts = self.facts.clone();
        let gather = move || {
            turn.read(|held| {
                watch.check()?;
                ragged(held, &index, &facts)
            })
        };
        Ok(later(gather, |env, (block, shapes)| {
            values::ragged(env, lend(env, block)?, &shapes)?.into_unknown(env)
        }))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `gatherRagged`.
    #[napi(
        ts_args_type = "index: RawIndex",
        ts_return_type = "{ bytes: Uint8Array; offsets: Float64Array; extents: Float64Array; ranks: Uint8Array }"
    )]
    pub fn gather_ragged_sync<'e>(&self, env: &'e Env, index: Unknown<'_>) -> napi::Result<Object<'e>> {
        let (block, shapes) = now(|| {
            let index = index_of(index)?;
            self.handle.together()?.read(|held| ragged(held, &index, &self.facts))
        })?;
        values::ragged(env, lend_now(env, block)?, &shapes)
    }
}

/// Records of a dense store, and how much memory they take.
struct Wanted<'i> {
    records: Cow<'i, [u64]>,
    bytes: u64,
}

impl<'i> Wanted<'i> {
    fn of(store: &DenseStore, index: &'i Index<'_>) -> Result<Self> {
        let records = index.resolve(store.len())?;
        let bytes = (records.len() as u64).checked_mul(store.record_bytes()).ok_or_else(|| {
            Error::new(Code::TooLarge, "the records together exceed 64 bits; ask for fewer at once")
        })?;
        Ok(Wanted { records, bytes })
    }

    fn check(&self, len: usize) -> Result<()> {
        if len as u64 == self.bytes {
            return Ok(());
        }
        let text = format!("the array has {len} bytes, {} records need {}", self.records.len(), self.bytes);
        Err(Error::new(Code::BufferSize, text))
    }

    /// Reads them into `out`, which has the right size. Work that may be stopped is done in portions.
    fn read(&self, store: &DenseStore, out: &mut [u8], watch: &Watch) -> Result<()> {
        const PORTION: u64 = 64 << 20;
        watch.check()?;
        let width = store.record_bytes();
        let records = usize::try_from(PORTION / width.max(1)).unwrap_or(usize::MAX).max(1);
        if !watch.may_stop() || self.records.len() <= records {
            return store.gather_into(&*self.records, out);
        }
        let bytes = usize::try_from(width).unwrap_or(usize::MAX).saturating_mul(records);
        for (records, out) in self.records.chunks(records).zip(out.chunks_mut(bytes)) {
            watch.check()?;
            store.gather_into(records, out)?;
        }
        Ok(())
    }

    fn shape(&self, store: &DenseStore) -> Vec<u64> {
        let mut shape = vec![self.records.len() as u64];
        shape.extend_from_slice(store.item_shape().dims());
        shape
    }
}

fn ragged(held: &Held, index: &Index<'_>, facts: &Facts) -> Result<Ragged> {
    let store = held.ragged()?;
    let mut batch = RaggedBatch::new(store.dtype().clone());
    batch.take_bytes(Block::new(facts.batch_bytes.load(Ordering::Relaxed))?.into_buffer());
    store.gather_batch(index.clone(), &mut batch)?;
    let bytes = batch.as_bytes().len() as u64;
    facts.batch_bytes.store(bytes + bytes / 16, Ordering::Relaxed);
    let ranks = batch.shape_offsets().windows(2).map(|ends| match *ends {
        [start, end] => u8::try_from(end - start).unwrap_or(u8::MAX),
        _ => 0,
    });
    let shapes = Shapes {
        ranks: ranks.collect(),
        offsets: batch.offsets().to_vec(),
        extents: batch.shapes().to_vec(),
    };
    Ok((Block::of(batch.take_bytes(Buffer::new())), shapes))
}
