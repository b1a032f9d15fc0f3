//! Frames mean the same to libzstd and to the decoder in pure Rust.
#![cfg(all(feature = "zstd", feature = "ruzstd"))]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;
use recask_core::codec::{Codec, Coders, dictionary::Samples, dictionary::Tier, ruzstd};
use recask_core::format::zrecord::Entry;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/zrecord/stores")
}

/// Decodes a frame both ways and returns what both say.
fn both(coders: &Coders, second: &ruzstd::Backend, frame: &[u8], len: usize) -> Vec<u8> {
    let (mut first, mut other) = (vec![0; len], vec![1; len]);
    coders
        .with_decoder(|decoder| {
            decoder.expect("zstd decodes").decode(frame, &mut first).expect("a good frame");
            Ok(())
        })
        .expect("decoding");
    second.decoder().expect("a good dictionary").decode(frame, &mut other).expect("a good frame");
    assert!(first == other, "the decoders disagree about a frame of {} bytes", frame.len());
    first
}

#[test]
fn every_golden_frame_decodes_alike() {
    let mut frames = 0;
    for store in std::fs::read_dir(golden()).expect("golden stores") {
        let store = store.expect("a folder").path();
        let (Ok(table), Ok(chunk)) =
            (std::fs::read(store.join("0.loc")), std::fs::read(store.join("0.chunk")))
        else {
            continue;
        };
        let dictionary = std::fs::read(store.join("dict.zr")).ok();
        let codec = match &dictionary {
            // The second decoder takes dictionaries with tables only.
            Some(bytes) if !bytes.starts_with(&[0x37, 0xA4, 0x30, 0xEC]) => continue,
            Some(bytes) => Codec::zstd_dict(bytes.clone()),
            None if std::fs::read(store.join("meta.zr")).expect("a header")[5] == 1 => Codec::zstd(),
            None => continue,
        };
        let coders = Coders::new(codec).expect("a good codec");
        let second = ruzstd::Backend::new(dictionary.as_deref()).expect("a good dictionary");
        for bytes in table.as_chunks::<16>().0 {
            let entry = Entry::decode(bytes);
            let frame = &chunk[entry.offset as usize..][..entry.stored as usize];
            both(&coders, &second, frame, entry.decoded as usize);
            frames += 1;
        }
    }
    assert!(frames > 1000, "only {frames} frames were compared");
}

/// Trained once: training takes longer than all cases together.
fn dictionary() -> Vec<u8> {
    static DICTIONARY: OnceLock<Vec<u8>> = OnceLock::new();
    DICTIONARY
        .get_or_init(|| {
            let samples = (0..2000u32).map(|i| format!("record {} of {}", i % 97, i * 7));
            Samples::from_records(samples, Tier::Fast).train(Tier::Fast).expect("enough samples")
        })
        .clone()
}

proptest! {
    #[test]
    fn what_one_writes_the_other_reads(
        record in prop::collection::vec(prop_oneof![3 => 0u8..4, 1 => any::<u8>()], 1..5000),
        level in -3i32..8,
        with_dictionary: bool,
    ) {
        let codec = if with_dictionary { Codec::zstd_dict(dictionary()) } else { Codec::zstd() };
        let second = ruzstd::Backend::new(codec.dictionary()).unwrap();
        let coders = Coders::new(codec.level(level)).unwrap();
        let frame = coders.with_encoder(|encoder| {
            let encoder = encoder.expect("zstd encodes");
            let mut frame = vec![0; encoder.bound(record.len())];
            let size = encoder.encode(&record, &mut frame).expect("room");
            frame.truncate(size);
            Ok(frame)
        }).unwrap();
        prop_assert_eq!(both(&coders, &second, &frame, record.len()), record);
    }
}
