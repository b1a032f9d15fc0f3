//! The most memory that one call may take.

use std::sync::atomic::{AtomicU64, Ordering};

use recask_core::{Code, Error, Result};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::Fallible;
use crate::numbers::whole;

static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Refuses what needs more, before anything is brought.
pub(crate) fn check(bytes: u64) -> Result<()> {
    let limit = LIMIT.load(Ordering::Relaxed);
    if bytes <= limit {
        return Ok(());
    }
    let text = format!(
        "this needs {bytes} bytes of memory, {limit} are allowed; ask for less at once, or raise the limit of init()"
    );
    Err(Error::new(Code::OverLimit, text))
}

/// The most bytes of a result, and of what is brought for it together.
#[wasm_bindgen(js_name = setMemoryLimit)]
pub fn set_memory_limit(bytes: f64) -> Fallible<()> {
    LIMIT.store(whole(bytes)?, Ordering::Relaxed);
    Ok(())
}
