//! Every operation of the storage is once the last one before the process is killed or the power fails, and once one that
//! fails. No committed row is lost or torn, whatever was under way.
#![cfg(feature = "conformance")]

use recask_core::storage::StorageErrorKind;
use recask_core::storage::fault::{Applied, FaultEnvironment, FaultStorage, Operation, SECTOR, Survival};
use recask_core::storage::memory::MemoryStorage;
use recask_core::table::{Table, TableWriter, compact, recode, verify};
use recask_core::{Code, Error, Result};

mod table;

use table::script::{Columns, Session, Step, random, read, slow};
use table::writing::{NEWER, OLDER, WITH_STATISTICS};

type Disk = FaultEnvironment;

#[test]
fn crashes_anywhere_lose_no_committed_row() {
    let seeds = 0..if slow() { 60 } else { 7 };
    let crashes: usize = seeds.map(|seed| crash_everywhere(&random(seed, 14), seed, 3)).sum();
    assert!(crashes > 2000, "only {crashes} crashes");
}

/// Each write overwrites the footer, which the counters of then must not name any more.
#[test]
fn a_footer_is_never_torn() {
    let write = |rows| Step::Write { rows };
    let script = [
        Step::Open(WITH_STATISTICS),
        write(40),
        Step::Commit,
        write(130),
        Step::Close,
        Step::Open(WITH_STATISTICS),
        write(7),
        Step::Drop,
        Step::Open(WITH_STATISTICS),
        Step::Pieces { rows: 40, piece: 13 },
        Step::Close,
    ];
    crash_everywhere(&script, 77, 40);
}

/// The counters in memory name no footer, but those on the disk still do.
#[test]
fn a_footer_that_was_given_up_without_a_sync_is_given_up_for_good() {
    for seed in 0..40 {
        let disk = FaultStorage::new();
        let mut session = Session::<Disk>::new(disk.clone());
        let write = Step::Write { rows: 40 };
        for step in [Step::Open(WITH_STATISTICS), write, Step::Close, Step::Open(WITH_STATISTICS)] {
            session.step(step).unwrap();
        }
        disk.forget_operations();
        disk.fail_at(1, StorageErrorKind::Other, Applied::Nothing);
        assert!(session.step(write).is_err());
        session.writer = None;
        session.step(Step::Open(WITH_STATISTICS)).unwrap();
        session.step(write).unwrap();
        check_left(&disk.crash_image(Survival::Subset(seed)), &session, &format!("subset {seed}"));
    }
}

/// Cuts a script off at every operation; how many states were left.
fn crash_everywhere(script: &[Step], seed: u64, subsets: u64) -> usize {
    let mut crashes = 0;
    let subsets = if slow() { 3 * subsets } else { subsets };
    for (at, operation) in operations(script).iter().enumerate() {
        for applied in ways_to_fail(at, operation) {
            let disk = FaultStorage::new();
            disk.freeze_at(at, applied);
            let mut session = Session::<Disk>::new(disk.clone());
            let failed = script.iter().find(|&&step| session.step(step).is_err());
            assert!(disk.is_frozen());
            session.writer = None;
            let base = (seed * 1000 + at as u64) * subsets;
            let subsets = (base..base + subsets).map(Survival::Subset);
            for survival in [Survival::All, Survival::None].into_iter().chain(subsets) {
                let context = format!(
                    "script {seed}, operation {at} {operation:?}, {applied:?}, {survival:?}, step {failed:?}"
                );
                check_left(&disk.crash_image(survival), &session, &context);
                crashes += 1;
            }
        }
    }
    crashes
}

fn operations(script: &[Step]) -> Vec<Operation> {
    let disk = FaultStorage::new();
    let mut session = Session::<Disk>::new(disk.clone());
    script.iter().for_each(|&step| session.step(step).unwrap());
    disk.operations()
}

fn ways_to_fail(at: usize, operation: &Operation) -> Vec<Applied> {
    let mut ways = vec![Applied::Whole, Applied::Nothing];
    if matches!(operation, Operation::Write { offset, len, .. } if offset % SECTOR + len > SECTOR) {
        ways.extend([Applied::Torn(at as u64), Applied::Torn(at as u64 + 1)]);
    }
    ways
}

