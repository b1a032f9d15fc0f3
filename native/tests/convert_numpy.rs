//! Files that NumPy wrote, as `fixtures/make_numpy.py` made them, and files that read like them.
#![cfg(feature = "convert")]

use std::fs;
use std::path::{Path, PathBuf};

use recask::convert::{self, CodecChoice, ImportOptions, SourceKind};
use recask::{Code, CodecKind, DType, DenseStore, Index, Progress, RaggedStore, Samples, StoreKind, Tier};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn real(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/data").join(name)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn import(source: &Path, dest: &Path) -> Vec<convert::Imported> {
    convert::import(source, dest, &ImportOptions::default(), &()).unwrap()
}

/// What the manifest says of an array: its type and shape.
fn check(place: &Path, note: &Value) {
    let store = DenseStore::open(place).unwrap();
    let batch = store.gather(..).unwrap();
    let shape: Vec<u64> = note["shape"].as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap()).collect();
    assert_eq!(batch.shape(), shape, "{}", place.display());
    assert_eq!(digest(batch.as_bytes()), note["sha256"].as_str().unwrap(), "{}", place.display());
    let descr = note["descr"].as_str().unwrap();
    if !descr.is_empty() {
        assert_eq!(store.dtype(), &DType::parse(descr).unwrap());
    }
}

#[test]
fn every_array_of_numpy_reads_exactly() {
    let manifest = fs::read_to_string(fixture("numpy.json")).unwrap();
    let manifest: serde_json::Map<String, Value> = serde_json::from_str(&manifest).unwrap();
    let root = tempfile::tempdir().unwrap();
    for archive in ["all.npz", "packed.npz", "v2.npz"] {
        assert_eq!(SourceKind::detect(&fixture(archive)).unwrap(), SourceKind::Npz);
        let made = import(&fixture(archive), &root.path().join(archive));
        let names: Vec<_> =
            made.iter().map(|stream| format!("{archive}:{}", stream.name.as_deref().unwrap())).collect();
        let known = manifest.keys().filter(|key| key.starts_with(&format!("{archive}:"))).count();
        assert_eq!(names.len(), known);
        for (stream, name) in made.iter().zip(&names) {
            assert_eq!(stream.kind, StoreKind::Dense);
            check(&stream.path, &manifest[name]);
        }
        let left = fs::read_dir(root.path().join(archive)).unwrap().count();
        assert_eq!(left, known, "the folder holds the stores and nothing else");
    }
    for (file, note) in manifest.iter().filter(|(key, _)| !key.contains(':')) {
        assert_eq!(SourceKind::detect(&fixture(file)).unwrap(), SourceKind::Npy);
        let place = root.path().join(file);
        let made = import(&fixture(file), &place);
        assert_eq!(made.len(), 1);
        assert_eq!((made[0].name.as_deref(), made[0].path.as_path()), (None, place.as_path()));
        check(&place, note);
    }
}

#[test]
fn an_exported_npy_is_numpys_own() {
    let root = tempfile::tempdir().unwrap();
    for name in ["bool", "f4_big", "nested", "padded", "v3", "latin", "empty", "u3", "version1"] {
        let store = root.path().join(name);
        import(&fixture(&format!("{name}.npy")), &store);
        let out = root.path().join(format!("{name}.npy"));
        let exported = convert::export(&store, &out, .., &()).unwrap();
        assert_eq!(exported.streams, [name]);
        assert_eq!(fs::read(&out).unwrap(), fs::read(fixture(&format!("{name}.npy"))).unwrap(), "{name}");
    }
}

#[test]
fn an_exported_archive_reads_back() {
    let root = tempfile::tempdir().unwrap();
    let (dataset, out, again) =
        (root.path().join("dataset"), root.path().join("out.npz"), root.path().join("again"));
    let mut made = import(&fixture("all.npz"), &dataset);
    convert::export(&dataset, &out, Index::ALL, &()).unwrap();
    let mut back = import(&out, &again);
    made.sort_by(|a, b| a.name.cmp(&b.name));
    back.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(made.len(), back.len());
    for (before, after) in made.iter().zip(&back) {
        assert_eq!((&before.name, &before.dtype, before.records), (&after.name, &after.dtype, after.records));
        let (before, after) =
            (DenseStore::open(&before.path).unwrap(), DenseStore::open(&after.path).unwrap());
        assert_eq!(before.gather(..).unwrap(), after.gather(..).unwrap());
    }
}

#[test]
fn a_selection_is_exported_in_its_order() {
    let root = tempfile::tempdir().unwrap();
    let (store, out, again) = (root.path().join("a"), root.path().join("b.npy"), root.path().join("c"));
    import(&fixture("fortran.npy"), &store);
    let exported = convert::export(&store, &out, [5, -1, 5], &()).unwrap();
    assert_eq!(exported.records, 3);
    import(&out, &again);
    let expected = DenseStore::open(&store).unwrap().gather([5, 6, 5]).unwrap();
    assert_eq!(DenseStore::open(&again).unwrap().gather(..).unwrap(), expected);
    let error = convert::export(&store, &root.path().join("d.npy"), 7, &()).unwrap_err();
    assert_eq!(error.code(), Code::IndexOutOfRange);
    assert!(!root.path().join("d.npy").exists());
    let error = convert::export(&store, &out, .., &()).unwrap_err();
    assert_eq!(error.code(), Code::StoreExists, "nothing is overwritten");
}

