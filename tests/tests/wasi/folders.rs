//! What lies outside of the folders that a sandbox was given.

use serde_json::json;

use crate::runtime::{Request, Runtime, command, natively};
use crate::workspace::{contents, dataset, sources};

#[test]
fn what_was_not_given_is_refused_with_what_to_do() {
    let (given, secret) = (dataset(), dataset());
    let outside = secret.path().join("mnist");
    let outside = outside.to_str().unwrap();
    let table = secret.path().join("weather.cstore");
    let table = table.to_str().unwrap();
    for mut runtime in Runtime::both() {
        for arguments in [
            ["info", outside].as_slice(),
            &["info", "../mnist"],
            &["head", "data/../../mnist"],
            &["verify", "/data/../../../mnist"],
            &["head", table],
            &["query", table, "wind > 5"],
            &["stats", "elsewhere/mnist"],
            &["import", outside, "data/new"],
            &["import", "data/digits.npz", "/digits"],
            &["import", "data/seattle-weather.csv", "weather.cstore"],
            &["export", "data/mnist", "../mnist.npz"],
            &["append", outside, "data/digits.npz"],
            &["create", "dense", "/made", "--dtype", "<f4"],
            &["train-dict", "data/words/word", "/dictionary"],
            &["load", "data/mnist", "--steps", "1", "--state", "/run.json"],
        ] {
            let before = contents(given.path());
            let run = runtime.run_with(&Request {
                module: command(),
                arguments,
                folders: &[(given.path(), "data")],
                more: json!({}),
            });
            assert_eq!((run.status, run.code()), (1, Some("permission_denied")), "{}: {run:?}", runtime.name);
            for text in ["the sandbox was not given", "it has data", "preopened"] {
                assert!(run.stderr.contains(text), "{}: {arguments:?}: {}", runtime.name, run.stderr);
            }
            assert!(contents(given.path()) == before, "{}: {arguments:?} left something", runtime.name);
        }
    }
}

#[test]
fn a_module_without_folders_says_so() {
    for mut runtime in Runtime::both() {
        let request =
            Request { module: command(), arguments: &["info", "mnist"], folders: &[], more: json!({}) };
        let run = runtime.run_with(&request);
        assert_eq!((run.status, run.code()), (1, Some("permission_denied")), "{}: {run:?}", runtime.name);
        assert!(run.stderr.contains("it has none"), "{}: {}", runtime.name, run.stderr);
    }
}

#[test]
fn what_is_missing_inside_is_merely_missing() {
    let given = sources();
    for mut runtime in Runtime::both() {
        let arguments = ["info", "nothing/here"];
        let (expected, found) = (natively(given.path(), &arguments), runtime.run(given.path(), &arguments));
        assert_eq!(found, expected, "{}", runtime.name);
        assert_eq!(found.code(), Some("store_not_found"));
    }
}

#[test]
fn several_folders_have_their_own_names() {
    let (data, results) = (dataset(), tempfile::tempdir().unwrap());
    for mut runtime in Runtime::both() {
        let run = runtime.run_with(&Request {
            module: command(),
            arguments: &["export", "/data/mnist/labels", "out/labels.npy", "0:10"],
            folders: &[(data.path(), "data"), (results.path(), "/out")],
            more: json!({}),
        });
        assert_eq!(run.status, 0, "{}: {}", runtime.name, run.stderr);
        let array = std::fs::read(results.path().join("labels.npy")).unwrap();
        assert_eq!((&array[..6], array.len()), (b"\x93NUMPY".as_slice(), 128 + 80), "{}", runtime.name);
        std::fs::remove_file(results.path().join("labels.npy")).unwrap();
    }
}

/// wasmtime can hand a folder over for reading only; then the sandbox itself refuses.
#[test]
fn a_folder_for_reading_only_is_read() {
    let data = dataset();
    let mut runtime = Runtime::wasmtime();
    let mut run = |arguments: &[&str]| {
        let more = json!({ "read_only_folders": [[data.path(), "data"]] });
        runtime.run_with(&Request { module: command(), arguments, folders: &[], more })
    };
    let before = contents(data.path());
    assert_eq!(run(&["verify", "data/mnist"]).status, 0);
    assert_eq!(run(&["head", "data/weather.cstore"]).status, 0);
    let refused = run(&["delete", "data/digits/images", "3"]);
    assert_eq!((refused.status, refused.code()), (1, Some("permission_denied")), "{refused:?}");
    assert!(contents(data.path()) == before);
}
