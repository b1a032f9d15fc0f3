//! The sampler against vectors that others computed: loaderx 1.7.2, and the definition of `iid_seek` in Python.

use recask_core::sampler::{Mode, Sampler};
use serde_json::Value;

#[test]
fn every_mode_of_loaderx_gives_the_stream_of_loaderx() {
    let checked =
        check(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/zrecord/sampler.json")));
    assert_eq!(checked, Checked { vectors: 55, batches: 567 });
}

#[test]
fn iid_seek_gives_what_its_definition_says() {
    let checked =
        check(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/sampler/iid_seek.json")));
    assert_eq!(checked, Checked { vectors: 14, batches: 182 });
}

/// What the vectors of one file cover, to notice a file that lost its content.
#[derive(Debug, PartialEq)]
struct Checked {
    vectors: usize,
    batches: usize,
}

/// Checks the batches of all vectors, each by `at`, by a new iterator and by a seek of a used one.
fn check(json: &str) -> Checked {
    let file: Value = serde_json::from_str(json).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let mut batches = 0;
    for vector in vectors {
        let sampler = sampler_of(vector);
        let first = batches_of(&vector["first"]);
        batches += first.len();
        check_run(&sampler, 0, &first);
        for seek in vector["seek"].as_array().unwrap() {
            let expected = batches_of(&seek["batches"]);
            batches += expected.len();
            check_run(&sampler, integer(&seek["step"]), &expected);
        }
    }
    Checked { vectors: vectors.len(), batches }
}

fn check_run(sampler: &Sampler, start: u64, expected: &[Vec<u64>]) {
    let mut used = sampler.iter_from(3);
    used.next().unwrap().unwrap();
    used.seek(start);
    let mut fresh = sampler.iter_from(start);
    let mut buffer = vec![77];
    for (step, expected) in (start..).zip(expected) {
        assert_eq!(sampler.at(step).unwrap(), *expected, "{sampler:?}, step {step}, by at");
        assert_eq!(used.next().unwrap().unwrap(), *expected, "{sampler:?}, step {step}, after a seek");
        assert!(fresh.next_into(&mut buffer).unwrap());
        assert_eq!(buffer, *expected, "{sampler:?}, step {step}, by the iterator");
    }
}

fn sampler_of(vector: &Value) -> Sampler {
    let mode: Mode = vector["mode"].as_str().unwrap().parse().unwrap();
    let batch = vector["batch"].as_u64().unwrap();
    Sampler::builder(mode, integer(&vector["length"]), batch).seed(integer(&vector["seed"])).build().unwrap()
}

fn batches_of(value: &Value) -> Vec<Vec<u64>> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|batch| batch.as_array().unwrap().iter().map(integer).collect())
        .collect()
}

fn integer(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}