#[test]
fn a_ragged_store_is_exported_as_values_offsets_and_shapes() {
    let root = tempfile::tempdir().unwrap();
    let place = root.path().join("ragged");
    let mut store = RaggedStore::builder(DType::I16).create(&place).unwrap();
    store.append_shaped::<i16>(&[(&[2], &[1, 2]), (&[1, 3], &[3, 4, 5]), (&[], &[6])]).unwrap();
    store.close().unwrap();
    let out = root.path().join("out.npz");
    convert::export(&place, &out, .., &()).unwrap();
    let arrays = root.path().join("arrays");
    import(&out, &arrays);
    let longs = |name: &str| {
        let store = DenseStore::open(arrays.join(name)).unwrap();
        store.gather(..).unwrap().values::<i64>().unwrap().to_vec()
    };
    let values = DenseStore::open(arrays.join("values")).unwrap().gather(..).unwrap();
    assert_eq!(values.values::<i16>().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(longs("offsets"), [0, 2, 5, 6]);
    assert_eq!(longs("shapes"), [2, 1, 3]);
    assert_eq!(longs("shape_offsets"), [0, 1, 3, 3]);

    let error = convert::export(&place, &root.path().join("out.npy"), .., &()).unwrap_err();
    assert_eq!(error.code(), Code::KindMismatch);
    assert!(!root.path().join("out.npy").exists());

    let together = root.path().join("together.npz");
    convert::export(root.path(), &together, [0, 2], &()).unwrap();
    let names: Vec<String> =
        import(&together, &root.path().join("both")).into_iter().map(|stream| stream.name.unwrap()).collect();
    assert_eq!(names, ["ragged.values", "ragged.offsets", "ragged.shapes", "ragged.shape_offsets"]);
}

#[test]
fn real_digits_come_in_whole() {
    let root = tempfile::tempdir().unwrap();
    for (file, records, item, images, labels) in [
        (
            "digits.npz",
            1797,
            [8, 8],
            "8f26b2bd9d135c256808f68f14fdabddde6d9c7f869ae419704b051f0f14b3b3",
            "a3c91c262eddcf7ba8f0e37507c30284493c9b20412ffe4af30d536401f7ba21",
        ),
        (
            "mnist2000.npz",
            2000,
            [28, 28],
            "8bed06843fc8620707941eb7ba6c6d046550b8a28a66b12c0fd04044b9ea6871",
            "4156ec3b75310da7c531eb7e26506be256f5601022f24eb7ecafa97c74bfd03b",
        ),
    ] {
        let dest = root.path().join(file);
        let options =
            ImportOptions { codec: CodecChoice::Zstd { level: Some(1) }, ..ImportOptions::default() };
        let made = convert::import(&real(file), &dest, &options, &()).unwrap();
        assert!(made.iter().all(|stream| stream.codec == CodecKind::Zstd && stream.records == records));
        assert_eq!(convert::streams(&dest).unwrap().len(), 2);
        for (name, item, expected) in [("images", &item[..], images), ("labels", &[], labels)] {
            let store = DenseStore::open(dest.join(name)).unwrap();
            assert_eq!(store.item_shape().dims(), item);
            assert_eq!(digest(store.gather(..).unwrap().as_bytes()), expected);
        }
    }
}

#[test]
fn a_dictionary_is_trained_from_the_samples_that_a_store_gives() {
    let root = tempfile::tempdir().unwrap();
    let dest = root.path().join("digits");
    let codec = CodecChoice::TrainDict { tier: Tier::Fast, level: Some(3) };
    let fields = Some(vec!["images".to_owned()]);
    let options = ImportOptions { codec, fields };
    let made = convert::import(&real("digits.npz"), &dest, &options, &()).unwrap();
    assert_eq!((made.len(), made[0].codec), (1, CodecKind::ZstdDict));
    let store = DenseStore::open(dest.join("images")).unwrap();
    let values = store.gather(..).unwrap();
    assert_eq!(digest(values.as_bytes()), "8f26b2bd9d135c256808f68f14fdabddde6d9c7f869ae419704b051f0f14b3b3");
    let expected = Samples::from_array(values.as_bytes(), 64, Tier::Fast).unwrap().train(Tier::Fast).unwrap();
    assert_eq!(store.codec().dictionary().unwrap(), expected);

    let npy = root.path().join("images.npy");
    convert::export(&dest.join("images"), &npy, .., &()).unwrap();
    for source in [dest.join("images"), npy] {
        assert_eq!(convert::dictionary_from(&source, Tier::Fast, &()).unwrap(), expected);
    }
    let error = convert::dictionary_from(&real("digits.npz"), Tier::Fast, &()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSource, "there are two arrays");
}

#[test]
fn what_cannot_be_a_store_is_refused_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let whole = fs::read(fixture("f4_big.npy")).unwrap();
    let cut = root.path().join("cut.npy");
    fs::write(&cut, &whole[..whole.len() - 1]).unwrap();
    let long = root.path().join("long.npy");
    fs::write(&long, [&whole[..], b"x"].concat()).unwrap();
    let text = root.path().join("text.npy");
    fs::write(&text, "not an array").unwrap();
    let dest = root.path().join("a/b");
    for source in
        [&fixture("scalar.npy"), &fixture("object.npy"), &cut, &long, &text, &root.path().join("missing")]
    {
        let error = convert::import(source, &dest, &ImportOptions::default(), &()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{error}");
        assert!(error.message().contains(source.to_str().unwrap()), "{error}");
        assert!(!root.path().join("a").exists());
    }
    let error = convert::import(&fixture("object.npy"), &dest, &ImportOptions::default(), &()).unwrap_err();
    assert!(error.message().contains("Python objects"), "{error}");
    for (source, fields) in [("bool.npy", "x"), ("all.npz", "no such array")] {
        let options = ImportOptions { fields: Some(vec![fields.to_owned()]), ..ImportOptions::default() };
        let error = convert::import(&fixture(source), &dest, &options, &()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
}

#[test]
fn nothing_that_is_there_is_touched() {
    let root = tempfile::tempdir().unwrap();
    let dest = root.path().join("dest");
    fs::create_dir(&dest).unwrap();
    fs::write(dest.join("notes.txt"), "mine").unwrap();
    import(&fixture("packed.npz"), &dest);
    assert_eq!(fs::read(dest.join("notes.txt")).unwrap(), b"mine");
    let before = DenseStore::open(dest.join("i8")).unwrap().gather(..).unwrap();
    for source in ["packed.npz", "bool.npy"] {
        let error = convert::import(&fixture(source), &dest, &ImportOptions::default(), &()).unwrap_err();
        assert_eq!(error.code(), Code::StoreExists, "{error}");
    }
    let into_store = convert::import(&fixture("v2.npz"), &dest.join("i8"), &ImportOptions::default(), &());
    assert_eq!(into_store.unwrap_err().code(), Code::StoreExists);
    assert_eq!(DenseStore::open(dest.join("i8")).unwrap().gather(..).unwrap(), before);
}

/// Stops after so many questions.
struct Impatient(std::sync::atomic::AtomicI64);

impl Progress for Impatient {
    fn proceed(&self) -> bool {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) > 0
    }
}

#[test]
fn an_interrupted_import_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let dest = root.path().join("a/b");
    let mut stopped = 0;
    for patience in 0.. {
        let progress = Impatient(patience.into());
        match convert::import(&fixture("small_packed.npz"), &dest, &ImportOptions::default(), &progress) {
            Ok(_) => break,
            Err(error) => {
                assert_eq!(error.code(), Code::Interrupted);
                assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "after {patience} questions");
                stopped += 1;
            }
        }
    }
    assert!(stopped >= 6, "it stopped at every window");
}

