//! JSON lines, folders and IDX files, in and out.
#![cfg(feature = "convert")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use recask::convert::{self, CodecChoice, ImportOptions, SourceKind};
use recask::{Code, CodecKind, DType, DenseStore, RaggedStore, StoreKind, Tier};
use sha2::{Digest as _, Sha256};

fn import(source: &Path, dest: &Path) -> recask::Result<Vec<convert::Imported>> {
    convert::import(source, dest, &ImportOptions::default(), &())
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn words(place: &Path) -> Vec<String> {
    let batch = RaggedStore::open(place).unwrap().gather(..).unwrap();
    batch.records().map(|record| String::from_utf8(record.bytes.to_vec()).unwrap()).collect()
}

#[test]
fn the_pronouncing_dictionary_comes_in_whole() {
    let root = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/data/cmudict.jsonl.gz");
    let dest = root.path().join("cmudict");
    let options = ImportOptions {
        codec: CodecChoice::TrainDict { tier: Tier::Fast, level: Some(3) },
        ..ImportOptions::default()
    };
    let made = convert::import(&source, &dest, &options, &()).unwrap();
    assert!(made.iter().all(|stream| stream.records == 20646 && stream.kind == StoreKind::Ragged));
    assert!(made.iter().any(|stream| stream.codec == CodecKind::ZstdDict));
    let word = RaggedStore::open(dest.join("word")).unwrap().gather(..).unwrap();
    assert_eq!(digest(word.as_bytes()), "5672fa4e8d8b375813e56a05673863cb93cf2002e76aa67ccff7c55ddb5900fe");
    let phonemes = RaggedStore::open(dest.join("phonemes")).unwrap().gather(..).unwrap();
    assert_eq!(phonemes.dtype(), &DType::text(3).unwrap());
    assert_eq!(phonemes.offsets().last(), Some(&131_102));
    assert_eq!(
        digest(phonemes.as_bytes()),
        "713ea956a060a8f2a153d602e98f2f2bfd8f7408b9a566ee41ce9bd7d76b7887"
    );

    // Out and in again: the same bytes.
    let (lines, again) = (root.path().join("again.jsonl"), root.path().join("again"));
    convert::export(&dest, &lines, .., &()).unwrap();
    import(&lines, &again).unwrap();
    assert_eq!(RaggedStore::open(again.join("word")).unwrap().gather(..).unwrap(), word);
    assert_eq!(RaggedStore::open(again.join("phonemes")).unwrap().gather(..).unwrap(), phonemes);
}

const LINES: &str = r#"{"n": -9223372036854775808, "u": 18446744073709551615, "x": 1, "ok": true, "t": "ä", "l": [1, 2], "m": [[1.5, 2], [3, 4]], "b": [true]}

{"n": 9007199254740993, "u": 0, "x": "NaN", "ok": false, "t": "b c", "l": [3], "m": [[0, -1.25e-7]], "b": [false, true]}
{"b": [true], "n": 0, "u": 1, "x": -2.5, "ok": true, "t": "\"\n", "l": [4, 5, 6], "m": [[7, 8]]}"#;

#[test]
fn every_kind_of_field_has_its_type() {
    let root = tempfile::tempdir().unwrap();
    let plain = write(root.path(), "a.jsonl", ["\u{feff}".as_bytes(), LINES.as_bytes()].concat());
    let packed = write(root.path(), "b.ndjson.gz", gzip(LINES.as_bytes()));
    for source in [plain, packed] {
        assert_eq!(SourceKind::detect(&source).unwrap(), SourceKind::JsonLines);
        let dest = root.path().join(format!("{}-dataset", source.file_stem().unwrap().display()));
        let made = import(&source, &dest).unwrap();
        let types: Vec<_> = made
            .iter()
            .map(|stream| (stream.name.as_deref().unwrap(), stream.kind.as_str(), stream.dtype.to_string()))
            .collect();
        let expected = [
            ("b", "ragged", "|b1"),
            ("l", "ragged", "<i8"),
            ("m", "ragged", "<f8"),
            ("n", "dense", "<i8"),
            ("ok", "dense", "|b1"),
            ("t", "ragged", "|u1"),
            ("u", "dense", "<u8"),
            ("x", "dense", "<f8"),
        ];
        assert_eq!(types, expected.map(|(name, kind, dtype)| (name, kind, dtype.to_owned())));
        let dense = |name: &str| DenseStore::open(dest.join(name)).unwrap().gather(..).unwrap();
        assert_eq!(dense("n").values::<i64>().unwrap(), [i64::MIN, 9_007_199_254_740_993, 0]);
        assert_eq!(dense("u").values::<u64>().unwrap(), [u64::MAX, 0, 1]);
        assert_eq!(dense("ok").values::<bool>().unwrap(), [true, false, true]);
        let floats = dense("x");
        let floats = floats.values::<f64>().unwrap();
        assert!(floats[0] == 1.0 && floats[1].is_nan() && floats[2] == -2.5);
        assert_eq!(words(&dest.join("t")), ["ä", "b c", "\"\n"]);
        let matrix = RaggedStore::open(dest.join("m")).unwrap().gather(..).unwrap();
        assert_eq!(matrix.record(0).unwrap().shape, [2, 2]);
        assert_eq!(matrix.values::<f64>().unwrap(), [1.5, 2.0, 3.0, 4.0, 0.0, -1.25e-7, 7.0, 8.0]);

        let out = root.path().join("out.jsonl");
        convert::export(&dest, &out, [1], &()).unwrap();
        let line = fs::read_to_string(&out).unwrap();
        assert_eq!(
            line,
            "{\"b\": [false, true], \"l\": [3], \"m\": [[0.0, -1.25e-7]], \"n\": 9007199254740993, \
             \"ok\": false, \"t\": \"b c\", \"u\": 0, \"x\": \"NaN\"}\n"
        );
        fs::remove_file(out).unwrap();
    }
}

#[test]
fn fields_can_be_chosen() {
    let root = tempfile::tempdir().unwrap();
    let source = write(root.path(), "a.jsonl", "{\"a\": 1, \"b\": null}\n{\"a\": 2, \"c\": {}}\n");
    let options = ImportOptions { fields: Some(vec!["a".to_owned()]), ..ImportOptions::default() };
    let made = convert::import(&source, &root.path().join("dest"), &options, &()).unwrap();
    assert_eq!((made.len(), made[0].records), (1, 2));
}

#[test]
fn lines_that_make_no_stream_are_named() {
    let root = tempfile::tempdir().unwrap();
    let dest = root.path().join("dest");
    for (lines, place) in [
        ("", "no lines"),
        ("\n\n", "no lines"),
        ("{\"a\": 1}\n{\"a\": null}", "line 2"),
        ("{\"a\": 1}\n{\"b\": 1}", "line 2"),
        ("{\"a\": 1}\n{}", "line 2"),
        ("{\"a\": 1}\n{\"a\": 1, \"b\": 1}", "line 2"),
        ("{\"a\": 1}\n\n{\"a\": [1]}", "line 3"),
        ("{\"a\": 1}\n{\"a\": \"x\"}", "line 2"),
        ("{\"a\": 1}\n{\"a\": true}", "line 2"),
        ("{\"a\": \"x\"}\n{\"a\": true}", "line 2"),
        ("{\"a\": 9007199254740993}\n{\"a\": 0.5}", "no float equals at line 1"),
        ("{\"a\": -1}\n{\"a\": 18446744073709551615}", "line 2"),
        ("{\"a\": {}}", "line 1"),
        ("{\"a\": \"\"}", "line 1"),
        ("{\"a\": [1]}\n{\"a\": []}", "line 2"),
        ("{\"a\": []}", "empty lists"),
        ("{\"a\": [[1, 2], [3]]}", "line 1"),
        ("{\"a\": [[1], 3]}", "line 1"),
        ("{\"a\": [3, [1]]}", "line 1"),
        ("{\"a\": [1, null]}", "line 1"),
        ("{\"a\": [\"x\\u0000\"]}", "line 1"),
        ("{\"a\": 1}\n[1]", "line 2"),
        ("{\"a\": 1}\n{\"a\": 1", "line 2"),
        ("{\"../a\": 1}", "\"../a\""),
        ("{\"..\": 1}", "\"..\""),
        ("{\"\": 1}", "\"\""),
        ("{\"meta.zr\": 1}", "reserved"),
        ("{\"NUL.txt\": 1}", "reserved"),
    ] {
        let source = write(root.path(), "a.jsonl", lines);
        let error = import(&source, &dest).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{lines}: {error}");
        assert!(error.message().contains(place), "{lines}: {error}");
        assert!(!dest.exists(), "{lines}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(200), "]".repeat(200));
    let source = write(root.path(), "a.jsonl", deep);
    assert_eq!(import(&source, &dest).unwrap_err().code(), Code::InvalidSource);
    let endless = write(root.path(), "b.jsonl", [&b"{\"a\": \""[..], &vec![b'x'; 33 << 20]].concat());
    let error = import(&endless, &dest).unwrap_err();
    assert!(error.message().contains("longer"), "{error}");
}

#[test]
fn lines_are_appended_in_the_type_of_the_store() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("pixels");
    DenseStore::builder(DType::parse(">i2").unwrap(), [2]).create(&store).unwrap().close().unwrap();
    let source = write(
        root.path(),
        "a.jsonl",
        "{\"pixels\": [1, -2], \"other\": 0}\n{\"pixels\": [3, 32767], \"other\": 1}\n",
    );
    assert_eq!(convert::append(&store, &source, &()).unwrap(), 2);
    let bytes = DenseStore::open(&store).unwrap().gather(..).unwrap();
    assert_eq!(bytes.as_bytes(), [0, 1, 255, 254, 0, 3, 127, 255]);
    for lines in ["[1, 40000]", "[1, 2.5]", "[1]", "1", "[1, \"x\"]", "[true, false]"] {
        let source = write(root.path(), "b.jsonl", format!("{{\"p\": {lines}}}"));
        let error = convert::append(&store, &source, &()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{lines}");
        assert!(error.message().contains("line 1"), "{error}");
    }
    let several = write(root.path(), "c.jsonl", "{\"a\": [1, 2], \"b\": 0}");
    assert_eq!(convert::append(&store, &several, &()).unwrap_err().code(), Code::InvalidSource);
    assert_eq!(DenseStore::open(&store).unwrap().len(), 2);

    let names = root.path().join("names");
    DenseStore::builder(DType::parse("S3").unwrap(), ()).create(&names).unwrap().close().unwrap();
    let source = write(root.path(), "d.jsonl", "{\"x\": \"ab\"}\n{\"x\": \"\"}\n");
    assert_eq!(convert::append(&names, &source, &()).unwrap(), 2);
    assert_eq!(DenseStore::open(&names).unwrap().gather(..).unwrap().as_bytes(), b"ab\0\0\0\0");
    let wide = write(root.path(), "d.jsonl", "{\"x\": \"abcd\"}\n");
    assert_eq!(convert::append(&names, &wide, &()).unwrap_err().code(), Code::InvalidSource);
}

#[test]
fn streams_of_different_lengths_make_no_lines() {
    let root = tempfile::tempdir().unwrap();
    for (name, values) in [("a", &[1u8, 2][..]), ("b", &[3])] {
        let mut store =
            DenseStore::builder(DType::U8, ()).create(root.path().join("set").join(name)).unwrap();
        store.append(values).unwrap();
        store.close().unwrap();
    }
    let out = root.path().join("out.jsonl");
    let error = convert::export(&root.path().join("set"), &out, .., &()).unwrap_err();
    assert_eq!(error.code(), Code::ShapeMismatch);
    assert!(!out.exists());
    convert::export(&root.path().join("set"), &out, 0, &()).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "{\"a\": 1, \"b\": 3}\n");
}

#[test]
fn binary_records_are_lists_in_lines() {
    let root = tempfile::tempdir().unwrap();
    let place = root.path().join("blobs");
    let mut store = RaggedStore::builder(DType::U8).create(&place).unwrap();
    store.append::<u8, _>(&[&b"ok"[..], &[255, 0]]).unwrap();
    store.close().unwrap();
    let out = root.path().join("out.jsonl");
    convert::export(&place, &out, .., &()).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "{\"blobs\": [111, 107]}\n{\"blobs\": [255, 0]}\n");
}

