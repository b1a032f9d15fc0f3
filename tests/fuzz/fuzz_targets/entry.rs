//! Any table entry under any header: an error, or a range inside of what is committed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::format::zrecord::{Entry, EntryRules, Geometry, Header};
use recask_core::plan::Locate;

fuzz_target!(|input: &[u8]| {
    // A header, the number of the entry, the entry.
    let Some((meta, rest)) = input.split_at_checked(Header::SIZE) else { return };
    let Some((physical, rest)) = rest.split_first_chunk() else { return };
    let Some(&bytes) = rest.first_chunk() else { return };
    let physical = u64::from_le_bytes(*physical);
    let Ok(header) = Header::decode(meta) else { return };
    let entry = Entry::decode(&bytes);
    assert_eq!(entry.encode(), bytes);
    assert_eq!(Entry::nth(&bytes, 0), Some(entry));
    let rules = EntryRules { header, geometry: Geometry::FORMAT };
    let strict = rules.check_strictly(physical, &entry);
    match rules.fetch_len(physical, &entry) {
        Ok(len) => {
            let end = u64::from(entry.offset) + u64::from(len);
            let bound =
                if entry.chunk == header.tail.chunk { u64::from(header.tail.offset) } else { 1 << 32 };
            assert!(entry.chunk <= header.tail.chunk && end <= bound);
        }
        Err(_) => assert!(strict.is_err()),
    }
    if let Ok(locate) = Locate::new(rules, &[physical], None) {
        assert_eq!(locate.reads().len(), 1);
        assert_eq!(locate.resolve(&bytes).is_ok(), rules.fetch_len(physical, &entry).is_ok());
    }
});
