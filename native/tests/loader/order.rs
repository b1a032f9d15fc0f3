//! Which batches come, and when.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use recask::loader::{Batch, Order};
use recask::{Error, Loader, Sampler};
use recask_core::loader as core;

use super::data::{Data, Kind, Way, delays, kinds, pause, samplers, ways};
use super::watchdog::watch;

/// What a caller does.
#[derive(Clone, Debug)]
enum Action {
    Take(u64),
    Seek(u64),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![3 => (0u64..15).prop_map(Action::Take), 1 => (0u64..50).prop_map(Action::Seek)];
    proptest::collection::vec(action, 1..6)
}

/// A caller that compares every batch with the one that the feed alone reads.
struct Caller<'d> {
    data: &'d Data,
    sampler: Sampler,
    way: Way,
    expected: core::Batch,
    /// Where it began, or went.
    start: u64,
    /// What came since.
    seen: BTreeSet<u64>,
}

impl Caller<'_> {
    fn receive(&mut self, loader: &mut Loader) -> Batch {
        let (step, batch) = loader.next_with_step().unwrap().unwrap();
        assert_eq!(batch.step(), step);
        self.data.feed(&self.sampler).fill(step, &mut self.expected).unwrap();
        assert_eq!(*batch, self.expected);
        assert_eq!(batch.indices(), self.sampler.at(step).unwrap());
        self.data.check(&batch);
        let place = self.start + self.seen.len() as u64;
        match self.way.order {
            Order::ByStep => assert_eq!(step, place),
            Order::AsCompleted => {
                let possible = self.start..place + self.way.window();
                assert!(possible.contains(&step), "step {step} came, not one of {possible:?}");
            }
        }
        assert!(self.seen.insert(step), "step {step} came twice");
        assert_eq!(Some(loader.step()), (self.start..).find(|step| !self.seen.contains(step)));
        batch
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_step_comes_once_and_is_what_the_feed_reads(
        kinds in kinds(),
        sampler in samplers(),
        way in ways(),
        work in delays(),
        rest in delays(),
        actions in actions(),
        keep in any::<prop::sample::Index>(),
    ) {
        let _watchdog = watch("every_step_comes_once_and_is_what_the_feed_reads");
        let data = Data::new(&kinds, sampler.length());
        let transform = move |batch: Batch| {
            pause(&work, batch.step());
            Ok::<_, Error>(batch)
        };
        let builder = way.apply(data.loader().sampler(sampler.clone()).transform(transform));
        let mut loader = builder.start().unwrap();
        // All but one may be kept for a while.
        let keep = keep.index(usize::try_from(way.window()).unwrap() + 1);
        let mut kept: Vec<(Batch, core::Batch)> = Vec::new();
        let expected = data.feed(&sampler).new_batch();
        let mut caller = Caller { data: &data, sampler, way, expected, start: 0, seen: BTreeSet::new() };
        for action in actions {
            match action {
                Action::Take(count) => for number in 0..count {
                    let batch = caller.receive(&mut loader);
                    pause(&rest, number);
                    kept.push((batch, caller.expected.clone()));
                    if kept.len() > keep {
                        let (batch, expected) = kept.remove(0);
                        prop_assert_eq!(&*batch, &expected, "it changed while it was kept");
                    }
                },
                Action::Seek(step) => {
                    loader.seek(step);
                    (caller.start, caller.seen) = (step, BTreeSet::new());
                    prop_assert_eq!(loader.step(), step);
                }
            }
        }
        kept.clear();
        // None is left behind for ever, however many overtook it.
        let enough = caller.start + caller.seen.len() as u64 + 5;
        while loader.step() < enough {
            caller.receive(&mut loader);
        }
    }
}

