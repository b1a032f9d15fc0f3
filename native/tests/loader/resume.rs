//! A run that stopped goes on as if it never had.

use std::collections::BTreeSet;

use proptest::prelude::*;
use recask::loader::{Batch, LoaderBuilder, Order, State, Stream};
use recask::table::{self, TableWriter, WriteOptions};
use recask::{Code, Codec, DType, DenseStore, Error, Loader, Mode, Native, RaggedStore, Sampler, Table};
use recask_core::format::cstore::Layout;

use super::data::{Data, KINDS, Kind, delays, kinds, name, pause, samplers, ways, write};
use super::watchdog::watch;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_follows_does_not_depend_on_the_stops(
        kinds in kinds(),
        sampler in samplers(),
        runs in proptest::collection::vec((ways(), 0u64..12), 1..4),
        delays in delays(),
    ) {
        let _watchdog = watch("what_follows_does_not_depend_on_the_stops");
        let data = Data::new(&kinds, sampler.length());
        let feed = data.feed(&sampler);
        let mut expected = feed.new_batch();
        let mut seen = BTreeSet::new();
        let mut state: Option<String> = None;
        for (way, take) in runs {
            let delays = delays.clone();
            let transform = move |batch: Batch| {
                pause(&delays, batch.step());
                Ok::<_, Error>(batch)
            };
            let builder = way.apply(data.loader()).transform(transform);
            let builder = match &state {
                Some(state) => builder.resume(state.parse().unwrap()),
                None => builder.sampler(sampler.clone()),
            };
            let mut loader = builder.start().unwrap();
            prop_assert_eq!(loader.sampler(), &sampler);
            for _ in 0..take {
                let (step, batch) = loader.next_with_step().unwrap().unwrap();
                feed.fill(step, &mut expected).unwrap();
                prop_assert_eq!(&*batch, &expected);
                data.check(&batch);
                prop_assert!(seen.insert(step), "step {} came twice", step);
                let lowest = (0..).find(|step| !seen.contains(step)).unwrap();
                prop_assert_eq!(loader.step(), lowest);
                if way.order == Order::ByStep {
                    // What an earlier run left behind comes first.
                    prop_assert!(step < lowest);
                }
            }
            // The state says what came, not what was made ahead.
            let text = loader.state().unwrap().to_string();
            let told: State = text.parse().unwrap();
            let above = seen.iter().copied().filter(|&step| step > told.step());
            prop_assert!(told.cursor().done().iter().copied().eq(above));
            prop_assert_eq!((told.step(), told.seed()), (loader.step(), sampler.seed()));
            state = Some(text);
        }
    }
}

#[test]
fn it_goes_on_far_from_the_start() {
    let _watchdog = watch("it_goes_on_far_from_the_start");
    let data = Data::new(&[Kind::Raw], 30);
    for mode in [Mode::Cyclic, Mode::Sequential, Mode::IidSeek] {
        let far = u64::MAX - 3;
        let mut loader = data.loader().batch(7).seed(5).mode(mode).start().unwrap();
        loader.seek(far);
        let indices = |batch: Result<Batch, Error>| batch.unwrap().indices().to_vec();
        let batches: Vec<_> = loader.by_ref().take(3).map(indices).collect();
        // There is no step beyond.
        assert!(loader.next().is_none());
        assert_eq!(loader.step(), u64::MAX);

        let mut loader = data.loader().batch(7).seed(5).mode(mode).start().unwrap();
        loader.seek(far + 1);
        let state = loader.state().unwrap().to_string().parse().unwrap();
        let resumed = data.loader().resume(state).start().unwrap();
        assert_eq!(resumed.map(indices).collect::<Vec<_>>(), batches[1..]);
    }
}

#[test]
fn a_state_tells_a_seed_that_the_system_chose() {
    let _watchdog = watch("a_state_tells_a_seed_that_the_system_chose");
    let data = Data::new(&[Kind::Raw], 1000);
    let mut loader = data.loader().batch(100).start().unwrap();
    let other = data.loader().batch(100).start().unwrap();
    assert_ne!(loader.state().unwrap().seed(), other.state().unwrap().seed());
    let state = loader.state().unwrap();
    let mut again = data.loader().resume(state).start().unwrap();
    assert_eq!(loader.next().unwrap().unwrap().indices(), again.next().unwrap().unwrap().indices());
}

