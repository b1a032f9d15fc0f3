//! The golden tables: complete, as they were written, and covered by the cases.

use std::collections::BTreeSet;

use recask_core::format::cstore::Json;
use recask_tests::cases::{self, Test};
use recask_tests::folder;

/// Name, size and digest of every file. The manifests name columns that only a parser like Python's can read.
fn described() -> Vec<(String, u64, String)> {
    let mut files = Vec::new();
    for manifest in ["cstore/manifest.json", "cstore/manifest_v051.json"] {
        let manifest = Json::parse(&std::fs::read(folder::golden(manifest)).unwrap()).unwrap();
        let Some(Json::Array(list)) = manifest.get("files") else { panic!("a list of files") };
        let text = |file: &Json, key| match file.get(key) {
            Some(Json::String(text)) => text.as_str().to_owned(),
            Some(Json::Integer(digits)) => digits.to_string(),
            other => panic!("{key}: {other:?}"),
        };
        files.extend(
            list.iter()
                .map(|file| (text(file, "file"), text(file, "size").parse().unwrap(), text(file, "sha256"))),
        );
    }
    files
}

#[test]
fn every_table_is_here_as_it_was_written() {
    let files = described();
    assert_eq!(files.len(), 92);
    for (name, size, digest) in files {
        let content = std::fs::read(folder::golden(&format!("cstore/{name}"))).unwrap();
        assert_eq!((content.len() as u64, folder::sha256(&content)), (size, digest), "{name}");
    }
}

#[test]
fn every_table_is_read_by_a_case() {
    let covered: BTreeSet<String> = cases::all()
        .unwrap()
        .into_iter()
        .filter_map(|case| match case.test {
            Test::TableRead(case) => Some(case.table),
            _ => None,
        })
        .collect();
    for (name, _, _) in described() {
        assert!(covered.contains(&format!("cstore/{name}")), "{name}");
    }
}
