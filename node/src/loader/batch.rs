//! A batch on its way to JavaScript.

use napi::bindgen_prelude::{Array, BigInt, Null, Object, Unknown};
use napi::{Env, JsValue as _};
use recask::core::buffer::Buffer;
use recask::loader::{Batch, Loss, StreamBatch};
use recask::{RaggedBatch, Result};

use crate::error::Fault;
use crate::memory::Block;
use crate::numbers::count;
use crate::selection::{Values, shown as columns_shown};
use crate::values::{self, Shapes, longs, value};

/// The records of a step, in memory of the pool.
#[derive(Debug)]
pub(super) struct Made {
    indices: Vec<u64>,
    streams: Vec<(String, Stream)>,
}

#[derive(Debug)]
enum Stream {
    Dense { dtype: String, shape: Vec<u64>, bytes: Block },
    Ragged { dtype: String, shapes: Shapes, bytes: Block },
    Table { rows: u64, columns: Vec<Values> },
}

/// What a call for the next batch gives.
#[derive(Debug)]
pub struct Delivered {
    pub(super) step: u64,
    pub(super) made: Made,
    pub(super) losses: Vec<Fault>,
}

/// Takes the values out of a batch, on the thread that read it, and leaves it other memory for a later one.
pub(super) fn made(mut batch: Batch) -> Result<Made> {
    let streams = batch.streams_mut().map(|(name, stream)| {
        let stream = match stream {
            StreamBatch::Dense(batch) => {
                let (dtype, shape) = (batch.dtype().to_string(), batch.shape().to_vec());
                let memory = memory_like(batch.as_bytes());
                Stream::Dense { dtype, shape, bytes: Block::of(batch.take_bytes(memory)) }
            }
            StreamBatch::Ragged(batch) => {
                let (dtype, shapes) = (batch.dtype().to_string(), shapes_of(batch));
                let memory = memory_like(batch.as_bytes());
                Stream::Ragged { dtype, shapes, bytes: Block::of(batch.take_bytes(memory)) }
            }
            StreamBatch::Table(columns) => {
                let rows = columns.rows() as u64;
                let columns = columns.columns_mut().map(|column| {
                    let (name, dtype) = (column.name().to_owned(), column.dtype().to_string());
                    let memory = memory_like(column.as_bytes());
                    Values { name, dtype, bytes: Block::of(column.take_bytes(memory)) }
                });
                Stream::Table { rows, columns: columns.collect() }
            }
        };
        (name.to_owned(), stream)
    });
    let streams = streams.collect();
    Ok(Made { indices: batch.indices().to_vec(), streams })
}

/// Warm memory of about this size; batches of lists differ a little. Where there is none, the reading takes its own.
fn memory_like(bytes: &[u8]) -> Buffer {
    let len = bytes.len() as u64;
    Block::new(len + len / 16).map(Block::into_buffer).unwrap_or_default()
}

fn shapes_of(batch: &RaggedBatch) -> Shapes {
    let rank = |ends: &[u64]| match *ends {
        [start, end] => u8::try_from(end - start).unwrap_or(u8::MAX),
        _ => 0,
    };
    Shapes {
        ranks: batch.shape_offsets().windows(2).map(rank).collect(),
        offsets: batch.offsets().to_vec(),
        extents: batch.shapes().to_vec(),
    }
}

/// A batch as JavaScript has it, its memory lent as the call does it; `null` behind the end.
pub(super) fn shown<'e>(
    env: &'e Env,
    delivered: Option<Delivered>,
    lend: impl Fn(&'e Env, Block) -> napi::Result<Unknown<'e>> + Copy,
) -> napi::Result<Unknown<'e>> {
    let Some(Delivered { step, made, losses }) = delivered else {
        return value(env, Null);
    };
    let mut streams = Array::from_vec::<Object<'_>>(env, Vec::new())?;
    for (name, stream) in made.streams {
        let mut object = match stream {
            Stream::Dense { dtype, shape, bytes } => {
                of_kind(values::dense(env, lend(env, bytes)?, &shape)?, "dense", dtype)?
            }
            Stream::Ragged { dtype, shapes, bytes } => {
                of_kind(values::ragged(env, lend(env, bytes)?, &shapes)?, "ragged", dtype)?
            }
            Stream::Table { rows, columns } => {
                let mut object = Object::new(env)?;
                object.set("kind", "table")?;
                object.set("length", count(rows))?;
                object.set("columns", columns_shown(env, columns, lend)?)?;
                object
            }
        };
        object.set("name", name)?;
        streams.insert(object)?;
    }
    let mut object = Object::new(env)?;
    object.set("step", BigInt::from(step))?;
    object.set("indices", longs(env, &made.indices)?)?;
    object.set("streams", streams)?;
    object.set("losses", losses)?;
    Ok(object.to_unknown())
}

fn of_kind<'e>(mut object: Object<'e>, kind: &str, dtype: String) -> napi::Result<Object<'e>> {
    object.set("kind", kind)?;
    object.set("dtype", dtype)?;
    Ok(object)
}

/// A record that was left out, as a fault of its stream at its step.
pub(super) fn lost(loss: &Loss) -> Fault {
    Fault {
        stream: Some(loss.stream.clone()),
        record: Some(count(loss.record)),
        step: Some(BigInt::from(loss.step)),
        ..Fault::from(&loss.error)
    }
}
