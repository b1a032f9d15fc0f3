//! Dropping a loader: it never hangs, and leaves no thread and nothing that a transform held. Threads are counted by their
//! names, for which reason no other loader is in this process.

mod loader {
    #![allow(dead_code, reason = "other tests use the rest")]
    pub(crate) mod data;
    pub(crate) mod watchdog;
}

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use loader::data::{Data, Kind};
use loader::watchdog::{watch, watch_for};
use recask::loader::{Batch, LoaderBuilder, Order};
use recask::{Error, Loader, Mode};

/// The tests of this process come one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads of loaders there are, where the system tells.
fn threads() -> usize {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return 0 };
    let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("recask-loader-")).count()
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// What a test lends to transforms, to see that they gave it back: a count of the batches that were made.
struct Lent(Arc<AtomicUsize>);

impl Lent {
    fn new() -> Self {
        Lent(Arc::default())
    }

    fn to(&self, builder: LoaderBuilder) -> LoaderBuilder {
        let made = Arc::clone(&self.0);
        builder.transform(move |batch| {
            made.fetch_add(1, SeqCst);
            Ok::<_, Error>(batch)
        })
    }

    fn start(&self, data: &Data, workers: usize, prefetch: usize) -> Loader {
        self.to(data.loader().batch(8).seed(1).workers(workers).prefetch(prefetch)).start().unwrap()
    }

    fn made(&self) -> usize {
        self.0.load(SeqCst)
    }

    /// Nothing is left of the loaders of the test. A thread that was joined may still be listed for a moment.
    fn check(self) {
        assert_eq!(Arc::strong_count(&self.0), 1, "a transform is still alive");
        until(|| threads() == 0);
    }
}

fn data() -> Data {
    Data::new(&[Kind::Zstd, Kind::Ragged, Kind::Table], 40)
}

#[test]
fn there_are_as_many_threads_as_workers() {
    let (_alone, _watchdog) = (alone(), watch("there_are_as_many_threads_as_workers"));
    let (data, lent) = (data(), Lent::new());
    for workers in 0..5 {
        let loader = lent.start(&data, workers, 2);
        if cfg!(target_os = "linux") {
            // A thread gives itself its name.
            until(|| threads() == workers);
        }
        drop(loader);
        until(|| threads() == 0);
    }
    lent.check();
}

#[test]
fn before_the_first_batch() {
    let (_alone, _watchdog) = (alone(), watch("before_the_first_batch"));
    let (data, lent) = (data(), Lent::new());
    for workers in 0..5 {
        drop(lent.start(&data, workers, 2));
    }
    lent.check();
}

#[test]
fn while_workers_wait_for_the_caller() {
    let (_alone, _watchdog) = (alone(), watch("while_workers_wait_for_the_caller"));
    let data = data();
    for (workers, prefetch) in [(1, 0), (2, 4), (4, 1)] {
        let lent = Lent::new();
        let mut loader = lent.start(&data, workers, prefetch);
        assert!(loader.next().unwrap().is_ok());
        until(|| lent.made() == 1 + workers + prefetch);
        drop(loader);
        lent.check();
    }
}

#[test]
fn while_the_caller_keeps_all_batches() {
    let (_alone, _watchdog) = (alone(), watch("while_the_caller_keeps_all_batches"));
    let data = data();
    for workers in 0..4 {
        let lent = Lent::new();
        let mut loader = lent.start(&data, workers, 2);
        let mut kept: Vec<Batch> = loader.by_ref().take(3 + workers.max(1)).map(Result::unwrap).collect();
        drop(loader);
        // They outlive it, here and on other threads.
        for (step, batch) in kept.iter().enumerate() {
            assert_eq!(batch.step(), step as u64);
            data.check(batch);
        }
        let sent = kept.pop().unwrap();
        thread::spawn(move || drop(sent)).join().unwrap();
        let detached = kept.pop().unwrap().detach();
        drop(kept);
        data.check(&detached);
        lent.check();
    }
}

#[test]
fn a_transform_that_runs_is_waited_for() {
    let (_alone, _watchdog) = (alone(), watch("a_transform_that_runs_is_waited_for"));
    let data = data();
    let (entered, enter) = channel();
    let finished = Arc::new(AtomicBool::new(false));
    let finish = Arc::clone(&finished);
    let transform = move |batch: Batch| {
        entered.send(()).unwrap();
        thread::sleep(Duration::from_millis(50));
        finish.store(true, SeqCst);
        Ok::<_, Error>(batch)
    };
    let builder = data.loader().batch(8).seed(1).workers(1).prefetch(0);
    let loader = builder.transform(transform).start().unwrap();
    enter.recv().unwrap();
    drop(loader);
    assert!(finished.load(SeqCst));
    assert_eq!(Arc::strong_count(&finished), 1);
    until(|| threads() == 0);
}

