//! Streams of every kind whose values tell their record, and the ways in which a loader can read them.

use std::path::Path;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use recask::loader::{LoaderBuilder, Order, Stream};
use recask::table::ColumnInput;
use recask::{Codec, DType, DenseStore, Loader, Mode, Native, RaggedStore, Sampler, Table};
use recask_core::loader::{Batch, Feed};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Raw,
    Zstd,
    Ragged,
    Table,
    /// Rows of a larger table that a filter left, with some of its columns.
    Rows,
}

pub(crate) const KINDS: [Kind; 5] = [Kind::Raw, Kind::Zstd, Kind::Ragged, Kind::Table, Kind::Rows];

/// Streams of one length in a folder of their own; stream `i` is called `s<i>`.
pub(crate) struct Data {
    pub(crate) folder: TempDir,
    kinds: Vec<Kind>,
    streams: Vec<Stream>,
}

impl Data {
    pub(crate) fn new(kinds: &[Kind], length: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let streams = kinds.iter().enumerate();
        let streams = streams.map(|(i, &kind)| write(&folder.path().join(name(i)), kind, i, length));
        Data { streams: streams.collect(), kinds: kinds.to_vec(), folder }
    }

    pub(crate) fn streams(&self) -> impl Iterator<Item = (String, Stream)> {
        self.streams.iter().enumerate().map(|(i, stream)| (name(i), stream.clone()))
    }

    pub(crate) fn loader(&self) -> LoaderBuilder {
        self.streams().fold(Loader::builder(), |builder, (name, stream)| builder.stream(name, stream))
    }

    pub(crate) fn feed(&self, sampler: &Sampler) -> Feed<Native> {
        Feed::new(self.streams(), sampler.clone()).unwrap()
    }

    /// Whether the batch holds the values of its indices in every stream, by arithmetic alone.
    pub(crate) fn check(&self, batch: &Batch) {
        assert!(batch.names().eq((0..self.kinds.len()).map(name)));
        let indices = || batch.indices().iter().copied();
        for (i, kind) in self.kinds.iter().enumerate() {
            let name = &name(i);
            match kind {
                Kind::Raw | Kind::Zstd => {
                    let values = batch.dense(name).unwrap();
                    assert_eq!(values.shape(), [batch.len() as u64, 2, 3]);
                    let expected = indices().flat_map(|record| dense(record, i));
                    assert!(values.values::<i32>().unwrap().iter().copied().eq(expected), "{batch:?}");
                }
                Kind::Ragged => {
                    let values = batch.ragged(name).unwrap();
                    assert_eq!(values.len(), batch.len());
                    for (record, index) in values.records().zip(indices()) {
                        let (shape, expected) = ragged(index, i);
                        assert_eq!(
                            (record.shape, record.values::<u16>().unwrap()),
                            (&shape[..], &expected[..])
                        );
                    }
                }
                Kind::Table | Kind::Rows => {
                    let columns = batch.table(name).unwrap();
                    assert_eq!(columns.rows(), batch.len());
                    assert_eq!(columns.len(), if *kind == Kind::Table { 2 } else { 1 });
                    let numbers = columns.column("number").unwrap().values::<i64>().unwrap();
                    assert!(numbers.iter().copied().eq(indices().map(|record| number(record, i))));
                    if *kind == Kind::Table {
                        let halves = columns.column("half").unwrap().values::<f32>().unwrap();
                        assert!(halves.iter().copied().eq(indices().map(|record| half(record, i))));
                    }
                }
            }
        }
    }
}

pub(crate) fn name(stream: usize) -> String {
    format!("s{stream}")
}

fn dense(record: u64, stream: usize) -> Vec<i32> {
    (0..6).map(|element| i32::try_from(record * 1000 + stream as u64 * 100 + element).unwrap()).collect()
}

fn ragged(record: u64, stream: usize) -> (Vec<u64>, Vec<u16>) {
    let length = 1 + (record * 31 + stream as u64) % 9;
    let values = (0..2 * length).map(|element| u16::try_from(record * 20 + element).unwrap()).collect();
    // One axis or two.
    (if record.is_multiple_of(3) { vec![2 * length] } else { vec![length, 2] }, values)
}

fn number(record: u64, stream: usize) -> i64 {
    i64::try_from(record * 10 + stream as u64).unwrap()
}

