//! The golden data itself: complete, as it was written, covered by the cases, and left alone by reading.

use std::collections::{BTreeMap, BTreeSet};

use recask::AnyStore;
use recask_tests::cases::{self, Test};
use recask_tests::folder;
use serde_json::Value;

fn manifest() -> Value {
    let text = std::fs::read_to_string(folder::golden("zrecord/manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn list<'m>(manifest: &'m Value, part: &str) -> &'m [Value] {
    manifest[part].as_array().unwrap()
}

fn path(entry: &Value) -> String {
    format!("zrecord/{}", entry["path"].as_str().unwrap())
}

#[test]
fn every_file_of_the_good_stores_is_here_as_loaderx_wrote_it() {
    let manifest = manifest();
    let stores = list(&manifest, "stores");
    assert_eq!(stores.len(), 55);
    for store in stores {
        let files = folder::read(&folder::golden(&path(store))).unwrap();
        let found: BTreeMap<String, Value> = files
            .into_iter()
            .map(|(name, content)| {
                let digest = folder::sha256(&content);
                (name, serde_json::json!({ "size": content.len(), "sha256": digest }))
            })
            .collect();
        assert_eq!(serde_json::to_value(found).unwrap(), store["files"], "{}", store["name"]);
    }
}

#[test]
fn every_damaged_store_is_here() {
    let manifest = manifest();
    let stores = list(&manifest, "bad");
    assert_eq!(stores.len(), 109);
    for store in stores {
        let files = folder::read(&folder::golden(&path(store))).unwrap();
        let names: Vec<&String> = files.keys().collect();
        assert_eq!(serde_json::to_value(names).unwrap(), store["files"], "{}", store["name"]);
    }
}

#[test]
fn every_store_has_a_case() {
    let covered: BTreeSet<String> = cases::all()
        .unwrap()
        .into_iter()
        .filter_map(|case| match case.test {
            Test::Open(case) => Some(case.store),
            Test::Read(case) => Some(case.store),
            _ => None,
        })
        .collect();
    let manifest = manifest();
    for store in list(&manifest, "stores").iter().chain(list(&manifest, "bad")) {
        assert!(covered.contains(&path(store)), "{}", store["name"]);
    }
}

#[test]
fn reading_a_store_writes_nothing() {
    let manifest = manifest();
    for store in list(&manifest, "stores").iter().chain(list(&manifest, "bad")) {
        let golden = folder::golden(&path(store));
        let before = folder::read(&golden).unwrap();
        // Damaged stores may refuse; that must write nothing either.
        if let Ok(store) = AnyStore::open(&golden) {
            let _ = store.stats();
            let _ = store.verify(&());
            store.close().unwrap();
        }
        assert_eq!(folder::read(&golden).unwrap(), before, "{}", store["name"]);
    }
}
