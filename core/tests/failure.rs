//! Every operation of the storage fails once and everything goes on: the caller gets an error or the result, never a
//! panic, and the store is in the old or the new state.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;

use engine::loaderx::Loaderx;
use engine::random::Random;
use engine::script::{Session, Step, random, run};
use engine::{Handle, Kind, Record, Setup, slow};
use recask_core::codec::Codec;
use recask_core::storage::StorageErrorKind;
use recask_core::storage::fault::{Applied, FaultEnvironment, FaultStorage, Survival};
use recask_core::{Code, Error};

const MIXED: [u64; 5] = [6, 3, 2, 1, 1];

#[test]
fn dense_raw_stores() {
    fail_everywhere(&Setup::new(Kind::Dense(9), Codec::raw()), 12, 1..3);
}

#[test]
fn dense_raw_stores_with_tiny_chunks() {
    fail_everywhere(&Setup::new(Kind::Dense(37), Codec::raw()).tiny(), 12, 3..5);
}

#[test]
fn records_of_several_sectors() {
    fail_everywhere(&Setup::new(Kind::Dense(1300), Codec::raw()), 8, 5..7);
}

#[test]
fn ragged_raw_stores_with_tiny_chunks() {
    fail_everywhere(&Setup::new(Kind::Ragged, Codec::raw()).tiny(), 10, 7..9);
}

#[test]
fn ragged_zstd_stores() {
    fail_everywhere(&Setup::new(Kind::Ragged, Codec::zstd()), 8, 9..10);
}

fn fail_everywhere(setup: &Setup, steps: usize, seeds: core::ops::Range<u64>) {
    for seed in seeds.start..seeds.end + if slow() { 4 } else { 0 } {
        let script = random(setup, seed, steps, MIXED);
        let whole = FaultStorage::new();
        run(setup, &script, &whole);
        for at in 0..whole.operations().len() {
            for (kind, applied) in [
                (StorageErrorKind::Full, Applied::Nothing),
                (StorageErrorKind::Other, Applied::Whole),
                (StorageErrorKind::Full, Applied::Torn(at as u64)),
            ] {
                let context = format!("script {seed}, operation {at}, {kind:?}, {applied:?}");
                let storage = FaultStorage::new();
                storage.fail_at(at, kind, applied);
                go_on(setup, &script, &storage, kind, &context);
            }
        }
    }
}

