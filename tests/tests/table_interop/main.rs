//! Recask and the real colstore 0.3.0 and 0.5.1 on the same tables, as `tests/interop/README.md` describes.

mod beside;
mod colstore;
mod columns;
mod identical;
mod killed;
mod locks;
mod numbered;
mod ours;
#[path = "../python/mod.rs"]
mod python;
mod queries;
#[allow(dead_code, reason = "the tests of stores use more of it")]
#[path = "../interop/random.rs"]
mod random;
mod turns;
mod types;
#[path = "../victim/mod.rs"]
mod victim;
mod written;
