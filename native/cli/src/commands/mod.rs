//! One module for each command: its arguments, its help, and what it does.

pub(crate) mod append;
pub(crate) mod bench;
#[cfg(feature = "threads")]
pub(crate) mod calibrate;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod concat;
pub(crate) mod create;
pub(crate) mod delete;
#[cfg(feature = "demo")]
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod info;
#[cfg(not(all(feature = "demo", feature = "threads")))]
pub(crate) mod left_out;
pub(crate) mod load;
pub(crate) mod query;
pub(crate) mod recode;
pub(crate) mod sample;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod train_dict;
pub(crate) mod verify;
