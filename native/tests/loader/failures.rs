//! A transform that fails: what the caller hears, and when.

use std::any::Any;
use std::collections::BTreeSet;
use std::error::Error as _;
use std::fmt;
use std::panic::{self, panic_any};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use recask::loader::{Batch, Order};
use recask::{Code, Error, Loader};

use super::data::{Data, Kind, delays, pause, ways};
use super::watchdog::watch;

/// An error of the caller's own.
#[derive(Debug, PartialEq)]
struct Unlucky {
    step: u64,
}

impl fmt::Display for Unlucky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} brings no luck", self.step)
    }
}

impl std::error::Error for Unlucky {}

#[derive(Clone, Copy, Debug)]
enum Trouble {
    Returned,
    PanickedWithString,
    PanickedWithStr,
    PanickedWithNumber,
}

const TROUBLES: [Trouble; 4] =
    [Trouble::Returned, Trouble::PanickedWithString, Trouble::PanickedWithStr, Trouble::PanickedWithNumber];

const MINE: &str = "it is a mine";

impl Trouble {
    fn make(self, step: u64) -> Result<u64, Unlucky> {
        match self {
            Trouble::Returned => Err(Unlucky { step }),
            Trouble::PanickedWithString => panic_any(format!("step {step}: {MINE}")),
            Trouble::PanickedWithStr => panic_any(MINE),
            Trouble::PanickedWithNumber => panic_any(step),
        }
    }

    fn check(self, error: &Error, step: u64) {
        assert_eq!(error.step(), Some(step), "{error}");
        let (code, text) = match self {
            Trouble::Returned => {
                (Code::TransformFailed, format!("the transform failed: step {step} brings no luck"))
            }
            Trouble::PanickedWithString => {
                (Code::Panicked, format!("the transform panicked: step {step}: {MINE}"))
            }
            Trouble::PanickedWithStr => (Code::Panicked, format!("the transform panicked: {MINE}")),
            Trouble::PanickedWithNumber => {
                (Code::Panicked, "the transform panicked: it did not say why".to_owned())
            }
        };
        assert_eq!((error.code(), error.message()), (code, &text[..]));
        let source = error.source().and_then(|source| source.downcast_ref::<Unlucky>());
        let own = matches!(self, Trouble::Returned).then_some(Unlucky { step });
        assert_eq!(source, own.as_ref());
    }
}

/// The panics that are meant are not shown.
fn hush() {
    static ONCE: Once = Once::new();
    let is_meant = |panic: &(dyn Any + Send)| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        panic.is::<u64>()
            || text.or(panic.downcast_ref::<&str>().copied()).is_some_and(|text| text.ends_with(MINE))
    };
    ONCE.call_once(|| {
        let show = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_meant(info.payload()) {
                show(info);
            }
        }));
    });
}

/// What came before the error, and the error. Nothing comes after it, from wherever.
fn until_error<T: Send + 'static>(loader: &mut Loader<T>) -> (Vec<T>, Error) {
    let mut came = Vec::new();
    let error = loop {
        match loader.next().unwrap() {
            Ok(value) => came.push(value),
            Err(error) => break error,
        }
    };
    assert!((0..3).all(|_| loader.next().is_none()));
    loader.seek(0);
    assert!(loader.next().is_none());
    (came, error)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_lowest_step_in_trouble_is_told_once_at_its_place(
        way in ways(),
        troubles in proptest::collection::btree_map(0u64..12, proptest::sample::select(&TROUBLES[..]), 1..6),
        delays in delays(),
    ) {
        hush();
        let _watchdog = watch("the_lowest_step_in_trouble_is_told_once_at_its_place");
        let data = Data::new(&[Kind::Raw], 30);
        let lowest = *troubles.first_key_value().unwrap().0;
        let here = troubles.clone();
        let transform = move |batch: Batch| {
            let step = batch.step();
            pause(&delays, step);
            here.get(&step).map_or(Ok(step), |trouble| trouble.make(step))
        };
        let builder = way.apply(data.loader().batch(4).seed(2)).transform(transform);
        let mut loader = builder.start().unwrap();
        let (came, error) = until_error(&mut loader);
        let told = error.step().unwrap();
        troubles[&told].check(&error, told);
        match way.order {
            Order::ByStep => {
                prop_assert_eq!(told, lowest);
                prop_assert_eq!(&came, &(0..lowest).collect::<Vec<_>>());
            }
            Order::AsCompleted => {
                prop_assert_eq!(came.iter().collect::<BTreeSet<_>>().len(), came.len());
                prop_assert!(came.iter().all(|step| !troubles.contains_key(step)));
            }
        }
        prop_assert_eq!(loader.report().batches, came.len() as u64);
    }
}

