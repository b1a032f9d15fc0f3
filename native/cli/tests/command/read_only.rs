//! `--read-only`. Every command that writes is tried by the tests of the WASI command, natively too.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::support::Workspace;

#[test]
fn what_would_write_is_refused_before_anything_is_touched() {
    let here = Workspace::new();
    here.text("create dense numbers --dtype <i8");
    let before = files(&here);
    for line in
        ["create dense more --dtype <i8", "delete numbers 0", "export numbers numbers.npy", "compact numbers"]
    {
        for line in [format!("--read-only {line}"), format!("{line} --read-only")] {
            here.run(&line).fails(1, "read_only");
            assert_eq!(files(&here), before, "{line}");
        }
    }
}

#[test]
fn reading_goes_on() {
    let here = Workspace::new();
    here.text("create dense numbers --dtype <i8");
    assert_eq!(here.text("verify numbers --read-only"), here.text("verify numbers"));
    assert_eq!(here.json("info numbers --read-only"), here.json("info numbers"));
}

fn files(here: &Workspace) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = ["", "numbers"].map(|folder| std::fs::read_dir(here.path(folder)).unwrap());
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default())).collect()
}
