//! Arrays of bytes that JavaScript gave.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

use napi::bindgen_prelude::{FromNapiValue as _, ToNapiValue as _, TypedArrayType, Uint8Array, Unknown};
use napi::{Env, JsValue as _, sys};
use recask::{Code, Error, Result};

use super::lent::{self, Lent};
use super::pool::Block;
use crate::error::invalid;

/// A `Uint8Array`, for the call that it was given to.
pub(crate) struct Given<'v> {
    array: sys::napi_value,
    buffer: sys::napi_value,
    env: sys::napi_env,
    start: NonNull<u8>,
    len: usize,
    memory: Memory,
    call: PhantomData<&'v ()>,
}

/// Whose memory it is.
enum Memory {
    /// Of Recask; the array starts so many bytes behind its start.
    Lent(Arc<Lent>, usize),
    /// Of the engine, or of somebody else.
    Private,
    /// Several threads of JavaScript have it.
    Shared,
}

impl<'v> Given<'v> {
    /// # Errors
    /// `invalid_argument` for anything but a `Uint8Array` whose buffer is there.
    pub(crate) fn of(value: &Unknown<'v>) -> Result<Self> {
        Self::bytes(value.value().env, value.raw())
    }

    /// The bytes of an array of numbers of any kind, and which kind.
    ///
    /// # Errors
    /// `invalid_argument` for anything but such an array whose buffer is there.
    pub(crate) fn of_any(value: &Unknown<'v>) -> Result<(TypedArrayType, Self)> {
        let (kind, given) = Self::typed(value.value().env, value.raw())?;
        Ok((kind.into(), given))
    }

    fn bytes(env: sys::napi_env, array: sys::napi_value) -> Result<Self> {
        match Self::typed(env, array)? {
            (sys::TypedarrayType::uint8_array, given) => Ok(given),
            _ => Err(wrong()),
        }
    }

    fn typed(env: sys::napi_env, array: sys::napi_value) -> Result<(sys::napi_typedarray_type, Self)> {
        let mut is_array = false;
        // SAFETY: environment and value are those of the call that runs; the same holds for the calls below.
        let status = unsafe { sys::napi_is_typedarray(env, array, &mut is_array) };
        if status != sys::Status::napi_ok || !is_array {
            return Err(wrong());
        }
        let (mut kind, mut len, mut offset) = (-1, 0, 0);
        let (mut start, mut buffer) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: as above, and the value is a typed array.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                env,
                array,
                &mut kind,
                &mut len,
                &mut start,
                &mut buffer,
                &mut offset,
            )
        };
        if status != sys::Status::napi_ok {
            return Err(wrong());
        }
        len *= width_of(kind);
        let (mut is_private, mut is_detached) = (false, false);
        // SAFETY: as above.
        let statuses = unsafe {
            [
                sys::napi_is_arraybuffer(env, buffer, &mut is_private),
                sys::napi_is_detached_arraybuffer(env, buffer, &mut is_detached),
            ]
        };
        if statuses.iter().any(|&status| status != sys::Status::napi_ok) {
            return Err(wrong());
        }
        if is_detached {
            return Err(detached());
        }
        let start = match NonNull::new(start.cast::<u8>()) {
            Some(start) if len > 0 => start,
            _ => {
                len = 0;
                NonNull::dangling()
            }
        };
        let memory = if is_private { memory_of(start, len, offset) } else { Memory::Shared };
        Ok((kind, Given { array, buffer, env, start, len, memory, call: PhantomData }))
    }

    /// In bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Reads the bytes, borrowed. `read` runs no JavaScript.
    ///
    /// # Errors
    /// What `read` says; `invalid_argument` while a call fills them.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        match &self.memory {
            Memory::Lent(lent, _) if lent.is_taken() => Err(taken()),
            Memory::Shared => read(&self.copy()?),
            Memory::Lent(..) | Memory::Private => {
                // SAFETY: the array has so many bytes there. No JavaScript runs until `read` is done, and no call of ours that
                // could start to fill them; others do not have them.
                read(unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) })
            }
        }
    }

    /// A copy, for work that goes on after the call.
    ///
    /// # Errors
    /// `invalid_argument` while a call fills them; `too_large`.
    pub(crate) fn to_block(&self) -> Result<Block> {
        match &self.memory {
            Memory::Lent(lent, _) if lent.is_taken() => Err(taken()),
            _ => self.copy(),
        }
    }

    /// Has the bytes filled, at once. `fill` runs no JavaScript.
    ///
    /// # Errors
    /// What `fill` says; then they hold anything.
    pub(crate) fn fill(self, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
        match &self.memory {
            Memory::Lent(lent, _) if lent.is_taken() => Err(taken()),
            Memory::Shared => {
                let mut block = Block::new(self.len as u64)?;
                fill(&mut block)?;
                self.take(&block);
                Ok(())
            }
            Memory::Lent(..) | Memory::Private => {
                // SAFETY: as in `read`.
                fill(unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
            }
        }
    }

    /// Prepares to have the bytes filled on the thread pool.
    ///
    /// # Errors
    /// `invalid_argument` while another call fills them.
    pub(crate) fn filled_later(self) -> Result<Filling> {
        let len = self.len;
        match self.memory {
            Memory::Lent(lent, offset) => {
                Claim::new(lent).map(|claim| Filling(Way::Direct { claim, offset, len }))
            }
            // JavaScript could detach it meanwhile.
            Memory::Private | Memory::Shared => {
                // SAFETY: the value is a typed array of the call that runs.
                let array = unsafe { Uint8Array::from_napi_value(self.env, self.array) };
                let array = array.map_err(|error| invalid(format!("this array cannot be kept: {error}")))?;
                Ok(Filling(Way::Through { array, len }))
            }
        }
    }

    /// Gives the memory back where it was lent: arrays over it are empty from now on.
    pub(crate) fn release(self) -> bool {
        match &self.memory {
            Memory::Lent(lent, _) => lent::release(lent, self.env, self.buffer),
            Memory::Private | Memory::Shared => false,
        }
    }

    fn copy(&self) -> Result<Block> {
        let mut block = Block::new(self.len as u64)?;
        // SAFETY: the array has so many bytes there, and so many has the block, which is new.
        unsafe { ptr::copy_nonoverlapping(self.start.as_ptr(), block.as_mut_ptr(), self.len) };
        Ok(block)
    }

    /// Writes bytes of the same number.
    fn take(&self, bytes: &[u8]) {
        let len = bytes.len().min(self.len);
        // SAFETY: the array has so many bytes there, and they are not those of a block.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.as_ptr(), len) };
    }
}

