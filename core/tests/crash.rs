//! Every operation of the storage is once the last one before the process is killed or the power fails. Whatever is
//! left opens with the old or the new state of what was under way, for a reader, for a writer and for loaderx.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;

use engine::loaderx::{self, Loaderx};
use engine::random::Random;
use engine::script::{Outcome, Step, random, run};
use engine::{Handle, Kind, Record, Setup, slow};
use recask_core::codec::Codec;
use recask_core::storage::fault::{Applied, FaultEnvironment, FaultStorage, Operation, Survival};
use recask_core::storage::memory::MemoryStorage;
use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
use recask_core::{Code, Result};

const MIXED: [u64; 5] = [6, 3, 2, 1, 1];

#[test]
fn dense_raw_stores() {
    crash_everywhere(&Setup::new(Kind::Dense(9), Codec::raw()), MIXED, 12, 1..3);
}

#[test]
fn dense_raw_stores_with_tiny_chunks() {
    crash_everywhere(&Setup::new(Kind::Dense(37), Codec::raw()).tiny(), MIXED, 12, 3..5);
}

#[test]
fn records_of_several_sectors() {
    crash_everywhere(&Setup::new(Kind::Dense(1300), Codec::raw()), MIXED, 8, 5..7);
}

#[test]
fn ragged_raw_stores_with_tiny_chunks() {
    crash_everywhere(&Setup::new(Kind::Ragged, Codec::raw()).tiny(), MIXED, 10, 7..9);
}

#[test]
fn ragged_zstd_stores() {
    crash_everywhere(&Setup::new(Kind::Ragged, Codec::zstd()), MIXED, 8, 9..10);
}

#[test]
fn dense_stores_with_a_dictionary() {
    let dictionary = Random::new(3).bytes(700);
    crash_everywhere(&Setup::new(Kind::Dense(60), Codec::zstd_dict(dictionary).level(3)), MIXED, 8, 10..11);
}

#[test]
fn many_appends_that_were_never_synced() {
    crash_everywhere(&Setup::new(Kind::Dense(700), Codec::raw()), [9, 0, 0, 1, 0], 10, 11..12);
}

