//! Where a loader ends because it was told to, and how it goes on after it ended.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use proptest::prelude::*;
use recask::loader::{Batch, OnLoss};
use recask::{Code, DType, DenseStore, Error, Loader, Sampler};

use super::data::{Data, Kind, ways};
use super::watchdog::watch;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_behind_the_end_is_read_until_it_is_passed_back_over(
        way in ways(),
        first in 0u64..4,
        steps in 0u64..8,
    ) {
        let _watchdog = watch("nothing_behind_the_end_is_read_until_it_is_passed_back_over");
        let data = Data::new(&[Kind::Raw], 20);
        let made = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&made);
        let transform = move |batch: Batch| {
            count.fetch_add(1, SeqCst);
            Ok::<_, Error>(batch.step())
        };
        let end = first + steps;
        let builder = data.loader().sampler(Sampler::sequential(20, 3).build().unwrap()).first_step(first).end(end);
        let mut loader = way.apply(builder.transform(transform)).start().unwrap();
        let mut came: Vec<_> = loader.by_ref().map(Result::unwrap).collect();
        came.sort_unstable();
        prop_assert_eq!(&came, &(first..end).collect::<Vec<_>>());
        prop_assert!(loader.next().is_none());
        prop_assert_eq!((made.load(SeqCst), loader.step()), (steps, end));

        // An epoch that is longer ends there too, and leaves the end where it was.
        loader.seek(0);
        let epoch: Vec<_> = loader.epoch(0).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(epoch.len() as u64, end.min(loader.sampler().epoch(0).unwrap().end));
        loader.seek(end);
        prop_assert!(loader.next().is_none());
        loader.restart(0).unwrap();
        prop_assert_eq!(loader.by_ref().map(Result::unwrap).count() as u64, end);
    }
}

#[test]
fn after_an_error_it_goes_on_where_it_is_restarted() {
    let _watchdog = watch("after_an_error_it_goes_on_where_it_is_restarted");
    for workers in [0, 1, 3] {
        let data = Data::new(&[Kind::Zstd, Kind::Ragged], 20);
        let transform = |batch: Batch| if batch.step() == 5 { Err("no fifth") } else { Ok(batch) };
        let builder = data.loader().sampler(Sampler::sequential(20, 4).build().unwrap()).workers(workers);
        let mut loader = builder.transform(transform).start().unwrap();
        let state = loader.state().unwrap();
        for times in 0..2 {
            assert_eq!(loader.by_ref().take_while(Result::is_ok).count(), 5 - times);
            assert!(loader.next().is_none() && loader.step() == 5);
            loader.restart(6).unwrap();
            for step in 6..20 {
                let (found, batch) = loader.next_with_step().unwrap().unwrap();
                assert_eq!((found, batch.step()), (step, step));
                data.check(&batch);
            }
            loader.restart(1).unwrap();
        }
        assert_eq!(loader.state().unwrap().streams(), state.streams());
    }
}

#[test]
fn a_loader_that_was_stopped_can_be_restarted_and_stopped_again() {
    let _watchdog = watch("a_loader_that_was_stopped_can_be_restarted_and_stopped_again");
    let data = Data::new(&[Kind::Raw], 20);
    let mut loader = data.loader().batch(3).seed(1).start().unwrap();
    let old = loader.stopper();
    old.stop();
    assert!(loader.next().is_none());
    loader.restart(2).unwrap();
    old.stop();
    assert_eq!(loader.next_with_step().unwrap().unwrap().0, 2);
    loader.stopper().stop();
    assert!(loader.next().is_none());
}

#[test]
fn every_record_that_is_left_out_is_told_of_once() {
    let _watchdog = watch("every_record_that_is_left_out_is_told_of_once");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut store = DenseStore::builder(DType::U8, [4096]).create(&path).unwrap();
    store.append(&vec![7u8; 4096 * 300]).unwrap();
    store.close().unwrap();
    let store = DenseStore::open(&path).unwrap();
    std::fs::OpenOptions::new().write(true).open(path.join("0.chunk")).unwrap().set_len(4096 * 50).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&told);
    let mut loader = Loader::builder()
        .stream("x", store)
        .sampler(Sampler::sequential(300, 150).build().unwrap())
        .on_loss(OnLoss::SkipRecords)
        .on_lost(move |loss| {
            assert_eq!((loss.stream.as_str(), loss.error.code()), ("x", Code::TruncatedFile));
            list.lock().unwrap().push((loss.step, loss.record));
        })
        .end(2)
        .start()
        .unwrap();
    let sizes: Vec<_> = loader.by_ref().map(|batch| batch.unwrap().len()).collect();
    // The second step has nothing left; more are told of than the report lists.
    assert_eq!(sizes, [50]);
    assert_eq!(*told.lock().unwrap(), (50..300).map(|record| (record / 150, record)).collect::<Vec<_>>());
    assert_eq!((loader.report().lost_records, loader.report().losses.len()), (250, 100));
}
