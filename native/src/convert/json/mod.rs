//! JSON lines: one object a line, each field a stream.
//!
//! A first pass finds the type of every field, a second one copies: sources are files, so both see the same.

mod encode;
mod lines;
mod scan;

use std::path::Path;

use recask_core::codec::dictionary::sample_positions;
use recask_core::{DType, Result};
use serde_json::Value;

use self::encode::Encoder;
pub(super) use self::lines::Lines;
pub(super) use self::scan::{Field, FieldType, scan};
use super::array::WINDOW;
use super::problem::{Site, invalid_argument};
use super::ragged::Pending;
use super::reading::Meter;
use crate::{AnyStore, Progress, Samples, Tier};

/// Lines that are appended at once.
const MOST_LINES: u64 = 1 << 16;

/// A store that takes one field.
pub(super) struct Sink<'s> {
    field: String,
    store: &'s mut AnyStore,
    encoder: Encoder,
    dense: Vec<u8>,
    ragged: Pending,
}

impl<'s> Sink<'s> {
    pub(super) fn new(field: String, store: &'s mut AnyStore) -> Self {
        let encoder = Encoder::new(store.dtype().clone());
        Sink { field, store, encoder, dense: Vec::new(), ragged: Pending::default() }
    }

    fn push(&mut self, value: &Value) -> Result<(), String> {
        self.encoder.encode(value)?;
        let (shape, bytes) = (self.encoder.shape(), self.encoder.bytes());
        match self.store.item_shape() {
            None => self.ragged.push(shape, bytes),
            Some(item) if item.dims() == shape => self.dense.extend_from_slice(bytes),
            Some(item) => {
                let given = recask_core::Shape::from(shape);
                return Err(format!("has the shape {given}, but the store has records of shape {item}"));
            }
        }
        Ok(())
    }

    fn pending_bytes(&self) -> usize {
        self.dense.len() + self.ragged.bytes()
    }

    fn flush(&mut self) -> Result<()> {
        match &mut *self.store {
            AnyStore::Ragged(store) => self.ragged.flush(store)?,
            AnyStore::Dense(_) if self.dense.is_empty() => {}
            AnyStore::Dense(store) => {
                store.append_bytes(&self.dense)?;
                self.dense.clear();
            }
        }
        Ok(())
    }
}

/// Appends the fields of every line to their stores.
pub(super) fn copy(source: &Path, sinks: &mut [Sink<'_>], progress: &dyn Progress) -> Result<u64> {
    let mut lines = Lines::open(source, Meter::default())?;
    let mut count = 0u64;
    while let Some(object) = lines.next(progress)? {
        let mut bytes = 0;
        for sink in &mut *sinks {
            let value = lines.field(&object, &sink.field)?;
            sink.push(value).map_err(|reason| lines.wrong(&sink.field, &reason))?;
            bytes += sink.pending_bytes();
        }
        count += 1;
        if bytes as u64 >= WINDOW || count.is_multiple_of(MOST_LINES) {
            lines.report(progress)?;
            sinks.iter_mut().try_for_each(Sink::flush)?;
        }
    }
    lines.report(progress)?;
    sinks.iter_mut().try_for_each(Sink::flush)?;
    Ok(count)
}

/// The records of each field that its dictionary is trained from: evenly spread.
pub(super) fn samples(
    source: &Path,
    fields: &[Field],
    tier: Tier,
    progress: &dyn Progress,
) -> Result<Vec<Samples>> {
    struct Sampler<'f> {
        field: &'f Field,
        wanted: std::iter::Peekable<std::vec::IntoIter<u64>>,
        encoder: Encoder,
        samples: Samples,
    }
    let mut samplers = Vec::with_capacity(fields.len());
    for field in fields {
        if field.records == 0 {
            let text = format!("{} has no lines to train a dictionary from", source.display());
            return Err(invalid_argument(text));
        }
        samplers.push(Sampler {
            field,
            wanted: sample_positions(field.records, field.bytes / field.records, tier).into_iter().peekable(),
            encoder: Encoder::new(field.kind.dtype().clone()),
            samples: Samples::new(),
        });
    }
    let mut lines = Lines::open(source, Meter::default())?;
    let mut position = 0;
    while let Some(object) = lines.next(&Unwatched(progress))? {
        for sampler in &mut samplers {
            if sampler.wanted.next_if_eq(&position).is_some() {
                let name = &sampler.field.name;
                let value = lines.field(&object, name)?;
                sampler.encoder.encode(value).map_err(|reason| lines.wrong(name, &reason))?;
                sampler.samples.push(sampler.encoder.bytes());
            }
        }
        position += 1;
    }
    Ok(samplers.into_iter().map(|sampler| sampler.samples).collect())
}

/// Can stop the work, but counts nothing.
struct Unwatched<'p>(&'p dyn Progress);

impl Progress for Unwatched<'_> {
    fn proceed(&self) -> bool {
        self.0.proceed()
    }
}

/// The field of a source that belongs to the stream `name`: the only one, or the one of that name.
pub(super) fn field_for(source: &Path, name: &str) -> Result<String> {
    let mut lines = Lines::open(source, Meter::default())?;
    let Some(object) = lines.next(&())? else {
        return Ok(name.to_owned());
    };
    let mut keys = object.keys();
    match (keys.next(), keys.next()) {
        (Some(only), None) => Ok(only.clone()),
        _ if object.contains_key(name) => Ok(name.to_owned()),
        _ => Err(Site::file(source).invalid(format_args!(
            "there are several fields, and none is named {name:?} as the store is; rename one, or import them all"
        ))),
    }
}

impl FieldType {
    pub(super) fn dtype(&self) -> &DType {
        const TEXT: &DType = &DType::U8;
        match self {
            FieldType::Scalar(dtype) | FieldType::List(dtype) => dtype,
            FieldType::Text => TEXT,
        }
    }
}
