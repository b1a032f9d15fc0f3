//! Objects of JavaScript, kept by the thread that they belong to.

use std::cell::RefCell;
use std::sync::Arc;

use wasm_bindgen::JsValue;

thread_local! {
    static OBJECTS: RefCell<Vec<Option<JsValue>>> = const { RefCell::new(Vec::new()) };
}

/// An object that is kept until the last clone is gone.
#[derive(Clone, Debug)]
pub(crate) struct Kept(Arc<Slot>);

#[derive(Debug)]
struct Slot {
    number: usize,
    thread: std::thread::ThreadId,
}

impl Kept {
    pub(crate) fn new(object: JsValue) -> Self {
        let number = OBJECTS.with_borrow_mut(|objects| match objects.iter().position(Option::is_none) {
            Some(free) => {
                objects[free] = Some(object);
                free
            }
            None => {
                objects.push(Some(object));
                objects.len() - 1
            }
        });
        Kept(Arc::new(Slot { number, thread: std::thread::current().id() }))
    }

    /// The object; `None` on another thread.
    pub(crate) fn get(&self) -> Option<JsValue> {
        if self.0.thread != std::thread::current().id() {
            return None;
        }
        OBJECTS.with_borrow(|objects| objects.get(self.0.number).cloned().flatten())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.thread == std::thread::current().id() {
            OBJECTS.with_borrow_mut(|objects| {
                if let Some(slot) = objects.get_mut(self.number) {
                    *slot = None;
                }
            });
        }
    }
}
