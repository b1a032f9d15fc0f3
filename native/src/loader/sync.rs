//! The locks of the monitor: the standard library's, or in its own tests loom's, which tries the ways in which threads can
//! interleave.

#[cfg(all(test, loom))]
pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(all(test, loom)))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
