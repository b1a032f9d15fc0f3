//! Any bytes as a zstd frame: where the C library and pure Rust both read a record, it is the same. Any bytes as a record: its frame by
//! either library is the record again for both.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use recask_core::codec::{Codec, Encoder, structured, zstd};

struct Backends {
    c: zstd::Backend,
    rust: structured::Backend,
}

/// Without a dictionary, and with one that has no tables.
static BACKENDS: LazyLock<[Backends; 2]> = LazyLock::new(|| {
    let content: Vec<u8> = (0..400).flat_map(|i| format!("line {i}: {}\n", i * i).into_bytes()).collect();
    [Codec::zstd(), Codec::zstd_dict(content)].map(|codec| Backends {
        c: zstd::Backend::new(&codec).expect("a codec"),
        rust: structured::Backend::new(&codec).expect("a codec"),
    })
});

fuzz_target!(|input: (bool, u16, &[u8])| {
    let (has_dictionary, len, bytes) = input;
    let backends = &BACKENDS[usize::from(has_dictionary)];
    // Of what no encoder writes, one may refuse more than the other.
    if let [Some(by_c), Some(by_rust)] = backends.decode(bytes, usize::from(len)) {
        assert_eq!(by_c, by_rust, "two readings of one frame");
    }
    for frame in backends.encode(bytes) {
        for record in backends.decode(&frame, bytes.len()) {
            assert_eq!(record.as_deref(), Some(bytes));
        }
    }
});

impl Backends {
    /// What each library finds in a frame of `len` bytes.
    fn decode(&self, frame: &[u8], len: usize) -> [Option<Vec<u8>>; 2] {
        let decoders = [self.c.decoder(), self.rust.decoder()];
        decoders.map(|decoder| {
            let mut record = vec![0; len];
            decoder.expect("a decoder").decode(frame, &mut record).is_ok().then_some(record)
        })
    }

    fn encode(&self, record: &[u8]) -> [Vec<u8>; 2] {
        let frame = |encoder: &mut dyn Encoder| {
            let mut frame = vec![0; encoder.bound(record.len())];
            let size = encoder.encode(record, &mut frame).expect("room");
            frame.truncate(size);
            Ok(frame)
        };
        [self.c.with_encoder(frame).expect("an encoder"), self.rust.with_encoder(frame).expect("an encoder")]
    }
}
