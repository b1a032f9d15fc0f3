//! The portable core of Recask.
//!
//! It knows bytes, offsets and arithmetic: the formats of loaderx 1.7.2 and colstore 0.3.0, the codecs, the sampler, the
//! record engine and the column table. It never sees a path, a clock or a thread. What it needs from outside stands in three traits: a
//! [`storage::Storage`] holds the files, an [`exec::Executor`] runs independent tasks, and an
//! [`environment::Environment`] ties both to a kind of place. `ARCHITECTURE.md` is the tour.
#![no_std]
#![forbid(unsafe_code)]
// The module for browsers is compiled without what `{:?}` prints, so no message may depend on it.
#![cfg_attr(not(test), deny(clippy::use_debug))]

extern crate alloc;

pub mod any;
pub mod buffer;
pub mod codec;
mod common;
pub mod dense;
pub mod dtype;
pub mod environment;
pub mod error;
pub mod exec;
pub mod format;
pub mod index;
pub mod listing;
pub mod loader;
pub mod plan;
pub mod progress;
pub mod ragged;
mod recode;
pub mod sampler;
pub mod shape;
pub mod storage;
pub mod store;
pub mod table;
mod train;

pub use any::AnyStore;
pub use codec::Codec;
pub use dense::{DenseBatch, DenseBuilder, DenseStore};
pub use dtype::DType;
pub use error::{Code, Error, Result};
pub use index::Index;
pub use ragged::{RaggedBatch, RaggedBuilder, RaggedRecord, RaggedStore, RaggedView};
pub use sampler::Sampler;
pub use shape::Shape;
pub use table::Table;
