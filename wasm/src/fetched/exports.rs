//! What TypeScript does with the files of a place.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use js_sys::Uint8Array;
use recask_core::plan::Coalesce;
use recask_core::storage::FileId;
use recask_core::{Code, Error};
use wasm_bindgen::prelude::wasm_bindgen;

use super::Files;
use crate::answer::{Fallible, fault};
use crate::numbers::whole;

static GAP: AtomicU64 = AtomicU64::new(16 << 10);
static MOST: AtomicU64 = AtomicU64::new(8 << 20);

thread_local! {
    static REGISTERED: RefCell<(u32, BTreeMap<u32, Weak<Files>>)> = const { RefCell::new((0, BTreeMap::new())) };
}

/// The files of one place.
#[wasm_bindgen]
pub struct RawFiles {
    files: Arc<Files>,
}

#[wasm_bindgen]
impl RawFiles {
    /// Files of which nothing is known.
    #[wasm_bindgen(constructor)]
    pub fn new(name: String) -> Self {
        REGISTERED.with_borrow_mut(|(last, all)| {
            *last = last.wrapping_add(1);
            let files = Arc::new(Files::new(*last));
            files.set_name(name);
            all.retain(|_, files| files.strong_count() > 0);
            all.insert(*last, Arc::downgrade(&files));
            RawFiles { files }
        })
    }

    /// Names it in needs.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> u32 {
        self.files.id()
    }

    /// The file exists and has so many bytes.
    pub fn know(&self, name: &str, length: f64) -> Fallible<()> {
        let length = whole(length)?;
        if let Some(id) = id_of(name) {
            self.files.known_mut().files.insert(id, Some(length));
        }
        Ok(())
    }

    /// There is no such file.
    pub fn absent(&self, name: &str) {
        if let Some(id) = id_of(name) {
            self.files.known_mut().files.insert(id, None);
        }
    }

    /// Every file that exists is known.
    pub fn complete(&self) {
        self.files.known_mut().is_complete = true;
    }

    /// Nothing is known any more: the place is looked at anew.
    pub fn forget(&self) {
        let mut known = self.files.known_mut();
        known.files.clear();
        known.is_complete = false;
    }

    /// Bytes of a file for the next call.
    pub fn put(&self, name: &str, start: f64, bytes: &Uint8Array) -> Fallible<()> {
        let start = whole(start)?;
        if let Some(id) = id_of(name) {
            // The copy itself would not return where there is no room for it.
            Vec::<u8>::new().try_reserve_exact(bytes.length() as usize).map_err(|_| fault(&no_memory()))?;
            self.files.known_mut().spans.entry(id).or_default().add(start, bytes.to_vec());
        }
        Ok(())
    }

    /// Forgets the bytes.
    pub fn clear(&self) {
        self.files.known_mut().spans.clear();
        self.files.take_wanted();
    }

    pub(crate) fn files(&self) -> &Arc<Files> {
        &self.files
    }
}

/// The files with this id.
pub(crate) fn registered(id: u32) -> Fallible<Arc<Files>> {
    REGISTERED.with_borrow(|(_, all)| all.get(&id).and_then(Weak::upgrade)).ok_or_else(|| {
        fault(&Error::new(Code::InvalidArgument, "the files of this table were given back already"))
    })
}

/// When two ranges are brought as one.
pub(crate) fn coalescing() -> Coalesce {
    Coalesce { gap: GAP.load(Ordering::Relaxed), max: MOST.load(Ordering::Relaxed) }
}

/// How far apart two ranges may be that are brought as one, and how long that one may be.
#[wasm_bindgen(js_name = setCoalescing)]
pub fn set_coalescing(gap: f64, max: f64) -> Fallible<()> {
    GAP.store(whole(gap)?, Ordering::Relaxed);
    MOST.store(whole(max)?, Ordering::Relaxed);
    Ok(())
}

fn id_of(name: &str) -> Option<FileId> {
    if name == FileId::Table.to_string() {
        return Some(FileId::Table);
    }
    FileId::from_name(name)
}

fn no_memory() -> Error {
    Error::new(Code::OverLimit, "the bytes that were brought do not fit in memory; ask for less at once")
}
