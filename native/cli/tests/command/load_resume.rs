//! `load --state`: a run that goes on.

use std::fs;

use recask::{DType, DenseStore};
use serde_json::Value;

use crate::support::Workspace;

#[test]
fn a_run_in_two_parts_ends_where_one_run_does() {
    let here = Workspace::new();
    here.mixed("data");
    let order = "--batch 5 --mode iid --seed 7";
    let whole = here.json(&format!("load data {order} --steps 20 --state whole"));
    let first = here.json(&format!("load data {order} --steps 10 --state parts"));
    // The state knows the order, and another number of workers does not change it.
    let second = here.json("load data --steps 10 --state parts --workers 1 --prefetch 1");
    assert_eq!([&first["next_step"], &second["start_step"], &second["next_step"]], [10, 10, 20]);
    for field in ["mode", "seed", "batch"] {
        assert_eq!(second[field], whole[field]);
    }
    let bytes = |answer: &Value| answer["value_bytes"].as_u64().unwrap();
    assert_eq!(bytes(&first) + bytes(&second), bytes(&whole));
    let state = |name: &str| fs::read_to_string(here.path(name)).unwrap();
    assert_eq!(state("parts"), state("whole"));
    let state: recask::loader::State = state("whole").trim_end().parse().unwrap();
    assert_eq!((state.step(), state.seed(), state.batch(), state.length()), (20, 7, 5, 12));
    let left: Vec<_> = fs::read_dir(here.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_run_goes_on_with_other_ranks() {
    let here = Workspace::new();
    here.mixed("data");
    let whole = here.json("load data --batch 6 --seed 7 --step 4 --steps 3");
    here.json("load data --batch 6 --seed 7 --steps 4 --rank 1 --world 2 --state run");
    let state = fs::read(here.path("run")).unwrap();
    // Without a word about them they are those of the state.
    let same = here.json("load data --steps 3 --state run");
    assert_eq!([&same["rank"], &same["world"], &same["start_step"], &same["records"]], [1, 2, 4, 9]);
    let bytes: u64 = (0..3)
        .map(|rank| {
            fs::write(here.path("run"), &state).unwrap();
            let answer = here.json(&format!("load data --steps 3 --state run --rank {rank} --world 3"));
            assert_eq!([&answer["start_step"], &answer["records"]], [4, 6]);
            answer["value_bytes"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(whole["value_bytes"], bytes);
}

#[test]
fn a_state_of_something_else_is_refused_and_kept() {
    let here = Workspace::new();
    here.mixed("data");
    here.mixed("other");
    here.json("load data --batch 5 --seed 7 --steps 3 --state run");
    let state = fs::read(here.path("run")).unwrap();
    // A copy of the data is the same data.
    here.json("load other --steps 1 --state run");
    fs::write(here.path("run"), &state).unwrap();

    fs::remove_dir_all(here.path("other/images")).unwrap();
    let mut images = DenseStore::builder(DType::U8, [4, 4]).create(here.path("other/images")).unwrap();
    images.append(&[7u8; 12 * 16]).unwrap();
    images.close().unwrap();
    let message = here.run("load other --steps 1 --state run").fails(1, "state_mismatch");
    assert!(message.contains("'images'"), "{message}");
    let message = here.run("load data --steps 1 --state run --streams images").fails(1, "state_mismatch");
    assert!(message.contains("'tokens'"), "{message}");
    here.words("words");
    let message = here.run("load words --steps 1 --state run").fails(1, "state_mismatch");
    assert!(message.contains("12") && message.contains('3'), "{message}");
    let message = here.run("load data --steps 1 --state run --seed 8").fails(1, "state_mismatch");
    assert!(message.contains('7') && message.contains('8'), "{message}");
    here.run("load data --steps 1 --state run --batch 6").fails(1, "state_mismatch");
    here.run("load data --steps 1 --state run --mode iid").fails(1, "state_mismatch");
    let message = here.run("load data --steps 1 --state run --step 3").fails(2, "invalid_argument");
    assert!(message.contains("--step"), "{message}");
    assert_eq!(fs::read(here.path("run")).unwrap(), state);
    // What does not contradict may be said again.
    here.json("load data --steps 1 --state run --seed 7 --batch 5 --mode cyclic");
}

#[test]
fn a_file_that_is_no_state_is_refused() {
    let here = Workspace::new();
    here.mixed("data");
    for content in [&b""[..], b"{}", b"\xff\xfe", b"nonsense"] {
        fs::write(here.path("run"), content).unwrap();
        let message = here.run("load data --steps 1 --state run").fails(1, "invalid_argument");
        assert!(message.starts_with("run: "), "{message}");
        assert_eq!(fs::read(here.path("run")).unwrap(), content);
    }
    let message = here.run("load data --steps 1 --state data").fails(1, "invalid_argument");
    assert!(message.starts_with("data: "), "{message}");
    // Before any work is done for it.
    let message = here.run("load nowhere --steps 1 --state missing/run").fails(1, "io");
    assert!(message.contains("missing/run"), "{message}");
}
