//! Damaged stores never cost more memory than their files justify.
//!
//! A counting allocator sees every allocation that Rust code makes in this process, which is why these tests have a
//! process of their own. The contexts of the C library of zstd are not seen; their size does not depend on the data.

mod memory;

use memory::{ALONE, peak_of};
use recask_core::environment::Environment;
use recask_core::storage::memory::MemoryEnvironment;
use recask_core::{AnyStore, Index};
use recask_tests::door::{Door, Files, MemoryDoor, NativeDoor};
use recask_tests::folder;
use serde_json::Value;

/// For open handles, errors, lists of tasks.
const FIXED: usize = 64 << 10;

/// What reading one store may cost: headers, table and dictionary are held in more than one form, but in no more than
/// four; a frame may have to be copied out of its file, and decodes to at most `record` bytes; a batch of everything
/// holds `decoded` bytes.
fn justified(files: &Files, record: usize, decoded: usize) -> usize {
    FIXED + 4 * files.values().map(Vec::len).sum::<usize>() + 2 * record + decoded
}

/// Opens, reads every record, gathers all, adds up and verifies; errors are as good as answers.
fn use_all<E: Environment>(place: E::Place) {
    let Ok(store) = AnyStore::<E>::open(place) else { return };
    for record in 0..store.len() {
        match &store {
            AnyStore::Dense(store) => drop(store.record(record)),
            AnyStore::Ragged(store) => drop(store.record(record)),
        }
    }
    match &store {
        AnyStore::Dense(store) => drop(store.gather(Index::ALL)),
        AnyStore::Ragged(store) => drop(store.gather(Index::ALL)),
    }
    drop(store.stats());
    drop(store.verify(&()));
}

fn check(name: &str, files: &Files, record: usize, decoded: usize) {
    let allowed = justified(files, record, decoded);
    let folder = tempfile::tempdir().unwrap();
    folder::write(folder.path(), files).unwrap();
    let in_memory = MemoryDoor.original(folder.path());
    let peak = peak_of(|| use_all::<MemoryEnvironment>(in_memory));
    assert!(peak <= allowed, "{name} in memory: {peak} bytes, {allowed} are justified");
    let native = NativeDoor::new().unwrap();
    let place = native.original(folder.path());
    let peak = peak_of(|| use_all::<<NativeDoor as Door>::Environment>(place));
    assert!(peak <= allowed, "{name} natively: {peak} bytes, {allowed} are justified");
}

#[test]
fn damaged_stores_cost_no_more_than_sound_ones() {
    let _alone = ALONE.lock();
    warm_up();
    let text = std::fs::read_to_string(folder::golden("zrecord/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    for bad in manifest["bad"].as_array().unwrap() {
        let base = manifest["stores"].as_array().unwrap().iter().find(|store| store["name"] == bad["base"]);
        let (record, decoded) = base.map_or((0, 0), sizes);
        let path = format!("zrecord/{}", bad["path"].as_str().unwrap());
        let files = folder::read(&folder::golden(&path)).unwrap();
        check(bad["name"].as_str().unwrap(), &files, record, decoded);
    }
}

/// The largest record and all records of a sound store, in bytes.
fn sizes(store: &Value) -> (usize, usize) {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    match store["byte_lengths"].as_array() {
        Some(lengths) => (lengths.iter().map(number).max().unwrap(), lengths.iter().map(number).sum()),
        None => (number(&store["record_bytes"]), number(&store["record_bytes"]) * number(&store["records"])),
    }
}

/// What is made once in a process, such as threads, is not the store's.
fn warm_up() {
    let place = NativeDoor::new().unwrap().original(&folder::golden("zrecord/stores/dense_u8_img_zstd"));
    use_all::<<NativeDoor as Door>::Environment>(place);
}

/// Numbers that lie as much as they can, each in an otherwise sound store.
#[test]
fn lies_about_sizes_are_seen_before_memory_is_taken() {
    let _alone = ALONE.lock();
    warm_up();
    let sound = |name: &str| folder::read(&folder::golden(&format!("zrecord/stores/{name}"))).unwrap();
    let set = |files: &mut Files, name: &str, at: usize, bytes: &[u8]| {
        files.get_mut(name).unwrap()[at..at + bytes.len()].copy_from_slice(bytes);
    };
    let two_gib = (1u32 << 31).to_le_bytes();

    for name in ["ragged_i32_tokens_raw", "ragged_i32_tokens_zstd", "ragged_i32_tokens_dict"] {
        // The payload, then the shape, of record 1.
        for slot in [2, 3] {
            let mut files = sound(name);
            set(&mut files, "0.loc", slot * 16 + 8, &two_gib);
            check(name, &files, 480, 60 * 480);
        }
    }
    let mut files = sound("ragged_f32_mixed_raw");
    let shape =
        usize::try_from(u32::from_le_bytes(files["0.loc"][3 * 16..][..4].try_into().unwrap())).unwrap();
    set(&mut files, "0.chunk", shape, &u64::MAX.to_le_bytes());
    check("rank", &files, 480, 480);
    set(&mut files, "0.chunk", shape, &1u64.to_le_bytes());
    set(&mut files, "0.chunk", shape + 8, &u64::MAX.to_le_bytes());
    check("extent", &files, 480, 480);

    for length in [u64::MAX, u64::MAX - 1, 1 << 60, 1 << 40, 1 << 32, 1 << 28] {
        let mut files = sound("dense_u8_img_raw");
        set(&mut files, "meta.zr", 14, &length.to_le_bytes());
        check("length", &files, 784, 16 * 784);
    }
    for tail in [u32::MAX - 1, 1 << 20] {
        let mut files = sound("dense_u8_img_raw");
        set(&mut files, "meta.zr", 6, &tail.to_le_bytes());
        check("tail chunk", &files, 784, 16 * 784);
    }
    for width in [1u64 << 31, u64::MAX] {
        let mut files = sound("dense_u8_img_raw");
        set(&mut files, "store.zr", 8, &width.to_le_bytes());
        check("record bytes", &files, 784, 16 * 784);
    }
    // A redo list of 2^60 bytes, in a head with a sound checksum.
    let mut files = sound("dense_u8_img_raw");
    let base = files["meta.zr"].clone().try_into().unwrap();
    let state = recask_core::format::zrecord::journal::State::Redo { body_len: 1 << 60, body_hash: 0 };
    let head = recask_core::format::zrecord::journal::Head { state, generation: 1, base };
    files.insert("recask.journal".into(), head.encode().to_vec());
    check("journal", &files, 784, 16 * 784);
}
