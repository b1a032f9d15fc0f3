//! Every way in which workers and the caller can get in each other's way, tried by loom: a wait that nobody ends is an error,
//! and so is a monitor that is never freed. `cargo xtask test --only "loader interleavings"` runs them.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread::{self, JoinHandle};

use super::*;

/// Gives its lease back when it is dropped, as a batch does.
struct Batch(Arc<Monitor<Batch>>);

impl Drop for Batch {
    fn drop(&mut self) {
        // Where loom gave up, its locks are gone.
        if !std::thread::panicking() {
            self.0.release();
        }
    }
}

fn monitor(depth: usize, workers: usize, order: Order) -> Arc<Monitor<Batch>> {
    Arc::new(Monitor::new(depth, workers, order, Cursor::default()))
}

/// A run of three steps: what does not wait for the caller must have an end, or loom does not find one.
fn short(depth: usize, workers: usize, order: Order) -> Arc<Monitor<Batch>> {
    Arc::new(Monitor::new(depth, workers, order, Cursor::at(u64::MAX - 3)))
}

/// A thread that works until there is nothing to do.
fn worker(
    monitor: &Arc<Monitor<Batch>>,
    work: impl Fn(u64, Batch) -> Result<Batch> + 'static,
) -> JoinHandle<()> {
    let monitor = Arc::clone(monitor);
    thread::spawn(move || {
        while let Some(claimed) = monitor.claim() {
            let outcome = work(claimed.step(), Batch(Arc::clone(&monitor)));
            claimed.complete(outcome);
        }
    })
}

fn succeed(_: u64, batch: Batch) -> Result<Batch> {
    Ok(batch)
}

fn fail_at(failing: u64) -> impl Fn(u64, Batch) -> Result<Batch> {
    move |step, batch| {
        if step == failing { Err(Error::new(Code::TransformFailed, "as planned")) } else { Ok(batch) }
    }
}

fn expect(monitor: &Monitor<Batch>, expected: u64) -> Batch {
    match monitor.next() {
        Delivery::Ready(step, batch) => {
            assert_eq!(step, expected);
            batch
        }
        Delivery::Failed(error) => panic!("{error}"),
        Delivery::Wait | Delivery::Held | Delivery::End => panic!("no step {expected}"),
    }
}

fn end(monitor: &Monitor<Batch>, workers: impl IntoIterator<Item = JoinHandle<()>>) {
    monitor.stop();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert!(matches!(monitor.next(), Delivery::End));
}

#[test]
fn steps_come_in_their_order_from_one_worker() {
    loom::model(|| {
        let monitor = monitor(1, 1, Order::ByStep);
        let worker = worker(&monitor, succeed);
        (0..3).for_each(|step| drop(expect(&monitor, step)));
        end(&monitor, [worker]);
    });
}

#[test]
fn steps_come_in_their_order_from_two_workers() {
    loom::model(|| {
        let monitor = monitor(0, 2, Order::ByStep);
        let workers = [worker(&monitor, succeed), worker(&monitor, succeed)];
        (0..3).for_each(|step| drop(expect(&monitor, step)));
        end(&monitor, workers);
    });
}

#[test]
fn every_step_comes_once_as_completed() {
    loom::model(|| {
        let monitor = monitor(0, 2, Order::AsCompleted);
        let workers = [worker(&monitor, succeed), worker(&monitor, succeed)];
        for delivered in 0..3 {
            let Delivery::Ready(step, _batch) = monitor.next() else { panic!("no step") };
            let cursor = monitor.cursor();
            assert!(cursor.has(step) && (0..8).filter(|step| cursor.has(*step)).count() == delivered + 1);
        }
        end(&monitor, workers);
    });
}

#[test]
fn a_failure_comes_at_its_place_and_ends_the_workers() {
    loom::model(|| {
        let monitor = monitor(1, 2, Order::ByStep);
        let workers = [worker(&monitor, fail_at(1)), worker(&monitor, fail_at(1))];
        drop(expect(&monitor, 0));
        assert!(matches!(monitor.next(), Delivery::Failed(error) if error.step() == Some(1)));
        // Nobody has to stop them.
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert!(matches!(monitor.next(), Delivery::End));
    });
}

