//! Tables with hostile bytes: an error or rows, never a panic, and never more memory than the file accounts for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use recask_core::exec::Serial;
use recask_core::table::filter::col;
use recask_core::table::{Missing, verify};

mod table;

use table::{Mapped, described, field, golden, unmapped};

/// Keeps the largest request.
struct Watching;

static LARGEST: AtomicUsize = AtomicUsize::new(0);
static OPENED: AtomicUsize = AtomicUsize::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises hold for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Where a change lands, as a share of the file, and what is written there.
type Change = (u16, Vec<u8>);

fn changed(bytes: &[u8], changes: &[Change], cut: Option<u16>, mend: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, with) in changes {
        let at = usize::from(*at) * bytes.len() / (1 << 16);
        for (byte, new) in bytes[at..].iter_mut().zip(with) {
            *byte = *new;
        }
    }
    if let Some(cut) = cut {
        bytes.truncate(usize::from(cut) * bytes.len() / (1 << 16));
    }
    if mend {
        mend_checksums(&mut bytes);
    }
    bytes
}

/// Makes every checksum right that a reader checks before it believes a number.
fn mend_checksums(bytes: &mut [u8]) {
    if bytes.len() >= 28 {
        let sum = crc32fast::hash(&bytes[8..24]);
        bytes[24..28].copy_from_slice(&sum.to_le_bytes());
    }
    let headers: Vec<usize> =
        (0..bytes.len().saturating_sub(31)).filter(|&at| bytes[at..].starts_with(b"REC\x01")).collect();
    for at in headers {
        let sum = crc32fast::hash(&bytes[at..at + 28]);
        bytes[at + 28..at + 32].copy_from_slice(&sum.to_le_bytes());
    }
}

fn exercise(bytes: &[u8]) {
    let room = 64 * bytes.len() + (256 << 10);
    let (positional, mapped) = (unmapped(bytes.to_vec()), Mapped(bytes.to_vec()));
    LARGEST.store(0, Ordering::Relaxed);
    let report = verify(&positional, &()).unwrap();
    let table = match table::open(positional, Serial) {
        Ok(table) => table,
        Err(error) => {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            assert!(!report.is_ok(), "{error}");
            assert_eq!(table::open(mapped, Serial).unwrap_err().to_string(), error.to_string());
            assert!(LARGEST.load(Ordering::Relaxed) <= room);
            return;
        }
    };
    OPENED.fetch_add(1, Ordering::Relaxed);
    let mapped = table::open(mapped, Serial).unwrap();
    let columns = table.all().columns().unwrap();
    assert_eq!(columns, mapped.all().columns().unwrap());
    let backwards = mapped.rows(recask_core::Index::range(None, None, -1)).unwrap();
    for (column, other) in columns.iter().zip(backwards.columns().unwrap()) {
        assert_eq!(column.len(), other.len());
    }
    table.all().summaries(Missing::Skip).unwrap();
    table.statistics().unwrap();
    for column in table.schema().columns() {
        table.all().distinct(column.name()).unwrap();
        for filter in [col(column.name()).gt(1), col(column.name()).ne("b"), col(column.name()).is_null()] {
            let found = table.filter_by(filter.clone()).map(|rows| rows.row_numbers().unwrap());
            let expected = mapped.filter_by(filter).map(|rows| rows.row_numbers().unwrap());
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (found, expected) => assert_eq!(found.unwrap_err().code(), expected.unwrap_err().code()),
            }
        }
    }
    assert!(LARGEST.load(Ordering::Relaxed) <= room, "{} bytes at once", LARGEST.load(Ordering::Relaxed));
}

fn small_files() -> Vec<Vec<u8>> {
    let all = described("manifest.json").into_iter().chain(described("manifest_v051.json"));
    let files = all.map(|file| golden(field(&file, "file")));
    files.filter(|bytes| bytes.len() < 4000).collect()
}

// One test, since the allocator watches everything that runs.
#[test]
fn no_change_makes_it_panic_or_waste_memory() {
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() };
    let bytes = || proptest::collection::vec(any::<u8>(), 1..10);
    let number = prop_oneof![any::<u64>(), 0..200u64, Just(u64::MAX), Just(1 << 62), Just(1 << 40)];
    let field = (prop_oneof![Just(8usize), Just(16), Just(40)], number);
    proptest!(config, |(
        file in proptest::sample::select(small_files()),
        changes in proptest::collection::vec((any::<u16>(), bytes()), 0..4),
        field in proptest::option::of(field),
        cut in proptest::option::weighted(0.2, any::<u16>()),
        mend in any::<bool>(),
    )| {
        let mut file = file;
        if let Some((at, number)) = field && file.len() >= 48 {
            file[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        exercise(&changed(&file, &changes, cut, mend));
    });
    let (opened, refused) = (OPENED.load(Ordering::Relaxed), REFUSED.load(Ordering::Relaxed));
    assert!(opened > 200 && refused > 200, "{opened} opened, {refused} refused");
}
