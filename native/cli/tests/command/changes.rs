//! `append`, `delete`, `compact`, `recode`: changing stores.

use serde_json::json;

use crate::support::Workspace;

/// The first pixel of every record, which tells the records apart.
fn records(here: &Workspace, store: &str) -> Vec<u64> {
    let lines = here.json_lines(&format!("show {store} :"));
    lines.iter().map(|record| record["data"][0][0].as_u64().unwrap()).collect()
}

#[test]
fn append_adds_records_at_the_end() {
    let here = Workspace::new();
    here.images("images", 3);
    here.npy("more.npy", "|u1", &[2, 4, 4], &[200; 32]);
    let report = here.json("append images more.npy");
    assert_eq!(report, json!({ "path": "images", "appended": 2, "records": 5 }));
    assert_eq!(records(&here, "images"), [0, 1, 2, 200, 200]);
    let said = here.text("append images more.npy");
    assert!(said.contains("appended 2 records to images, which has 7 now"), "{said}");
}

#[test]
fn delete_moves_the_last_records_into_the_holes() {
    let here = Workspace::new();
    here.images("images", 8);
    let report = here.json("delete images 1 3 -1 1");
    assert_eq!(report, json!({ "path": "images", "deleted": 3, "records": 5 }));
    // 7 is the last, 6 moves to 3, 5 to 1.
    assert_eq!(records(&here, "images"), [0, 5, 2, 6, 4]);
}

#[test]
fn compact_frees_what_delete_left() {
    let here = Workspace::new();
    here.images("images", 50);
    here.text("delete images :40");
    let before = here.json("stats images");
    let left = records(&here, "images");
    let report = here.json("compact images");
    assert_eq!(report["freed"], before["reclaimable"]);
    assert_eq!(report["records"], 10);
    assert_eq!(here.json("stats images")["reclaimable"], 0);
    assert_eq!(records(&here, "images"), left);
    assert_eq!(here.json("verify images")["ok"], true);
    here.words("words");
    assert_eq!(here.json("compact words")["streams"]["word"]["freed"], 0);
}

#[test]
fn recode_copies_to_every_codec() {
    let here = Workspace::new();
    here.images("images", 200);
    let expected = records(&here, "images");
    for (options, codec) in [
        ("--codec raw", "raw"),
        ("--level 19", "zstd"),
        ("--train-dict --tier fast", "zstd_dict"),
        ("--codec zstd_dict --train-dict --level 1", "zstd_dict"),
    ] {
        let dest = format!("to-{}", options.replace([' ', '-'], ""));
        let report = here.json(&format!("recode images {dest} {options}"));
        assert_eq!(report["codec"], codec, "{options}");
        assert_eq!(report["records"], 200);
        assert_eq!(here.json(&format!("info {dest}"))["codec"], codec);
        assert_eq!(records(&here, &dest), expected, "{options}");
    }
    here.words("words");
    let report = here.json("recode words words-zstd --codec zstd");
    assert_eq!(report["streams"]["tokens"]["path"], "words-zstd/tokens");
    assert_eq!(here.text("show words-zstd :"), here.text("show words :"));
}

#[test]
fn a_failed_recode_leaves_the_destination_as_it_was() {
    let here = Workspace::new();
    here.images("images", 3);
    here.images("other", 2);
    here.run("recode images other --codec raw").fails(1, "store_exists");
    assert_eq!(records(&here, "other"), [0, 1]);
}
