//! Results as array buffers of JavaScript, over the memory that they were read into.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use napi::bindgen_prelude::Unknown;
use napi::{Env, Status, check_status, sys};
use recask::{Code, Error, Result};

use super::pool::{Block, check_size, prepare};
use crate::error::thrown;
use crate::task::now;

/// Smaller results are copied: an array buffer over foreign memory costs more than that.
const COPIED: u64 = 64 << 10;
/// What a loop that never lets the event loop run may have lent before results are made in the engine's own memory: Node.js
/// returns foreign memory in a turn of the event loop only.
const LENT_MOST: u64 = 512 << 20;

static LENT: LazyLock<Mutex<HashMap<usize, Weak<Lent>>>> = LazyLock::new(Mutex::default);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Memory that an array buffer shows.
pub(super) struct Lent {
    start: NonNull<u8>,
    len: usize,
    /// A call fills it, or it was released.
    is_taken: AtomicBool,
    /// Keeps the memory. `None` once it was released.
    block: Mutex<Option<Block>>,
}

// SAFETY: the pointer leads to memory that `block` keeps. Whoever uses it in Rust claims it first, so that there is one user at a
// time.
unsafe impl Send for Lent {}
// SAFETY: as above; everything else in it is atomic or behind a lock.
unsafe impl Sync for Lent {}

impl Lent {
    /// Memory of Recask that starts at an address.
    pub(super) fn at(start: usize) -> Option<Arc<Self>> {
        registry().get(&start)?.upgrade()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::Acquire)
    }

    /// Whether the caller may use it now; until [`Lent::leave`] nobody else may.
    pub(super) fn claim(&self) -> bool {
        !self.is_taken.swap(true, Ordering::Acquire)
    }

    pub(super) fn leave(&self) {
        self.is_taken.store(false, Ordering::Release);
    }

    fn give_back(&self) {
        let block = self.block.lock().unwrap_or_else(PoisonError::into_inner).take();
        if block.is_some() {
            // Before the memory can be lent again.
            registry().remove(&self.start.addr().get());
            BYTES.fetch_sub(self.len as u64, Ordering::Relaxed);
        }
        drop(block);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Bytes that JavaScript has, or has not given back yet.
pub(super) fn lent() -> u64 {
    BYTES.load(Ordering::Relaxed)
}

/// A result as a `Uint8Array` that JavaScript owns.
///
/// # Errors
/// `too_large`.
pub(crate) fn lend(env: &Env, mut block: Block) -> napi::Result<Unknown<'_>> {
    let len = block.len();
    check_size(len as u64).map_err(thrown)?;
    if len as u64 <= COPIED {
        return copied(env, &block);
    }
    // A block of some length has an address.
    let start = NonNull::new(block.as_mut_ptr()).unwrap_or(NonNull::dangling());
    let lent =
        Arc::new(Lent { start, len, is_taken: AtomicBool::new(false), block: Mutex::new(Some(block)) });
    registry().insert(start.addr().get(), Arc::downgrade(&lent));
    BYTES.fetch_add(len as u64, Ordering::Relaxed);
    let hint = Arc::into_raw(Arc::clone(&lent));
    let mut buffer = ptr::null_mut();
    // SAFETY: the memory stays as long as the `Lent` that `hint` holds, and `collected` takes that hold back, once.
    let status = unsafe {
        sys::napi_create_external_arraybuffer(
            env.raw(),
            start.as_ptr().cast(),
            len,
            Some(collected),
            hint.cast_mut().cast(),
            &mut buffer,
        )
    };
    if status == sys::Status::napi_no_external_buffers_allowed {
        // SAFETY: the engine refused before it took anything: the hold is still ours.
        drop(unsafe { Arc::from_raw(hint) });
        // SAFETY: `lent` keeps so many bytes there.
        return copied(env, unsafe { slice::from_raw_parts(start.as_ptr(), len) });
    }
    // After another failure nothing says whether `collected` was called: rather a leak than memory that is given back twice.
    check_status!(status, "the engine takes no memory of {} bytes", len)?;
    array_over(env, buffer, len)
}

/// The same for calls that are run at once: a loop of them may never let the event loop run, and then what it lent does not come
/// back.
///
/// # Errors
/// As [`lend`].
pub(crate) fn lend_now(env: &Env, block: Block) -> napi::Result<Unknown<'_>> {
    if lent() < LENT_MOST { lend(env, block) } else { copied(env, &block) }
}