/// What a crash left opens with an allowed state, is in order, and goes on.
fn check_left(image: &MemoryStorage, session: &Session<Disk>, context: &str) {
    let disk = FaultStorage::from_image(image);
    let rows = match Table::<Disk>::open(disk.clone()) {
        Ok(table) => {
            let rows = read(&table);
            assert!(session.allows(&rows), "{context}: {} rows are no allowed state", rows.len());
            let verified = verify(table.file(), &()).unwrap();
            assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
            rows
        }
        Err(error) => {
            // Nothing was committed yet: there is no file, or one whose header did not arrive.
            assert!(session.committed.is_none(), "{context}: {error:?}");
            let mut writer = TableWriter::<Disk>::recreate(disk.clone()).unwrap();
            writer.write(&Columns::of(&[]).inputs()).unwrap();
            writer.close().unwrap();
            Vec::new()
        }
    };
    go_on(&disk, rows, context);
}

/// The table goes on as if nothing had happened, and what it then has is durable.
fn go_on(disk: &FaultStorage, mut rows: Vec<u64>, context: &str) {
    let more: Vec<u64> = (50_000..50_040).collect();
    let mut writer =
        TableWriter::<Disk>::update(disk.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    assert_eq!(writer.rows(), rows.len() as u64, "{context}");
    if rows.is_empty() && writer.schema().is_none() {
        panic!("{context}: an empty table without schema");
    }
    writer.write(&Columns::of(&more).inputs()).unwrap();
    writer.close().unwrap();
    rows.extend(more);
    for survival in [Survival::All, Survival::None] {
        check_sound(&FaultStorage::from_image(&disk.crash_image(survival)), &rows, context);
    }
    compact::<Disk>(disk.clone(), &()).unwrap();
    if disk.crash_image(Survival::All).files().len() > 1 {
        // A table of one record needs no draft, so an old one is in nobody's way until the next replacing.
        let mut writer = TableWriter::<Disk>::recreate(disk.clone()).unwrap();
        writer.write(&Columns::of(&rows).inputs()).unwrap();
        writer.close().unwrap();
    }
    let left = disk.crash_image(Survival::None);
    let names: Vec<_> = left.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["table.cstore"], "{context}");
    check_sound(&FaultStorage::from_image(&left), &rows, context);
}

/// The table has these rows, no fault, and a footer where it names one.
fn check_sound(disk: &FaultStorage, rows: &[u64], context: &str) {
    let table = Table::<Disk>::open(disk.clone()).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    assert!(read(&table) == rows, "{context}: {} rows instead of {}", table.len(), rows.len());
    let verified = verify(table.file(), &()).unwrap();
    assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
    let footer = table.statistics().unwrap();
    assert_eq!(footer.is_none(), verified.trailing_bytes == 0, "{context}");
}

#[test]
fn failures_anywhere_lose_no_row() {
    let seeds = 100..if slow() { 160 } else { 106 };
    let failures: usize = seeds.map(|seed| fail_everywhere(&random(seed, 14), seed)).sum();
    assert!(failures > 400, "only {failures} steps failed");
}

/// Also when the answer of the rename is lost.
#[test]
fn a_replacement_goes_on_after_any_failure() {
    let write = |rows| Step::Write { rows };
    for options in [OLDER, WITH_STATISTICS] {
        let script = [
            Step::Open(OLDER),
            write(40),
            Step::Close,
            Step::Recreate(options),
            write(7),
            Step::Commit,
            write(40),
            Step::Close,
            Step::Compact,
            Step::Recode(NEWER),
        ];
        assert!(fail_everywhere(&script, 78) > 40);
    }
}

/// Lets every operation of a script fail once; how many steps failed.
fn fail_everywhere(script: &[Step], seed: u64) -> usize {
    let mut failures = 0;
    for at in 0..operations(script).len() {
        for (kind, applied) in [
            (StorageErrorKind::Full, Applied::Nothing),
            (StorageErrorKind::Other, Applied::Whole),
            (StorageErrorKind::Full, Applied::Torn(at as u64)),
        ] {
            let disk = FaultStorage::new();
            disk.fail_at(at, kind, applied);
            let context = format!("script {seed}, operation {at}, {kind:?}, {applied:?}");
            failures += fail_once(script, &disk, kind, &context);
        }
    }
    failures
}

