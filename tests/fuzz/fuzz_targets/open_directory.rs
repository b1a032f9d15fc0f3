//! Any directory: an error or records, never a panic, and no more memory than the files justify. Run it with
//! `-malloc_limit_mb`, which makes a large single allocation a crash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::zrecord::Geometry;
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::store::OpenOptions;
use recask_core::{AnyStore, Code};
use recask_fuzz::unpack;

fuzz_target!(|bytes: &[u8]| {
    let storage = unpack(bytes);
    let before = storage.files();
    let place = MemoryPlace::holding(&storage);
    read(place.clone(), OpenOptions::default());
    // Small segments reach tables of several files.
    let geometry = Geometry { segment_entries: 4, chunk_bytes: 4096, ..Geometry::FORMAT };
    read(place.clone(), OpenOptions { geometry, ..OpenOptions::default() });
    assert_eq!(storage.files(), before, "reading wrote something");
    change(place);
});

fn read(place: MemoryPlace, options: OpenOptions) {
    let Ok(store) = AnyStore::<MemoryEnvironment>::open_with(place, &options) else { return };
    let verified = store.verify(&());
    let _ = store.stats();
    let few = store.len().min(16);
    let mut readable = 0;
    for record in (0..few).chain([store.len().wrapping_sub(1), u64::MAX]) {
        match &store {
            AnyStore::Dense(store) => readable += u32::from(store.record(record).is_ok()),
            AnyStore::Ragged(store) => readable += u32::from(store.record(record).is_ok()),
        }
    }
    let gathered = match &store {
        AnyStore::Dense(store) => store.gather(0..few).map(drop),
        AnyStore::Ragged(store) => store.gather(0..few).map(drop),
    };
    if let Ok(verified) = verified
        && verified.is_ok()
        && store.len() > 0
    {
        assert!(readable > 0, "verify found nothing wrong, but nothing can be read");
        if let Err(error) = gathered {
            assert_eq!(error.code(), Code::TooLarge, "verify found nothing wrong: {error:?}");
        }
    }
}

/// What a writer does to a damaged store is an error, or leaves a store that opens.
fn change(place: MemoryPlace) {
    let options = OpenOptions { write: true, ..OpenOptions::default() };
    let Ok(mut store) = AnyStore::<MemoryEnvironment>::open_with(place.clone(), &options) else { return };
    if store.len() > 0 {
        let _ = store.delete([0, -1]);
    }
    let _ = store.compact(&());
    if store.close().is_ok() {
        AnyStore::<MemoryEnvironment>::open(place).expect("a store that was closed well opens");
    }
}
