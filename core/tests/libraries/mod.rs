//! The three zstd libraries beside each other, and records that tell them apart.

use std::sync::OnceLock;

use proptest::prelude::*;
use recask_core::codec::dictionary::{Samples, Tier};
use recask_core::codec::{Codec, Decoder, Encoder, ruzstd, structured, zstd};
use recask_core::error::Result;

/// The magic of a dictionary with tables.
pub(crate) const MAGIC: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];

/// A codec in every library that can decode it.
pub(crate) struct Libraries {
    pub(crate) c: zstd::Backend,
    pub(crate) structured: structured::Backend,
    /// Takes only dictionaries with tables.
    ruzstd: Option<ruzstd::Backend>,
}

impl Libraries {
    pub(crate) fn new(codec: &Codec) -> Self {
        let takes_all = codec.dictionary().is_none_or(|bytes| bytes.starts_with(&MAGIC));
        Libraries {
            c: zstd::Backend::new(codec).expect("a codec for C"),
            structured: structured::Backend::new(codec).expect("a codec for structured-zstd"),
            ruzstd: takes_all.then(|| ruzstd::Backend::new(codec).expect("a codec for ruzstd")),
        }
    }

    pub(crate) fn decoders(&self) -> Vec<(&'static str, Box<dyn Decoder>)> {
        let mut decoders = vec![
            ("libzstd", self.c.decoder().expect("a decoder")),
            ("structured-zstd", self.structured.decoder().expect("a decoder")),
        ];
        decoders.extend(self.ruzstd.iter().map(|ruzstd| ("ruzstd", ruzstd.decoder().expect("a decoder"))));
        decoders
    }

    /// The frames of `record` by each library that encodes.
    pub(crate) fn frames(&self, record: &[u8]) -> [(&'static str, Vec<u8>); 2] {
        let by_c = self.c.with_encoder(|encoder| Ok(frame(encoder, record)));
        let by_structured = self.structured.with_encoder(|encoder| Ok(frame(encoder, record)));
        [("libzstd", taken(by_c)), ("structured-zstd", taken(by_structured))]
    }
}

/// What all decoders say of a frame: its content, `len` bytes.
pub(crate) fn decoded(libraries: &Libraries, frame: &[u8], len: usize) -> Vec<u8> {
    let mut contents = libraries.decoders().into_iter().map(|(name, mut decoder)| {
        // No decoder can pass by leaving what it finds.
        let mut out = vec![u8::try_from(name.len()).unwrap(); len];
        decoder.decode(frame, &mut out).unwrap_or_else(|error| panic!("{name} refuses a frame: {}", error.0));
        (name, out)
    });
    let (_, first) = contents.next().expect("a decoder");
    for (name, other) in contents {
        assert!(first == other, "{name} disagrees about a frame of {} bytes", frame.len());
    }
    first
}

fn frame(encoder: &mut dyn Encoder, record: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; encoder.bound(record.len())];
    let size = encoder.encode(record, &mut frame).expect("room");
    frame.truncate(size);
    frame
}

fn taken(frame: Result<Vec<u8>>) -> Vec<u8> {
    frame.expect("an encoder")
}

/// No dictionary, a trained one, and bytes without tables.
pub(crate) fn dictionaries() -> [Option<Vec<u8>>; 3] {
    [None, Some(trained()), Some(lines(0..400).concat())]
}

pub(crate) fn codec(dictionary: Option<Vec<u8>>) -> Codec {
    dictionary.map_or(Codec::zstd(), Codec::zstd_dict)
}

/// Trained once: training takes longer than all cases together.
pub(crate) fn trained() -> Vec<u8> {
    static DICTIONARY: OnceLock<Vec<u8>> = OnceLock::new();
    let train =
        || Samples::from_records(lines(0..2000), Tier::Fast).train(Tier::Fast).expect("enough samples");
    DICTIONARY.get_or_init(train).clone()
}

/// Small records that share words.
pub(crate) fn lines(numbers: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    numbers.map(|i| format!("record {} of {}; ", i % 97, i * 7).into_bytes()).collect()
}

/// Records of all kinds: noise, few values, runs, and words that the dictionaries know.
pub(crate) fn records() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..3000);
    let few = prop::collection::vec(prop_oneof![3 => 0u8..4, 1 => any::<u8>()], 0..5000);
    let runs = prop::collection::vec((any::<u8>(), 1usize..3000), 1..8)
        .prop_map(|runs| runs.into_iter().flat_map(|(byte, len)| vec![byte; len]).collect());
    let words = (0u32..5000, 1u32..80).prop_map(|(from, count)| lines(from..from + count).concat());
    prop_oneof![noise, few, runs, words]
}
