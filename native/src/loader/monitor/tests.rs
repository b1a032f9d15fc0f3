use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread;

use super::*;

/// Gives its lease back when it is dropped, as a batch does, and may panic then.
struct Batch {
    monitor: Weak<Monitor<Batch>>,
    alive: Arc<AtomicUsize>,
    panics: bool,
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::SeqCst);
        if let Some(monitor) = self.monitor.upgrade() {
            monitor.release();
        }
        assert!(!self.panics, "a batch that panics when it is dropped");
    }
}

#[derive(Default)]
struct Maker {
    alive: Arc<AtomicUsize>,
    most: AtomicUsize,
}

impl Maker {
    fn make(&self, monitor: &Arc<Monitor<Batch>>, panics: bool) -> Batch {
        self.most.fetch_max(self.alive.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Batch { monitor: Arc::downgrade(monitor), alive: Arc::clone(&self.alive), panics }
    }
}

#[test]
fn a_slow_caller_that_keeps_batches_gets_all_steps_in_order_and_never_more_than_agreed() {
    for (depth, workers) in [(0, 1), (1, 3), (5, 2)] {
        let monitor = Arc::new(Monitor::new(depth, workers, Order::ByStep, Cursor::at(7)));
        let maker = Maker::default();
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(claimed) = monitor.claim() {
                        claimed.complete(Ok(maker.make(&monitor, false)));
                    }
                });
            }
            let mut kept = VecDeque::new();
            let mut next = 7;
            while next < 2007 {
                match monitor.next() {
                    Delivery::Ready(step, batch) => {
                        assert_eq!(step, next);
                        next += 1;
                        kept.push_back(batch);
                    }
                    Delivery::Held => {
                        assert_eq!(kept.len(), depth + workers + 1);
                        kept.truncate(usize::try_from(next % 2).expect("0 or 1"));
                    }
                    Delivery::Failed(_) | Delivery::Wait | Delivery::End => panic!("no step"),
                }
            }
            monitor.stop();
        });
        assert_eq!(maker.most.into_inner(), depth + workers + 1);
        assert_eq!((maker.alive.load(Ordering::SeqCst), monitor.lock().leases()), (0, 0));
    }
}

#[test]
fn without_workers_the_caller_works() {
    let monitor = Monitor::new(4, 0, Order::ByStep, Cursor::default());
    for expected in 0..10 {
        assert!(monitor.next_now().is_none());
        let claimed = monitor.claim_now().expect("a step to work on");
        assert_eq!(claimed.step(), expected);
        claimed.complete(Ok('x'));
        assert!(matches!(monitor.next_now(), Some(Delivery::Ready(step, 'x')) if step == expected));
        monitor.release();
    }
    let claimed = monitor.claim_now().expect("a step to work on");
    assert!(claimed.is_needed());
    monitor.seek(Cursor::at(5));
    assert!(!claimed.is_needed());
    claimed.complete(Ok('x'));
    monitor.release();
    let claimed = monitor.claim_now().expect("a step to work on");
    assert!(claimed.is_needed());
    monitor.stop();
    assert!(!claimed.is_needed() && monitor.claim_now().is_none());
    drop(claimed);
    assert!(matches!(monitor.next_now(), Some(Delivery::End)));
}

#[test]
fn values_that_nobody_gets_are_dropped_without_the_lock_and_may_panic() {
    let monitor = Arc::new(Monitor::new(2, 1, Order::ByStep, Cursor::default()));
    let maker = Maker::default();
    let claim = || monitor.claim_now().expect("a step to work on");
    let (ready, late, behind) = (claim(), claim(), claim());
    ready.complete(Ok(maker.make(&monitor, true)));
    let batch = maker.make(&monitor, true);
    monitor.seek(Cursor::at(20)); // drops what is ready
    late.complete(Ok(batch));
    behind.complete(Ok(maker.make(&monitor, true)));
    assert_eq!(monitor.lock().leases(), 0);
    assert_eq!(monitor.lock().undelivered(), 0);

    let claimed = claim();
    assert_eq!(claimed.step(), 20);
    claimed.complete(Ok(maker.make(&monitor, true)));
    monitor.stop();
    assert_eq!((monitor.lock().leases(), maker.alive.load(Ordering::SeqCst)), (0, 0));
}

#[test]
fn an_error_may_hold_a_batch() {
    struct Bad(Arc<Monitor<()>>);
    impl fmt::Debug for Bad {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Bad")
        }
    }
    impl fmt::Display for Bad {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bad")
        }
    }
    impl std::error::Error for Bad {}
    impl Drop for Bad {
        fn drop(&mut self) {
            self.0.release();
        }
    }

    let monitor = Arc::new(Monitor::new(1, 2, Order::ByStep, Cursor::default()));
    let claim = || monitor.claim_now().expect("a step to work on");
    let error = || Err(Error::new(Code::TransformFailed, "bad").caused_by(Bad(Arc::clone(&monitor))));
    let tickets = [claim(), claim(), claim()];
    // The lowest replaces the others, which are dropped.
    tickets.into_iter().rev().for_each(|claimed| claimed.complete(error()));
    assert_eq!(monitor.lock().leases(), 1);
    assert!(matches!(monitor.next(), Delivery::Failed(error) if error.step() == Some(0)));
    assert_eq!(monitor.lock().leases(), 0);
}

#[test]
fn a_worker_that_panics_leaves_an_error() {
    let monitor = Monitor::<()>::new(0, 1, Order::ByStep, Cursor::at(3));
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _claimed = monitor.claim();
            panic!("beside the work");
        });
        let Delivery::Failed(error) = monitor.next() else { panic!("no failure") };
        assert_eq!((error.code(), error.step()), (Code::Panicked, Some(3)));
        assert!(worker.join().is_err() && monitor.claim().is_none());
    });
}
