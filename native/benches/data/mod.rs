//! The stores that benchmarks read: made once in `target/bench`, the same for Recask and for loaderx.
#![allow(dead_code, reason = "each benchmark uses a part")]
#![allow(clippy::cast_possible_truncation, reason = "small numbers that are made here")]

pub(crate) mod npy;
mod numbers;

use std::path::{Path, PathBuf};

use numbers::Numbers;
use recask::{Codec, DType, DenseStore, RaggedStore, Sampler, Samples, Tier};

/// One store to measure.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) record_bytes: usize,
    pub(crate) records: usize,
    pub(crate) batch: usize,
}

/// Images, token blocks and small vectors.
pub(crate) const CASES: [Case; 3] = [
    IMAGES,
    Case { name: "1KiB", record_bytes: 1 << 10, records: 100_000, batch: 8192 },
    Case { name: "64B", record_bytes: 64, records: 1_000_000, batch: 65536 },
];

pub(crate) const IMAGES: Case = Case { name: "256KiB", record_bytes: 256 << 10, records: 1024, batch: 256 };

pub(crate) const CODECS: [&str; 3] = ["raw", "zstd", "zstd_dict"];

/// Values that compress as pictures and tokens do: a slow walk with noise in large records, skewed symbols in small.
pub(crate) fn records(case: &Case, count: usize) -> Vec<u8> {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ case.record_bytes as u64);
    let mut level = 128u64;
    let mut bytes = Vec::with_capacity(case.record_bytes * count);
    while bytes.len() < case.record_bytes * count {
        let draw = numbers.next();
        if case.record_bytes > 4096 {
            level = (level + draw % 5).wrapping_sub(2).clamp(16, 240);
            bytes.push((level + (draw >> 40) % 3) as u8);
        } else {
            let token = (draw % 50_000 + 1).ilog2() * 37 + ((draw >> 32) % 8) as u32;
            bytes.extend_from_slice(&token.to_le_bytes());
        }
    }
    bytes.truncate(case.record_bytes * count);
    bytes
}

pub(crate) fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    target.join("bench")
}

pub(crate) fn codec(name: &str, case: &Case) -> Codec {
    match name {
        "raw" => Codec::raw(),
        "zstd" => Codec::zstd(),
        _ => {
            let sample = records(case, case.records.min((4 << 20) / case.record_bytes + 1));
            let samples = Samples::from_array(&sample, case.record_bytes, Tier::Fast).expect("whole records");
            Codec::zstd_dict(samples.train(Tier::Fast).expect("enough samples"))
        }
    }
}

/// The store of a case, made when it is not there yet.
pub(crate) fn store(case: &Case, codec_name: &str) -> DenseStore {
    let path = folder().join(format!("{}-{codec_name}", case.name));
    if let Ok(store) = DenseStore::open(&path)
        && store.len() == case.records as u64
    {
        return store;
    }
    let _ = std::fs::remove_dir_all(&path);
    let mut store = DenseStore::builder(DType::U8, [case.record_bytes as u64])
        .codec(codec(codec_name, case))
        .create(&path)
        .expect("a fresh folder");
    store.append(&records(case, case.records)).expect("room on the disk");
    store.close().expect("room on the disk");
    DenseStore::open(&path).expect("it was just made")
}

/// Sequences of 1 to 511 tokens, on average 1 KiB.
pub(crate) const TOKENS: Case = Case { name: "tokens", record_bytes: 1 << 10, records: 50_000, batch: 4096 };

/// The ragged store of [`TOKENS`], made when it is not there yet.
pub(crate) fn ragged(codec_name: &str) -> RaggedStore {
    let path = folder().join(format!("{}-{codec_name}", TOKENS.name));
    if let Ok(store) = RaggedStore::open(&path)
        && store.len() == TOKENS.records as u64
    {
        return store;
    }
    let _ = std::fs::remove_dir_all(&path);
    let bytes = records(&TOKENS, TOKENS.records);
    let tokens: Vec<i32> = bytes.as_chunks().0.iter().map(|token| i32::from_le_bytes(*token)).collect();
    let mut numbers = Numbers(7);
    let mut rest = tokens.as_slice();
    let mut sequences = Vec::new();
    for _ in 0..TOKENS.records {
        let length = (numbers.next() % 511 + 1) as usize;
        let (sequence, behind) = rest.split_at_checked(length).unwrap_or(tokens.split_at(length));
        sequences.push(sequence);
        rest = behind;
    }
    let mut store = RaggedStore::builder(DType::I32)
        .codec(codec(codec_name, &TOKENS))
        .create(&path)
        .expect("a fresh folder");
    store.append(&sequences).expect("room on the disk");
    store.close().expect("room on the disk");
    RaggedStore::open(&path).expect("it was just made")
}

/// A label for each of [`IMAGES`], in a store of its own that is made when it is not there yet.
pub(crate) fn labels() -> DenseStore {
    let path = folder().join("labels-raw");
    if let Ok(store) = DenseStore::open(&path)
        && store.len() == IMAGES.records as u64
    {
        return store;
    }
    let _ = std::fs::remove_dir_all(&path);
    let mut store = DenseStore::builder(DType::I64, ()).create(&path).expect("a fresh folder");
    let labels: Vec<i64> = (0..IMAGES.records as i64).map(|record| record % 1000).collect();
    store.append(&labels).expect("room on the disk");
    store.close().expect("room on the disk");
    DenseStore::open(&path).expect("it was just made")
}

/// A shuffled order, the same for everybody.
pub(crate) fn sampler(case: &Case) -> Sampler {
    let sampler = recask::sampler(recask::Mode::Cyclic, case.records as u64, case.batch as u64).seed(42);
    sampler.build().expect("a length and a batch")
}

/// Its first batches.
pub(crate) fn batches(case: &Case) -> Vec<Vec<u64>> {
    let sampler = sampler(case);
    (0..16).map(|step| sampler.at(step).expect("a small batch")).collect()
}
