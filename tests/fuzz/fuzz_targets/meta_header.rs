//! Any `meta.zr`: an error, or a header that is written back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::zrecord::Header;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(header.encode(), bytes);
        let _ = header.addressed_bytes(1 << 32);
        let mut tail = header.tail;
        if let Ok(at) = tail.place(1, 1 << 32) {
            assert!(at >= header.tail && tail > header.tail);
        }
    }
});