/// A new `Uint8Array` of so many bytes that is filled at once.
///
/// # Errors
/// What `fill` says; `too_large`.
pub(crate) fn filled_now(
    env: &Env,
    len: u64,
    fill: impl FnOnce(&mut [u8]) -> Result<()>,
) -> napi::Result<Unknown<'_>> {
    check_size(len).map_err(thrown)?;
    if len > COPIED && lent() < LENT_MOST {
        let block = now(|| {
            let mut block = Block::new(len)?;
            fill(&mut block)?;
            Ok(block)
        })?;
        return lend(env, block);
    }
    // What was checked fits.
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let (buffer, start) = engine_memory(env, len)?;
    // SAFETY: the engine made the memory just now, of this size and filled with zeros; nothing else knows of it, and no
    // JavaScript runs until it is filled.
    let bytes = if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(start, len) } };
    prepare(bytes);
    now(|| fill(bytes))?;
    array_over(env, buffer, len)
}

/// Bytes in a new `Uint8Array`.
///
/// # Errors
/// Where the engine has no memory for it.
pub(crate) fn copied<'e>(env: &'e Env, bytes: &[u8]) -> napi::Result<Unknown<'e>> {
    check_size(bytes.len() as u64).map_err(thrown)?;
    let (buffer, start) = engine_memory(env, bytes.len())?;
    if !bytes.is_empty() {
        // SAFETY: the engine made this memory just now, so large, and it is not `bytes`.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
    }
    array_over(env, buffer, bytes.len())
}

/// Gives the memory behind an array back: arrays over it are empty from now on. Nothing happens to other memory, and to memory
/// that a call fills; the answer is whether it was given back.
pub(super) fn release(lent: &Arc<Lent>, env: sys::napi_env, buffer: sys::napi_value) -> bool {
    if !lent.claim() {
        return false;
    }
    // SAFETY: both are of the call that runs; the status says whether the value is a buffer that can be detached.
    let status = unsafe { sys::napi_detach_arraybuffer(env, buffer) };
    if status != sys::Status::napi_ok {
        lent.leave();
        return false;
    }
    // Still claimed: nobody fills it any more.
    lent.give_back();
    true
}

/// The engine does not need the memory any more. On its thread, or when its environment ends.
unsafe extern "C" fn collected(_env: sys::napi_env, _data: *mut c_void, hint: *mut c_void) {
    // SAFETY: `hint` came from `Arc::into_raw`, and the engine calls this once.
    drop(unsafe { Arc::from_raw(hint.cast_const().cast::<Lent>()) });
}

/// A new buffer in the memory of the engine, with zeros.
fn engine_memory(env: &Env, len: usize) -> napi::Result<(sys::napi_value, *mut u8)> {
    // The engine ends the process where there is not enough.
    let there_is = Vec::<u8>::new().try_reserve_exact(len);
    there_is
        .map_err(|_| thrown(Error::new(Code::TooLarge, format!("there is no memory for {len} bytes"))))?;
    let (mut start, mut buffer) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the environment is that of the call that runs.
    let status = unsafe { sys::napi_create_arraybuffer(env.raw(), len, &mut start, &mut buffer) };
    check_status!(status, "the engine has no memory of {} bytes", len)?;
    if start.is_null() && len > 0 {
        return Err(napi::Error::new(
            Status::GenericFailure,
            format!("the engine has no memory of {len} bytes"),
        ));
    }
    Ok((buffer, start.cast()))
}

/// A `Uint8Array` over a whole buffer.
fn array_over(env: &Env, buffer: sys::napi_value, len: usize) -> napi::Result<Unknown<'_>> {
    let mut array = ptr::null_mut();
    // SAFETY: the buffer was made in this call, and has `len` bytes.
    let status = unsafe {
        sys::napi_create_typedarray(env.raw(), sys::TypedarrayType::uint8_array, len, buffer, 0, &mut array)
    };
    check_status!(status, "the engine makes no array of {} bytes", len)?;
    // SAFETY: the engine made the value just now.
    Ok(unsafe { Unknown::from_raw_unchecked(env.raw(), array) })
}

fn registry() -> MutexGuard<'static, HashMap<usize, Weak<Lent>>> {
    LENT.lock().unwrap_or_else(PoisonError::into_inner)
}
