//! The command as a WASI module, under `node:wasi` and under wasmtime, beside the native one: the same answers, the same files.
//!
//! `cargo xtask test` builds the modules and says where they are, by the variables in [`runtime`]. The runners are in
//! `tests/wasi`.

mod commands;
mod conformance;
mod damaged;
mod evaluate;
mod folders;
mod left_out;
mod limits;
mod read_only;
mod runtime;
mod workspace;