/// Runs a script in which one operation fails, and goes on behind the step that it hit.
fn go_on(setup: &Setup, script: &[Step], storage: &FaultStorage, kind: StorageErrorKind, context: &str) {
    let mut session = Session::new(setup, storage);
    let mut failures = 0;
    for step in script {
        let Err(error) = session.step(step) else { continue };
        let context = format!("{context}, {step:?}");
        failures += 1;
        let code = if kind == StorageErrorKind::Full { Code::DeviceFull } else { Code::Io };
        assert_eq!(error.code(), code, "{context}: {error:?}");
        assert!(error.file().is_some(), "{context}: {error:?} names no file");
        after_failure(setup, &mut session, step, storage, &context);
    }
    assert!(failures <= 1, "{context}: {failures} steps failed");
    let records = session.outcome.last();
    if let Some(handle) = session.handle {
        // The failure may have waited for the very last operation.
        let closed = handle.close();
        assert!(closed.is_ok() || failures == 0, "{context}: {closed:?}");
    }
    let writer: Handle<FaultEnvironment> =
        setup.open_for_writing(storage.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    assert!(writer.all().unwrap() == records, "{context}: wrong at the end");
    let verified = writer.verify().unwrap();
    assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
    writer.close().unwrap();
    let store = Loaderx::open(storage.crash_image(Survival::None).files(), &setup.geometry)
        .unwrap_or_else(|reason| panic!("{context}: loaderx refuses the store: {reason}"));
    assert!(store.records() == records, "{context}: loaderx reads something else");
}

/// Finds out where the failed step left the store, and goes on from there.
fn after_failure(
    setup: &Setup,
    session: &mut Session<'_>,
    step: &Step,
    storage: &FaultStorage,
    context: &str,
) {
    if matches!(step, Step::Create) {
        session.step(&Step::Create).unwrap_or_else(|error| panic!("{context}: {error:?}"));
        return;
    }
    let old = session.outcome.last();
    if let Some(handle) = &mut session.handle {
        let seen = handle.all().unwrap_or_else(|error| panic!("{context}: {error:?}"));
        assert!(session.outcome.allows(&seen, false), "{context}: the handle sees neither state");
        let beside = reopened(setup, storage, context);
        assert!(session.outcome.allows(&beside, false), "{context}: a reader sees neither state");
        // What a power failure leaves before anything else is written.
        let cut = |seed| FaultStorage::from_image(&storage.crash_image(Survival::Subset(seed)));
        let appending = matches!(step, Step::Append(_));
        let seeds = if appending { 16 } else { 0 };
        let cuts: Vec<_> = (0..seeds).map(|seed| reopened(setup, &cut(seed), context)).collect();
        let more = setup.records(&mut Random::new(1), 1);
        match handle.append(&more) {
            Ok(first) => {
                // A handle that works on knows its state, and so does everybody after a kill.
                assert_eq!(first, seen.len() as u64, "{context}");
                assert!(beside == seen, "{context}: a reader saw another state than the handle");
                assert!(!appending || seen == old, "{context}: a failed append is there");
                let now: Vec<Record> = seen.iter().cloned().chain(more).collect();
                session.outcome.settle(seen);
                let back = cuts.iter().any(|left| !session.outcome.allows(left, true));
                assert!(!back, "{context}: a failed append is there after a power cut");
                let killed = FaultStorage::from_image(&storage.crash_image(Survival::All));
                assert!(reopened(setup, &killed, context) == now, "{context}: wrong after a kill");
                for seed in 0..4 {
                    let lost = FaultStorage::from_image(&storage.crash_image(Survival::Subset(seed)));
                    let left = reopened(setup, &lost, context);
                    assert!(
                        left == now || session.outcome.allows(&left, true),
                        "{context}: wrong after a power cut"
                    );
                }
                session.outcome.append(now);
                return;
            }
            Err(error) => assert!(is_refusal(&error), "{context}: {error:?}"),
        }
    }
    session.handle = None;
    let writer: Handle<FaultEnvironment> =
        setup.open_for_writing(storage.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    session.outcome.settle(writer.all().unwrap());
    session.handle = Some(writer);
}

fn reopened(setup: &Setup, storage: &FaultStorage, context: &str) -> Vec<Record> {
    let reader: Handle<FaultEnvironment> =
        setup.open(storage.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    reader.all().unwrap()
}

/// The documented answer of a handle that knows no more what is on the disk.
fn is_refusal(error: &Error) -> bool {
    error.code() == Code::Io && error.message().contains("open it again")
}

/// The repair at open fails once, at each of its operations: the next open repairs all the same.
#[test]
fn a_failed_repair_is_repaired_by_the_next_one() {
    let setup = Setup::new(Kind::Dense(37), Codec::raw()).tiny();
    let mut repairs = 0;
    for seed in 30..if slow() { 60 } else { 33 } {
        let script = random(&setup, seed, 10, MIXED);
        let whole = FaultStorage::new();
        run(&setup, &script, &whole);
        for at in 0..whole.operations().len() {
            let storage = FaultStorage::new();
            storage.freeze_at(at, Applied::Whole);
            run(&setup, &script, &storage);
            let image = storage.crash_image(Survival::All);
            let reader: Result<Handle<FaultEnvironment>, _> = setup.open(FaultStorage::from_image(&image));
            let Ok(reader) = reader else { continue };
            let expected = reader.all().unwrap();
            let disk = FaultStorage::from_image(&image);
            drop(setup.open_for_writing::<FaultEnvironment>(disk.clone()).unwrap());
            for failing in 0..disk.operations().len() {
                let disk = FaultStorage::from_image(&image);
                disk.fail_at(failing, StorageErrorKind::Other, Applied::Nothing);
                drop(setup.open_for_writing::<FaultEnvironment>(disk.clone()));
                let context = format!("script {seed}, operation {at}, repair failed at {failing}");
                assert!(reopened(&setup, &disk, &context) == expected, "{context}: another state");
                repairs += 1;
            }
        }
    }
    assert!(repairs > 500, "only {repairs} repairs failed");
}

#[test]
fn a_failed_create_leaves_nothing() {
    let dictionary = Random::new(3).bytes(700);
    for codec in [Codec::raw(), Codec::zstd_dict(dictionary)] {
        let setup = Setup::new(Kind::Dense(9), codec);
        let whole = FaultStorage::new();
        let made: Handle<FaultEnvironment> = setup.create(whole.clone()).unwrap();
        let operations = whole.operations().len();
        drop(made);
        for at in 0..operations {
            let storage = FaultStorage::new();
            storage.fail_at(at, StorageErrorKind::Full, Applied::Nothing);
            let failed = setup.create::<FaultEnvironment>(storage.clone()).err().map(|error| error.code());
            assert_eq!(failed, Some(Code::DeviceFull), "operation {at}");
            assert_eq!(storage.crash_image(Survival::All).files(), [], "operation {at}");
            setup.create::<FaultEnvironment>(storage).unwrap();
        }
    }
}

#[test]
fn a_failed_read_names_its_file() {
    for setup in [
        Setup::new(Kind::Dense(37), Codec::raw()).tiny(),
        Setup::new(Kind::Ragged, Codec::zstd()),
        Setup::new(Kind::Ragged, Codec::raw()).tiny(),
    ] {
        let script = random(&setup, 1, 10, [1, 0, 0, 0, 0]);
        let storage = FaultStorage::new();
        let records = run(&setup, &script, &storage).last();
        storage.forget_operations();
        let read = |storage: &FaultStorage| -> recask_core::Result<Vec<Record>> {
            let reader: Handle<FaultEnvironment> = setup.open(storage.clone())?;
            reader.stats()?;
            reader.all()
        };
        read(&storage).unwrap();
        let reads = storage.reads();
        for at in 0..reads {
            storage.forget_operations();
            storage.fail_read_at(at, StorageErrorKind::Other);
            let error = read(&storage).unwrap_err();
            assert_eq!(error.code(), Code::Io, "read {at}: {error:?}");
            assert!(error.file().is_some(), "read {at}: {error:?} names no file");
            assert!(read(&storage).unwrap() == records, "read {at}: the failure stayed");
        }
    }
}
