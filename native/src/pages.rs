//! Large pages for large results.

/// Asks the system to back memory with large pages where they are not touched yet, as NumPy does for its arrays; new
/// memory then costs a few faults instead of thousands. A system that has none goes on as before.
pub(crate) fn prefer_large(memory: &mut [u8]) {
    #[cfg(target_os = "linux")]
    {
        /// Of every machine that Linux runs on, or a part of it.
        const PAGE: usize = 64 << 10;
        let skipped = memory.as_ptr().align_offset(PAGE).min(memory.len());
        let whole = &mut memory[skipped..];
        let len = whole.len() / PAGE * PAGE;
        if len > 0 {
            // SAFETY: the range lies in memory that is borrowed exclusively, and the advice changes no byte of it.
            unsafe { libc::madvise(whole.as_mut_ptr().cast(), len, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_byte_changes() {
        for len in [0, 1, 70_000, 9 << 20] {
            let mut memory: Vec<u8> =
                (0..len).map(|i: u32| i.to_le_bytes()[0] ^ i.to_le_bytes()[1]).collect();
            let before = memory.clone();
            super::prefer_large(&mut memory);
            assert!(memory == before);
        }
    }
}
