//! The browser door: the core of Recask behind `wasm-bindgen`, driven by the TypeScript in `wasm/ts`.
//!
//! | module | does |
//! |---|---|
//! | `environment` | the environment of the core: files that are fetched, or files that are open |
//! | `fetched` | reading without I/O: what is known of files, the bytes of the moment, and what is missing |
//! | `live` | files that JavaScript has open and that answer at once |
//! | `executor` | one thread, or those of `wasm-bindgen-rayon` |
//! | `limit` `numbers` `progress` `index` `values` | what JavaScript gives and takes |
//! | `answer` | errors, and needs, as JavaScript sees them |
//! | `store` `table` `selection` `table_writer` `sampler` `feed` `state` | the exported classes; `ts/raw.ts` is their interface |
//!
//! Nothing here is asynchronous. A call that needs bytes throws the list of them, and is made again with them.
#![deny(unsafe_code)]
#![allow(unreachable_pub, reason = "what wasm-bindgen exports is public wherever it stands")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "wasm-bindgen hands over texts, lists and functions by value"
)]

mod answer;
mod dictionary;
mod environment;
mod executor;
mod feed;
mod fetched;
mod index;
mod limit;
mod listing;
mod live;
mod numbers;
mod progress;
mod sampler;
mod selection;
mod state;
mod store;
mod summary;
mod table;
mod table_writer;
mod values;

use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(all(feature = "threads", target_family = "wasm"))]
pub use wasm_bindgen_rayon::init_thread_pool;

/// The version of the package.
#[must_use]
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// The library that reads and writes zstd.
#[must_use]
#[wasm_bindgen]
pub fn zstd() -> String {
    recask_core::codec::zstd_library().unwrap_or_default()
}
