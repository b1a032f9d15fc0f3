//! Any text for an element type: an error, or a type whose text means the same type.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::DType;

fuzz_target!(|text: &str| {
    if let Ok(dtype) = DType::parse(text) {
        assert_eq!(DType::parse(&dtype.to_string()).unwrap(), dtype, "{dtype}");
    }
});