#[test]
fn a_folder_comes_in_sorted_and_goes_out_the_same() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source");
    let files = ["a/2.txt", "a/10.txt", "a.txt", "a/b/c", "ä", "b"];
    for name in files {
        write(&source, name, format!("content of {name}"));
    }
    assert_eq!(SourceKind::detect(&source).unwrap(), SourceKind::Folder);
    let dest = root.path().join("dest");
    let options = ImportOptions { codec: CodecChoice::Zstd { level: None }, ..ImportOptions::default() };
    let made = convert::import(&source, &dest, &options, &()).unwrap();
    let summary: Vec<_> =
        made.iter().map(|stream| (stream.name.as_deref().unwrap(), stream.records)).collect();
    assert_eq!(summary, [("files", 6), ("names", 6)]);
    let mut sorted = files;
    sorted.sort_unstable();
    assert_eq!(words(&dest.join("names")), sorted);
    assert_eq!(words(&dest.join("files")), sorted.map(|name| format!("content of {name}")));

    for (place, out) in [(dest.clone(), "out"), (dest.join("files"), "out2")] {
        let out = root.path().join(out);
        let exported = convert::export(&place, &out, .., &()).unwrap();
        assert_eq!(exported.records, 6);
        for name in files {
            assert_eq!(fs::read_to_string(out.join(name)).unwrap(), format!("content of {name}"));
        }
        let error = convert::export(&place, &out, .., &()).unwrap_err();
        assert_eq!(error.code(), Code::StoreExists);
    }
    let numbered = root.path().join("numbered");
    fs::rename(dest.join("names"), root.path().join("elsewhere")).unwrap();
    convert::export(&dest, &numbered, [0, 1], &()).unwrap();
    assert_eq!(fs::read_to_string(numbered.join("000001.bin")).unwrap(), format!("content of {}", sorted[1]));
    fs::rename(root.path().join("elsewhere"), dest.join("names")).unwrap();

    // Files and names grow together.
    let more = root.path().join("more");
    write(&more, "z", "last");
    assert_eq!(convert::append(&dest.join("files"), &more, &()).unwrap(), 1);
    assert_eq!(words(&dest.join("files")).pop().as_deref(), Some("last"));
    assert_eq!(words(&dest.join("names")).pop().as_deref(), Some("z"));
}