#[test]
fn of_failures_in_several_workers_the_lowest_step_is_told_whichever_came_first() {
    hush();
    let _watchdog = watch("of_failures_in_several_workers_the_lowest_step_is_told_whichever_came_first");
    let data = Data::new(&[Kind::Raw], 30);
    // Milliseconds that steps 0, 1 and 2 take; 0 is well, the others are not.
    for times in [[60, 0, 30], [60, 30, 0], [0, 30, 0], [60, 30, 30]] {
        for trouble in TROUBLES {
            let transform = move |batch: Batch| {
                let step = batch.step();
                let time = times.get(usize::try_from(step).unwrap()).copied().unwrap_or(0);
                thread::sleep(Duration::from_millis(time));
                if step == 0 { Ok(step) } else { trouble.make(step) }
            };
            let builder = data.loader().batch(4).seed(2).workers(3);
            let mut loader = builder.transform(transform).start().unwrap();
            let (came, error) = until_error(&mut loader);
            assert_eq!(came, [0]);
            trouble.check(&error, 1);
        }
    }
}

#[test]
fn an_error_of_this_crate_goes_through_as_the_source() {
    let _watchdog = watch("an_error_of_this_crate_goes_through_as_the_source");
    let data = Data::new(&[Kind::Raw], 30);
    let transform = |batch: Batch| batch.ragged("s0").map(|_| ());
    let mut loader = data.loader().batch(4).seed(2).transform(transform).start().unwrap();
    let error = loader.next().unwrap().unwrap_err();
    assert_eq!((error.code(), error.step()), (Code::TransformFailed, Some(0)));
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(source.code(), Code::KindMismatch);
}

#[test]
fn transforms_after_the_one_that_fails_do_not_run() {
    let _watchdog = watch("transforms_after_the_one_that_fails_do_not_run");
    let data = Data::new(&[Kind::Raw], 30);
    let ran = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&ran);
    let mut loader = data
        .loader()
        .batch(4)
        .seed(2)
        .transform(|batch| Trouble::Returned.make(batch.step()))
        .transform(move |step| {
            note.store(true, SeqCst);
            Ok::<_, Unlucky>(step)
        })
        .start()
        .unwrap();
    let (came, error) = until_error(&mut loader);
    assert!(came.is_empty());
    Trouble::Returned.check(&error, 0);
    drop(loader);
    assert!(!ran.load(SeqCst));
}

/// Panics when it is dropped.
struct Mine(#[expect(dead_code, reason = "it counts")] Arc<()>);

impl Drop for Mine {
    fn drop(&mut self) {
        panic_any(MINE);
    }
}

#[test]
fn values_that_panic_when_they_are_dropped_harm_nobody() {
    hush();
    let _watchdog = watch("values_that_panic_when_they_are_dropped_harm_nobody");
    let data = Data::new(&[Kind::Raw], 30);
    for (workers, prefetch) in [(0, 0), (1, 0), (1, 3), (2, 0), (2, 3)] {
        let mines = Arc::new(());
        let counted = Arc::clone(&mines);
        let transform = move |_| Ok::<_, Error>(Mine(Arc::clone(&counted)));
        let builder = data.loader().batch(4).seed(2).workers(workers).prefetch(prefetch);
        let mut loader = builder.transform(transform).start().unwrap();
        let receive = |loader: &mut Loader<Mine>, expected| {
            let (step, mine) = loader.next_with_step().unwrap().unwrap();
            assert_eq!(step, expected);
            std::mem::forget(mine);
        };
        (0..10).for_each(|step| receive(&mut loader, step));
        // What is ready goes off at each of these, and the loader goes on.
        for step in [50, 3, 70] {
            loader.seek(step);
            receive(&mut loader, step);
        }
        drop(loader);
        assert_eq!(Arc::strong_count(&mines), 1 + 13, "{workers} workers, prefetch {prefetch}");
    }
}
