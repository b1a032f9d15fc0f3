//! Result memory that typed views can borrow.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::error::{Code, Error, Result};
use crate::exec::Executor;

/// Bytes that start at a multiple of 8, so that every element type can be viewed in place.
///
/// Growing keeps the allocation when it is large enough: reuse one buffer for many batches, since fresh memory
/// costs several times a copy.
#[derive(Clone, Default)]
pub struct Buffer {
    words: Vec<u64>,
    len: usize,
}

impl Buffer {
    /// No bytes, no allocation.
    #[must_use]
    pub const fn new() -> Self {
        Buffer { words: Vec::new(), len: 0 }
    }

    /// `len` zero bytes.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where the machine cannot address or provide them.
    pub fn zeroed(len: u64) -> Result<Self> {
        let mut buffer = Buffer::new();
        buffer.resize(len)?;
        Ok(buffer)
    }

    /// Makes it `len` bytes long. Bytes that were there keep their values; new ones are zero or stale.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where the machine cannot address or provide them.
    pub fn resize(&mut self, len: u64) -> Result<()> {
        let too_large = || {
            let text =
                format!("a result of {len} bytes does not fit in memory; ask for fewer records at once");
            Error::new(Code::TooLarge, text)
        };
        let bytes = usize::try_from(len).map_err(|_| too_large())?;
        let words = bytes.div_ceil(8);
        if words > self.words.len() {
            if self.words.is_empty() && words > self.words.capacity() {
                // A zeroed allocation comes without touching its pages.
                Vec::<u64>::new().try_reserve_exact(words).map_err(|_| too_large())?;
                self.words = alloc::vec![0; words];
            } else {
                self.words.try_reserve_exact(words - self.words.len()).map_err(|_| too_large())?;
                self.words.resize(words, 0);
            }
        }
        self.len = bytes;
        Ok(())
    }

    /// [`Buffer::zeroed`], with memory that the executor was told of where it is large.
    pub(crate) fn zeroed_for(len: u64, executor: &impl Executor) -> Result<Self> {
        let mut buffer = Buffer::new();
        buffer.resize_for(len, executor)?;
        Ok(buffer)
    }

    /// Makes it `len` bytes long, of any values. Memory that is too small is given back before more is taken, and the executor
    /// is told of what is large and new.
    pub(crate) fn resize_for(&mut self, len: u64, executor: &impl Executor) -> Result<()> {
        /// Below, the call costs as much as it gains.
        const LARGE: u64 = 4 << 20;
        if len > self.capacity() as u64 {
            self.words = Vec::new();
        }
        let is_new = self.words.is_empty();
        self.resize(len)?;
        if is_new && len >= LARGE {
            executor.prepare(self);
        }
        Ok(())
    }

    /// Makes it empty; the memory stays.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The bytes as they are allocated and kept for later use.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.words.capacity().saturating_mul(8)
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }
}

/// Equal where the bytes are; what is left behind them from an earlier use does not count.
impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_an_earlier_use_do_not_make_a_difference() {
        let mut used = Buffer::zeroed(24).unwrap();
        used.fill(7);
        used.resize(3).unwrap();
        let mut fresh = Buffer::zeroed(3).unwrap();
        assert_ne!(used, fresh);
        fresh.fill(7);
        assert_eq!(used, fresh);
    }
}