/// An array that is to be filled on the thread pool.
pub(crate) struct Filling(Way);

enum Way {
    /// Memory of Recask, which stays whatever happens to the array.
    Direct { claim: Claim, offset: usize, len: usize },
    /// Any other: filled on the thread of JavaScript, from memory of the pool.
    Through { array: Uint8Array, len: usize },
}

/// What was filled, on its way back.
pub struct Filled(Option<(Block, Uint8Array)>);

impl Filling {
    /// In bytes.
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Way::Direct { len, .. } | Way::Through { len, .. } => *len,
        }
    }

    /// Fills it, on any thread.
    ///
    /// # Errors
    /// What `fill` says; then it holds anything.
    pub(crate) fn fill(self, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Filled> {
        match self.0 {
            Way::Direct { claim, offset, len } => {
                // SAFETY: the array lies within the memory, as was checked when it was found; the claim keeps the memory, and
                // everybody else in Rust away from it.
                fill(unsafe { slice::from_raw_parts_mut(claim.0.start().as_ptr().add(offset), len) })?;
                Ok(Filled(None))
            }
            Way::Through { array, len } => {
                let mut block = Block::new(len as u64)?;
                fill(&mut block)?;
                Ok(Filled(Some((block, array))))
            }
        }
    }
}

impl Filled {
    /// Brings the bytes to where they belong, on the thread of JavaScript.
    ///
    /// # Errors
    /// `invalid_argument` where the array was detached or resized meanwhile.
    pub(crate) fn deliver(self, env: &Env) -> Result<()> {
        let Some((block, array)) = self.0 else { return Ok(()) };
        // SAFETY: the environment is the one of the array: promises resolve where they were made.
        let array = unsafe { Uint8Array::to_napi_value(env.raw(), array) };
        let array = array.map_err(|error| invalid(format!("the array is gone: {error}")))?;
        let target = Given::bytes(env.raw(), array)?;
        if target.len != block.len() {
            return Err(detached());
        }
        target.take(&block);
        Ok(())
    }
}

/// The right to write memory that was lent.
struct Claim(Arc<Lent>);

impl Claim {
    fn new(lent: Arc<Lent>) -> Result<Self> {
        if lent.claim() { Ok(Claim(lent)) } else { Err(taken()) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn memory_of(start: NonNull<u8>, len: usize, offset: usize) -> Memory {
    let found = start.addr().get().checked_sub(offset).and_then(Lent::at);
    let fits = |lent: &Arc<Lent>| offset.checked_add(len).is_some_and(|end| end <= lent.len());
    match found.filter(fits) {
        Some(lent) => Memory::Lent(lent, offset),
        None => Memory::Private,
    }
}

/// The bytes of one element; 1 where it is not known, which is never too many.
fn width_of(kind: sys::napi_typedarray_type) -> usize {
    match kind {
        sys::TypedarrayType::int16_array | sys::TypedarrayType::uint16_array => 2,
        sys::TypedarrayType::int32_array
        | sys::TypedarrayType::uint32_array
        | sys::TypedarrayType::float32_array => 4,
        sys::TypedarrayType::float64_array
        | sys::TypedarrayType::bigint64_array
        | sys::TypedarrayType::biguint64_array => 8,
        _ => 1,
    }
}

fn wrong() -> Error {
    invalid("a Uint8Array is wanted here")
}

fn detached() -> Error {
    invalid("the array was detached, transferred or resized; its memory belongs to somebody else")
}

fn taken() -> Error {
    Error::new(Code::InvalidArgument, "another call fills this array; wait for it first")
}
