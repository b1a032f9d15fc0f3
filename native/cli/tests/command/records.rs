//! `show`, `head`, `export`: what is in the records.

use recask::{DType, DenseStore, RaggedStore};
use serde_json::json;

use crate::support::Workspace;

#[test]
fn show_takes_indices_ranges_and_negatives() {
    let here = Workspace::new();
    here.images("images", 10);
    let shown = |line: &str| -> Vec<u64> {
        here.json_lines(line).iter().map(|record| record["index"].as_u64().unwrap()).collect()
    };
    assert_eq!(shown("show images 3 0"), [3, 0]);
    assert_eq!(shown("show images -1"), [9]);
    assert_eq!(shown("show images -2: 3 -10"), [8, 9, 3, 0]);
    assert_eq!(shown("show images 3:5 ::4"), [3, 4, 0, 4, 8]);
    assert_eq!(shown("show images ::-5"), [9, 4]);
    assert_eq!(shown("head images -n 3"), [0, 1, 2]);
    assert_eq!(shown("head images -n 100").len(), 10);
    let record = &here.json_lines("show images -1")[0];
    assert_eq!(record["shape"], json!([4, 4]));
    assert_eq!(record["data"][0], json!([9, 10, 11, 12]));
    assert_eq!(record["data"][3], json!([21, 22, 23, 24]));
}

#[test]
fn a_dataset_shows_its_streams_together() {
    let here = Workspace::new();
    here.words("words");
    let record = &here.json_lines("show words 1")[0];
    assert_eq!(record["index"], 1);
    assert_eq!(record["streams"]["tokens"], json!({ "shape": [2], "data": [1, 2] }));
    assert_eq!(record["streams"]["n"], json!({ "shape": [], "data": 12 }));
    let text = here.text("head words -n 2");
    assert!(text.contains("[1] word (6,)  \"zwölf\"\n"), "{text}");
    assert!(text.contains("[1] tokens (2,)  [1 2]\n"), "{text}");
    assert!(text.contains("[1] n  12\n"), "{text}");
}

/// Makes a dense store of one scalar record, and gives what is shown of it.
fn shown(dtype: &str, bytes: &[u8]) -> String {
    let here = Workspace::new();
    let mut store = DenseStore::builder(DType::parse(dtype).unwrap(), ()).create(here.path("x")).unwrap();
    store.append_bytes(bytes).unwrap();
    store.close().unwrap();
    let line = here.text("show x 0 --json");
    let data = line.strip_prefix("{\"index\":0,\"shape\":[],\"data\":").unwrap();
    data.strip_suffix("}\n").unwrap().to_owned()
}

#[test]
fn every_type_has_its_json() {
    assert_eq!(shown("<i8", &i64::MIN.to_le_bytes()), "-9223372036854775808");
    assert_eq!(shown("<u8", &u64::MAX.to_le_bytes()), "18446744073709551615");
    assert_eq!(shown(">i2", &[1, 0]), "256");
    assert_eq!(shown("?", &[1]), "true");
    assert_eq!(shown("<f4", &0.1f32.to_le_bytes()), "0.1");
    assert_eq!(shown("<f2", &[0, 0x3c]), "1.0");
    assert_eq!(shown("<f8", &f64::NAN.to_le_bytes()), "\"nan\"");
    assert_eq!(shown(">f4", &f32::NEG_INFINITY.to_be_bytes()), "\"-inf\"");
    assert_eq!(shown("<c8", &[0.5f32, f32::INFINITY].map(f32::to_le_bytes).concat()), "[0.5, \"inf\"]");
    assert_eq!(shown("S4", b"a\"b\0"), "\"a\\\"b\"");
    assert_eq!(shown("<U2", &[0xf6, 0, 0, 0, 0, 0, 0, 0]), "\"ö\"");
    assert_eq!(shown("V2", &[0xab, 0x01]), "\"ab01\"");
    assert_eq!(shown("<M8[ms]", &1500i64.to_le_bytes()), "\"1970-01-01T00:00:01.500\"");
    assert_eq!(shown("<m8[s]", &7i64.to_le_bytes()), "7");
    let structure = "[('id', '<i2'), ('day', '<M8[D]'), ('xy', '|u1', (2,))]";
    let bytes = [&[5, 0][..], &366i64.to_le_bytes(), &[8, 9]].concat();
    assert_eq!(shown(structure, &bytes), "{\"id\": 5, \"day\": \"1971-01-02\", \"xy\": [8, 9]}");
}

#[test]
fn large_records_are_whole_in_json_and_short_in_text() {
    let here = Workspace::new();
    let mut store = RaggedStore::builder(DType::I32).create(here.path("x")).unwrap();
    let values: Vec<i32> = (0..60_000).collect();
    store.append_shaped(&[(&[300, 200], &values)]).unwrap();
    store.close().unwrap();
    let record = &here.json_lines("show x 0")[0];
    assert_eq!(record["shape"], json!([300, 200]));
    let rows = record["data"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[299][199]), (300, &json!(59_999)));
    let text = here.text("show x 0");
    assert!(text.len() < 500, "{text}");
    assert!(text.contains("59999") && text.contains('…'), "{text}");
}

#[test]
fn small_images_are_drawn_when_asked() {
    let here = Workspace::new();
    here.images("images", 1);
    let drawn = here.text("head images --art");
    assert!(drawn.contains('░') && drawn.contains("██"), "{drawn}");
    // Not a terminal: numbers.
    let plain = here.text("head images");
    assert!(plain.contains("[[ 0  1  2  3]\n [ 4  5  6  7]"), "{plain}");
}

#[test]
fn export_writes_what_import_read() {
    let here = Workspace::new();
    here.images("images", 10);
    let report = here.json("export images back.npy");
    assert_eq!(report["records"], 10);
    assert_eq!(report["format"], "npy");
    let read = |name: &str| std::fs::read(here.path(name)).unwrap();
    assert_eq!(read("back.npy"), read("images.npy"));

    here.text("export images last.npy -2:");
    here.text("import last.npy last");
    assert_eq!(here.json("info last")["records"], 2);
    assert_eq!(here.json_lines("show last 1")[0]["data"], here.json_lines("show images 9")[0]["data"]);

    here.words("words");
    here.text("export words words2.jsonl 0 2");
    let lines: Vec<serde_json::Value> = String::from_utf8(read("words2.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0], json!({ "word": "one", "tokens": [1], "n": 1 }));
    assert_eq!(lines[1], json!({ "word": "three", "tokens": [3, 4, 5], "n": 3 }));
}

#[test]
fn a_folder_comes_back_as_it_was() {
    let here = Workspace::new();
    std::fs::create_dir(here.path("texts")).unwrap();
    for (name, content) in [("b.txt", "second"), ("a.txt", "first")] {
        std::fs::write(here.path("texts").join(name), content).unwrap();
    }
    here.text("import texts store");
    let names = here.text("show store/names : --art=never");
    assert_eq!(names, "[0] (5,)  \"a.txt\"\n[1] (5,)  \"b.txt\"\n");
    here.text("export store back");
    assert_eq!(std::fs::read_to_string(here.path("back/a.txt")).unwrap(), "first");
    assert_eq!(std::fs::read_to_string(here.path("back/b.txt")).unwrap(), "second");
}
