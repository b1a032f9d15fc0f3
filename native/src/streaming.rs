//! Copies that leave the caches alone.

/// Copies large records into a result that the caches could not hold: written around them, memory is not read first, and what they
/// hold stays. Everywhere but on x86-64 it is a plain copy.
///
/// Both have the same length, as for `copy_from_slice`.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    x86_64::copy(from, to);
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    /// What the processor writes at once.
    const LINE: usize = 64;

    pub(super) fn copy(from: &[u8], to: &mut [u8]) {
        assert_eq!(from.len(), to.len(), "both have the same length");
        // Written whole, lines need not be read.
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        let (from_head, from) = from.split_at(head);
        let (to_head, to) = to.split_at_mut(head);
        to_head.copy_from_slice(from_head);
        let (from, from_tail) = from.as_chunks::<LINE>();
        let (to, to_tail) = to.as_chunks_mut::<LINE>();
        for (from, to) in from.iter().zip(to) {
            stream(from, to);
        }
        // SAFETY: every x86-64 processor has SSE. The fence orders the lines before whatever tells others that they are
        // there, which streamed stores by themselves are not.
        unsafe { _mm_sfence() };
        to_tail.copy_from_slice(from_tail);
    }

    /// `to` starts at a multiple of [`LINE`].
    #[inline(always)]
    fn stream(from: &[u8; LINE], to: &mut [u8; LINE]) {
        let (from, to) = (from.as_ptr().cast::<__m128i>(), to.as_mut_ptr().cast::<__m128i>());
        // SAFETY: every x86-64 processor has SSE2. Both sides are lines of four vectors; the loads take any address, and the
        // stores one that is a multiple of 16, as that of every line behind the head is.
        unsafe {
            let line = [0, 1, 2, 3].map(|at| _mm_loadu_si128(from.add(at)));
            for (at, vector) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(at), vector);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_copies_from_and_to_any_address() {
        let source: Vec<u8> = (0..700u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
        for from in 0..70 {
            for to in [0, 1, 15, 16, 33, 63] {
                for len in [0, 1, 63, 64, 65, 127, 128, 200, 600] {
                    let mut target = vec![0xA5; 700];
                    super::copy(&source[from..from + len], &mut target[to..to + len]);
                    assert_eq!(target[to..to + len], source[from..from + len]);
                    assert!(target[..to].iter().chain(&target[to + len..]).all(|&byte| byte == 0xA5));
                }
            }
        }
    }

    #[test]
    fn what_one_thread_copies_others_see() {
        let source = vec![7u8; 1 << 20];
        let mut target = vec![0u8; 1 << 20];
        for _ in 0..20 {
            target.fill(0);
            std::thread::scope(|scope| {
                for (from, to) in source.chunks(100_000).zip(target.chunks_mut(100_000)) {
                    scope.spawn(move || super::copy(from, to));
                }
            });
            assert!(target == source);
        }
    }

    #[test]
    #[should_panic(expected = "the same length")]
    fn unequal_lengths_are_refused() {
        super::copy(&[0; 3], &mut [0; 4]);
    }
}
