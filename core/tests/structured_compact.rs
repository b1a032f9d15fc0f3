//! The small match finder writes frames that every library reads, whatever the record is made of.
#![cfg(all(feature = "compact", feature = "zstd", feature = "ruzstd", feature = "std"))]

mod libraries;

use libraries::{Libraries, codec, decoded, dictionaries, lines, records};
use proptest::prelude::*;
use recask_core::codec::{Codec, structured};

const BLOCK: usize = 128 << 10;

/// What a part of a record is like.
#[derive(Clone, Debug)]
enum Part {
    Noise {
        seed: u64,
        len: usize,
    },
    Run {
        byte: u8,
        len: usize,
    },
    Period {
        of: Vec<u8>,
        len: usize,
    },
    /// What stood `back` before, as far as there is anything.
    Again {
        back: usize,
        len: usize,
    },
    Words {
        from: u32,
        count: u32,
    },
    Bytes(Vec<u8>),
}

fn part() -> impl Strategy<Value = Part> {
    let len = prop_oneof![0usize..20, 0usize..5000, BLOCK - 3..BLOCK + 4];
    prop_oneof![
        (any::<u64>(), len.clone()).prop_map(|(seed, len)| Part::Noise { seed, len }),
        (any::<u8>(), len.clone()).prop_map(|(byte, len)| Part::Run { byte, len }),
        (prop::collection::vec(any::<u8>(), 1..40), len.clone())
            .prop_map(|(of, len)| Part::Period { of, len }),
        (1usize..2 * BLOCK, len).prop_map(|(back, len)| Part::Again { back, len }),
        (0u32..5000, 0u32..200).prop_map(|(from, count)| Part::Words { from, count }),
        records().prop_map(Part::Bytes),
    ]
}

fn record(parts: &[Part]) -> Vec<u8> {
    let mut record = Vec::new();
    for part in parts {
        match part {
            Part::Noise { seed, len } => {
                let mut state = seed | 1;
                record.extend((0..*len).map(|_| {
                    state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                    (state >> 56) as u8
                }));
            }
            Part::Bytes(bytes) => record.extend(bytes),
            Part::Run { byte, len } => record.resize(record.len() + len, *byte),
            Part::Period { of, len } => record.extend(of.iter().cycle().take(*len)),
            Part::Again { back, len } => {
                let start = record.len().saturating_sub(*back);
                let again: Vec<u8> = record[start..].iter().copied().take(*len).collect();
                record.extend(again);
            }
            Part::Words { from, count } => record.extend(lines(*from..from + count).concat()),
        }
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn all_libraries_read_any_mix_of_blocks(
        parts in prop::collection::vec(prop::collection::vec(part(), 0..6), 1..4),
        level in -7i32..=22,
        dictionary in 0usize..3,
    ) {
        let codec = codec(dictionaries()[dictionary].clone()).level(level);
        let (libraries, backend) = (Libraries::new(&codec), structured::Backend::new(&codec).expect("a codec"));
        // One encoder for all of them: what it keeps from one record says nothing of the next.
        let records: Vec<Vec<u8>> = parts.iter().map(|parts| record(parts)).collect();
        let frames = backend.with_encoder(|encoder| {
            Ok(records.iter().map(|record| {
                let mut frame = vec![0; encoder.bound(record.len())];
                let size = encoder.encode(record, &mut frame).expect("room");
                frame.truncate(size);
                frame
            }).collect::<Vec<_>>())
        }).expect("an encoder");
        for (record, frame) in records.iter().zip(frames) {
            prop_assert!(decoded(&libraries, &frame, record.len()) == *record);
        }
    }
}

#[test]
fn sizes_around_blocks_and_windows_are_read() {
    let words = lines(0..40_000).concat();
    for level in [1, 3] {
        let libraries = Libraries::new(&Codec::zstd().level(level));
        for size in [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1] {
            for (name, frame) in libraries.frames(&words[..size]) {
                assert!(decoded(&libraries, &frame, size) == words[..size], "{name}, {size} bytes");
            }
        }
    }
}

#[test]
fn what_repeats_beyond_the_window_is_written_again() {
    // More than the window of level 1, with a dictionary that is out of reach at its end.
    let block = record(&[Part::Noise { seed: 7, len: 64 << 10 }]);
    let mut large = block.clone();
    large.extend(record(&[Part::Noise { seed: 8, len: (2 << 20) + 5 }]));
    large.extend(&block);
    for dictionary in [None, Some(block.clone())] {
        let codec = codec(dictionary).level(1);
        let libraries = Libraries::new(&codec);
        for (name, frame) in libraries.frames(&large) {
            assert!(decoded(&libraries, &frame, large.len()) == large, "{name}");
        }
    }
}