fn half(record: u64, stream: usize) -> f32 {
    f32::from(i16::try_from(number(record, stream)).unwrap()) / 2.0
}

/// Writes and opens the records of stream number `stream`.
pub(crate) fn write(path: &Path, kind: Kind, stream: usize, length: u64) -> Stream {
    match kind {
        Kind::Raw => write_dense(path, Codec::raw(), stream, length).into(),
        Kind::Zstd => write_dense(path, Codec::zstd(), stream, length).into(),
        Kind::Ragged => {
            let mut store = RaggedStore::builder(DType::U16).codec(Codec::zstd()).create(path).unwrap();
            let records: Vec<_> = (0..length).map(|record| ragged(record, stream)).collect();
            let records: Vec<_> = records.iter().map(|(shape, values)| (&shape[..], &values[..])).collect();
            store.append_shaped(&records).unwrap();
            store.close().unwrap();
            RaggedStore::open(path).unwrap().into()
        }
        Kind::Table => {
            let numbers: Vec<_> = (0..length).map(|record| number(record, stream)).collect();
            let halves: Vec<_> = (0..length).map(|record| half(record, stream)).collect();
            let columns = [ColumnInput::of("number", &numbers), ColumnInput::of("half", &halves)];
            Table::create(path, &columns).unwrap().into()
        }
        Kind::Rows => {
            // Only every third row is one of the stream's.
            let is_kept = |row: &u64| row % 3 == 1;
            let number = |row: u64| if is_kept(&row) { number(row / 3, stream) } else { -1 };
            let numbers: Vec<_> = (0..3 * length).map(number).collect();
            let keep: Vec<_> = (0..3 * length).map(|row| u8::from(is_kept(&row))).collect();
            let columns = [ColumnInput::of("number", &numbers), ColumnInput::of("keep", &keep)];
            let table = Table::create(path, &columns).unwrap();
            table.filter("keep = 1").unwrap().select(["number"]).unwrap().into()
        }
    }
}

fn write_dense(path: &Path, codec: Codec, stream: usize, length: u64) -> DenseStore {
    let mut store = DenseStore::builder(DType::I32, [2, 3]).codec(codec).create(path).unwrap();
    let values: Vec<_> = (0..length).flat_map(|record| dense(record, stream)).collect();
    store.append(&values).unwrap();
    store.close().unwrap();
    DenseStore::open(path).unwrap()
}

/// How a loader works, which must not change what it delivers.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) workers: usize,
    pub(crate) prefetch: usize,
    pub(crate) order: Order,
}

impl Way {
    /// The most steps that can be on their way to the caller.
    pub(crate) fn window(&self) -> u64 {
        (self.prefetch + self.workers.max(1)) as u64
    }

    pub(crate) fn apply<T: Send + 'static>(&self, builder: LoaderBuilder<T>) -> LoaderBuilder<T> {
        builder.workers(self.workers).prefetch(self.prefetch).order(self.order)
    }
}

pub(crate) fn ways() -> impl Strategy<Value = Way> {
    let order = prop_oneof![Just(Order::ByStep), Just(Order::AsCompleted)];
    (0usize..5, 0usize..6, order).prop_map(|(workers, prefetch, order)| Way { workers, prefetch, order })
}

pub(crate) fn kinds() -> impl Strategy<Value = Vec<Kind>> {
    proptest::collection::vec(proptest::sample::select(&KINDS[..]), 1..4)
}

/// An order of up to 40 records, in batches that may be larger than that.
pub(crate) fn samplers() -> impl Strategy<Value = Sampler> {
    let mode = proptest::sample::select(vec![Mode::Cyclic, Mode::Sequential, Mode::Iid, Mode::IidSeek]);
    (mode, 1u64..40, 1u64..60, any::<u64>()).prop_map(|(mode, length, batch, seed)| {
        Sampler::builder(mode, length, batch).seed(seed).build().unwrap()
    })
}

/// Microseconds that the work of a step takes, over and over.
pub(crate) fn delays() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(prop_oneof![3 => Just(0), 2 => 0u64..200, 1 => 200u64..1500], 1..6)
}

pub(crate) fn pause(delays: &[u64], step: u64) {
    let micros = delays[usize::try_from(step).unwrap() % delays.len()];
    if micros > 0 {
        thread::sleep(Duration::from_micros(micros));
    }
}
