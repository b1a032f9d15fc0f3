//! Whatever lies in a file, decoding it with any library gives an error or a whole record, and never a panic.
#![cfg(all(feature = "zstd", feature = "structured-zstd", feature = "ruzstd", feature = "std"))]

mod libraries;

use libraries::{Libraries, MAGIC, codec, dictionaries, lines, records, trained};
use proptest::prelude::*;
use recask_core::codec::{Codec, structured, zstd};
use recask_core::error::Code;

/// What can happen to a frame.
#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, u8),
    Cut(usize),
    Append(Vec<u8>),
    Insert(usize, u8),
    Remove(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    // The first bytes of a frame steer most of a decoder.
    let place =
        || prop_oneof![0usize..24, any::<prop::sample::Index>().prop_map(|index| index.index(1 << 16))];
    prop_oneof![
        4 => (place(), 1u8..).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        1 => place().prop_map(Damage::Cut),
        1 => prop::collection::vec(any::<u8>(), 1..12).prop_map(Damage::Append),
        1 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        1 => place().prop_map(Damage::Remove),
    ]
}

impl Damage {
    fn apply(self, frame: &mut Vec<u8>) {
        let len = frame.len();
        match self {
            Damage::Flip(at, bits) => frame[at % len] ^= bits,
            Damage::Cut(at) => frame.truncate(at % len),
            Damage::Append(bytes) => frame.extend(bytes),
            Damage::Insert(at, byte) => frame.insert(at % len, byte),
            Damage::Remove(at) => drop(frame.remove(at % len)),
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_frame_is_refused_or_whole(
        record in records().prop_filter("a byte", |record| !record.is_empty()),
        level in -5i32..8,
        dictionary in 0usize..3,
        damages in prop::collection::vec(damage(), 1..20),
    ) {
        let libraries = Libraries::new(&codec(dictionaries()[dictionary].clone()).level(level));
        let mut decoders = libraries.decoders();
        for (_, good) in libraries.frames(&record) {
            for damage in &damages {
                let mut frame = good.clone();
                damage.clone().apply(&mut frame);
                for (name, decoder) in &mut decoders {
                    let mut out = vec![0; record.len()];
                    let _ = decoder.decode(&frame, &mut out);
                    // It is as good as new for the next record.
                    let result = decoder.decode(&good, &mut out);
                    prop_assert!(result.is_ok() && out == record, "{} after {:?}: {:?}", name, damage, result);
                }
            }
        }
    }

    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 1..300), framed: bool, len in 0usize..5000) {
        let frame = if framed { [&[0x28, 0xB5, 0x2F, 0xFD], &noise[..]].concat() } else { noise };
        for dictionary in dictionaries() {
            let libraries = Libraries::new(&codec(dictionary));
            let results = libraries.decoders().into_iter().map(|(name, mut decoder)| {
                (name, decoder.decode(&frame, &mut vec![0; len]).is_ok())
            });
            let results: Vec<(&str, bool)> = results.collect();
            prop_assert!(results.iter().all(|(_, ok)| *ok == results[0].1), "{:?}", results);
        }
    }

    #[test]
    fn a_damaged_dictionary_is_refused_alike(
        damages in prop::collection::vec((0usize..200, 1u8..), 1..4),
        cut in prop::option::of(1usize..400),
    ) {
        let mut dictionary = trained();
        damages.iter().for_each(|(at, bits)| dictionary[*at] ^= bits);
        dictionary.truncate(cut.unwrap_or(dictionary.len()));
        let codec = Codec::zstd_dict(dictionary);
        match (zstd::Backend::new(&codec), structured::Backend::new(&codec)) {
            (Err(c), Err(structured)) => prop_assert_eq!(c.code(), structured.code()),
            (Ok(_), Ok(backend)) => {
                // Whatever its tables say now, a record comes back.
                let record = lines(0..30).concat();
                let frame = backend.with_encoder(|encoder| {
                    let mut frame = vec![0; encoder.bound(record.len())];
                    let size = encoder.encode(&record, &mut frame).expect("room");
                    Ok(frame[..size].to_vec())
                });
                let mut out = vec![0; record.len()];
                let result = backend.decoder().unwrap().decode(&frame.unwrap(), &mut out);
                prop_assert!(result.is_ok() && out == record, "{:?}", result);
            }
            (c, structured) => {
                prop_assert!(false, "C: {:?}, structured-zstd: {:?}", c.map(drop), structured.map(drop));
            }
        }
    }
}

