//! Record stores, column tables, an index sampler and a data loader for machine learning, byte-compatible with loaderx 1.7.2 and
//! colstore 0.3.0.
//!
//! This crate is the native door of Recask: files, memory maps, locks and threads around the portable
//! [`recask_core`], whose modules it shows again.
//!
//! ```
//! use recask::{Codec, DType, DenseStore, Mode, sampler};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("digits");
//! let mut images = DenseStore::builder(DType::U8, [2, 2]).codec(Codec::zstd()).create(&path)?;
//! images.append(&[0u8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])?; // three records
//! images.close()?;
//!
//! let images = DenseStore::open(&path)?;
//! let sampler = sampler(Mode::Cyclic, images.len(), 2).seed(42).build()?;
//! let batch = images.gather(sampler.at(0)?)?;
//! assert_eq!(batch.shape(), [2, 2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "convert")]
pub mod convert;
pub mod exec;
pub mod fs;
pub mod loader;
#[allow(unsafe_code, reason = "the only place that advises the system on memory that is not a file")]
mod pages;
mod seed;
#[allow(unsafe_code, reason = "the only place that writes memory around the caches")]
mod streaming;
pub mod table;
pub mod tuning;
#[cfg(feature = "ndarray")]
pub mod views;

pub use exec::RayonExecutor;
pub use fs::Native;
pub use loader::Loader;
pub use recask_core::{
    self as core, Code, Codec, DType, DenseBatch, Error, Index, RaggedBatch, RaggedRecord, RaggedView,
    Result, Sampler, Shape,
    codec::dictionary::{Samples, Tier},
    dtype::{Element, bytes_of_slice},
    format::zrecord::{CodecKind, StoreKind},
    progress::Progress,
    sampler::Mode,
    store::{OpenOptions, Stats, Verification},
};
pub use seed::{sampler, system_seed};
pub use table::TableWriter;

/// A dense store in a directory.
pub type DenseStore = recask_core::DenseStore<Native>;
/// A ragged store in a directory.
pub type RaggedStore = recask_core::RaggedStore<Native>;
/// A column table in a `.cstore` file.
pub type Table = recask_core::Table<Native>;
/// Rows and columns of a [`Table`], before they are read.
pub type Selection = recask_core::table::Selection<Native>;
/// A store of either kind in a directory.
pub type AnyStore = recask_core::AnyStore<Native>;