/// The process is killed anywhere, then loaderx comes and changes the store: from then on its header counts.
#[test]
fn loaderx_may_change_a_store_after_a_crash() {
    let setup = Setup::new(Kind::Dense(9), Codec::raw());
    let mut seen = 0;
    for seed in 20..if slow() { 100 } else { 32 } {
        let script = random(&setup, seed, 10, MIXED);
        let whole = FaultStorage::new();
        run(&setup, &script, &whole);
        for at in 0..whole.operations().len() {
            let storage = FaultStorage::new();
            storage.freeze_at(at, Applied::Whole);
            run(&setup, &script, &storage);
            let image = storage.crash_image(Survival::All);
            // Between the entries and the header of a compaction step, loaderx cannot open the store at all.
            let Ok(store) = Loaderx::open(image.files(), &setup.geometry) else { continue };
            if seed % 2 == 0 || store.length == 0 {
                loaderx::append_one(&image, b"by python");
            } else {
                loaderx::delete_one(&image, at as u64 % store.length);
            }
            let expected = Loaderx::open(image.files(), &setup.geometry).unwrap().records();
            let context = format!("script {seed}, operation {at}");
            let disk = FaultStorage::from_image(&image);
            let reader: Handle<FaultEnvironment> =
                setup.open(disk.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
            assert!(reader.all().unwrap() == expected, "{context}: the reader went back");
            drop(reader);
            let crash = Crash { setup: &setup, script: &script, seed, at, applied: Applied::Whole };
            crash.restore(&image, &expected, &context);
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} crashes left a store for loaderx");
}

/// loaderx may leave without a sync, too. Once Recask has written the header, what it names must be durable.
#[test]
fn what_others_left_without_a_sync_counts_only_when_it_is_durable() {
    let setup = Setup::new(Kind::Dense(700), Codec::raw());
    let script = random(&setup, 40, 10, [9, 0, 0, 1, 0]);
    let whole = FaultStorage::new();
    run(&setup, &script, &whole);
    let mut taken = 0;
    for at in 0..whole.operations().len() {
        let storage = FaultStorage::new();
        storage.freeze_at(at, Applied::Whole);
        run(&setup, &script, &storage);
        let (live, durable) = (storage.crash_image(Survival::All), storage.crash_image(Survival::None));
        let Ok(before) = Loaderx::open(durable.files(), &setup.geometry) else { continue };
        loaderx::append_one(&live, &[1; 700]);
        let after = Loaderx::open(live.files(), &setup.geometry).unwrap().records();
        // The disk as the durable image says, with everything since then on its way.
        let disk = FaultStorage::from_image(&durable);
        for (name, bytes) in live.files() {
            let file = disk.open(FileId::from_name(&name).unwrap(), OpenMode::OpenOrCreate).unwrap();
            file.write_all_at(0, &bytes).unwrap();
        }
        let writer: Handle<FaultEnvironment> = setup.open_for_writing(disk.clone()).unwrap();
        assert!(writer.all().unwrap() == after, "operation {at}");
        writer.close().unwrap();
        let left = Loaderx::open(disk.crash_image(Survival::None).files(), &setup.geometry)
            .unwrap_or_else(|reason| panic!("operation {at}: loaderx refuses the store: {reason}"))
            .records();
        assert!(left == after || left == before.records(), "operation {at}: neither state is left");
        taken += usize::from(left == after);
    }
    assert!(taken > 10, "only {taken} stores were taken over");
}

/// Runs seeded scripts and cuts each off at every operation.
fn crash_everywhere(setup: &Setup, weights: [u64; 5], steps: usize, seeds: core::ops::Range<u64>) {
    let more = if slow() { 4 } else { 0 };
    for seed in seeds.start..seeds.end + more {
        let script = random(setup, seed, steps, weights);
        let whole = FaultStorage::new();
        run(setup, &script, &whole);
        let operations = whole.operations();
        for (at, operation) in operations.iter().enumerate() {
            for applied in ways_to_fail(at, operation) {
                Crash { setup, script: &script, seed, at, applied }.check();
            }
        }
    }
}

/// An operation that did not happen leaves what the one before left, so only the first one needs that.
fn ways_to_fail(at: usize, operation: &Operation) -> Vec<Applied> {
    let mut ways = vec![Applied::Whole];
    if at == 0 || slow() {
        ways.push(Applied::Nothing);
    }
    if matches!(operation, Operation::Write { len, .. } if *len > 512) {
        ways.extend((0..2).map(|seed| Applied::Torn(seed + at as u64)));
    }
    ways
}

struct Crash<'a> {
    setup: &'a Setup,
    script: &'a [Step],
    seed: u64,
    at: usize,
    applied: Applied,
}

impl Crash<'_> {
    fn check(&self) {
        let storage = FaultStorage::new();
        storage.freeze_at(self.at, self.applied);
        let outcome = run(self.setup, self.script, &storage);
        let subsets = if slow() { 6 } else { 3 };
        let subset = |seed: u64| Survival::Subset(seed * 7919 + self.at as u64);
        let survivals = [Survival::All, Survival::None].into_iter().chain((0..subsets).map(subset));
        for survival in survivals {
            let image = storage.crash_image(survival);
            let context =
                format!("script {}, operation {}, {:?}, {survival:?}", self.seed, self.at, self.applied);
            let Some(records) = self.read(&image, &outcome, survival, &context) else { continue };
            self.restore(&image, &records, &context);
            self.work_on(&image, records.clone(), &context);
            if slow() || self.at.is_multiple_of(5) {
                self.crash_again(&image, &records, &context);
            }
        }
    }

    /// A reader sees an allowed state and changes nothing. `None` where the store was never created.
    fn read(
        &self,
        image: &MemoryStorage,
        outcome: &Outcome,
        survival: Survival,
        context: &str,
    ) -> Option<Vec<Record>> {
        let disk = FaultStorage::from_image(image);
        let opened: Result<Handle<FaultEnvironment>> = self.setup.open(disk.clone());
        let records = match opened {
            Ok(mut reader) => {
                let records = reader.all().unwrap_or_else(|error| panic!("{context}: {error:?}"));
                reader.refresh().unwrap_or_else(|error| panic!("{context}: {error:?}"));
                assert!(records == reader.all().unwrap(), "{context}: a refresh changed what a reader sees");
                Some(records)
            }
            Err(error) if outcome.creating && error.code() == Code::StoreNotFound => None,
            Err(error) => panic!("{context}: {error:?}"),
        };
        assert_eq!(disk.operations(), [], "{context}: reading wrote");
        let Some(records) = records else {
            let made: Handle<FaultEnvironment> =
                self.setup.create(disk).unwrap_or_else(|error| panic!("{context}: {error:?}"));
            assert_eq!(made.len(), 0, "{context}");
            return None;
        };
        assert!(
            outcome.allows(&records, survival != Survival::All),
            "{context}: {} records are no allowed state of {:?}",
            records.len(),
            self.script,
        );
        Some(records)
    }

    /// Opening for writing and closing leaves a store for loaderx, with the same records and no trace.
    fn restore(&self, image: &MemoryStorage, records: &[Record], context: &str) {
        let disk = FaultStorage::from_image(image);
        let writer: Handle<FaultEnvironment> =
            self.setup.open_for_writing(disk.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
        assert!(writer.all().unwrap() == records, "{context}: the writer sees another state");
        writer.close().unwrap();
        // Nothing of what was restored may wait for a sync.
        for survival in [Survival::All, Survival::None] {
            let files = disk.crash_image(survival).files();
            let journal = files.iter().any(|(name, _)| name == "recask.journal");
            assert!(!journal || survival == Survival::None, "{context}: the journal is left");
            let store = Loaderx::open(files, &self.setup.geometry)
                .unwrap_or_else(|reason| panic!("{context}: loaderx refuses the store: {reason}"));
            assert_eq!(store.reserved, [0; 10], "{context}: reserved bytes of meta.zr");
            assert!(store.records() == records, "{context}: loaderx reads something else");
        }
    }

    /// The store goes on as if nothing had happened.
    fn work_on(&self, image: &MemoryStorage, mut records: Vec<Record>, context: &str) {
        let disk = FaultStorage::from_image(image);
        let mut store: Handle<FaultEnvironment> = self.setup.open_for_writing(disk.clone()).unwrap();
        let mut random = Random::new(self.seed + self.at as u64);
        let more = self.setup.records(&mut random, 2);
        store.append(&more).unwrap();
        records.extend(more);
        let targets = random.some_of(records.len() as u64);
        store.delete(&targets).unwrap();
        engine::delete_from(&mut records, &targets);
        store.compact().unwrap();
        let verified = store.verify().unwrap();
        assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
        assert!(store.all().unwrap() == records, "{context}: wrong after more work");
        store.close().unwrap();
        let store = Loaderx::open(disk.crash_image(Survival::None).files(), &self.setup.geometry).unwrap();
        assert!(store.records() == records, "{context}: loaderx reads something else after more work");
    }

    /// The repair is cut off in its turn, at each of its operations.
    fn crash_again(&self, image: &MemoryStorage, records: &[Record], context: &str) {
        let repair = |disk: &FaultStorage| -> Result<()> {
            let writer: Handle<FaultEnvironment> = self.setup.open_for_writing(disk.clone())?;
            writer.close()
        };
        let disk = FaultStorage::from_image(image);
        repair(&disk).unwrap();
        for at in 0..disk.operations().len() {
            let disk = FaultStorage::from_image(image);
            disk.freeze_at(at, if at % 2 == 0 { Applied::Whole } else { Applied::Torn(at as u64) });
            // Whether the caller learns of it does not matter here.
            let _ = repair(&disk);
            for survival in [Survival::All, Survival::None, Survival::Subset(at as u64)] {
                let left = FaultStorage::from_image(&disk.crash_image(survival));
                let again: Handle<FaultEnvironment> = self.setup.open(left).unwrap_or_else(|error| {
                    panic!("{context}, repair cut off at {at}, {survival:?}: {error:?}")
                });
                assert!(
                    again.all().unwrap() == records,
                    "{context}, repair cut off at {at}, {survival:?}: another state"
                );
            }
        }
    }
}
