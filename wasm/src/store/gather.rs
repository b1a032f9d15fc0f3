//! Reading batches.

use std::cell::RefCell;

use js_sys::{Object, Uint8Array};
use recask_core::loader::Stream;
use recask_core::{AnyStore, Code, DType, DenseBatch, DenseStore, Error, RaggedBatch, RaggedStore, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Held, RawStore, closed};
use crate::answer::Fallible;
use crate::environment::Web;
use crate::index::index_of;
use crate::values;

/// Memory that the next batch uses again, where it is not much.
#[derive(Default)]
pub(super) struct Scratch(RefCell<Option<DenseBatch>>);

impl Scratch {
    /// What is kept between calls at most.
    const MOST: usize = 64 << 20;

    fn take(&self, dtype: &DType) -> DenseBatch {
        self.0.borrow_mut().take().unwrap_or_else(|| DenseBatch::new(dtype.clone()))
    }

    fn put(&self, batch: DenseBatch) {
        if batch.as_bytes().len() <= Self::MOST {
            *self.0.borrow_mut() = Some(batch);
        }
    }
}

#[wasm_bindgen]
impl RawStore {
    /// Dense: records in a new array, and the shape of the batch.
    #[wasm_bindgen(js_name = gatherDense)]
    pub fn gather_dense(&self, index: &JsValue) -> Fallible<Object> {
        self.with_dense(index, |batch| Ok(values::dense(batch)))
    }

    /// Dense: records into an array of exactly their size.
    #[wasm_bindgen(js_name = gatherDenseInto)]
    pub fn gather_dense_into(&self, index: &JsValue, target: &Uint8Array) -> Fallible<()> {
        self.with_dense(index, |batch| {
            let (wanted, given) = (batch.as_bytes().len(), target.length() as usize);
            if wanted != given {
                let text = format!("the array has {given} bytes, the records {wanted}");
                return Err(Error::new(Code::BufferSize, text));
            }
            target.copy_from(batch.as_bytes());
            Ok(())
        })
    }

    /// Ragged: packed values, offsets and shapes.
    #[wasm_bindgen(js_name = gatherRagged)]
    pub fn gather_ragged(&self, index: &JsValue) -> Fallible<Object> {
        let gathered = (|| {
            let (store, records) = (self.ragged()?, self.records(index)?);
            self.bring(&records)?;
            let mut batch = RaggedBatch::new(store.dtype().clone());
            store.gather_batch(&records, &mut batch)?;
            Ok(values::ragged(&batch))
        })();
        self.answer(gathered)
    }
}

impl RawStore {
    fn with_dense<T>(&self, index: &JsValue, take: impl FnOnce(&DenseBatch) -> Result<T>) -> Fallible<T> {
        let taken = (|| {
            let (store, records) = (self.dense()?, self.records(index)?);
            self.bring(&records)?;
            let mut batch = self.scratch.take(store.dtype());
            let gathered = store.gather_batch(&records, &mut batch).and_then(|()| take(&batch));
            self.scratch.put(batch);
            gathered
        })();
        self.answer(taken)
    }

    pub(super) fn records(&self, index: &JsValue) -> Result<Vec<u64>> {
        let len = self.try_engine()?.len();
        Ok(index_of(index)?.resolve(len)?.into_owned())
    }

    pub(super) fn dense(&self) -> Result<&DenseStore<Web>> {
        match &self.held {
            Held::Reader(Stream::Dense(store)) => return Ok(store),
            Held::Writer(store) => {
                if let AnyStore::Dense(store) = &**store {
                    return Ok(store);
                }
            }
            Held::Closed => return Err(closed()),
            Held::Reader(_) => {}
        }
        Err(Error::new(Code::KindMismatch, "this is a ragged store, not a dense one"))
    }

    pub(super) fn ragged(&self) -> Result<&RaggedStore<Web>> {
        match &self.held {
            Held::Reader(Stream::Ragged(store)) => return Ok(store),
            Held::Writer(store) => {
                if let AnyStore::Ragged(store) = &**store {
                    return Ok(store);
                }
            }
            Held::Closed => return Err(closed()),
            Held::Reader(_) => {}
        }
        Err(Error::new(Code::KindMismatch, "this is a dense store, not a ragged one"))
    }
}