#[test]
fn progress_comes_to_the_announced_total() {
    #[derive(Default)]
    struct Sum(std::sync::atomic::AtomicU64);
    impl Progress for Sum {
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let root = tempfile::tempdir().unwrap();
    for (source, slack) in
        [(real("mnist2000.npz"), 0), (fixture("nested.npy"), 0), (real("cmudict.jsonl.gz"), 0)]
    {
        let sum = Sum::default();
        let dest = root.path().join(source.file_name().unwrap());
        convert::import(&source, &dest, &ImportOptions::default(), &sum).unwrap();
        let total = convert::import_units(&source).unwrap();
        assert!(sum.0.into_inner().abs_diff(total) <= slack, "{}", source.display());
    }
}

#[test]
fn arrays_are_appended_where_they_fit() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("u2_big");
    import(&fixture("version1.npy"), &store);
    assert_eq!(convert::append(&store, &fixture("version2.npy"), &()).unwrap(), 4);
    // Of an archive, the array with the name of the store.
    assert_eq!(convert::append(&store, &fixture("all.npz"), &()).unwrap(), 4);
    let batch = DenseStore::open(&store).unwrap().gather(..).unwrap();
    assert_eq!(batch.shape(), [12, 3]);
    let (first, rest) = batch.as_bytes().split_at(24);
    assert_eq!([first, first].concat(), rest);
    for (source, code) in [
        ("f8.npy", Code::InvalidSource),
        ("fortran_2d.npy", Code::ShapeMismatch),
        ("u3.npy", Code::DTypeMismatch),
    ] {
        assert_eq!(convert::append(&store, &fixture(source), &()).unwrap_err().code(), code, "{source}");
    }
    assert_eq!(DenseStore::open(&store).unwrap().len(), 12);

    let rows = root.path().join("rows");
    let big = DType::parse(">u2").unwrap();
    RaggedStore::builder(big).create(&rows).unwrap().close().unwrap();
    assert_eq!(convert::append(&rows, &fixture("fortran_2d.npy"), &()).unwrap(), 50);
    let rows = RaggedStore::open(&rows).unwrap().gather(..).unwrap();
    assert_eq!(rows.record(49).unwrap().shape, [4]);
}
