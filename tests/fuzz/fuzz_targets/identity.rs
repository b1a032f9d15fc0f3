//! Any identity: an error, or a type that survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::identity::Identity;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(identity) = Identity::decode_dense(bytes) {
        assert_eq!(Identity::decode_dense(&identity.encode()).unwrap(), identity);
    }
    if let Ok(identity) = Identity::decode_ragged(bytes) {
        assert_eq!(Identity::decode_ragged(&identity.encode()).unwrap(), identity);
    }
});