#[test]
fn a_failure_among_completed_steps_is_told_once() {
    loom::model(|| {
        let monitor = short(0, 2, Order::AsCompleted);
        let failing = u64::MAX - 2;
        let workers = [worker(&monitor, fail_at(failing)), worker(&monitor, fail_at(failing))];
        let failed = loop {
            match monitor.next() {
                Delivery::Ready(step, _batch) => assert_ne!(step, failing),
                Delivery::Failed(error) => break error,
                Delivery::Wait | Delivery::Held | Delivery::End => panic!("no failure"),
            }
        };
        assert_eq!(failed.step(), Some(failing));
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert!(matches!(monitor.next(), Delivery::End));
    });
}

#[test]
fn a_worker_that_is_gone_with_its_step_is_a_failure() {
    loom::model(|| {
        let monitor = monitor(0, 1, Order::ByStep);
        let worker = {
            let monitor = Arc::clone(&monitor);
            thread::spawn(move || drop(monitor.claim()))
        };
        let Delivery::Failed(error) = monitor.next() else { panic!("no failure") };
        assert_eq!((error.code(), error.step()), (Code::Panicked, Some(0)));
        worker.join().unwrap();
    });
}

#[test]
fn a_caller_that_keeps_all_batches_is_told_and_goes_on_when_another_thread_drops_one() {
    loom::model(|| {
        let monitor = monitor(0, 1, Order::ByStep);
        let worker = worker(&monitor, succeed);
        let kept = [expect(&monitor, 0), expect(&monitor, 1)];
        assert!(matches!(monitor.next(), Delivery::Held));
        let dropper = thread::spawn(move || drop(kept));
        let next = loop {
            match monitor.next() {
                Delivery::Held => thread::yield_now(),
                Delivery::Ready(step, batch) => break (step, batch),
                Delivery::Failed(_) | Delivery::Wait | Delivery::End => panic!("no step"),
            }
        };
        assert_eq!(next.0, 2);
        drop(next);
        dropper.join().unwrap();
        end(&monitor, [worker]);
    });
}

#[test]
fn a_seek_brings_its_step_next_and_is_never_told_that_all_is_kept() {
    loom::model(|| {
        let monitor = monitor(0, 1, Order::ByStep);
        let is_at_second = Arc::new(AtomicBool::new(false));
        let started = Arc::clone(&is_at_second);
        let worker = worker(&monitor, move |step, batch| {
            started.fetch_or(step == 1, Ordering::AcqRel);
            Ok(batch)
        });
        // The caller keeps one of two; the other is at work, ready, or being dropped as late.
        let kept = expect(&monitor, 0);
        while !is_at_second.load(Ordering::Acquire) {
            thread::yield_now();
        }
        monitor.seek(Cursor::at(10));
        drop(expect(&monitor, 10));
        drop(kept);
        end(&monitor, [worker]);
    });
}

#[test]
fn all_workers_go_on_after_a_seek() {
    loom::model(|| {
        let monitor = monitor(0, 2, Order::ByStep);
        let started = Arc::new(AtomicUsize::new(0));
        // Steps after the seek end only when both have begun.
        let work = |started: Arc<AtomicUsize>| {
            move |step: u64, batch: Batch| {
                if step >= 10 {
                    started.fetch_add(1, Ordering::AcqRel);
                    while started.load(Ordering::Acquire) < 2 {
                        thread::yield_now();
                    }
                }
                Ok(batch)
            }
        };
        let workers = [worker(&monitor, work(Arc::clone(&started))), worker(&monitor, work(started))];
        monitor.seek(Cursor::at(10));
        drop(expect(&monitor, 10));
        end(&monitor, workers);
    });
}

#[test]
fn a_stop_reaches_whoever_works_or_waits() {
    loom::model(|| {
        let monitor = short(1, 1, Order::ByStep);
        let worker = worker(&monitor, succeed);
        let caller = {
            let monitor = Arc::clone(&monitor);
            thread::spawn(move || while let Delivery::Ready(..) = monitor.next() {})
        };
        end(&monitor, [worker, caller]);
    });
}

#[test]
fn a_stop_reaches_workers_that_have_no_lease() {
    loom::model(|| {
        let monitor = monitor(0, 2, Order::ByStep);
        let workers = [worker(&monitor, succeed), worker(&monitor, succeed)];
        let kept = [expect(&monitor, 0), expect(&monitor, 1)];
        end(&monitor, workers);
        drop(kept);
    });
}
