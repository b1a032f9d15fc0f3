//! Appending beside its limits, and opening and deleting at a million records.
#![allow(missing_docs, reason = "a benchmark")]

mod data;

use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recask::core::exec::Executor;
use recask::{DType, DenseStore, RayonExecutor};

use data::{CASES, CODECS};

/// Bytes of one append.
const APPEND: usize = 16 << 20;

fn append(criterion: &mut Criterion) {
    for case in &CASES {
        let count = APPEND / case.record_bytes;
        let values = data::records(case, count);
        for codec in CODECS {
            // Level 19 takes seconds for 16 MiB.
            let count = if codec == "zstd_dict" { count.div_ceil(16) } else { count };
            let values = &values[..count * case.record_bytes];
            let mut group = criterion.benchmark_group(format!("append/{}/{codec}", case.name));
            group.throughput(Throughput::Bytes(values.len() as u64));
            let folder = tempfile::tempdir_in(data::folder()).expect("a folder");
            let chosen = data::codec(codec, case);
            let dictionary = chosen.dictionary().map(|bytes| zstd_safe::CDict::create(bytes, 19));
            group.bench_function(BenchmarkId::from_parameter("recask"), |bencher| {
                bencher.iter_custom(|rounds| {
                    let mut spent = Duration::ZERO;
                    for round in 0..rounds {
                        let path = folder.path().join(format!("{round}"));
                        let mut store = DenseStore::builder(DType::U8, [case.record_bytes as u64])
                            .codec(chosen.clone())
                            .create(&path)
                            .expect("a fresh folder");
                        let start = Instant::now();
                        store.append(black_box(values)).expect("room");
                        spent += start.elapsed();
                        drop(store);
                        std::fs::remove_dir_all(&path).expect("it was just made");
                    }
                    spent
                });
            });
            group.bench_function(BenchmarkId::from_parameter("limit"), |bencher| {
                bencher.iter_custom(|rounds| {
                    let mut spent = Duration::ZERO;
                    for round in 0..rounds {
                        let path = folder.path().join(format!("plain-{round}"));
                        let file = std::fs::File::create(&path).expect("a folder");
                        let start = Instant::now();
                        if codec == "raw" {
                            file.write_all_at(values, 0).expect("room");
                        } else {
                            file.write_all_at(&encode_all(values, case.record_bytes, dictionary.as_ref()), 0)
                                .expect("room");
                        }
                        spent += start.elapsed();
                        std::fs::remove_file(&path).expect("it was just made");
                    }
                    spent
                });
            });
            group.finish();
        }
    }
}

/// The records encoded by libzstd alone, on all threads.
fn encode_all(values: &[u8], width: usize, dictionary: Option<&zstd_safe::CDict<'static>>) -> Vec<u8> {
    let executor = RayonExecutor::default();
    let records: Vec<&[u8]> = values.chunks(width).collect();
    let share = records.len().div_ceil(executor.width().get() * 4).max(1);
    let mut frames = vec![Vec::new(); records.len().div_ceil(share)];
    let tasks: Vec<_> = records.chunks(share).zip(&mut frames).collect();
    executor
        .try_for_each(tasks, |(records, frames): (&[&[u8]], &mut Vec<u8>)| {
            let mut context = zstd_safe::CCtx::create();
            let mut frame = vec![0; zstd_safe::compress_bound(width)];
            for record in records {
                let size = match dictionary {
                    Some(dictionary) => context.compress_using_cdict(&mut frame[..], record, dictionary),
                    None => context.compress(&mut frame[..], record, 3),
                };
                frames.extend_from_slice(&frame[..size.expect("room")]);
            }
            Ok::<(), ()>(())
        })
        .expect("records encode");
    frames.concat()
}

fn million(criterion: &mut Criterion) {
    let case = &CASES[2];
    drop(data::store(case, "raw"));
    let path = data::folder().join("64B-raw");
    let mut group = criterion.benchmark_group("million");
    group.bench_function("open", |bencher| {
        bencher.iter(|| DenseStore::open(black_box(&path)).expect("a good store"));
    });
    group.sample_size(10);
    group.bench_function("delete", |bencher| {
        bencher.iter_custom(|rounds| {
            let mut spent = Duration::ZERO;
            for _ in 0..rounds {
                let folder = tempfile::tempdir_in(data::folder()).expect("a folder");
                let path = folder.path().join("store");
                let mut store = DenseStore::builder(DType::U8, ()).create(&path).expect("a fresh folder");
                for _ in 0..2 {
                    store.append(&vec![7u8; 1_000_000]).expect("room");
                }
                let records: Vec<u64> = (0..1_000_000).map(|i| i * 2).collect();
                let start = Instant::now();
                store.delete(&records).expect("alone");
                spent += start.elapsed();
            }
            spent
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = append, million
}
criterion_main!(benches);