/// A state at step 3, and the records that follow.
fn stopped(data: &Data) -> (State, Vec<u64>) {
    let mut loader = data.loader().batch(4).seed(6).start().unwrap();
    assert_eq!(loader.by_ref().take(3).map(Result::unwrap).count(), 3);
    let state = loader.state().unwrap();
    (state, loader.next().unwrap().unwrap().indices().to_vec())
}

#[test]
fn the_same_data_in_another_shape_on_disk_is_accepted() {
    let _watchdog = watch("the_same_data_in_another_shape_on_disk_is_accepted");
    let length = 20;
    let data = Data::new(&KINDS, length);
    let (state, next) = stopped(&data);
    let folder = tempfile::tempdir().unwrap();
    let at = |stream: usize| folder.path().join(name(stream));

    // Raw becomes zstd.
    let mut recoded = DenseStore::builder(DType::I32, [2, 3]).codec(Codec::zstd()).create(at(0)).unwrap();
    DenseStore::open(data.folder.path().join(name(0))).unwrap().copy_to(&mut recoded, &()).unwrap();
    recoded.close().unwrap();
    // One more record is written, deleted, and compacted away.
    let _ = write(&at(1), Kind::Zstd, 1, length + 1);
    let mut compacted = DenseStore::open_for_writing(at(1)).unwrap();
    compacted.delete([length]).unwrap();
    compacted.compact(&()).unwrap();
    compacted.close().unwrap();
    // Ragged zstd becomes raw.
    let mut recoded = RaggedStore::builder(DType::U16).create(at(2)).unwrap();
    RaggedStore::open(data.folder.path().join(name(2))).unwrap().copy_to(&mut recoded, &()).unwrap();
    recoded.close().unwrap();
    // A table gets the later layout.
    let _ = write(&at(3), Kind::Table, 3, length);
    let options = WriteOptions { layout: Layout::V05, statistics: true };
    table::recode::<Native>(at(3), &options, &()).unwrap();
    // The rows that a filter left become a table of their own.
    let Some((_, Stream::Table(rows))) = data.streams().nth(4) else { panic!("it is a table") };
    let mut writer = TableWriter::create(at(4)).unwrap();
    writer.write_rows(&rows, &()).unwrap();
    writer.close().unwrap();

    // Their order does not matter.
    let mut resumed = Loader::builder()
        .stream(name(4), Table::open(at(4)).unwrap())
        .stream(name(3), Table::open(at(3)).unwrap())
        .stream(name(2), RaggedStore::open(at(2)).unwrap())
        .stream(name(1), DenseStore::open(at(1)).unwrap())
        .stream(name(0), DenseStore::open(at(0)).unwrap())
        .resume(state)
        .start()
        .unwrap();
    let batch = resumed.next().unwrap().unwrap();
    assert_eq!((batch.step(), batch.indices()), (3, &next[..]));
    let mut original = data.loader().batch(4).seed(6).start().unwrap();
    original.seek(3);
    let original = original.next().unwrap().unwrap();
    for stream in 0..KINDS.len() {
        assert_eq!(batch.stream(&name(stream)).unwrap(), original.stream(&name(stream)).unwrap());
    }
}

#[test]
fn an_order_that_contradicts_the_state_is_refused() {
    let _watchdog = watch("an_order_that_contradicts_the_state_is_refused");
    let data = Data::new(&[Kind::Raw], 20);
    let (state, next) = stopped(&data);
    let resume = || data.loader().resume(state.clone());
    let refused = |builder: LoaderBuilder, said: &[&str]| {
        let error = builder.start().unwrap_err();
        assert_eq!(error.code(), Code::StateMismatch, "{error}");
        assert!(said.iter().all(|said| error.message().contains(said)), "{error}");
    };
    refused(resume().batch(5), &["batch 4", "batch 5"]);
    refused(resume().seed(7), &["seed 6", "seed 7"]);
    refused(resume().mode(Mode::IidSeek), &["mode cyclic", "mode iid_seek"]);
    let sampler = |batch| Sampler::cyclic(20, batch).seed(6).build().unwrap();
    refused(resume().sampler(sampler(5)), &["batch 4", "batch 5"]);
    // What says the same is not refused.
    let agreeing =
        [resume().batch(4).seed(6).mode(Mode::Cyclic), resume().sampler(sampler(4)), resume().ranks(0, 1)];
    for builder in agreeing {
        assert_eq!(builder.start().unwrap().next().unwrap().unwrap().indices(), next);
    }
}
