//! Passes over the records.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use proptest::prelude::*;
use recask::loader::{Batch, Order};
use recask::{Code, Error, Loader, Mode, Sampler};

use super::data::{Data, Kind, delays, pause, ways};
use super::watchdog::watch;

fn steps_of(loader: &mut Loader<u64>, n: u64) -> Vec<u64> {
    loader.epoch(n).unwrap().map(Result::unwrap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_epoch_is_its_steps_in_any_order_of_delivery(
        mode in proptest::sample::select(vec![Mode::Cyclic, Mode::Sequential]),
        length in 1u64..40,
        batch in 1u64..12,
        way in ways(),
        delays in delays(),
        first in 0u64..4,
    ) {
        let _watchdog = watch("an_epoch_is_its_steps_in_any_order_of_delivery");
        let sampler = Sampler::builder(mode, length, batch).seed(length ^ batch).build().unwrap();
        let data = Data::new(&[Kind::Raw], length);
        let made = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&made);
        let transform = move |batch: Batch| {
            count.fetch_add(1, SeqCst);
            pause(&delays, batch.step());
            Ok::<_, Error>(batch.step())
        };
        let builder = way.apply(data.loader().sampler(sampler.clone()).transform(transform));
        let mut loader = builder.start().unwrap();
        let mut came = 0;
        for n in first..first + 3 {
            let mut steps = steps_of(&mut loader, n);
            came += steps.len() as u64;
            if way.order == Order::AsCompleted {
                steps.sort_unstable();
            }
            let expected = sampler.epoch(n).unwrap();
            prop_assert_eq!(&steps, &expected.clone().collect::<Vec<_>>(), "epoch {}", n);
            prop_assert_eq!(loader.step(), expected.end);
            prop_assert!(loader.state().unwrap().cursor().done().is_empty(), "one of the next epoch came");
            if mode == Mode::Cyclic {
                let records: Vec<_> = steps.iter().flat_map(|&step| sampler.at(step).unwrap()).collect();
                prop_assert_eq!(records.iter().collect::<BTreeSet<_>>().len(), records.len());
                prop_assert_eq!(records.len() as u64, length - length % batch.min(length));
            }
        }
        // Only what was made ahead in the beginning, for another epoch, and is made ahead at the end was in vain.
        let made = made.load(SeqCst);
        prop_assert!(made <= came + 2 * way.window(), "{} made for {}", made, came);
    }

    #[test]
    fn an_epoch_goes_on_where_the_run_stands_inside_of_it(
        way in ways(),
        delays in delays(),
        taken in 0usize..10,
    ) {
        let _watchdog = watch("an_epoch_goes_on_where_the_run_stands_inside_of_it");
        let data = Data::new(&[Kind::Table], 30);
        let transform = move |batch: Batch| {
            pause(&delays, batch.step());
            Ok::<_, Error>(batch.step())
        };
        // Ten steps a cycle.
        let mut loader = way.apply(data.loader().batch(3).seed(8).transform(transform)).start().unwrap();
        loader.seek(20);
        let before: Vec<_> = loader.epoch(2).unwrap().take(taken).map(Result::unwrap).collect();
        prop_assert_eq!(before.len(), taken);
        let mut steps = [before, steps_of(&mut loader, 2)].concat();
        steps.sort_unstable();
        prop_assert_eq!(&steps, &(20..30).collect::<Vec<_>>());
        // Once more, from its start; and backwards.
        prop_assert_eq!(steps_of(&mut loader, 2).len(), 10);
        prop_assert!(steps_of(&mut loader, 0).iter().all(|&step| step < 10));
        prop_assert_eq!(loader.step(), 10);
        // Endless again.
        let after: BTreeSet<_> = loader.by_ref().take(25).map(Result::unwrap).collect();
        prop_assert_eq!(after.len(), 25);
        prop_assert!(after.iter().all(|&step| step >= 10 && step < 35 + way.window()));
    }
}

#[test]
fn a_resumed_epoch_has_the_rest() {
    let _watchdog = watch("a_resumed_epoch_has_the_rest");
    let data = Data::new(&[Kind::Raw], 12);
    let mut loader = data.loader().batch(2).seed(8).start().unwrap();
    assert_eq!(loader.steps_per_cycle(), Some(6));
    assert_eq!(loader.epoch(1).unwrap().take(4).map(Result::unwrap).count(), 4);
    let mut resumed = data.loader().resume(loader.state().unwrap()).start().unwrap();
    let rest: Vec<_> = resumed.epoch(1).unwrap().map(|batch| batch.unwrap().step()).collect();
    assert_eq!(rest, [10, 11]);
    let mut epoch = resumed.epoch(2).unwrap();
    assert_eq!(epoch.next().unwrap().unwrap().step(), 12);
    assert_eq!(epoch.loader().step(), 13);
}

#[test]
fn an_epoch_ends_with_its_error() {
    let _watchdog = watch("an_epoch_ends_with_its_error");
    let data = Data::new(&[Kind::Raw], 12);
    let fail = |batch: Batch| match batch.step() {
        2 => Err("no"),
        step => Ok(step),
    };
    let mut loader = data.loader().batch(3).seed(8).transform(fail).start().unwrap();
    let mut epoch = loader.epoch(0).unwrap();
    assert_eq!([epoch.next().unwrap().unwrap(), epoch.next().unwrap().unwrap()], [0, 1]);
    assert_eq!(epoch.next().unwrap().unwrap_err().code(), Code::TransformFailed);
    assert!(epoch.next().is_none() && epoch.next().is_none());
    drop(epoch);
    assert!(loader.epoch(1).unwrap().next().is_none());
}

#[test]
fn drawing_with_replacement_has_no_epochs() {
    let _watchdog = watch("drawing_with_replacement_has_no_epochs");
    let data = Data::new(&[Kind::Raw], 12);
    for mode in [Mode::Iid, Mode::IidSeek] {
        let mut loader = data.loader().batch(4).seed(8).mode(mode).start().unwrap();
        assert_eq!(loader.steps_per_cycle(), None);
        assert_eq!(loader.epoch(0).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(loader.next().unwrap().unwrap().step(), 0);
    }
}

#[test]
fn an_epoch_without_steps_throws_away_nothing() {
    let _watchdog = watch("an_epoch_without_steps_throws_away_nothing");
    // A batch takes several passes: epochs 1 and 3 of these have no step.
    let data = Data::new(&[Kind::Raw], 3);
    let made = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&made);
    let builder = data.loader().batch(7).mode(Mode::Sequential).workers(1).prefetch(3);
    let mut loader = builder
        .transform(move |batch: Batch| {
            count.fetch_add(1, SeqCst);
            Ok::<_, Error>(batch.step())
        })
        .start()
        .unwrap();
    let steps: Vec<_> = (0..5).map(|n| steps_of(&mut loader, n)).collect();
    assert_eq!(steps, [vec![0], vec![], vec![1], vec![], vec![2]]);
    drop(loader);
    // Three came, and no more were made ahead than can be.
    assert!(made.load(SeqCst) <= 3 + 4, "{made:?} made for 3");
}
