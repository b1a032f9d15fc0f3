//! `sample`: the batches.

use serde_json::{Value, json};

use crate::support::Workspace;

#[test]
fn json_is_one_array_a_step() {
    let here = Workspace::new();
    let steps = here.json_lines("sample --len 10 --batch 4 --mode sequential --steps 3");
    assert_eq!(steps, [json!([0, 1, 2, 3]), json!([4, 5, 6, 7]), json!([8, 9, 0, 1])]);
    let one = here.json_lines("sample --len 10 --batch 4 --mode sequential --step 1");
    assert_eq!(one, [json!([4, 5, 6, 7])]);
}

#[test]
fn every_mode_reaches_any_step_and_splits_over_ranks() {
    let here = Workspace::new();
    for mode in ["sequential", "cyclic", "iid", "iid_seek"] {
        let line = format!("sample --len 1000 --batch 6 --mode {mode} --seed 9");
        let steps = here.json_lines(&format!("{line} --steps 8"));
        assert_eq!(here.json_lines(&format!("{line} --step 7")), steps[7..], "{mode}");
        let rank = |rank: u64| -> Vec<Value> {
            let lines = here.json_lines(&format!("{line} --rank {rank} --world 2"));
            lines[0].as_array().unwrap().clone()
        };
        assert_eq!(json!([rank(0), rank(1)].concat()), steps[0], "{mode}");
    }
}

#[test]
fn the_numbers_are_those_of_the_library() {
    let here = Workspace::new();
    let sampler = recask::sampler(recask::Mode::Cyclic, 1797, 32).seed(u64::MAX).build().unwrap();
    let expected: Vec<Value> = (5..8).map(|step| json!(sampler.at(step).unwrap())).collect();
    let line = format!("sample --len 1797 --seed {} --step 5 --steps 3", u64::MAX);
    assert_eq!(here.json_lines(&line), expected);
}

#[test]
fn the_length_comes_from_a_store_or_dataset() {
    let here = Workspace::new();
    here.images("images", 20);
    here.words("words");
    let text = here.text("sample images --batch 2 --seed 1");
    assert!(text.starts_with("# cyclic, 20 records, batch 2, seed 1\nstep 0: "), "{text}");
    assert_eq!(here.json_lines("sample words --mode sequential --batch 5"), [json!([0, 1, 2, 0, 1])]);
    let message = here.run("sample").fails(2, "invalid_argument");
    assert!(message.contains("--len"), "{message}");
}

#[test]
fn a_seed_is_drawn_and_said_when_none_is_given() {
    let here = Workspace::new();
    let run = here.run("sample --len 1000 --batch 8");
    assert_eq!(run.status, Some(0));
    let seed: u64 = run.stderr.trim().strip_prefix("seed: ").unwrap().parse().unwrap();
    assert!(run.stdout.contains(&format!("seed {seed}\n")), "{}", run.stdout);
    assert_eq!(here.text(&format!("sample --len 1000 --batch 8 --seed {seed}")), run.stdout);
}

#[test]
fn nothing_to_sample_is_an_error() {
    let here = Workspace::new();
    here.run("sample --len 0 --seed 1").fails(1, "invalid_argument");
    here.run("sample --len 5 --batch 0 --seed 1").fails(1, "invalid_argument");
    here.run("sample --len 5 --seed 1 --rank 2 --world 2").fails(1, "invalid_argument");
    let message = here.run("sample --len 5 --mode random").fails(2, "invalid_argument");
    assert!(message.contains("iid_seek"), "{message}");
}
