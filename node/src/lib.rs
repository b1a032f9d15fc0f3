//! The Node.js door: the native crate of Recask behind Node-API, driven by the TypeScript in `node/ts`.
//!
//! | module | does |
//! |---|---|
//! | `task` | runs calls at once, or on the thread pool behind a promise |
//! | `watch` | long work that is watched and stopped |
//! | `handle` | something open, and the order of the calls on it |
//! | `memory` | results and arguments as memory of both sides |
//! | `store` `dataset` `sampler` `dictionary` | record stores and the order of training |
//! | `table` `selection` `arrow` `table_writer` | column tables: opened, selected, as Arrow, written |
//! | `loader` | batches that are read ahead |
//! | `import_stores` `import_table` `export` `rules` | files of others |
//! | `command` `standard_streams` | the `recask` command |
//! | `error` `numbers` `index` `parameters` `values` `figures` `report` | what JavaScript gives and takes |
//!
//! It translates and drives, and nothing else. Every method that touches the disk is there twice: `x` answers with a promise and works
//! on the thread pool of Node.js, `xSync` works at once.
#![deny(unsafe_code)]
#![cfg_attr(test, allow(dead_code, reason = "nothing is exported where unit tests run"))]
#![allow(unreachable_pub, reason = "what napi exports is public wherever it stands")]
#![allow(clippy::needless_pass_by_value, reason = "napi hands over values")]

mod arrow;
mod command;
mod dataset;
mod dictionary;
mod error;
mod export;
mod figures;
mod handle;
mod import_stores;
mod import_table;
mod index;
mod loader;
#[allow(unsafe_code, reason = "the only place where memory of Rust and JavaScript meets")]
mod memory;
mod numbers;
mod parameters;
mod report;
mod rules;
mod sampler;
mod selection;
mod standard_streams;
mod store;
mod table;
mod table_writer;
mod task;
mod values;
mod watch;

use napi_derive::napi;
use recask::RayonExecutor;
use recask::core::exec::Executor as _;

/// The version of the package.
#[must_use]
#[napi]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// The library that reads and writes zstd.
#[must_use]
#[napi]
pub fn zstd() -> String {
    recask::core::codec::zstd_library().unwrap_or_default()
}

/// Threads that read and decode.
#[must_use]
#[napi]
pub fn threads() -> u32 {
    u32::try_from(RayonExecutor::default().width().get()).unwrap_or(u32::MAX)
}
