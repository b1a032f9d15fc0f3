//! Cases of loaders: the batches of a feed, without the threads that a door may put around it.

use recask_core::environment::Environment;
use recask_core::loader::{Batch, Feed, Loss, OnLoss, Stream, StreamBatch};
use recask_core::sampler::{Mode, Sampler};
use recask_core::store::OpenOptions;
use recask_core::table::Table;
use recask_core::{Error, Result};

use super::reads::open_as;
use super::tables::shown;
use super::{Checked, same, settle};
use crate::cases::{Integer, LoadBatch, LoadCase, LoadStream, LostRecord, StreamValues, WhenLost};
use crate::door::Door;
use crate::folder::{golden, sha256};

/// Each batch into the memory of the one before, with draws that go on; and, unless losses are passed over, into new memory,
/// with the step alone.
pub(super) fn load<D: Door>(door: &D, case: &LoadCase) -> Checked {
    let feed = match feed(door, case) {
        Ok(feed) => feed,
        Err(error) => return settle(Err::<(), _>(error), &case.expect, |(), _| Ok(())),
    };
    settle(one_after_the_other(&feed, case), &case.expect, |(batches, losses), wanted| {
        same("batches in used memory", &batches, &wanted.batches)?;
        let mut wanted = wanted.losses.clone();
        wanted.sort();
        same("losses", &losses, &wanted)
    })?;
    if case.on_loss != WhenLost::Fail {
        return Ok(());
    }
    let alone = case.steps.iter().map(|step| at(&feed, step.0).map(Some)).collect();
    settle(alone, &case.expect, |batches: Vec<_>, wanted| same("batches", &batches, &wanted.batches))
}

fn feed<D: Door>(door: &D, case: &LoadCase) -> Result<Feed<D::Environment>> {
    let streams = all_opened(door, &case.streams)?;
    let mode: Mode = case.mode.parse()?;
    // Without a stream there is no length; any will do to be told so.
    let length = streams.first().map_or(1, |(_, stream)| stream.len());
    let order = Sampler::builder(mode, length, case.batch).seed(case.seed.0);
    Feed::new(streams, order.shard(case.rank, case.world).build()?)
}

pub(super) fn all_opened<D: Door>(
    door: &D,
    streams: &[LoadStream],
) -> Result<Vec<(String, Stream<D::Environment>)>> {
    streams.iter().map(|stream| opened(door, stream)).collect()
}

fn opened<D: Door>(door: &D, stream: &LoadStream) -> Result<(String, Stream<D::Environment>)> {
    match stream {
        LoadStream::Store { name, store, kind } => {
            let store = open_as(door.original(&golden(store)), *kind, &OpenOptions::default())?;
            Ok((name.clone(), store.into()))
        }
        LoadStream::Table { name, table, columns, index } => {
            let mut rows = Table::<D::Environment>::open(door.table(&golden(table)))?.all();
            if let Some(columns) = columns {
                rows = rows.select(columns)?;
            }
            if let Some(index) = index {
                rows = rows.rows(index.0.clone())?;
            }
            Ok((name.clone(), rows.into()))
        }
    }
}

fn at<E: Environment>(feed: &Feed<E>, step: u64) -> Result<LoadBatch, Error> {
    let mut batch = feed.new_batch();
    feed.fill(step, &mut batch)?;
    Ok(seen(&batch, step))
}

fn one_after_the_other<E: Environment>(
    feed: &Feed<E>,
    case: &LoadCase,
) -> Result<(Vec<Option<LoadBatch>>, Vec<LostRecord>)> {
    let on_loss = policy(case.on_loss);
    let (mut draws, mut batch, mut losses) = (feed.draws(), feed.new_batch(), Vec::new());
    let mut batches = Vec::new();
    for step in &case.steps {
        feed.draw(step.0, draws.as_mut(), &mut batch)?;
        let complete = feed.fill_surviving(step.0, on_loss, &mut batch, &mut losses)?;
        batches.push(complete.then(|| seen(&batch, step.0)));
    }
    let mut losses: Vec<LostRecord> = losses.iter().map(lost).collect();
    losses.sort();
    Ok((batches, losses))
}

pub(super) fn policy(when_lost: WhenLost) -> OnLoss {
    match when_lost {
        WhenLost::Fail => OnLoss::Fail,
        WhenLost::SkipRecords => OnLoss::SkipRecords,
        WhenLost::SkipSteps => OnLoss::SkipSteps,
    }
}

/// A loss as cases describe it. It must agree with its own error.
fn lost(loss: &Loss) -> LostRecord {
    let Loss { step, stream, record, error } = loss;
    let named = (error.step(), error.stream(), error.record());
    assert_eq!(named, (Some(*step), Some(&**stream), Some(*record)), "the error is about another record");
    LostRecord {
        step: Integer(*step),
        stream: stream.clone(),
        record: *record,
        code: error.code().to_string(),
    }
}

/// A batch as cases describe it. It must agree with itself about its step, its size and its names.
fn seen(batch: &Batch, step: u64) -> LoadBatch {
    assert_eq!(batch.step(), step, "the batch is of another step");
    let streams = batch.streams().map(|(name, values)| {
        assert_eq!(batch.stream(name).ok(), Some(values), "the stream is another one by its name");
        values_of(name.into(), values)
    });
    LoadBatch { indices: batch.indices().to_vec(), streams: streams.collect() }
}

fn values_of(name: String, values: &StreamBatch) -> StreamValues {
    match values {
        StreamBatch::Dense(batch) => {
            StreamValues::Dense { name, shape: batch.shape().to_vec(), sha256: sha256(batch.as_bytes()) }
        }
        StreamBatch::Ragged(batch) => StreamValues::Ragged {
            name,
            offsets: batch.offsets().to_vec(),
            shapes: batch.records().map(|record| record.shape.to_vec()).collect(),
            sha256: sha256(batch.as_bytes()),
        },
        StreamBatch::Table(columns) => {
            StreamValues::Table { name, rows: columns.rows(), columns: columns.iter().map(shown).collect() }
        }
    }
}
