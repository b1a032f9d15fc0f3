//! The edges of the format at their real size, in files that are mostly holes.
#![cfg(unix)]

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use recask::{Code, DType, DenseStore};
use recask_tests::folder::{self, hex};
use serde_json::Value;

/// Overwrites some bytes of `meta.zr`, as if the store had been filled before.
fn patch_meta(store: &Path, at: u64, bytes: &[u8]) {
    File::options().write(true).open(store.join("meta.zr")).unwrap().write_all_at(bytes, at).unwrap();
}

fn grow(file: &Path, size: u64) {
    File::options().create(true).append(true).open(file).unwrap().set_len(size).unwrap();
}

fn size(file: &Path) -> u64 {
    file.metadata().unwrap().len()
}

/// A store with one record of 1000 ones whose frontier lies at `frontier` in chunk 0.
fn store_filled_to(path: &Path, frontier: u32) {
    let mut store = DenseStore::builder(DType::U8, [1000]).create(path).unwrap();
    store.append(&[1u8; 1000]).unwrap();
    store.close().unwrap();
    grow(&path.join("0.chunk"), frontier.into());
    patch_meta(path, 10, &frontier.to_le_bytes());
}

#[test]
fn chunks_roll_over_at_4_gib_as_in_loaderx() {
    let text = std::fs::read_to_string(folder::golden("zrecord/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let steps = manifest["rollover"]["steps"].as_array().unwrap();
    let wanted = [(2500, 4usize), (1000, 1), (1001, 1)];
    assert_eq!(steps.len(), wanted.len());
    for (golden, (before_end, records)) in steps.iter().zip(wanted) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        store_filled_to(&path, u32::MAX - (before_end - 1));

        let mut store = DenseStore::open_for_writing(&path).unwrap();
        store.append(&vec![2u8; 1000 * records]).unwrap();
        if golden["stats"].is_object() {
            let stats = store.stats().unwrap();
            let found = serde_json::json!({
                "records": stats.records, "live_bytes": stats.live_bytes,
                "chunk_bytes": stats.chunk_bytes, "reclaimable": stats.reclaimable,
            });
            assert_eq!(found, golden["stats"], "{}", golden["do"]);
        }
        store.close().unwrap();

        assert_eq!(
            hex(&std::fs::read(path.join("meta.zr")).unwrap()),
            golden["meta_hex"],
            "{}",
            golden["do"]
        );
        assert_eq!(hex(&std::fs::read(path.join("0.loc")).unwrap()), golden["loc_hex"], "{}", golden["do"]);
        for (name, bytes) in golden["sizes"].as_object().unwrap() {
            assert_eq!(size(&path.join(name)), bytes.as_u64().unwrap(), "{name}: {}", golden["do"]);
        }
        assert_eq!(path.join("1.chunk").exists(), golden["sizes"]["1.chunk"].is_u64());

        let store = DenseStore::open(&path).unwrap();
        assert_eq!(store.len(), 1 + records as u64);
        assert_eq!(store.record(0).unwrap()[..], [1; 1000]);
        assert_eq!(store.gather(1..).unwrap().as_bytes(), vec![2; 1000 * records]);
        assert!(store.verify(&()).unwrap().is_ok());
    }
}

#[test]
fn the_table_continues_in_a_second_file_behind_2_pow_28_entries() {
    const FULL: u64 = 1 << 28;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = DenseStore::builder(DType::U16, ()).create(&path).unwrap();
    store.append(&[7u16]).unwrap();
    store.close().unwrap();
    // All entries but the first are holes now, so impossible: nobody may look at them to append.
    grow(&path.join("0.loc"), FULL * 16);
    patch_meta(&path, 14, &FULL.to_le_bytes());

    let mut store = DenseStore::open_for_writing(&path).unwrap();
    assert_eq!(store.append(&[10u16, 11, 12]).unwrap(), FULL);
    assert_eq!(store.gather([-1, -2, -3, 0]).unwrap().values::<u16>().unwrap(), [12, 11, 10, 7]);
    store.close().unwrap();
    assert_eq!([size(&path.join("0.loc")), size(&path.join("1.loc"))], [FULL * 16, 48]);

    let store = DenseStore::open(&path).unwrap();
    assert_eq!(store.len(), FULL + 3);
    assert_eq!(store.gather(FULL..).unwrap().values::<u16>().unwrap(), [10, 11, 12]);
    let hole = store.record(FULL - 1).unwrap_err();
    assert_eq!(hole.code(), Code::CorruptEntry);
    assert_eq!(hole.record(), Some(FULL - 1));
    assert_eq!(hole.offset(), Some((FULL - 1) * 16));
    drop(store);

    // The last record moves from the second file into the first, the one before within the second.
    let mut store = DenseStore::open_for_writing(&path).unwrap();
    store.delete([FULL, FULL - 1]).unwrap();
    assert_eq!(store.len(), FULL + 1);
    assert_eq!(store.gather([FULL - 1, FULL]).unwrap().values::<u16>().unwrap(), [11, 12]);
    store.delete([FULL]).unwrap();
    assert_eq!(store.append(&[13u16]).unwrap(), FULL);
    store.close().unwrap();
    let store = DenseStore::open(&path).unwrap();
    assert_eq!(store.gather([FULL - 1, FULL, 0]).unwrap().values::<u16>().unwrap(), [11, 13, 7]);
}

/// Writes and reads 2 GiB, so it runs with the slow tests.
#[test]
fn a_record_may_have_2_to_the_31_bytes() {
    let widest = 1u64 << 31;
    assert_eq!(
        DenseStore::builder(DType::U8, [widest + 1]).create(Path::new("/nowhere")).unwrap_err().code(),
        Code::RecordTooLarge
    );
    if std::env::var_os("RECASK_SLOW").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = DenseStore::builder(DType::U8, [widest]).create(&path).unwrap();
    let mut values = vec![0u8; usize::try_from(widest).unwrap()];
    values[0] = 1;
    *values.last_mut().unwrap() = 2;
    store.append(&values).unwrap();
    store.append(&values).unwrap();
    store.close().unwrap();

    let store = DenseStore::open(&path).unwrap();
    // Two of them would reach the end of a chunk, so each has its own.
    assert_eq!(size(&path.join("1.chunk")), widest);
    let record = store.record(1).unwrap();
    assert_eq!((record.len() as u64, record[0], record.last()), (widest, 1, Some(&2)));
    store.gather_into(1, &mut values).unwrap();
    assert!(store.verify(&()).unwrap().is_ok());
}
