//! What the engine's tests share: small stores of either kind, seeded records, and what a store should hold.
#![allow(dead_code, reason = "every test binary uses its own part of the support")]

pub(crate) mod loaderx;
pub(crate) mod random;
pub(crate) mod script;

use recask_core::codec::Codec;
use recask_core::dtype::DType;
use recask_core::environment::Environment;
use recask_core::format::zrecord::Geometry;
use recask_core::store::{OpenOptions, Stats, Verification};
use recask_core::{DenseStore, Index, RaggedStore, Result};

use self::random::Random;

/// One record as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) shape: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Records of so many bytes.
    Dense(u64),
    /// Records of 16-bit integers in shapes of up to three extents.
    Ragged,
}

/// A kind of store.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) kind: Kind,
    pub(crate) codec: Codec,
    pub(crate) geometry: Geometry,
}

/// Chunks and segments so small that a few records reach every edge, and compaction that moves little at once.
pub(crate) const TINY: Geometry =
    Geometry { chunk_bytes: 150, segment_entries: 3, record_bytes: 120, move_bytes: 40 };

impl Setup {
    pub(crate) fn new(kind: Kind, codec: Codec) -> Self {
        Setup { kind, codec, geometry: Geometry::FORMAT }
    }

    pub(crate) fn tiny(self) -> Self {
        Setup { geometry: TINY, ..self }
    }

    pub(crate) fn create<E: Environment>(&self, place: E::Place) -> Result<Handle<E>> {
        let (codec, geometry) = (self.codec.clone(), self.geometry);
        match self.kind {
            Kind::Dense(width) => DenseStore::builder(DType::U8, [width])
                .codec(codec)
                .geometry(geometry)
                .create(place)
                .map(Handle::Dense),
            Kind::Ragged => {
                RaggedStore::builder(i16()).codec(codec).geometry(geometry).create(place).map(Handle::Ragged)
            }
        }
    }

    pub(crate) fn open<E: Environment>(&self, place: E::Place) -> Result<Handle<E>> {
        self.open_as(place, false)
    }

    pub(crate) fn open_for_writing<E: Environment>(&self, place: E::Place) -> Result<Handle<E>> {
        self.open_as(place, true)
    }

    fn open_as<E: Environment>(&self, place: E::Place, write: bool) -> Result<Handle<E>> {
        let options = OpenOptions { write, geometry: self.geometry, ..OpenOptions::default() };
        match self.kind {
            Kind::Dense(_) => DenseStore::open_with(place, &options).map(Handle::Dense),
            Kind::Ragged => RaggedStore::open_with(place, &options).map(Handle::Ragged),
        }
    }

    pub(crate) fn record(&self, random: &mut Random) -> Record {
        match self.kind {
            Kind::Dense(width) => Record { shape: vec![width], bytes: random.bytes(width) },
            Kind::Ragged => {
                let shape: Vec<u64> = (0..random.below(4)).map(|_| 1 + random.below(3)).collect();
                let bytes = random.bytes(2 * shape.iter().product::<u64>());
                Record { shape, bytes }
            }
        }
    }

    pub(crate) fn records(&self, random: &mut Random, count: u64) -> Vec<Record> {
        (0..count).map(|_| self.record(random)).collect()
    }
}

fn i16() -> DType {
    DType::parse("<i2").unwrap()
}

/// A store of either kind.
pub(crate) enum Handle<E: Environment> {
    Dense(DenseStore<E>),
    Ragged(RaggedStore<E>),
}

macro_rules! either {
    ($self:expr, $store:ident => $call:expr) => {
        match $self {
            Handle::Dense($store) => $call,
            Handle::Ragged($store) => $call,
        }
    };
}

impl<E: Environment> Handle<E> {
    pub(crate) fn len(&self) -> u64 {
        either!(self, store => store.len())
    }

    pub(crate) fn append(&mut self, records: &[Record]) -> Result<u64> {
        match self {
            Handle::Dense(store) => {
                let bytes: Vec<u8> = records.iter().flat_map(|record| record.bytes.clone()).collect();
                store.append_bytes(&bytes)
            }
            Handle::Ragged(store) => {
                let records: Vec<_> =
                    records.iter().map(|record| (&record.shape[..], &record.bytes[..])).collect();
                store.append_bytes(&records)
            }
        }
    }

    pub(crate) fn gather<'i>(&self, index: impl Into<Index<'i>>) -> Result<Vec<Record>> {
        Ok(match self {
            Handle::Dense(store) => {
                let batch = store.gather(index)?;
                let record = |i| batch.record(i).unwrap().to_vec();
                (0..batch.len())
                    .map(|i| Record { shape: store.item_shape().dims().to_vec(), bytes: record(i) })
                    .collect()
            }
            Handle::Ragged(store) => {
                let batch = store.gather(index)?;
                batch
                    .records()
                    .map(|record| Record { shape: record.shape.to_vec(), bytes: record.bytes.to_vec() })
                    .collect()
            }
        })
    }

    pub(crate) fn all(&self) -> Result<Vec<Record>> {
        self.gather(..)
    }

    pub(crate) fn delete<'i>(&mut self, records: impl Into<Index<'i>>) -> Result<()> {
        either!(self, store => store.delete(records))
    }

    pub(crate) fn compact(&mut self) -> Result<()> {
        either!(self, store => store.compact(&()))
    }

    pub(crate) fn sync(&mut self) -> Result<()> {
        either!(self, store => store.sync())
    }

    pub(crate) fn refresh(&mut self) -> Result<()> {
        either!(self, store => store.refresh())
    }

    pub(crate) fn close(self) -> Result<()> {
        either!(self, store => store.close())
    }

    pub(crate) fn stats(&self) -> Result<Stats> {
        either!(self, store => store.stats())
    }

    pub(crate) fn verify(&self) -> Result<Verification> {
        either!(self, store => store.verify(&()))
    }

    /// The committed frontier: chunk and offset.
    pub(crate) fn tail(&self) -> (u32, u32) {
        let tail = either!(self, store => store.store().header().tail);
        (tail.chunk, tail.offset)
    }
}

/// Section 10 of the specification, to the letter.
pub(crate) fn delete_from<T>(records: &mut Vec<T>, targets: &[u64]) {
    let mut targets: Vec<usize> = targets.iter().map(|&target| usize::try_from(target).unwrap()).collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets.into_iter().rev() {
        records.swap_remove(target);
    }
}

/// Whether long runs were asked for.
pub(crate) fn slow() -> bool {
    std::env::var_os("RECASK_SLOW").is_some()
}