#[test]
fn a_folder_that_makes_no_records_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source");
    write(&source, "full", "x");
    let inside = import(&source, &source.join("dest")).unwrap_err();
    assert_eq!(inside.code(), Code::InvalidArgument);
    write(&source, "sub/empty", "");
    let error = import(&source, &root.path().join("dest")).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSource);
    assert!(error.message().contains("empty"), "{error}");
    assert!(!root.path().join("dest").exists());
    assert!(!source.join("dest").exists());
}

#[test]
fn names_never_lead_out_of_the_exported_folder() {
    let root = tempfile::tempdir().unwrap();
    for name in ["../out", "/etc/out", "a/../../out", "", "..", "a\\b", "a\0"] {
        let dest = root.path().join("dest");
        for (stream, record) in [("files", "x"), ("names", if name.is_empty() { "." } else { name })] {
            let mut store = RaggedStore::builder(DType::U8).create(dest.join(stream)).unwrap();
            store.append::<u8, _>(&[record.as_bytes()]).unwrap();
            store.close().unwrap();
        }
        let out = root.path().join("x/y");
        let error = convert::export(&dest, &out, .., &()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{name:?}: {error}");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "only the dataset is left");
        fs::remove_dir_all(dest).unwrap();
    }
}

fn idx(code: u8, dims: &[u32], data: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, code, u8::try_from(dims.len()).unwrap()];
    dims.iter().for_each(|dim| file.extend(dim.to_be_bytes()));
    file.extend(data);
    file
}

