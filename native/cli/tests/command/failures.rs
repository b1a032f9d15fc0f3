//! Errors: their text, their code, the exit status.

use std::fs;

use recask::{DenseStore, OpenOptions};
use serde_json::json;

use crate::support::{Run, Workspace};

#[test]
fn a_missing_store_is_named() {
    let here = Workspace::new();
    for command in ["info", "head", "stats", "verify", "compact", "bench", "load", "sample"] {
        let message = here.run(&format!("{command} nowhere")).fails(1, "store_not_found");
        assert!(message.contains("nowhere"), "{command}: {message}");
    }
    here.npy("x.npy", "|u1", &[1], &[1]);
    here.run("append nowhere x.npy").fails(1, "store_not_found");
    let message = here.run("import nothing.npy store").fails(1, "invalid_source");
    assert!(message.contains("nothing.npy"), "{message}");
    assert!(!here.path("store").exists());
}

#[test]
fn an_index_out_of_range_is_named_and_changes_nothing() {
    let here = Workspace::new();
    here.images("images", 5);
    let message = here.run("show images 5").fails(1, "index_out_of_range");
    assert_eq!(message, "images: index 5 is out of range; the store has 5 records, 0 to 4");
    here.run("show images -6").fails(1, "index_out_of_range");
    here.run("delete images 0 5").fails(1, "index_out_of_range");
    here.run("export images out.npy 5").fails(1, "index_out_of_range");
    assert!(!here.path("out.npy").exists());
    assert_eq!(here.json("info images")["records"], 5);
}

#[test]
fn a_command_line_without_a_meaning_ends_with_2() {
    let here = Workspace::new();
    here.images("images", 5);
    here.words("words");
    for (line, code, text) in [
        ("create dense x --dtype float99", "invalid_dtype", "'float99'"),
        ("create dense x --dtype u1 --shape 2,a", "invalid_shape", "2,a"),
        ("create dense x --dtype u1 --codec lz4", "invalid_argument", "lz4"),
        ("create dense x --dtype u1 --codec zstd_dict", "invalid_argument", "--dict"),
        ("create dense x --dtype u1 --codec raw --level 3", "invalid_argument", "no level"),
        ("create ragged x --dtype u1 --shape 3", "invalid_argument", "--shape"),
        ("import images.npy x --codec zstd --train-dict", "invalid_argument", "zstd_dict"),
        ("recode images x", "invalid_argument", "--codec"),
        ("show images one", "invalid_argument", "no index"),
        ("show images", "invalid_argument", "<INDEX>"),
        ("delete words 0", "invalid_argument", "words/tokens"),
        ("nonsense", "invalid_argument", "nonsense"),
        ("bench images --seconds 0", "invalid_argument", "--seconds"),
    ] {
        let message = here.run(line).fails(2, code);
        assert!(message.contains(text), "{line}: {message}");
        assert!(!here.path("x").exists(), "{line}");
    }
    let run = here.run("");
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("Commands:"), "{}", run.stderr);
}

#[test]
fn a_level_out_of_range_and_an_occupied_place_are_refused() {
    let here = Workspace::new();
    here.images("images", 5);
    here.run("create dense x --dtype u1 --codec zstd --level 99").fails(1, "invalid_argument");
    assert!(!here.path("x").exists());
    let message = here.run("create dense images --dtype u1").fails(1, "store_exists");
    assert!(message.starts_with("images"), "{message}");
    let message = here.run("import images.npy images").fails(1, "store_exists");
    assert!(message.starts_with("images"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let here = Workspace::new();
    here.images("images", 1);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let run: Run = here.command("info images").stdout(full).output().unwrap().into();
    run.fails(1, "device_full");
}

#[test]
fn a_source_of_another_type_is_refused() {
    let here = Workspace::new();
    here.images("images", 5);
    here.npy("floats.npy", "<f4", &[1, 4, 4], &[0; 64]);
    here.npy("small.npy", "|u1", &[1, 2, 2], &[0; 4]);
    here.run("append images floats.npy").fails(1, "dtype_mismatch");
    here.run("append images small.npy").fails(1, "shape_mismatch");
    assert_eq!(here.json("info images")["records"], 5);
}

#[test]
fn a_store_in_use_is_busy() {
    let here = Workspace::new();
    here.images("images", 5);
    let options = OpenOptions { write: true, ..OpenOptions::default() };
    let writer = DenseStore::open_with(here.path("images"), &options).unwrap();
    here.run("append images images.npy").fails(1, "store_busy");
    let message = here.run("delete images 0").fails(1, "store_busy");
    assert!(message.contains("images"), "{message}");
    // Readers may look at it meanwhile.
    assert_eq!(here.json("verify images")["ok"], true);
    writer.close().unwrap();
    here.text("delete images 0");
}

#[test]
fn verify_names_file_record_and_offset_of_each_fault() {
    let here = Workspace::new();
    here.images("images", 10);
    // Entry 3 of the table says where its frame begins; without its magic number it is none.
    let table = fs::read(here.path("images/0.loc")).unwrap();
    let offset = u32::from_le_bytes(table[48..52].try_into().unwrap());
    let chunk = here.path("images/0.chunk");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[usize::try_from(offset).unwrap()] ^= 0xff;
    fs::write(&chunk, bytes).unwrap();

    let run = here.run("verify images --json");
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["records"], 10);
    let [fault] = report["faults"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!(fault["file"], "0.chunk");
    assert_eq!(fault["record"], 3);
    assert_eq!(fault["offset"], offset);
    assert_eq!(fault["code"], "corrupt_record");
    assert!(fault["message"].is_string());

    let run = here.run("verify images");
    assert_eq!(run.status, Some(1));
    let expected = format!("fault: images/0.chunk, record 3, offset {offset}: corrupt_record: ");
    assert!(run.stdout.starts_with(&expected), "{}", run.stdout);
    assert!(run.stdout.ends_with("images: 1 fault in 10 records\n"), "{}", run.stdout);

    let message = here.run("show images 3").fails(1, "corrupt_record");
    assert!(message.contains("file 0.chunk, record 3"), "{message}");
    here.text("show images 2 4");
}

#[test]
fn a_store_that_does_not_open_is_one_fault() {
    let here = Workspace::new();
    here.words("words");
    let meta = here.path("words/word/meta.zr");
    let mut bytes = fs::read(&meta).unwrap();
    bytes[0] ^= 0xff;
    fs::write(&meta, bytes).unwrap();

    let run = here.run("verify words --json");
    assert_eq!(run.status, Some(1));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["faults"].as_array().unwrap().len(), 1);
    assert_eq!(report["faults"][0]["stream"], "word");
    assert_eq!(report["faults"][0]["code"], "corrupt_header");
    assert_eq!(report["streams"]["word"]["records"], 0);
    assert_eq!(report["streams"]["n"]["ok"], true);

    let run = here.run("verify nowhere --json");
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.starts_with("error[store_not_found]: "), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["faults"][0]["code"], "store_not_found");
    assert_eq!(report["faults"][0]["file"], json!(null));
}

#[test]
fn streams_of_different_lengths_are_not_mixed_up() {
    let here = Workspace::new();
    here.words("words");
    here.text("delete words/n 0");
    for line in ["show words 0", "sample words --seed 1"] {
        let message = here.run(line).fails(2, "invalid_argument");
        assert!(message.contains("words/n has 2"), "{message}");
    }
    assert_eq!(here.json_lines("head words")[2]["streams"].get("n"), None);
}
