//! The same batches from both loaders: every mode, both kinds, every codec, whoever wrote the stores.

use std::path::{Path, PathBuf};

use recask::loader::{Batch, Stream, StreamBatch};
use recask::{AnyStore, Codec, DType, Loader, Mode, StoreKind};
use serde_json::{Value, json};

use crate::dictionaries::trained;
use crate::peer::{Peer, PeerCodec, hex};
use crate::random::Random;
use crate::records::{Record, random_records, swap_remove};
use crate::store;

/// Records of every stream.
const LENGTH: u64 = 61;
/// Batches that divide the length or do not, are as long or longer, and for how many steps each is compared.
const BATCHES: [(u64, usize); 6] = [(1, 400), (7, 400), (16, 250), (LENGTH, 40), (64, 40), (200, 20)];
/// None: the caller's thread does the work.
const WORKERS: [usize; 3] = [0, 1, 3];

struct Layout {
    name: &'static str,
    kind: StoreKind,
    dtype: &'static str,
    item_shape: &'static [u64],
    codec: fn() -> Codec,
}

const STREAMS: [Layout; 6] = [
    Layout { name: "image", kind: StoreKind::Dense, dtype: "|u1", item_shape: &[2, 3], codec: Codec::raw },
    Layout { name: "target", kind: StoreKind::Dense, dtype: "<f4", item_shape: &[], codec: Codec::zstd },
    Layout { name: "block", kind: StoreKind::Dense, dtype: ">u2", item_shape: &[40], codec: with_dictionary },
    Layout { name: "tokens", kind: StoreKind::Ragged, dtype: "<i4", item_shape: &[], codec: Codec::raw },
    Layout { name: "boxes", kind: StoreKind::Ragged, dtype: "<f8", item_shape: &[], codec: Codec::zstd },
    Layout { name: "text", kind: StoreKind::Ragged, dtype: "|u1", item_shape: &[], codec: with_dictionary },
];

fn with_dictionary() -> Codec {
    Codec::zstd_dict(trained())
}

#[test]
fn sequential() {
    compare(Mode::Sequential, 0, 40);
}

#[test]
fn iid() {
    compare(Mode::Iid, 1, 41);
}

#[test]
fn cyclic() {
    compare(Mode::Cyclic, 2, 42);
}

fn compare(mode: Mode, number: u8, seed: u64) {
    let mut peer = Peer::start();
    let mut random = Random::new(seed);
    for write in [write_with_recask, write_with_loaderx] {
        let dataset = Dataset::new(&mut peer, &mut random, write);
        for (batch, steps) in BATCHES {
            let seed = random.next();
            let arguments = json!({"streams": dataset.for_loaderx(), "batch": batch, "mode": number,
                "seed": seed, "steps": steps});
            let answer = peer.ask("load", arguments);
            let theirs = answer.as_array().expect("batches");
            for workers in WORKERS {
                let context = format!("{mode}, batch {batch}, seed {seed}, {workers} workers");
                let mut loader = dataset.loader(mode, batch, seed, workers);
                assert_batches(&mut loader, theirs, 0, &context);
                let step = theirs.len() / 3;
                loader.seek(step as u64);
                assert_batches(&mut loader, theirs, step, &format!("{context}, after a seek"));
            }
        }
    }
}

/// From this step on.
fn assert_batches(loader: &mut Loader, theirs: &[Value], step: usize, context: &str) {
    for (step, theirs) in theirs.iter().enumerate().skip(step) {
        let batch = loader.next().expect("it never ends").expect("good stores");
        assert_eq!(batch.step(), step as u64, "{context}");
        let theirs = theirs.as_object().expect("streams by name");
        assert_eq!(theirs.len(), batch.streams().len(), "{context}");
        for (name, ours) in described(&batch) {
            let theirs = &theirs[name];
            assert!(ours == *theirs, "{context}, step {step}, {name}: {ours} is not {theirs}");
        }
    }
}

/// As the peer describes a batch.
fn described(batch: &Batch) -> impl Iterator<Item = (&str, Value)> {
    let array = |dtype: &DType, shape: &[u64], bytes: &[u8]| json!({"dtype": dtype.to_string(), "shape": shape, "data": hex(bytes)});
    batch.streams().map(move |(name, values)| {
        let values = match values {
            StreamBatch::Dense(values) => array(values.dtype(), values.shape(), values.as_bytes()),
            StreamBatch::Ragged(values) => {
                values.records().map(|record| array(values.dtype(), record.shape, record.bytes)).collect()
            }
            StreamBatch::Table(_) => unreachable!("loaderx has no tables"),
        };
        (name, values)
    })
}

/// A store for each of [`STREAMS`], all of [`LENGTH`] records.
struct Dataset {
    folder: tempfile::TempDir,
}

type Write = fn(&mut Peer, &Path, &Layout, &[Record], &[u64]);

impl Dataset {
    /// More records are written than stay: those deleted leave gaps, and change the order.
    fn new(peer: &mut Peer, random: &mut Random, write: Write) -> Self {
        let dataset = Dataset { folder: tempfile::tempdir().expect("a folder") };
        let deleted: Vec<u64> = (0..9).map(|number| number * 7).collect();
        for layout in &STREAMS {
            let itemsize = DType::parse(layout.dtype).expect("a type").itemsize();
            let count = LENGTH + deleted.len() as u64;
            let mut records = random_records(random, layout.kind, layout.item_shape, itemsize, count);
            write(peer, &dataset.path(layout), layout, &records, &deleted);
            swap_remove(&mut records, &deleted);
            assert_eq!(store::read(&store::open(&dataset.path(layout))), records, "{}", layout.name);
        }
        dataset
    }

    fn path(&self, layout: &Layout) -> PathBuf {
        self.folder.path().join(layout.name)
    }

    fn for_loaderx(&self) -> Vec<Value> {
        STREAMS.iter().map(|layout| json!([layout.name, self.path(layout), layout.kind.as_str()])).collect()
    }

    fn loader(&self, mode: Mode, batch: u64, seed: u64, workers: usize) -> Loader {
        let builder = Loader::builder().mode(mode).batch(batch).seed(seed).workers(workers);
        let add = |builder: recask::loader::LoaderBuilder, layout: &Layout| {
            builder.stream(layout.name, Stream::from(store::open(&self.path(layout))))
        };
        STREAMS.iter().fold(builder, add).start().expect("streams of one length")
    }
}

fn write_with_recask(_: &mut Peer, path: &Path, layout: &Layout, records: &[Record], deleted: &[u64]) {
    let dtype = DType::parse(layout.dtype).expect("a type");
    let mut store = store::create(path, layout.kind, dtype, layout.item_shape, (layout.codec)());
    store::append(&mut store, records);
    AnyStore::delete(&mut store, deleted).expect("deleted");
    store.close().expect("closed");
}

fn write_with_loaderx(peer: &mut Peer, path: &Path, layout: &Layout, records: &[Record], deleted: &[u64]) {
    let codec = (layout.codec)();
    let codec = PeerCodec::from(&codec);
    match layout.kind {
        StoreKind::Dense => peer.create_dense(path, layout.dtype, layout.item_shape, &codec),
        StoreKind::Ragged => peer.create_ragged(path, layout.dtype, &codec),
    }
    peer.append(layout.kind, records);
    peer.delete(deleted);
    peer.close();
}
