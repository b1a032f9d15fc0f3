//! Memory for results that is used again while its pages are warm.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recask::core::buffer::Buffer;
use recask::core::exec::Executor as _;
use recask::{Code, Error, RayonExecutor, Result};

/// What is kept at most unless [`set_limit`] says otherwise.
const LIMIT: u64 = 256 << 20;
/// Smaller ones come as fast from the allocator.
const LEAST: u64 = 64 << 10;
/// From here on large pages pay.
const LARGE: u64 = 4 << 20;

/// The most bytes that an array of every supported version of Node.js can have.
const ARRAY_MOST: u64 = if cfg!(target_pointer_width = "64") { 1 << 32 } else { (1 << 30) - 1 };

static POOL: Mutex<Pool> = Mutex::new(Pool { blocks: VecDeque::new(), bytes: 0 });
static BOUND: AtomicU64 = AtomicU64::new(LIMIT);

/// Oldest first.
struct Pool {
    blocks: VecDeque<Buffer>,
    bytes: u64,
}

/// Memory of a result, from the pool and back to it when dropped. It starts at a multiple of 8.
#[derive(Debug)]
pub struct Block(Buffer);

impl Block {
    /// So many bytes of any value.
    ///
    /// # Errors
    /// `too_large` where the machine does not have them, or no array can.
    pub(crate) fn new(len: u64) -> Result<Self> {
        check_size(len)?;
        let kept = pool().take(len);
        let mut buffer = match kept {
            Some(buffer) => buffer,
            None => {
                let size = size_class(len);
                let outgrown = pool().give_way(size);
                drop(outgrown);
                fresh(size)?
            }
        };
        buffer.resize(len)?;
        Ok(Block(buffer))
    }

    /// Memory that was made elsewhere, to be kept by the pool later.
    pub(crate) fn of(buffer: Buffer) -> Self {
        Block(buffer)
    }

    /// Memory for something else to fill, which makes a block of it again.
    pub(crate) fn into_buffer(mut self) -> Buffer {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let left_over = pool().put(std::mem::take(&mut self.0));
        // Giving pages back to the system takes time: outside of the lock.
        drop(left_over);
    }
}

impl Pool {
    /// The one that was used last: its pages are the warmest. It may be larger by a quarter.
    fn take(&mut self, len: u64) -> Option<Buffer> {
        if len < LEAST {
            return None;
        }
        let fits = |buffer: &Buffer| (len..=len + len / 4).contains(&(buffer.capacity() as u64));
        let buffer = self.blocks.iter().rposition(fits).and_then(|at| self.blocks.remove(at))?;
        self.bytes -= buffer.capacity() as u64;
        Some(buffer)
    }

    /// Gives up buffers that were of no use for so many bytes, the oldest first and no more bytes than those: where results grow,
    /// what they outgrew goes.
    fn give_way(&mut self, size: u64) -> Vec<Buffer> {
        let mut outgrown = Vec::new();
        let mut left = size;
        while let Some(oldest) = self.blocks.front()
            && let Some(less) = left.checked_sub(oldest.capacity() as u64)
            && let Some(oldest) = self.blocks.pop_front()
        {
            self.bytes -= oldest.capacity() as u64;
            left = less;
            outgrown.push(oldest);
        }
        outgrown
    }

    /// Keeps a buffer, and gives those back that are too many.
    fn put(&mut self, buffer: Buffer) -> Vec<Buffer> {
        let size = buffer.capacity() as u64;
        let bound = BOUND.load(Ordering::Relaxed);
        if size < LEAST || size > bound {
            return vec![buffer];
        }
        self.blocks.push_back(buffer);
        self.bytes += size;
        self.trim(bound)
    }

    fn trim(&mut self, bound: u64) -> Vec<Buffer> {
        let mut left_over = Vec::new();
        while self.bytes > bound
            && let Some(oldest) = self.blocks.pop_front()
        {
            self.bytes -= oldest.capacity() as u64;
            left_over.push(oldest);
        }
        left_over
    }
}

