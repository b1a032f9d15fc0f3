//! Gather beside its limits: a parallel `memcpy` of the same bytes for raw stores, bare libzstd over the same frames
//! for compressed ones. `cargo xtask bench` prints the ratios, loaderx included.
#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::cast_possible_truncation, reason = "record numbers of stores that are made here")]

mod data;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recask::core::exec::Executor;
use recask::{DenseStore, RayonExecutor};

use data::{CASES, CODECS, Case};

/// The records of a batch, copied from where they lie into one buffer, on all threads: what a raw gather cannot beat.
fn copy_all(sources: &[&[u8]], out: &mut [u8], width: usize) {
    let executor = RayonExecutor::default();
    let share = sources.len().div_ceil(executor.width().get() * 2).max(1);
    let tasks: Vec<_> = sources.chunks(share).zip(out.chunks_mut(share * width)).collect();
    executor
        .try_for_each(tasks, |(sources, out)| {
            for (source, slot) in sources.iter().zip(out.chunks_exact_mut(width)) {
                slot.copy_from_slice(source);
            }
            Ok::<(), ()>(())
        })
        .expect("copies do not fail");
}

/// The frames of a batch decoded by libzstd alone, on all threads, one context a task.
fn decode_all(
    frames: &[&[u8]],
    dictionary: Option<&zstd_safe::DDict<'static>>,
    out: &mut [u8],
    width: usize,
) {
    let executor = RayonExecutor::default();
    let share = frames.len().div_ceil(executor.width().get() * 8).max(1);
    let tasks: Vec<_> = frames.chunks(share).zip(out.chunks_mut(share * width)).collect();
    executor
        .try_for_each(tasks, |(frames, out)| {
            thread_local! {
                static CONTEXT: std::cell::RefCell<zstd_safe::DCtx<'static>> =
                    std::cell::RefCell::new(zstd_safe::DCtx::create());
            }
            CONTEXT.with_borrow_mut(|context| {
                for (frame, slot) in frames.iter().zip(out.chunks_exact_mut(width)) {
                    match dictionary {
                        Some(dictionary) => context.decompress_using_ddict(slot, frame, dictionary),
                        None => context.decompress(slot, frame),
                    }
                    .expect("good frames");
                }
            });
            Ok::<(), ()>(())
        })
        .expect("frames decode");
}

/// The stored bytes of every record, found without the engine.
struct Frames {
    table: Vec<u8>,
    chunk: Vec<u8>,
}

impl Frames {
    fn of(case: &Case, codec: &str) -> Self {
        let folder = data::folder().join(format!("{}-{codec}", case.name));
        let read = |name: &str| std::fs::read(folder.join(name)).expect("the store was just made");
        Frames { table: read("0.loc"), chunk: read("0.chunk") }
    }

    fn get(&self, record: u64) -> &[u8] {
        let entry = &self.table[record as usize * 16..][..16];
        let field =
            |at: usize| u32::from_le_bytes(entry[at..at + 4].try_into().expect("four bytes")) as usize;
        &self.chunk[field(0)..][..field(4)]
    }
}

fn gather(criterion: &mut Criterion) {
    for case in &CASES {
        let batches = data::batches(case);
        for codec in CODECS {
            let store: DenseStore = data::store(case, codec);
            let mut out = vec![0u8; case.batch * case.record_bytes];
            let mut group = criterion.benchmark_group(format!("gather/{}/{codec}", case.name));
            group.throughput(Throughput::Bytes(out.len() as u64));
            let mut step = 0;
            group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
                bencher.iter(|| {
                    step = (step + 1) % batches.len();
                    store.gather_into(&batches[step], black_box(&mut out)).expect("a good store");
                });
            });
            let frames = Frames::of(case, codec);
            let dictionary =
                std::fs::read(data::folder().join(format!("{}-{codec}/dict.zr", case.name))).ok();
            let dictionary = dictionary.map(|bytes| zstd_safe::DDict::create(&bytes));
            group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| {
                bencher.iter(|| {
                    step = (step + 1) % batches.len();
                    let stored: Vec<&[u8]> = batches[step].iter().map(|&record| frames.get(record)).collect();
                    if codec == "raw" {
                        copy_all(&stored, black_box(&mut out), case.record_bytes);
                    } else {
                        decode_all(&stored, dictionary.as_ref(), black_box(&mut out), case.record_bytes);
                    }
                });
            });
            group.finish();
        }
    }
}

/// Token sequences. There is no simpler program that does the same; loaderx is the peer.
fn ragged(criterion: &mut Criterion) {
    let batches = data::batches(&data::TOKENS);
    for codec in CODECS {
        let store = data::ragged(codec);
        let mut batch = recask::RaggedBatch::new(recask::DType::I32);
        let mut group = criterion.benchmark_group(format!("gather/{}/{codec}", data::TOKENS.name));
        group.throughput(Throughput::Elements(data::TOKENS.batch as u64));
        let mut step = 0;
        group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
            bencher.iter(|| {
                step = (step + 1) % batches.len();
                store.gather_batch(&batches[step], black_box(&mut batch)).expect("a good store");
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(3));
    targets = gather, ragged
}
criterion_main!(benches);
