//! Batches of several streams.

use std::cell::RefCell;
use std::sync::Arc;

use js_sys::{Array, BigInt, BigUint64Array, Object};
use recask_core::loader::{Batch, Cursor, Feed, Identity, Loss, OnLoss, State, Stream, StreamBatch};
use recask_core::sampler::Steps;
use recask_core::{Code, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, answer, fault, fault_object, object, set};
use crate::environment::Web;
use crate::fetched::{Files, coalescing};
use crate::sampler::{RawSampler, unknown_policy};
use crate::selection::{self, RawSelection};
use crate::store::{RawStore, bring};
use crate::values;

/// Named streams.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawStreams {
    streams: Vec<(String, Stream<Web>, Vec<Arc<Files>>)>,
}

#[wasm_bindgen]
impl RawStreams {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        RawStreams::default()
    }

    /// Adds a store that was opened for reading.
    #[wasm_bindgen(js_name = addStore)]
    pub fn add_store(&mut self, name: String, store: &RawStore) -> Fallible<()> {
        let (stream, files) = store.stream().map_err(|error| fault(&error.in_stream(name.clone())))?;
        self.streams.push((name, stream, vec![files]));
        Ok(())
    }

    /// Adds rows of a table.
    #[wasm_bindgen(js_name = addSelection)]
    pub fn add_selection(&mut self, name: String, selection: &RawSelection) {
        let stream = Stream::Table(selection.selection().clone());
        self.streams.push((name, stream, selection.places().to_vec()));
    }
}

/// Streams and their order.
#[wasm_bindgen]
pub struct RawFeed {
    feed: Feed<Web>,
    /// The files of each stream.
    places: Vec<Vec<Arc<Files>>>,
    /// All of them.
    all: Vec<Arc<Files>>,
    on_loss: OnLoss,
    working: RefCell<Working>,
}

/// What is used again from step to step.
struct Working {
    batch: Batch,
    draws: Option<Steps>,
}

/// Brings streams and an order together. The length of a state that the order comes from is compared here, for no order
/// over other records could be.
#[wasm_bindgen]
pub fn feed(
    streams: &RawStreams,
    sampler: &RawSampler,
    on_loss: &str,
    state: Option<String>,
) -> Fallible<RawFeed> {
    if let (Some(state), Some((_, stream, _))) = (state, streams.streams.first()) {
        let same_length = state.parse::<State>().and_then(|state| state.check(stream.len(), state.streams()));
        same_length.map_err(|error| fault(&error))?;
    }
    let on_loss = match on_loss {
        "fail" => OnLoss::Fail,
        "skip_records" => OnLoss::SkipRecords,
        "skip_steps" => OnLoss::SkipSteps,
        other => return Err(fault(&unknown_policy(other))),
    };
    let named = streams.streams.iter().map(|(name, stream, _)| (name.clone(), stream.clone()));
    let feed = Feed::new(named, sampler.sampler().clone()).map_err(|error| fault(&error))?;
    let places: Vec<_> = streams.streams.iter().map(|(_, _, places)| places.clone()).collect();
    let working = RefCell::new(Working { batch: feed.new_batch(), draws: feed.draws() });
    Ok(RawFeed { all: places.iter().flatten().cloned().collect(), feed, places, on_loss, working })
}

#[wasm_bindgen]
impl RawFeed {
    /// The state of a run whose next step is `step`, and that delivered those of `done` too.
    pub fn state(&self, step: u64, done: &BigUint64Array) -> Fallible<String> {
        let cursor = Cursor::new(step, done.to_vec());
        let identities = self.identities();
        let identities = answer(&self.all, identities)?;
        Ok(State::new(self.feed.sampler(), &cursor, &identities).to_string())
    }

    /// Refuses a state of other data.
    pub fn check(&self, state: &str) -> Fallible<()> {
        let checked = state
            .parse::<State>()
            .and_then(|state| state.check(self.feed.sampler().length(), &self.identities()?));
        answer(&self.all, checked)
    }

    /// The batch of a step; `undefined` where it is left out.
    pub fn fill(&self, step: u64) -> Fallible<Option<Object>> {
        let mut losses = Vec::new();
        let mut working = self.working.borrow_mut();
        let Working { batch, draws } = &mut *working;
        let filled = (|| {
            self.feed.draw(step, draws.as_mut(), batch)?;
            self.bring(batch.indices()).map_err(|error| error.at_step(step))?;
            self.feed.fill_surviving(step, self.on_loss, batch, &mut losses)
        })();
        let is_whole = answer(&self.all, filled)?;
        let found = is_whole.then(|| batch_of(batch));
        Ok(match (found, losses.is_empty()) {
            (None, true) => None,
            (found, _) => {
                let found = found.unwrap_or_else(Object::new);
                set(&found, "losses", &losses.iter().map(loss_of).collect::<Array>());
                Some(found)
            }
        })
    }

    /// The order.
    pub fn sampler(&self) -> RawSampler {
        RawSampler::new(self.feed.sampler().clone())
    }
}

impl RawFeed {
    fn identities(&self) -> Result<Vec<Identity>> {
        let sampled: Vec<u64> = Identity::sampled(self.feed.sampler().length()).collect();
        self.bring(&sampled)?;
        self.feed.identities(self.on_loss)
    }

    /// Makes sure that records of all streams are here: the rounds of all streams go together.
    fn bring(&self, records: &[u64]) -> Result<()> {
        let mut missing = None;
        for ((name, stream), places) in self.feed.streams().zip(&self.places) {
            let brought = match (stream, places.first()) {
                (Stream::Dense(store), Some(files)) => bring(store.store(), files, records).map(drop),
                (Stream::Ragged(store), Some(files)) => bring(store.store(), files, records).map(drop),
                (Stream::Table(rows), _) => rows
                    .clone()
                    .rows(records)
                    .and_then(|rows| rows.reads(coalescing()))
                    .and_then(|reads| selection::bring(places, reads)),
                (_, None) => Ok(()),
            };
            match brought.map_err(|error| error.in_stream(name.to_owned())) {
                Ok(()) => {}
                Err(error) if error.code() == Code::NotFetched => missing = Some(error),
                Err(error) => return Err(error),
            }
        }
        missing.map_or(Ok(()), Err)
    }
}

fn batch_of(batch: &Batch) -> Object {
    let streams: Array = batch
        .streams()
        .map(|(name, stream)| match stream {
            StreamBatch::Dense(batch) => {
                let values = values::dense(batch);
                set(&values, "dtype", &JsValue::from(batch.dtype().to_string()));
                values::with_kind(values, name, "dense")
            }
            StreamBatch::Ragged(batch) => {
                let values = values::ragged(batch);
                set(&values, "dtype", &JsValue::from(batch.dtype().to_string()));
                values::with_kind(values, name, "ragged")
            }
            StreamBatch::Table(columns) => {
                let data: Vec<_> = columns.iter().cloned().collect();
                values::with_kind(values::table(&data, columns.rows()), name, "table")
            }
        })
        .collect();
    object([("indices", BigUint64Array::from(batch.indices()).into()), ("streams", streams.into())])
}

fn loss_of(loss: &Loss) -> Object {
    let fault = fault_object(&loss.error);
    set(&fault, "stream", &JsValue::from(loss.stream.as_str()));
    set(&fault, "record", &crate::numbers::number(loss.record));
    set(&fault, "step", &BigInt::from(loss.step).into());
    fault
}