/// A record, and the frame of `content` by libzstd, altered.
fn refused_by_all(what: &str, codec: &Codec, len: usize, frame: &[u8]) {
    for (name, mut decoder) in Libraries::new(codec).decoders() {
        let result = decoder.decode(frame, &mut vec![0; len]);
        assert!(result.is_err(), "{name} takes {what}");
    }
}

#[test]
fn a_frame_fills_a_record_exactly() {
    let words = lines(0..100).concat();
    for codec in dictionaries().map(codec) {
        for (_, frame) in Libraries::new(&codec).frames(&words) {
            let len = words.len();
            refused_by_all("a frame that is too long for its record", &codec, len - 1, &frame);
            refused_by_all("a frame that is too short for its record", &codec, len + 1, &frame);
            refused_by_all("a frame for an empty record", &codec, 0, &frame);
            refused_by_all("half a frame", &codec, len, &frame[..frame.len() / 2]);
            refused_by_all("nothing", &codec, len, &[]);
            refused_by_all("garbage after a frame", &codec, len, &[&frame[..], b"x"].concat());
            refused_by_all("garbage after a frame", &codec, len, &[&frame[..], &[0; 64]].concat());
        }
    }
}

#[test]
fn frames_follow_each_other_and_are_skipped_alike() {
    let (first, second) = (lines(0..50).concat(), lines(50..90).concat());
    let libraries = Libraries::new(&Codec::zstd());
    let skipped = [&0x184D_2A50u32.to_le_bytes()[..], &3u32.to_le_bytes(), b"abc"].concat();
    let [(_, one), _] = libraries.frames(&first);
    let [_, (_, two)] = libraries.frames(&second);
    let whole = [&skipped[..], &one, &skipped, &two, &skipped].concat();
    let content = [first, second].concat();
    assert!(libraries::decoded(&libraries, &whole, content.len()) == content);
    refused_by_all("a frame to skip that is cut", &Codec::zstd(), content.len(), &whole[..whole.len() - 1]);
}

#[test]
fn a_wrong_checksum_is_refused_by_what_checks_it() {
    // A frame with a checksum: one raw block "abc", single segment.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x24, 3, 0x19, 0, 0, b'a', b'b', b'c', 0, 0, 0, 0];
    // XXH64 of "abc" is 0x44BC2CF5AD770999; a frame keeps the low half.
    frame[12..].copy_from_slice(&0xAD77_0999u32.to_le_bytes());
    let libraries = Libraries::new(&Codec::zstd());
    assert_eq!(libraries::decoded(&libraries, &frame, 3), b"abc");
    frame[12] ^= 1;
    for backend in [libraries.c.decoder(), libraries.structured.decoder()] {
        assert!(backend.expect("a decoder").decode(&frame, &mut [0; 3]).is_err());
    }
}

#[test]
fn the_frame_of_another_dictionary_is_refused() {
    let words = lines(0..100).concat();
    let mut other = trained();
    // Bytes 4 to 7 are the number of the dictionary, which the frame repeats.
    other[4] ^= 1;
    for (_, frame) in Libraries::new(&Codec::zstd_dict(trained())).frames(&words) {
        refused_by_all(
            "a frame of another dictionary",
            &Codec::zstd_dict(other.clone()),
            words.len(),
            &frame,
        );
        refused_by_all("a frame of a dictionary", &Codec::zstd(), words.len(), &frame);
    }
}

#[test]
fn a_dictionary_with_tables_and_the_number_zero_is_unsupported() {
    let mut dictionary = trained();
    dictionary[4..8].fill(0);
    let error = structured::Backend::new(&Codec::zstd_dict(dictionary)).err().expect("an error");
    assert_eq!(error.code(), Code::Unsupported);
    assert!(trained().starts_with(&MAGIC));
}

#[test]
fn a_claim_of_much_content_takes_no_memory() {
    // A window of 1 GiB and more, contents of 2^40 bytes: claimed by frames of a few bytes.
    for header in [&[0x00, 0xA7][..], &[0xC0, 0x98, 0, 0, 0, 0, 0, 1, 0, 0], &[0xE0, 0, 0, 0, 0, 0, 1, 0, 0]]
    {
        let frame = [&[0x28, 0xB5, 0x2F, 0xFD], header, &[0x02, 0xFF, 0xFF, 0x00]].concat();
        refused_by_all("a frame that claims too much", &Codec::zstd(), 1000, &frame);
    }
}
