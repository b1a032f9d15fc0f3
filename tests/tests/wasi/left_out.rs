//! What the module cannot do says so.

use crate::runtime::Runtime;
use crate::workspace::{contents, dataset};

#[test]
fn what_is_left_out_says_so() {
    let folder = dataset();
    let parquet = recask_tests::folder::tests().join("../native/cli/data/flights-20k.parquet");
    std::fs::copy(parquet, folder.path().join("flights.parquet")).unwrap();
    let before = contents(folder.path());
    for mut runtime in Runtime::both() {
        for (arguments, says) in [
            (
                ["import", "flights.parquet", "flights.cstore"].as_slice(),
                "this build has no Parquet; use the native command",
            ),
            (
                &["export", "weather.cstore", "weather.parquet"],
                "this build has no Parquet; use the native command",
            ),
            (
                &["export", "weather.cstore", "weather.arrow"],
                "this build has no Arrow IPC; use the native command",
            ),
            (&["demo", "--out", "x"], "this build has no data to show, so recask demo is left out"),
            (
                &["calibrate", "--show"],
                "this build has no threads to compare, so recask calibrate is left out",
            ),
        ] {
            let run = runtime.run(folder.path(), arguments);
            assert_eq!((run.status, run.code()), (1, Some("unsupported")), "{}: {run:?}", runtime.name);
            assert!(run.stderr.contains(says), "{}: {}", runtime.name, run.stderr);
            assert!(contents(folder.path()) == before, "{}: {arguments:?} left something", runtime.name);
        }
    }
}

/// There are no file locks in a sandbox: who writes is told, once, and not who reads.
#[test]
fn missing_locks_are_told_to_who_writes() {
    let folder = dataset();
    for mut runtime in Runtime::both() {
        let mut warnings = |arguments: &[&str]| {
            let run = runtime.run(folder.path(), arguments);
            assert_eq!(run.status, 0, "{}: {run:?}", runtime.name);
            run.stderr.lines().filter(|line| line.starts_with("warning: there are no file locks")).count()
        };
        assert_eq!(warnings(&["verify", "digits"]), 0);
        assert_eq!(warnings(&["delete", "digits/images", "3"]), 1);
        assert_eq!(warnings(&["compact", "weather.cstore"]), 1);
    }
}
