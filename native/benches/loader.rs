//! Batches of the loader beside the gather itself: the draw and the gather of the same steps on one thread that does
//! nothing else, which is the limit. `cargo xtask bench loader/` prints the ratios, the loaders of loaderx and PyTorch
//! included.
#![allow(missing_docs, reason = "a benchmark")]

mod data;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use recask::loader::{Loader, LoaderBuilder, Stream};
use recask::{DenseBatch, RaggedBatch, Sampler};

use data::{Case, IMAGES, TOKENS};

const WORKERS: [(usize, &str); 2] = [(1, "1-worker"), (2, "2-workers")];
const PREFETCH: usize = 4;

fn images(criterion: &mut Criterion) {
    data::npy::images();
    for codec in ["raw", "zstd"] {
        compare(criterion, codec, &IMAGES, &[data::store(&IMAGES, codec).into()]);
    }
    // The same with a label for each, in a store of its own.
    let labelled = Case { name: "labels", ..IMAGES };
    compare(criterion, "raw", &labelled, &[data::store(&IMAGES, "raw").into(), data::labels().into()]);
}

fn tokens(criterion: &mut Criterion) {
    data::npy::tokens();
    for codec in ["raw", "zstd"] {
        compare(criterion, codec, &TOKENS, &[data::ragged(codec).into()]);
    }
}

fn compare(criterion: &mut Criterion, codec: &str, case: &Case, streams: &[Stream]) {
    let sampler = data::sampler(case);
    for (workers, row) in WORKERS {
        let mut group = criterion.benchmark_group(format!("loader/{}/{codec}/{row}", case.name));
        group.throughput(Throughput::Elements(case.batch as u64));
        // Several workers deliver in bursts: no sample is so short that it is one.
        group.sampling_mode(SamplingMode::Flat);
        // Criterion calls these functions once for every sample, so what is to last is kept outside of them.
        let mut gather = Gather::new(streams, &sampler);
        group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| bencher.iter(|| gather.next()));
        drop(gather);
        let mut loader = None;
        group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
            let loader = loader.get_or_insert_with(|| start(streams, &sampler, workers));
            // Taking batches is all that is done here, so none lies ready at the end of a sample, nor when the next begins at
            // once: what was made ahead does not flatter.
            bencher.iter(|| drop(black_box(loader.next().expect("it never ends").expect("good stores"))));
        });
        group.finish();
    }
}

fn start(streams: &[Stream], sampler: &Sampler, workers: usize) -> Loader {
    let builder = Loader::builder().sampler(sampler.clone()).workers(workers).prefetch(PREFETCH);
    let add = |builder: LoaderBuilder, (position, stream): (usize, &Stream)| {
        builder.stream(position.to_string(), stream.clone())
    };
    streams.iter().enumerate().fold(builder, add).start().expect("streams of one length")
}

/// Draws and gathers step after step, into the same memory.
struct Gather<'s> {
    sampler: &'s Sampler,
    step: u64,
    indices: Vec<u64>,
    streams: Vec<Source<'s>>,
}

enum Source<'s> {
    Dense(&'s recask::DenseStore, DenseBatch),
    Ragged(&'s recask::RaggedStore, RaggedBatch),
}

impl<'s> Gather<'s> {
    fn new(streams: &'s [Stream], sampler: &'s Sampler) -> Self {
        let source = |stream: &'s Stream| match stream {
            Stream::Dense(store) => Source::Dense(store, DenseBatch::new(store.dtype().clone())),
            Stream::Ragged(store) => Source::Ragged(store, RaggedBatch::new(store.dtype().clone())),
            Stream::Table(_) => unreachable!("no table is measured here"),
        };
        Gather { sampler, step: 0, indices: Vec::new(), streams: streams.iter().map(source).collect() }
    }

    fn next(&mut self) {
        self.sampler.at_into(self.step, &mut self.indices).expect("a small batch");
        self.step += 1;
        for stream in &mut self.streams {
            match stream {
                Source::Dense(store, batch) => store.gather_batch(&self.indices, black_box(batch)),
                Source::Ragged(store, batch) => store.gather_batch(&self.indices, black_box(batch)),
            }
            .expect("a good store");
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(3));
    targets = images, tokens
}
criterion_main!(benches);
