//! Frames mean the same to libzstd, to structured-zstd and to ruzstd.
#![cfg(all(feature = "zstd", feature = "structured-zstd", feature = "ruzstd", feature = "std"))]

mod libraries;

use std::path::{Path, PathBuf};

use libraries::{Libraries, MAGIC, codec, decoded, dictionaries, lines, records, trained};
use proptest::prelude::*;
use recask_core::codec::dictionary::Tier;
use recask_core::codec::{Codec, structured, zstd, zstd_library};
use recask_core::error::Code;
use recask_core::format::zrecord::Entry;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/zrecord/stores")
}

#[test]
fn every_golden_frame_decodes_alike() {
    let (mut frames, mut dictionaries) = (0, [0; 2]);
    for store in std::fs::read_dir(golden()).expect("golden stores") {
        let store = store.expect("a folder").path();
        let (Ok(table), Ok(chunk)) =
            (std::fs::read(store.join("0.loc")), std::fs::read(store.join("0.chunk")))
        else {
            continue;
        };
        let codec = match std::fs::read(store.join("dict.zr")).ok() {
            Some(bytes) => {
                dictionaries[usize::from(bytes.starts_with(&MAGIC))] += 1;
                Codec::zstd_dict(bytes)
            }
            None if std::fs::read(store.join("meta.zr")).expect("a header")[5] == 1 => Codec::zstd(),
            None => continue,
        };
        let libraries = Libraries::new(&codec);
        for bytes in table.as_chunks::<16>().0 {
            let entry = Entry::decode(bytes);
            let frame = &chunk[entry.offset as usize..][..entry.stored as usize];
            decoded(&libraries, frame, entry.decoded as usize);
            frames += 1;
        }
    }
    assert!(frames > 1000, "only {frames} frames were compared");
    assert!(
        dictionaries.iter().all(|count| *count > 0),
        "dictionaries without and with tables: {dictionaries:?}"
    );
}

proptest! {
    #[test]
    fn what_one_writes_all_read(record in records(), level in -7i32..=19, dictionary in 0usize..3) {
        let [none, trained, raw] = dictionaries();
        let libraries = Libraries::new(&codec([none, trained, raw][dictionary].clone()).level(level));
        for (name, frame) in libraries.frames(&record) {
            prop_assert!(decoded(&libraries, &frame, record.len()) == record, "a frame by {}", name);
        }
    }
}

#[test]
fn every_level_serves_every_size() {
    let image: Vec<u8> = (0..300u32 << 10).map(|i| low(i / 900) ^ low(i.wrapping_mul(i) >> 13) & 7).collect();
    let noise: Vec<u8> =
        (0..200u64 << 10).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[4]).collect();
    let zeros = vec![0; 300 << 10];
    let words = lines(0..2000).concat();
    let records = [&[][..], b"1", b"22", &words[..7], &words[..1 << 10], &words, &image, &noise, &zeros];
    for dictionary in dictionaries() {
        for level in [-131_072, 1, 3, 5, 9, 13, 16, 18, 22] {
            let libraries = Libraries::new(&codec(dictionary.clone()).level(level));
            // The matchers of high levels are slow where nothing is optimised; they see the small ones.
            let records = if level > 9 { &records[..6] } else { &records[..] };
            for &record in records {
                for (name, frame) in libraries.frames(record) {
                    assert!(decoded(&libraries, &frame, record.len()) == record, "{name}, level {level}");
                    // The frame says how large its content is: a field of its own, or that it is one segment.
                    assert!(frame[4] & 0b1110_0000 != 0, "{name}, level {level}: no content size");
                }
            }
        }
    }
}

#[test]
fn an_encoder_is_the_same_after_other_records() {
    for dictionary in dictionaries() {
        let backend = structured::Backend::new(&codec(dictionary).level(3)).expect("a codec");
        let encode = |encoder: &mut dyn recask_core::codec::Encoder, record: &[u8]| {
            let mut frame = vec![0; encoder.bound(record.len())];
            let size = encoder.encode(record, &mut frame).expect("room");
            frame[..size].to_vec()
        };
        let lines = lines(0..50);
        let together: Vec<Vec<u8>> = backend
            .with_encoder(|encoder| Ok(lines.iter().map(|line| encode(encoder, line)).collect()))
            .expect("an encoder");
        for (line, frame) in lines.iter().zip(together) {
            let alone = backend.with_encoder(|encoder| Ok(encode(encoder, line))).expect("an encoder");
            assert_eq!(alone, frame);
        }
    }
}

#[test]
fn levels_make_frames_about_as_small_as_those_of_libzstd() {
    let words = lines(0..4000).concat();
    let sizes = [-5, 1, 3, 9, 19].map(|level| {
        let [(_, c), (_, structured)] = Libraries::new(&Codec::zstd().level(level)).frames(&words);
        assert!(structured.len() * 10 < c.len() * 11, "level {level}: {} to {}", structured.len(), c.len());
        structured.len()
    });
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[4], "{sizes:?}");
}

#[test]
fn pure_rust_trains_dictionaries_as_good_as_libzstd() {
    let samples = lines(0..2000);
    let sizes: Vec<usize> = samples.iter().map(Vec::len).collect();
    let dictionary =
        structured::train(&samples.concat(), &sizes, Tier::Fast.capacity()).expect("enough samples");
    assert!(dictionary.starts_with(&MAGIC) && dictionary.len() <= Tier::Fast.capacity());

    let size = |dictionary: Vec<u8>| -> usize {
        let libraries = Libraries::new(&Codec::zstd_dict(dictionary));
        let frames = lines(7000..7300).into_iter().map(|line| {
            let [(_, frame), _] = libraries.frames(&line);
            assert!(decoded(&libraries, &frame, line.len()) == line);
            frame.len()
        });
        frames.sum()
    };
    let (ours, theirs) = (size(dictionary), size(trained()));
    assert!(
        ours * 10 <= theirs * 11,
        "{ours} bytes with the dictionary of structured-zstd, {theirs} with the other"
    );

    let error = structured::train(b"abc", &[1, 1, 1], 1 << 15).expect_err("too few samples");
    assert_eq!(error.code(), Code::TrainingFailed);
}

#[test]
fn a_level_out_of_range_is_refused() {
    for level in [-131_073, 23, i32::MIN, i32::MAX] {
        let codec = Codec::zstd().level(level);
        let errors = [zstd::Backend::new(&codec).err(), structured::Backend::new(&codec).err()];
        let [c, structured] = errors.map(|error| error.expect("an error"));
        assert_eq!((structured.code(), structured.to_string()), (Code::InvalidArgument, c.to_string()));
    }
}

#[test]
fn the_c_library_goes_first_and_tells_its_version() {
    let library = zstd_library().expect("a library");
    assert_eq!(Some(&library), zstd::Backend::library().as_ref());
    assert!(library.starts_with("libzstd 1."), "{library}");
}

#[test]
fn structured_zstd_tells_the_version_that_is_built() {
    let library = structured::Backend::library().expect("a library");
    let lock =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).expect("a lock");
    let version =
        lock.split("name = \"structured-zstd\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(library.strip_prefix("structured-zstd "), version);
}

fn low(value: u32) -> u8 {
    value.to_le_bytes()[0]
}