#[test]
fn as_completed_overtakes_a_slow_step_and_by_step_waits_for_it() {
    let _watchdog = watch("as_completed_overtakes_a_slow_step_and_by_step_waits_for_it");
    let data = Data::new(&[Kind::Raw], 20);
    for order in [Order::ByStep, Order::AsCompleted] {
        // Step 0 ends after step 3 has, or after another one has come.
        let (go_on, wait) = channel();
        let (after_step_3, wait) = (go_on.clone(), Mutex::new(wait));
        let transform = move |batch: Batch| {
            match batch.step() {
                0 => wait.lock().unwrap().recv().unwrap(),
                3 if order == Order::ByStep => after_step_3.send(()).unwrap(),
                _ => {}
            }
            Ok::<_, Error>(batch.step())
        };
        let builder = data.loader().batch(4).seed(1).workers(2).prefetch(2).order(order);
        let mut loader = builder.transform(transform).start().unwrap();
        let mut came = vec![loader.next().unwrap().unwrap()];
        assert_eq!(came[0] == 0, order == Order::ByStep, "step {} came first", came[0]);
        go_on.send(()).unwrap();
        while loader.step() < 4 {
            came.push(loader.next().unwrap().unwrap());
        }
        came.sort_unstable();
        assert_eq!(came[..4], [0, 1, 2, 3]);
    }
}

#[test]
fn no_more_is_made_ahead_than_was_asked_for() {
    let _watchdog = watch("no_more_is_made_ahead_than_was_asked_for");
    let data = Data::new(&[Kind::Raw], 20);
    for (workers, prefetch) in [(0, 0), (0, 3), (1, 0), (1, 2), (2, 0), (3, 4)] {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        // It gives the batch back, and the number is the caller's to keep.
        let transform = move |batch: Batch| {
            count.fetch_add(1, SeqCst);
            Ok::<_, Error>(batch.step())
        };
        let builder = data.loader().batch(4).seed(1).workers(workers).prefetch(prefetch);
        let mut loader = builder.transform(transform).start().unwrap();
        for taken in 0..4 {
            // Without workers nothing is made before it is asked for.
            let ahead = if workers == 0 { 0 } else { workers + prefetch };
            while made.load(SeqCst) < taken + ahead {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(10));
            assert_eq!(made.load(SeqCst), taken + ahead, "{workers} workers, prefetch {prefetch}");
            assert_eq!(loader.next().unwrap().unwrap(), taken as u64);
        }
    }
}

#[test]
fn transforms_follow_each_other_and_change_the_type() {
    let _watchdog = watch("transforms_follow_each_other_and_change_the_type");
    let data = Data::new(&[Kind::Table], 10);
    for workers in 0..3 {
        let loader = data
            .loader()
            .sampler(Sampler::sequential(10, 4).build().unwrap())
            .workers(workers)
            .transform(|batch| Ok::<_, Error>(batch.indices().to_vec()))
            .transform(|indices: Vec<u64>| match indices.iter().sum::<u64>() {
                sum @ 0..100 => Ok(sum),
                sum => Err(format!("{sum} is too much")),
            })
            .transform(|sum| Ok::<_, Infallible>(format!("<{sum}>")))
            .start()
            .unwrap();
        let sums: Vec<String> = loader.take(3).map(Result::unwrap).collect();
        assert_eq!(sums, ["<6>", "<22>", "<18>"], "{workers} workers");
    }
}

#[test]
fn a_transform_changes_values_in_place() {
    let _watchdog = watch("a_transform_changes_values_in_place");
    let data = Data::new(&[Kind::Raw, Kind::Zstd], 10);
    fn negate(batch: &mut Batch) -> Result<(), Error> {
        batch.dense_mut("s1")?.values_mut::<i32>()?.iter_mut().for_each(|value| *value = -*value);
        Ok(())
    }
    let builder = data.loader().batch(5).seed(3);
    let loader = builder.transform(|mut batch| negate(&mut batch).map(|()| batch)).start().unwrap();
    for batch in loader.take(12) {
        let mut batch = batch.unwrap();
        assert!(batch.dense("s1").unwrap().values::<i32>().unwrap().iter().all(|value| *value < 0));
        negate(&mut batch).unwrap();
        data.check(&batch);
    }
}
