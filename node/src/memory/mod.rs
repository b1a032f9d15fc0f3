//! Memory between Rust and JavaScript: the only module that is unsafe.
//!
//! | module | does |
//! |---|---|
//! | `pool` | memory for results, which is used again: fresh memory costs several times a copy |
//! | `lent` | results as array buffers over that memory, without a copy, until JavaScript collects or releases them |
//! | `given` | arrays of JavaScript: read during a call, copied before it, or filled |
//!
//! Rules that keep this sound:
//! - Arrays of JavaScript are only touched on its thread, while a call runs: no JavaScript runs meanwhile that could detach or
//!   shrink them. What a call needs later is copied first.
//! - Memory that was lent is kept by whoever works on it, even when JavaScript detaches or forgets the array meanwhile. One call at
//!   a time may fill it, and nothing reads it in Rust meanwhile.
//! - Memory that several threads of JavaScript share is only ever copied from and to.

mod given;
mod lent;
mod pool;

pub(crate) use self::given::{Filled, Given};
pub(crate) use self::lent::{copied, filled_now, lend, lend_now};
pub(crate) use self::pool::Block;

use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::numbers::{count, whole};
use crate::task::now;

/// Memory of results, in bytes.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct MemoryUse {
    /// What arrays of JavaScript show that it did not give back yet.
    pub lent: f64,
    /// What waits for the next result.
    pub kept: f64,
}

/// How much memory results take, in this whole process.
#[must_use]
#[napi]
pub fn memory_use() -> MemoryUse {
    MemoryUse { lent: count(lent::lent()), kept: count(pool::kept()) }
}

/// Keeps at most so many bytes for later results, instead of 256 MiB. For the whole process.
///
/// # Errors
/// `invalid_argument`.
#[napi]
pub fn keep_memory(bytes: f64) -> napi::Result<()> {
    now(|| whole(bytes).map(pool::set_limit))
}

/// Gives the memory of a result back at once, instead of when it is collected: its arrays are empty from then on. Whether it was
/// the memory of a result, and no call fills it.
///
/// # Errors
/// `invalid_argument` where this is no `Uint8Array`.
#[napi(ts_args_type = "array: Uint8Array")]
pub fn release(array: Unknown<'_>) -> napi::Result<bool> {
    now(|| Ok(Given::of(&array)?.release()))
}
