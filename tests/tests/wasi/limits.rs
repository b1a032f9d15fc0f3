//! Fuel and memory, which wasmtime limits.

use serde_json::json;

use crate::runtime::{Request, Runtime, command};
use crate::workspace::dataset;

#[test]
fn reading_needs_little_memory_and_ends_with_its_fuel() {
    let data = dataset();
    let folders = [(data.path(), ".")];
    let mut runtime = Runtime::wasmtime();
    let mut ask = |more| {
        runtime.ask(&Request { module: command(), arguments: &["verify", "mnist"], folders: &folders, more })
    };
    let generous = ask(json!({ "fuel": 100_000_000_000u64, "memory": 32 << 20 })).expect("it is enough");
    assert_eq!(generous.status, 0, "{generous:?}");
    let trap = ask(json!({ "fuel": 100_000 })).expect_err("it is too little");
    assert!(trap.contains("fuel"), "{trap}");
}
