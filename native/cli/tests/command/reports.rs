//! `create`, `import`, `info`, `stats`, `verify`, `bench`: what is there.

use serde_json::json;

use crate::support::Workspace;

#[test]
fn create_makes_an_empty_dense_store() {
    let here = Workspace::new();
    let said = here.text("create dense images --dtype uint8 --shape 28,28 --codec zstd --level 9");
    assert!(said.contains("created images: an empty dense store of |u1, zstd"), "{said}");
    let info = here.json("info images");
    assert_eq!(info["path"], "images");
    assert_eq!(info["kind"], "dense");
    assert_eq!(info["dtype"], "|u1");
    assert_eq!(info["item_shape"], json!([28, 28]));
    assert_eq!(info["codec"], "zstd");
    assert_eq!(info["records"], 0);
    assert_eq!(info["record_bytes"], 784);
}

#[test]
fn create_takes_structures_and_makes_ragged_stores() {
    let here = Workspace::new();
    let dtype = "[('id', '<i8'), ('xy', '<f4', (2,))]";
    let run = here.run_args(&["create", "ragged", "poses", "--dtype", dtype, "--json"]);
    let made: serde_json::Value = serde_json::from_str(&run.text()).unwrap();
    assert_eq!(made["dtype"], dtype);
    assert_eq!(made["kind"], "ragged");
    assert!(made.get("item_shape").is_none());
    assert_eq!(here.json("info poses"), made);
}

#[test]
fn create_trains_a_dictionary_or_takes_one() {
    let here = Workspace::new();
    let data: Vec<u8> = (0..4000u32).flat_map(|i| (i / 7).to_le_bytes().repeat(8)).collect();
    here.npy("rows.npy", "<u4", &[4000, 8], &data);
    let trained = here.json("create dense a --dtype u4 --shape 8 --train rows.npy --tier fast");
    assert_eq!(trained["codec"], "zstd_dict");
    let bytes = trained["dictionary_bytes"].as_u64().unwrap();
    let written = here.json("train-dict rows.npy rows.dict --tier fast");
    assert_eq!(written["bytes"], bytes);
    assert_eq!(here.path("rows.dict").metadata().unwrap().len(), bytes);
    let given = here.json("create dense b --dtype u4 --shape 8 --dict rows.dict");
    assert_eq!(given["dictionary_bytes"], bytes);
    let dictionary = |store: &str| std::fs::read(here.path(store).join("dict.zr")).unwrap();
    assert_eq!(dictionary("a"), dictionary("b"));
}

#[test]
fn import_says_what_it_made() {
    let here = Workspace::new();
    here.npy("x.npy", "<f4", &[3, 2], &[0; 24]);
    let made = here.json("import x.npy x --codec zstd");
    let store = json!({
        "name": null, "path": "x", "kind": "dense", "dtype": "<f4", "item_shape": [2], "codec": "zstd", "records": 3
    });
    assert_eq!(made["stores"], json!([store]));
    assert_eq!(made["source"], "x.npy");
    assert_eq!(made["path"], "x");
    assert_eq!(made["source_bytes"], here.path("x.npy").metadata().unwrap().len());

    here.words("words");
    let text = here.text("import words.jsonl again --fields word,n");
    assert!(text.contains("again/word") && text.contains("again/n"), "{text}");
    assert!(!here.path("again/tokens").exists());
}

#[test]
fn info_of_a_dataset_has_an_object_for_each_stream() {
    let here = Workspace::new();
    here.words("words");
    let info = here.json("info words");
    assert_eq!(info["kind"], "dataset");
    assert_eq!(info["path"], "words");
    let streams = info["streams"].as_object().unwrap();
    assert_eq!(streams.keys().collect::<Vec<_>>(), ["n", "tokens", "word"]);
    assert_eq!(streams["tokens"]["kind"], "ragged");
    assert_eq!(streams["n"]["item_shape"], json!([]));
    assert!(streams.values().all(|stream| stream["records"] == 3));
    let text = here.text("info words");
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("stream "), "{text}");
}

#[test]
fn stats_are_the_four_figures() {
    let here = Workspace::new();
    here.npy("x.npy", "|u1", &[10, 4], &[7; 40]);
    here.text("import x.npy x");
    let stats = |records, live, chunk, reclaimable| json!({ "records": records, "live_bytes": live, "chunk_bytes": chunk, "reclaimable": reclaimable });
    assert_eq!(here.json("stats x"), stats(10, 40, 40, 0));
    here.text("delete x 0:3");
    assert_eq!(here.json("stats x"), stats(7, 28, 40, 12));
    let text = here.text("stats x");
    assert!(text.contains("12 B (30%)"), "{text}");
    here.words("words");
    assert_eq!(here.json("stats words")["streams"]["n"], stats(3, 24, 24, 0));
}

#[test]
fn verify_of_a_good_store_is_ok() {
    let here = Workspace::new();
    here.images("images", 20);
    let report = json!({ "path": "images", "ok": true, "records": 20, "found": 0, "faults": [] });
    assert_eq!(here.json("verify images"), report);
    assert_eq!(here.text("verify images"), "images: ok, 20 records\n");
    here.words("words");
    let report = here.json("verify words");
    assert_eq!(report["ok"], true);
    assert_eq!(report["records"], 9);
    assert_eq!(report["streams"]["word"]["records"], 3);
}

#[test]
fn bench_measures_reading_beside_a_copy() {
    let here = Workspace::new();
    here.images("images", 100);
    let report = here.json("bench images --batch 16 --seconds 0.05 --threads 1");
    assert_eq!(report["batch"], 16);
    assert_eq!(report["threads"], 1);
    assert_eq!(report["codec"], "zstd");
    let number = |name: &str| report[name].as_f64().unwrap();
    for name in ["batches", "records_per_second", "mib_per_second", "median_ms", "copy_mib_per_second"] {
        assert!(number(name) > 0.0, "{name} in {report}");
    }
    assert!(number("p99_ms") >= number("median_ms"));
    let ratio = number("mib_per_second") / number("copy_mib_per_second");
    assert!((number("ratio") - ratio).abs() < 1e-9);
    here.words("words");
    let text = here.text("bench words/word --seconds 0.01");
    assert!(text.contains("plain copy") && text.contains("ragged, raw, 3 records"), "{text}");
}
