//! The loader as its users see it: which batches come, in which order, from where it goes on, and how it ends.
//!
//! What needs a process of its own is in `loader_memory.rs` and `loader_drop.rs`.

mod cut;
mod data;
mod ends;
mod epochs;
mod failures;
mod order;
mod other_data;
mod ranks;
mod refusals;
mod resume;
mod watchdog;
