//! Tables from and to the files of others.
#![cfg(all(feature = "csv", feature = "ipc", feature = "parquet"))]

mod append;
mod batches;
mod damage;
mod failure;
mod flights;
mod memory;
mod nulls;
mod property;
mod pyarrow_files;
mod real;
mod support;
mod text;
mod types;
mod wide;
mod widths;