/// Runs a script in which one operation fails, and goes on with the step that it hit.
fn fail_once(script: &[Step], disk: &FaultStorage, kind: StorageErrorKind, context: &str) -> usize {
    let mut session = Session::<Disk>::new(disk.clone());
    let mut failures = 0;
    for &step in script {
        let Err(error) = session.step(step) else { continue };
        let context = format!("{context}, {step:?}");
        let code = if kind == StorageErrorKind::Full { Code::DeviceFull } else { Code::Io };
        assert_eq!(error.code(), code, "{context}: {error:?}");
        assert!(error.place().is_some(), "{context}: {error:?} names no place");
        failures += 1;
        check_beside(&session, disk, &context);
        let Err(error) = session.step(step) else { continue };
        // The documented answer of a writer that knows no more what is on the disk.
        assert!(is_refusal(&error), "{context}: {error:?}");
        session.writer = None;
        session.settle(check_beside(&session, disk, &context));
        let reopen = if session.committed.is_some() {
            Step::Open(WITH_STATISTICS)
        } else {
            Step::Recreate(WITH_STATISTICS)
        };
        session.step(reopen).unwrap_or_else(|error| panic!("{context}: {error:?}"));
        session.step(step).unwrap_or_else(|error| panic!("{context}: {error:?}"));
    }
    assert!(failures <= 1, "{context}: {failures} steps failed");
    session.writer = None;
    let rows = check_beside(&session, disk, context);
    assert_eq!(rows, session.committed, "{context}");
    for survival in [Survival::All, Survival::None] {
        let left = FaultStorage::from_image(&disk.crash_image(survival));
        let found = check_left_rows(&left, context);
        let is_earlier = survival == Survival::None && session.before_failure.as_ref() == Some(&found);
        assert!(found == session.committed || is_earlier, "{context}, {survival:?}: {found:?}");
        if let Some(rows) = found {
            go_on(&left, rows, context);
        }
    }
    failures
}

/// The rows of a table in order, if anything is committed.
fn check_left_rows(disk: &FaultStorage, context: &str) -> Option<Vec<u64>> {
    let table = Table::<Disk>::open(disk.clone()).ok()?;
    let verified = verify(table.file(), &()).unwrap();
    assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
    (table.file_records() > 0).then(|| read(&table))
}

/// What a reader finds at this moment, which is allowed; `None` where nothing was ever committed.
fn check_beside(session: &Session<Disk>, disk: &FaultStorage, context: &str) -> Option<Vec<u64>> {
    match Table::<Disk>::open(disk.clone()) {
        Ok(table) => {
            let rows = read(&table);
            assert!(session.allows(&rows), "{context}: {} rows are no allowed state", rows.len());
            (session.committed.is_some() || table.file_records() > 0).then_some(rows)
        }
        Err(error) => {
            assert!(session.committed.is_none(), "{context}: {error:?}");
            None
        }
    }
}

fn is_refusal(error: &Error) -> bool {
    error.code() == Code::Io && error.message().contains("open it again")
}

#[test]
fn a_failed_read_leaves_the_table_as_it_is() {
    let disk = FaultStorage::new();
    let mut session = Session::<Disk>::new(disk.clone());
    let write = Step::Write { rows: 40 };
    for step in [Step::Open(WITH_STATISTICS), write, write, Step::Close] {
        session.step(step).unwrap();
    }
    let image = disk.crash_image(Survival::None);
    let works: [fn(FaultStorage) -> Result<()>; 3] = [
        |disk| TableWriter::<Disk>::update(disk).map(drop),
        |disk| compact::<Disk>(disk, &()).map(drop),
        |disk| recode::<Disk>(disk, &OLDER, &()),
    ];
    for work in works {
        let whole = FaultStorage::from_image(&image);
        work(whole.clone()).unwrap();
        assert!(whole.reads() > 3);
        for at in 0..whole.reads() {
            let disk = FaultStorage::from_image(&image);
            disk.fail_read_at(at, StorageErrorKind::Other);
            assert_eq!(work(disk.clone()).unwrap_err().code(), Code::Io, "read {at}");
            assert_eq!(disk.crash_image(Survival::All).files(), image.files(), "read {at}");
            work(disk).unwrap();
        }
    }
}