/// Keeps at most so many bytes from now on.
pub(super) fn set_limit(bytes: u64) {
    BOUND.store(bytes, Ordering::Relaxed);
    let left_over = pool().trim(bytes);
    drop(left_over);
}

/// Bytes that wait for their next use.
pub(super) fn kept() -> u64 {
    pool().bytes
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Eight sizes for each power of two, so that results of about the same size use the same memory.
fn size_class(len: u64) -> u64 {
    if len < LEAST {
        return len.next_multiple_of(8);
    }
    let step = (len.next_power_of_two() / 16).max(8);
    len.checked_next_multiple_of(step).unwrap_or(len)
}

pub(super) fn check_size(len: u64) -> Result<()> {
    if len <= ARRAY_MOST {
        return Ok(());
    }
    let text = format!("a result of {len} bytes is more than an array can have; ask for less at once");
    Err(Error::new(Code::TooLarge, text))
}

fn fresh(size: u64) -> Result<Buffer> {
    let mut buffer = Buffer::zeroed(size)?;
    prepare(&mut buffer);
    Ok(buffer)
}

/// Tells the system of memory that nothing touched yet.
pub(super) fn prepare(memory: &mut [u8]) {
    if memory.len() as u64 >= LARGE {
        RayonExecutor::default().prepare(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_by_little_and_stay() {
        for len in [1, 7, 8, 65_535, 65_536, 65_537, 100_000, 1 << 20, (1 << 20) + 1, 3 << 30] {
            let size = size_class(len);
            assert!(size >= len && size - len <= (len / 8).max(8), "{len}: {size}");
            assert_eq!(size_class(size), size, "{len}");
        }
    }

    #[test]
    fn memory_is_used_again_and_what_is_too_much_goes() {
        let mut pool = Pool { blocks: VecDeque::new(), bytes: 0 };
        let (first, second) = (fresh(LEAST).unwrap(), fresh(LEAST).unwrap());
        let address = second.as_ptr();
        assert!(pool.put(first).is_empty() && pool.put(second).is_empty());
        assert_eq!(pool.bytes, 2 * LEAST);
        assert_eq!(pool.take(LEAST).unwrap().as_ptr(), address);
        assert!(pool.take(LEAST * 2).is_none());
        assert_eq!(pool.trim(0).len(), 1);
        assert_eq!(pool.bytes, 0);
    }

    #[test]
    fn what_results_outgrew_goes() {
        let mut pool = Pool { blocks: VecDeque::new(), bytes: 0 };
        for size in 1..100 {
            let size = size * LEAST;
            assert!(pool.take(size).is_none_or(|buffer| buffer.capacity() as u64 >= size));
            pool.give_way(size);
            pool.put(fresh(size).unwrap());
            assert!(pool.bytes <= 2 * size, "{} bytes for results of {size}", pool.bytes);
        }
    }

    #[test]
    fn sizes_that_take_turns_are_all_kept() {
        let sizes = [LEAST, 4 * LEAST, 2 * LEAST, 8 * LEAST];
        let mut pool = Pool { blocks: VecDeque::new(), bytes: 0 };
        let mut made = 0;
        for size in sizes.iter().cycle().copied().take(10 * sizes.len()) {
            let buffer = pool.take(size).unwrap_or_else(|| {
                made += 1;
                pool.give_way(size);
                fresh(size).unwrap()
            });
            pool.put(buffer);
        }
        assert!(made <= 2 * sizes.len(), "{made} were made");
    }

    #[test]
    fn what_the_allocator_does_as_well_is_not_kept() {
        let mut pool = Pool { blocks: VecDeque::new(), bytes: 0 };
        assert_eq!(pool.put(fresh(8).unwrap()).len(), 1);
        assert_eq!(pool.put(Buffer::new()).len(), 1);
        assert_eq!(pool.bytes, 0);
    }

    #[test]
    fn a_block_has_the_length_that_was_asked_for() {
        for len in [0, 1, 70_000, 5 << 20] {
            assert_eq!(Block::new(len).unwrap().len() as u64, len);
        }
        assert!(Block::new(u64::MAX).is_err());
    }
}
