//! Any journal: an error, nothing, or parts that are written back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::zrecord::journal::{Appended, BODY, Head, Redo};

fuzz_target!(|bytes: &[u8]| {
    let body = bytes.get(usize::try_from(BODY).unwrap()..).unwrap_or_default();
    if let Ok(Some(head)) = Head::decode(bytes) {
        assert_eq!(Head::decode(&head.encode()).unwrap(), Some(head));
    }
    for bytes in [bytes, body] {
        if let Some(appended) = Appended::decode(bytes) {
            assert_eq!(Appended::decode(&appended.encode()), Some(appended));
        }
        if let Some(redo) = Redo::decode(bytes) {
            assert_eq!(redo.encode(), bytes);
        }
    }
});