#[test]
fn on_another_thread() {
    let (_alone, _watchdog) = (alone(), watch("on_another_thread"));
    let (data, lent) = (data(), Lent::new());
    let mut loader = lent.start(&data, 2, 2);
    let kept = loader.next().unwrap().unwrap();
    let elsewhere = thread::spawn(move || {
        assert_eq!(loader.next().unwrap().unwrap().step(), 1);
        drop(loader);
    });
    elsewhere.join().unwrap();
    data.check(&kept);
    drop(kept);
    lent.check();
}

#[test]
fn inside_of_a_transform() {
    let (_alone, _watchdog) = (alone(), watch("inside_of_a_transform"));
    let data = data();
    for workers in 1..4 {
        for order in [Order::ByStep, Order::AsCompleted] {
            let lent = Lent::new();
            let place: Arc<Mutex<Option<Loader>>> = Arc::default();
            let taken = Arc::clone(&place);
            let transform = move |batch: Batch| {
                if batch.step() == 2 {
                    // It is there soon.
                    until(|| taken.lock().unwrap().is_some());
                    let loader = taken.lock().unwrap().take();
                    drop(loader);
                }
                Ok::<_, Error>(batch)
            };
            let builder = data.loader().batch(8).seed(1).workers(workers).prefetch(4).order(order);
            let loader = lent.to(builder).transform(transform).start().unwrap();
            *place.lock().unwrap() = Some(loader);
            // The thread that dropped it ends by itself, and lets go of the transform.
            until(|| Arc::strong_count(&place) == 1 && Arc::strong_count(&lent.0) == 1);
            assert!(place.lock().unwrap().is_none());
            lent.check();
        }
    }
}

#[test]
fn after_an_error() {
    let (_alone, _watchdog) = (alone(), watch("after_an_error"));
    let data = data();
    for workers in 0..3 {
        let lent = Lent::new();
        let builder = data.loader().batch(8).seed(1).workers(workers);
        let fail = |batch: Batch| if batch.step() == 3 { Err("no") } else { Ok(batch) };
        let mut loader = lent.to(builder).transform(fail).start().unwrap();
        assert_eq!(loader.by_ref().filter(Result::is_err).count(), 1);
        // The threads have nothing to do any more, and do not wait for the loader.
        until(|| threads() == 0);
        drop(loader);
        lent.check();
    }
}

#[test]
fn while_draws_are_passed_over() {
    let (_alone, _watchdog) = (alone(), watch("while_draws_are_passed_over"));
    let (data, lent) = (data(), Lent::new());
    // Years of draws lie before this step.
    let far = 1 << 55;
    let mut loader = lent.to(data.loader().batch(8).seed(1).mode(Mode::Iid)).start().unwrap();
    let indices = loader.next().unwrap().unwrap().indices().to_vec();
    loader.seek(far);
    thread::sleep(Duration::from_millis(20));
    // Nobody waits for them any more.
    loader.seek(0);
    assert_eq!(loader.next().unwrap().unwrap().indices(), indices);
    loader.seek(far);
    let state = loader.state().unwrap();
    thread::sleep(Duration::from_millis(20));
    drop(loader);
    let resumed = lent.to(data.loader().resume(state)).start().unwrap();
    thread::sleep(Duration::from_millis(20));
    drop(resumed);
    lent.check();
}

#[test]
fn at_any_moment() {
    let (_alone, _watchdog) = (alone(), watch_for("at_any_moment", Duration::from_secs(60)));
    let (data, lent) = (data(), Lent::new());
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..500 {
        let workers = usize::try_from(random(5)).unwrap();
        let prefetch = usize::try_from(random(6)).unwrap();
        let order = if random(2) == 0 { Order::ByStep } else { Order::AsCompleted };
        let mode = if random(2) == 0 { Mode::Cyclic } else { Mode::Iid };
        let slow = random(300);
        let transform = move |batch: Batch| {
            thread::sleep(Duration::from_micros((batch.step() * 7 + slow) % 150));
            Ok::<_, Error>(batch)
        };
        let builder = data.loader().batch(1 + random(12)).seed(round).mode(mode);
        let builder = builder.workers(workers).prefetch(prefetch).order(order);
        let mut loader = lent.to(builder).transform(transform).start().unwrap();
        let mut kept = None;
        for _ in 0..random(4) {
            let batch = loader.next().unwrap().unwrap();
            if random(2) == 0 {
                kept = Some(batch);
            }
            if random(8) == 0 {
                loader.seek(random(20));
            }
        }
        thread::sleep(Duration::from_micros(random(400)));
        drop(loader);
        kept.iter().for_each(|batch| data.check(batch));
    }
    lent.check();
}
