//! Every case of the conformance suite, in a sandbox.

use recask_tests::{cases, folder};
use serde_json::json;

use crate::runtime::{Request, Runtime, conformance};

#[test]
fn every_case_passes_in_node() {
    every_case_passes(Runtime::node());
}

#[test]
fn every_case_passes_under_wasmtime() {
    every_case_passes(Runtime::wasmtime());
}

fn every_case_passes(mut runtime: Runtime) {
    let work = tempfile::tempdir().unwrap();
    let run = runtime.run_with(&Request {
        module: conformance(),
        arguments: &["--door", "native", "--work", "work"],
        folders: &[(folder::tests(), "tests"), (work.path(), "work")],
        more: json!({ "environment": { "RECASK_TESTS": "tests" } }),
    });
    let bad: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert!(bad.is_empty(), "{}: {bad:#?}", runtime.name);
    let passed: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("ok ")).collect();
    let cases = cases::all().unwrap();
    assert_eq!(passed, cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), "{}", runtime.name);
    assert_eq!(run.status, 0, "{}: {}", runtime.name, run.stderr);
}