#[test]
fn idx_files_keep_their_byte_order() {
    let root = tempfile::tempdir().unwrap();
    for (code, dtype, width) in
        [(8, "|u1", 1), (9, "|i1", 1), (11, ">i2", 2), (12, ">i4", 4), (13, ">f4", 4), (14, ">f8", 8)]
    {
        let data: Vec<u8> = (0..6 * width).collect();
        let file = idx(code, &[3, 2], &data);
        for (name, content) in [("plain", file.clone()), ("packed.gz", gzip(&file))] {
            let source = write(root.path(), name, content);
            assert_eq!(SourceKind::detect(&source).unwrap(), SourceKind::Idx);
            let dest = root.path().join(format!("{name}-{code}"));
            let made = import(&source, &dest).unwrap();
            assert_eq!((made[0].records, made[0].dtype.to_string()), (3, dtype.to_owned()));
            let store = DenseStore::open(&dest).unwrap();
            assert_eq!(store.item_shape().dims(), [2]);
            assert_eq!(store.gather(..).unwrap().as_bytes(), data);
        }
    }
    let labels = write(root.path(), "labels", idx(8, &[4], &[7, 8, 9, 1]));
    import(&labels, &root.path().join("labels-store")).unwrap();
    assert_eq!(DenseStore::open(root.path().join("labels-store")).unwrap().item_shape().rank(), 0);
    convert::append(&root.path().join("labels-store"), &labels, &()).unwrap();
    assert_eq!(DenseStore::open(root.path().join("labels-store")).unwrap().len(), 8);

    for bad in [
        idx(8, &[], &[]),
        idx(8, &[4], &[1, 2, 3]),
        idx(8, &[2], &[1, 2, 3]),
        idx(14, &[u32::MAX, u32::MAX, u32::MAX], &[0]),
        idx(8, &[u32::MAX, 1], &[0]),
        idx(8, &[1, 0], &[]),
        vec![0, 0, 8, 3, 0],
        gzip(&idx(8, &[4], &[1, 2, 3])),
        gzip(&idx(8, &[4], &[1, 2, 3, 4]))[..20].to_vec(),
    ] {
        let source = write(root.path(), "bad", &bad);
        let error = import(&source, &root.path().join("dest")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{bad:?}: {error}");
        assert!(!root.path().join("dest").exists());
    }
}

#[test]
fn a_dictionary_comes_from_folders_and_lines_too() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("files");
    let mut lines = String::new();
    for i in 0..400 {
        let text = format!("the quick brown fox {i} jumps over the lazy dog {}", i * 7919);
        write(&source, &format!("{i:04}"), &text);
        lines += &format!("{{\"text\": \"{text}\"}}\n");
    }
    let lines = write(root.path(), "a.jsonl", lines);
    let from_folder = convert::dictionary_from(&source, Tier::Fast, &()).unwrap();
    assert_eq!(convert::dictionary_from(&lines, Tier::Fast, &()).unwrap(), from_folder);
    import(&source, &root.path().join("set")).unwrap();
    assert_eq!(
        convert::dictionary_from(&root.path().join("set/files"), Tier::Fast, &()).unwrap(),
        from_folder
    );
    let several = convert::dictionary_from(&root.path().join("set"), Tier::Fast, &()).unwrap_err();
    assert_eq!(several.code(), Code::InvalidSource);
    let few = write(root.path(), "few.jsonl", "{\"a\": 1}\n");
    let error = convert::dictionary_from(&few, Tier::Fast, &()).unwrap_err();
    assert_eq!(error.code(), Code::TrainingFailed);
}

#[test]
fn other_files_are_no_source_and_other_extensions_no_format() {
    let root = tempfile::tempdir().unwrap();
    let png = write(root.path(), "a.png", b"\x89PNG\r\n\x1a\n");
    assert_eq!(SourceKind::detect(&png).unwrap_err().code(), Code::InvalidSource);
    assert_eq!(SourceKind::detect(&root.path().join("none")).unwrap_err().code(), Code::InvalidSource);
    let error = convert::export(root.path(), &root.path().join("a.csv"), .., &()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let error = convert::export(root.path(), &root.path().join("a.npz"), .., &()).unwrap_err();
    assert_eq!(error.code(), Code::StoreNotFound);
}
