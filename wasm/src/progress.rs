//! Watching long work from JavaScript.

use std::sync::atomic::{AtomicU64, Ordering};

use js_sys::Function;
use recask_core::progress::Progress;
use wasm_bindgen::{JsCast, JsValue};

use crate::live::Kept;
use crate::numbers::number;

/// Progress that a function of JavaScript is told of, and that it may stop.
pub(crate) struct Told {
    object: Kept,
    done: AtomicU64,
    total: u64,
}

impl Told {
    pub(crate) fn new(progress: Function, total: u64) -> Self {
        Told { object: Kept::new(progress.into()), done: 0.into(), total }
    }

    fn call(&self) -> bool {
        let Some(function) = self.object.get().map(JsCast::unchecked_into::<Function>) else {
            return true;
        };
        let done = number(self.done.load(Ordering::Relaxed));
        let answer = function.call2(&JsValue::NULL, &done, &number(self.total));
        answer.is_ok_and(|answer| !answer.is_falsy() || answer.is_undefined())
    }
}

impl Progress for Told {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn proceed(&self) -> bool {
        self.call()
    }
}
