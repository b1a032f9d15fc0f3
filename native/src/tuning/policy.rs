//! The memory policy of a thread: `get_mempolicy` and `set_mempolicy` of Linux.

use std::ffi::{c_int, c_long, c_ulong};
use std::marker::PhantomData;
use std::ptr;

/// Bits of one word of a set of nodes.
const WORD: usize = c_ulong::BITS as usize;
/// Words that hold the policy of any kernel: it has at most 1024 nodes, and refuses to answer into fewer bits.
const WORDS: usize = 1024 / WORD;

type Nodes = [c_ulong; WORDS];

/// The policy that the calling thread had before; dropping it puts it back.
#[derive(Debug)]
pub(super) struct Replaced {
    mode: c_int,
    nodes: Nodes,
    /// The policy belongs to the thread: this must not leave it.
    _stays: PhantomData<*const ()>,
}

impl Replaced {
    /// Interleaves what the calling thread brings in; `None` where the kernel or a sandbox refuses.
    pub(super) fn by_interleaving(over: &[usize]) -> Option<Self> {
        let mut wanted: Nodes = [0; WORDS];
        for &node in over {
            *wanted.get_mut(node / WORD)? |= 1 << (node % WORD);
        }
        let before = Self::current()?;
        set(libc::MPOL_INTERLEAVE, &wanted).then_some(before)
    }

    fn current() -> Option<Self> {
        let (mut mode, mut nodes): (c_int, Nodes) = (0, [0; WORDS]);
        // SAFETY: the kernel writes one integer and no more than the stated bits of the set, and both outlive the call;
        // without an address and flags it asks for the policy of the thread.
        let failed = unsafe {
            libc::syscall(
                libc::SYS_get_mempolicy,
                &raw mut mode,
                nodes.as_mut_ptr(),
                bits(),
                ptr::null_mut::<()>(),
                0 as c_ulong,
            )
        };
        (failed == 0).then_some(Replaced { mode, nodes, _stays: PhantomData })
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        set(self.mode, &self.nodes);
    }
}

fn set(mode: c_int, nodes: &Nodes) -> bool {
    // SAFETY: the kernel reads the stated bits of the set, which outlives the call. A policy changes where pages are put,
    // never what is in them.
    let failed =
        unsafe { libc::syscall(libc::SYS_set_mempolicy, c_long::from(mode), nodes.as_ptr(), bits()) };
    failed == 0
}

/// How many bits the kernel looks at: it takes one off before it uses the number.
fn bits() -> c_ulong {
    const { (WORDS * WORD + 1) as c_ulong }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_interleaves_for_a_while() {
        let Some(before) = Replaced::current() else {
            println!("this kernel, or the sandbox around it, has no memory policies");
            return;
        };
        let first = super::super::memory::allowed_nodes()[0];
        let replaced = Replaced::by_interleaving(&[first]).unwrap();
        let meanwhile = Replaced::current().unwrap();
        assert_eq!(meanwhile.mode, libc::MPOL_INTERLEAVE);
        assert_eq!(meanwhile.nodes[first / WORD], 1 << (first % WORD));
        std::mem::forget(meanwhile);
        drop(replaced);
        let after = Replaced::current().unwrap();
        assert_eq!((after.mode, after.nodes), (before.mode, before.nodes));
    }

    #[test]
    fn nodes_that_no_kernel_has_are_refused() {
        assert!(Replaced::by_interleaving(&[1 << 20]).is_none());
    }
}
