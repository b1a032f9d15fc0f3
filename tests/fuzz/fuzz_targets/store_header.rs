//! Any `store.zr`: an error, or a header that survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::zrecord::{Geometry, TypedHeader};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(header) = TypedHeader::decode(bytes, &Geometry::FORMAT) {
        assert!(header.record_bytes <= Geometry::FORMAT.record_bytes);
        assert_eq!(TypedHeader::decode(&header.encode(), &Geometry::FORMAT).unwrap(), header);
    }
});
