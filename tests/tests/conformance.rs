//! The conformance suite through the doors of Rust: every case holds in every one of them.

use recask_tests::cases;
use recask_tests::check::{self, Outcome};
use recask_tests::door::{Door, MemoryDoor, NativeDoor};

#[test]
fn every_case_holds_in_the_native_door() {
    run_all(&NativeDoor::new().unwrap());
}

#[test]
fn every_case_holds_in_memory() {
    run_all(&MemoryDoor);
}

/// No case is skipped: these doors have everything.
fn run_all<D: Door>(door: &D) {
    let cases = cases::all().unwrap();
    assert!(cases.len() > 3900, "only {} cases were found", cases.len());
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| match check::run(door, &case.test) {
            Outcome::Ok => None,
            outcome => Some(outcome.line(&case.name)),
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

#[test]
fn names_are_unique_and_fit_a_line() {
    let cases = cases::all().unwrap();
    let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(names.iter().all(|name| !name.contains([' ', ':', '\n'])));
}

#[test]
fn a_wrong_expectation_fails_with_a_reason() {
    let wrong = |old: &str, new: &str| {
        let text = r#"{"op":"gather","store":"zrecord/stores/dense_S5_raw","kind":"dense","index":{"list":[1]},
            "expect":{"sha256":"6c3b1ef0f04b8e47c62b9b1a3f6e3ff03a22a3c1e4c42f1ffe2aa0b4c6d1cf13","shape":[1]}}"#;
        let case = serde_json::from_str(&text.replace(old, new)).unwrap();
        match check::run(&MemoryDoor, &case) {
            Outcome::Fail(reason) => reason,
            outcome => panic!("{outcome:?}"),
        }
    };
    assert!(wrong("", "").contains("digest"));
    assert!(wrong("\"shape\":[1]", "\"shape\":[2]").contains("shape"));
    assert!(wrong("[1]}", "[9]}").contains("index_out_of_range"));
    assert!(wrong("S5_raw", "U3_zstd").contains("shape"));
}

#[test]
fn a_wrong_batch_or_state_fails_with_a_reason() {
    let failing = |prefix: &str, old: &str, new: &str| {
        let name = format!("{prefix}\"");
        let suite = ["loads", "states"].map(|suite| {
            std::fs::read_to_string(recask_tests::folder::tests().join(format!("conformance/{suite}.json")))
                .unwrap()
        });
        let line = suite.iter().flat_map(|text| text.lines()).find(|line| line.contains(&name)).unwrap();
        let (head, expect) = line.trim_end_matches(',').rsplit_once("\"expect\":").unwrap();
        let head = head.replace(&format!("\"name\":{name},"), "");
        let run = |expect: &str| {
            let case = serde_json::from_str(&format!("{head}\"expect\":{expect}")).unwrap();
            check::run(&MemoryDoor, &case)
        };
        assert_eq!(run(expect), Outcome::Ok);
        let changed = expect.replacen(old, new, 1);
        assert_ne!(changed, expect, "{old}");
        match run(&changed) {
            Outcome::Fail(reason) => reason,
            outcome => panic!("{outcome:?}"),
        }
    };
    let load = |old, new| failing("\"load/mixed/cyclic", old, new);
    assert!(load("\"indices\":[", "\"indices\":[1,").contains("batches"));
    assert!(load("\"offsets\":[0", "\"offsets\":[1").contains("batches"));
    assert!(load("\"shapes\":[[", "\"shapes\":[[1,").contains("batches"));
    assert!(load("\"sha256\":\"", "\"sha256\":\"0").contains("batches"));
    assert!(load("<f4", "<f8").contains("batches"));
    let damaged = |old, new| failing("\"load/damaged/loc_phys_0/at", old, new);
    assert!(damaged("\"record\":5", "\"record\":6").contains("record 5"));
    assert!(damaged("\"step\":\"1\"", "\"step\":\"2\"").contains("step 1"));
    assert!(damaged("\"damaged\"", "\"whole\"").contains("stream damaged"));
    let skipped = |old, new| failing("\"load/skip_records/two_streams", old, new);
    assert!(skipped("\"record\":15", "\"record\":14").contains("losses"));
    assert!(failing("\"state/written/mixed", "samples", "Samples").contains("text"));
    assert!(failing("\"state/read/far", "cyclic", "iid").contains("state"));
}
