//! Any text of a state: an error, or a state that survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::loader::State;

fuzz_target!(|text: &str| {
    if let Ok(state) = text.parse::<State>() {
        assert_eq!(state.to_string().parse::<State>().unwrap(), state);
    }
});
