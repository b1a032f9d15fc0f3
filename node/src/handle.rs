//! Something open that several calls use, in the order in which JavaScript made them.
//!
//! Calls that only read run at the same time. A call that changes something runs alone, after all that were made before it and
//! before all that are made later, so that what JavaScript asks for without waiting happens in that order.
//!
//! Every call takes its [`Turn`] on the thread of JavaScript, directly before it is handed to the thread pool. The pool starts
//! calls in the order in which it got them, so a call that waits for its turn only waits for calls that run already: however few
//! threads there are, they never wait for each other in a circle.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use recask::Result;

use crate::error::invalid;

/// Shared by an object of JavaScript and the calls that were made through it.
pub(crate) struct Handle<T>(Arc<Inner<T>>);

struct Inner<T> {
    /// As messages name it: `store`, `table`.
    what: &'static str,
    /// Closing was asked for.
    closed: AtomicBool,
    calls: Mutex<Calls>,
    done: Condvar,
    open: RwLock<Option<T>>,
}

#[derive(Default)]
struct Calls {
    next: u64,
    /// Calls that are not done, by number, and whether they run alone.
    pending: BTreeMap<u64, bool>,
}

/// The place of one call among the others. Dropping it gives it up.
pub(crate) struct Turn<T> {
    inner: Arc<Inner<T>>,
    number: u64,
    alone: bool,
}

impl<T> Handle<T> {
    pub(crate) fn new(what: &'static str, open: T) -> Self {
        Handle(Arc::new(Inner {
            what,
            closed: AtomicBool::new(false),
            calls: Mutex::default(),
            done: Condvar::new(),
            open: RwLock::new(Some(open)),
        }))
    }

    /// The turn of a call that reads.
    pub(crate) fn together(&self) -> Result<Turn<T>> {
        self.open()?;
        Ok(self.turn(false))
    }

    /// The turn of a call that changes something.
    pub(crate) fn alone(&self) -> Result<Turn<T>> {
        self.open()?;
        Ok(self.turn(true))
    }

    /// The turn of the call that closes; `None` where it is closed already, or about to be.
    pub(crate) fn closing(&self) -> Option<Turn<T>> {
        let was_closed = self.0.closed.swap(true, Ordering::Relaxed);
        (!was_closed).then(|| self.turn(true))
    }

    fn open(&self) -> Result<()> {
        if self.0.closed.load(Ordering::Relaxed) { Err(self.0.is_closed()) } else { Ok(()) }
    }

    fn turn(&self, alone: bool) -> Turn<T> {
        let mut calls = self.0.calls();
        let number = calls.next;
        calls.next += 1;
        calls.pending.insert(number, alone);
        drop(calls);
        Turn { inner: Arc::clone(&self.0), number, alone }
    }
}

impl<T> Turn<T> {
    /// Reads, once the calls before are done that change something.
    pub(crate) fn read<R>(self, call: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        self.wait();
        let open = self.inner.open.read().unwrap_or_else(PoisonError::into_inner);
        call(open.as_ref().ok_or_else(|| self.inner.is_closed())?)
    }

    /// Changes something, once all calls before are done.
    pub(crate) fn change<R>(self, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        self.wait();
        let mut open = self.inner.open.write().unwrap_or_else(PoisonError::into_inner);
        call(open.as_mut().ok_or_else(|| self.inner.is_closed())?)
    }

    /// Takes out what is open, once all calls before are done.
    pub(crate) fn take(self) -> Option<T> {
        self.wait();
        self.inner.open.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn wait(&self) {
        let mut calls = self.inner.calls();
        while calls.pending.range(..self.number).any(|(_, &alone)| alone || self.alone) {
            calls = self.inner.done.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Drop for Turn<T> {
    fn drop(&mut self) {
        self.inner.calls().pending.remove(&self.number);
        self.inner.done.notify_all();
    }
}

impl<T> Inner<T> {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> recask::Error {
        invalid(format!("the {} is closed", self.what))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn changes_happen_in_the_order_in_which_they_were_asked_for() {
        let handle = Handle::new("list", Vec::new());
        let turns: Vec<_> = (0..50).map(|number| (number, handle.alone().unwrap())).collect();
        thread::scope(|scope| {
            for (number, turn) in turns.into_iter().rev() {
                scope.spawn(move || {
                    turn.change(|list| {
                        list.push(number);
                        Ok(())
                    })
                    .unwrap();
                });
            }
        });
        let list = handle.together().unwrap().read(|list| Ok(list.clone())).unwrap();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn readers_run_at_the_same_time_and_before_later_changes() {
        let handle = Handle::new("number", 1);
        let (first, second) = (handle.together().unwrap(), handle.together().unwrap());
        let change = handle.alone().unwrap();
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                change.change(|number| {
                    *number = 2;
                    Ok(())
                })
            });
            let waiting = send.clone();
            scope.spawn(move || {
                first.read(|number| {
                    // Without the other reader this would not end.
                    receive.recv_timeout(Duration::from_secs(60)).unwrap();
                    assert_eq!(*number, 1);
                    Ok(())
                })
            });
            scope.spawn(move || {
                second.read(|_| {
                    waiting.send(()).unwrap();
                    Ok(())
                })
            });
        });
        assert_eq!(handle.together().unwrap().read(|number| Ok(*number)).unwrap(), 2);
    }

    #[test]
    fn a_turn_that_is_given_up_holds_nobody_up() {
        let handle = Handle::new("number", 1);
        let given_up = handle.alone().unwrap();
        let waiting = handle.together().unwrap();
        drop(given_up);
        assert_eq!(waiting.read(|number| Ok(*number)).unwrap(), 1);
    }

    #[test]
    fn what_is_closed_refuses_calls_but_ends_those_that_were_made() {
        let handle = Handle::new("store", 1);
        let before = handle.together().unwrap();
        let closing = handle.closing().unwrap();
        assert!(handle.closing().is_none());
        let error = handle.together().map(drop).unwrap_err();
        assert_eq!(error.to_string(), "the store is closed");
        assert_eq!(before.read(|number| Ok(*number)).unwrap(), 1);
        assert_eq!(closing.take(), Some(1));
    }
}
