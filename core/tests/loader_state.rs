//! The identities of streams, and the state of a loader as a text that comes from anywhere.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use proptest::prelude::*;
use recask_core::format::cstore::Layout as TableLayout;
use recask_core::loader::{Cursor, Feed, Identity, OnLoss, State, Stream};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::storage::{FileId, OpenMode, Storage as _, StorageFile as _};
use recask_core::table::{ColumnInput, Table, TableWriter, WriteOptions, compact, recode};
use recask_core::{Code, Codec, DType, DenseStore, Error, RaggedStore, Sampler};
use xxhash_rust::xxh3::xxh3_64;

type Memory = MemoryEnvironment;

/// Adds up what is allocated.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
/// Held by the test that looks at the count, and by those that run beside it.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises hold for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn alone() -> impl Drop {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn feed(stream: impl Into<Stream<Memory>>) -> Feed<Memory> {
    let stream = stream.into();
    let sampler = Sampler::sequential(stream.len(), 2).build().unwrap();
    Feed::new([("s", stream)], sampler).unwrap()
}

fn identity(stream: impl Into<Stream<Memory>>) -> Identity {
    let [identity] = feed(stream).identities(OnLoss::Fail).unwrap().try_into().unwrap();
    identity
}

/// The lowest 32 bits.
fn sample(bytes: &[u8]) -> Option<u32> {
    u32::try_from(xxh3_64(bytes) & 0xffff_ffff).ok()
}

fn dense(codec: Codec, values: &[u16]) -> (MemoryPlace, DenseStore<Memory>) {
    let place = MemoryPlace::new();
    let mut store = DenseStore::builder(DType::U16, [2]).codec(codec).create(place.clone()).unwrap();
    if !values.is_empty() {
        store.append(values).unwrap();
    }
    (place, store)
}

fn ragged(codec: Codec, records: &[(&[u64], &[u16])]) -> RaggedStore<Memory> {
    let mut store = RaggedStore::builder(DType::U16).codec(codec).create(MemoryPlace::new()).unwrap();
    store.append_shaped(records).unwrap();
    store
}

/// 20 records of two values.
fn pairs() -> Vec<u16> {
    (0..40).collect()
}

fn little(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn samples_are_hashes_that_anybody_can_compute() {
    let _alone = alone();
    let found = identity(dense(Codec::raw(), &pairs()).1);
    assert_eq!((found.name(), found.kind(), found.layout()), ("s", "dense", "<u2 (2,)"));
    let sampled = [0u16, 2, 5, 8, 10, 13, 16, 19];
    assert!(Identity::sampled(20).eq(sampled.map(u64::from)));
    let expected = sampled.map(|record| sample(&little(&[2 * record, 2 * record + 1])));
    assert_eq!(found.samples(), expected);

    let found = identity(ragged(Codec::raw(), &[(&[2, 1], &[7, 8]), (&[], &[9])]));
    assert_eq!((found.kind(), found.layout()), ("ragged", "<u2"));
    let two = [2u64, 2, 1].iter().flat_map(|n| n.to_le_bytes()).chain(little(&[7, 8])).collect::<Vec<_>>();
    let none = [0u64.to_le_bytes().to_vec(), little(&[9])].concat();
    assert_eq!(found.samples(), [sample(&two), sample(&none)]);
}

#[test]
fn samples_of_tables_are_little_endian_whatever_the_file_has() {
    let _alone = alone();
    let table = |id: &str, bytes: &[u8]| {
        let place = MemoryPlace::new();
        let columns = [
            ColumnInput::new("it's", DType::parse(id).unwrap(), bytes),
            ColumnInput::new("label", DType::bytes(2).unwrap(), b"abcd"),
        ];
        Table::<Memory>::create(place.clone(), &columns).unwrap();
        Table::open(place).unwrap()
    };
    let found = identity(table("<i2", &[1, 0, 2, 0]));
    assert_eq!((found.kind(), found.layout()), ("table", r"'it\'s' <i2, 'label' |S2"));
    assert_eq!(found.samples(), [sample(b"\x01\x00ab"), sample(b"\x02\x00cd")]);
    assert_eq!(identity(table(">i2", &[0, 1, 0, 2])), found);

    // The columns and rows that are selected, in their order.
    let some = table("<i2", &[1, 0, 2, 0]).select(["label", "it's"]).unwrap().rows([1, 0, 1]).unwrap();
    let found = identity(some);
    assert_eq!(found.layout(), r"'label' |S2, 'it\'s' <i2");
    assert_eq!(found.samples(), [b"cd\x02\x00", b"ab\x01\x00", b"cd\x02\x00"].map(|row| sample(row)));
}

#[test]
fn how_a_store_keeps_its_records_does_not_matter() {
    let _alone = alone();
    let (_, store) = dense(Codec::raw(), &pairs());
    let (place, mut frames) = dense(Codec::zstd(), &[]);
    store.copy_to(&mut frames, &()).unwrap();
    let expected = identity(store);

    // Two more, deleted again: the store has a hole until it is compacted.
    frames.append(&[1000u16, 1001, 1002, 1003]).unwrap();
    frames.delete([20, 21]).unwrap();
    frames.compact(&()).unwrap();
    drop(frames);
    assert_eq!(identity(DenseStore::<Memory>::open(place).unwrap()), expected);

    let records: [(&[u64], &[u16]); 3] = [(&[2], &[1, 2]), (&[1, 1], &[3]), (&[], &[4])];
    let raw = ragged(Codec::raw(), &records);
    let mut frames = ragged(Codec::zstd(), &records[..1]);
    frames.append_shaped(&records[1..]).unwrap();
    assert_eq!(identity(raw), identity(frames));
}

#[test]
fn how_a_table_keeps_its_rows_does_not_matter() {
    let _alone = alone();
    let place = MemoryPlace::new();
    let layout = WriteOptions { layout: TableLayout::V03, statistics: false };
    let columns = |ids: &'static [u32]| [ColumnInput::of("id", ids)];
    Table::<Memory>::create_with(place.clone(), &columns(&[1, 2, 3]), &layout).unwrap();
    let mut writer = TableWriter::<Memory>::update(place.clone()).unwrap();
    writer.write(&columns(&[4, 5])).unwrap();
    writer.close().unwrap();
    let found = || identity(Table::<Memory>::open(place.clone()).unwrap());
    let expected = found();
    compact::<Memory>(place.clone(), &()).unwrap();
    assert_eq!(found(), expected);
    recode::<Memory>(place.clone(), &WriteOptions { layout: TableLayout::V05, statistics: true }, &())
        .unwrap();
    assert_eq!(found(), expected);
}

#[test]
fn other_values_at_a_sampled_place_are_other_data() {
    let _alone = alone();
    let expected = identity(dense(Codec::raw(), &pairs()).1);
    for record in 0..20usize {
        let mut values = pairs();
        values[2 * record + 1] ^= 0x100;
        let found = identity(dense(Codec::raw(), &values).1);
        let differ: Vec<_> = (0..8).filter(|&i| found.samples()[i] != expected.samples()[i]).collect();
        let sampled: Vec<_> = Identity::sampled(20).collect();
        match sampled.iter().position(|&sampled| sampled == record as u64) {
            Some(at) => assert_eq!(differ, [at]),
            None => assert_eq!(differ, [0; 0]),
        }
    }
    // The same values in another shape are other data too.
    let flat = identity(ragged(Codec::raw(), &[(&[4], &[1, 2, 3, 4])]));
    let square = identity(ragged(Codec::raw(), &[(&[2, 2], &[1, 2, 3, 4])]));
    assert_eq!(flat.layout(), square.layout());
    assert_ne!(flat.samples(), square.samples());
}

#[test]
fn a_state_goes_on_with_the_same_data_only() {
    let _alone = alone();
    let streams = |label: &[u8]| {
        let mut labels = DenseStore::<Memory>::builder(DType::U8, ()).create(MemoryPlace::new()).unwrap();
        labels.append(label).unwrap();
        let mut words = RaggedStore::<Memory>::builder(DType::U8).create(MemoryPlace::new()).unwrap();
        words.append(&vec!["word"; label.len()]).unwrap();
        let sampler = Sampler::cyclic(label.len() as u64, 4).seed(5).build().unwrap();
        Feed::new([("label", Stream::from(labels)), ("word", words.into())], sampler).unwrap()
    };
    let here = streams(&[9; 100]);
    let taken = State::new(here.sampler(), &Cursor::at(7), &here.identities(OnLoss::Fail).unwrap());
    let check = |label: &[u8]| {
        let feed = streams(label);
        let identities = feed.identities(OnLoss::Fail).unwrap();
        taken.to_string().parse::<State>().unwrap().check(feed.sampler().length(), &identities)
    };
    check(&[9; 100]).unwrap();
    let message = |outcome: Result<(), Error>| {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), Code::StateMismatch);
        error.message().to_owned()
    };
    let prefix = "the loader's state was taken from other data: ";
    assert_eq!(message(check(&[9; 101])), format!("{prefix}the streams had 100 records and have 101"));
    let mut other = [9; 100];
    other[99] = 8;
    assert_eq!(message(check(&other)), format!("{prefix}the stream 'label' has other values in record 99"));
}

#[test]
fn a_record_that_is_lost_is_named_or_left_out() {
    let _alone = alone();
    let (place, store) = dense(Codec::raw(), &pairs());
    let feed = feed(store);
    let whole = feed.identities(OnLoss::Fail).unwrap();
    // Records 16 to 19 are gone.
    place.storage().unwrap().open(FileId::Chunk(0), OpenMode::ReadWrite).unwrap().set_len(4 * 16).unwrap();
    let error = feed.identities(OnLoss::Fail).unwrap_err();
    assert_eq!((error.code(), error.stream(), error.record()), (Code::TruncatedFile, Some("s"), Some(16)));
    for on_loss in [OnLoss::SkipRecords, OnLoss::SkipSteps] {
        let [found] = feed.identities(on_loss).unwrap().try_into().unwrap();
        assert_eq!(found.samples()[..6], whole[0].samples()[..6]);
        assert_eq!(found.samples()[6..], [None, None]);
        State::new(feed.sampler(), &Cursor::default(), &whole).check(20, &[found]).unwrap();
    }
}

const LINE: &str = concat!(
    r#"{"recask_loader": 1, "mode": "cyclic", "seed": "42", "batch": "256", "length": "60000", "step": "1000", "#,
    r#""done": ["1002"], "rank": "0", "world": "8", "streams": [{"name": "image", "kind": "dense", "layout": "#,
    r#""|u1 (28, 28)", "samples": ["9f86d081", null, null, null, null, null, null, "822cd15d"]}]}"#
);

/// What a parse of `text` allocated in all, freed or not.
fn allocated(text: &str) -> usize {
    let before = ALLOCATED.load(Ordering::Relaxed);
    let _ = text.parse::<State>();
    ALLOCATED.load(Ordering::Relaxed) - before
}

/// A value of a document takes some dozen bytes, a list that grows twice that, and an error a sentence.
fn in_the_order_of(text: &str) -> usize {
    (4 << 10) + 400 * text.len()
}

#[test]
fn a_hostile_text_takes_memory_in_the_order_of_its_length() {
    let _alone = alone();
    let list = |item: &str, count| format!("[{}]", vec![item; count].join(","));
    let done = |list: &str| LINE.replace(r#"["1002"]"#, list);
    for text in [
        list("[]", 10_000),
        list("{\"\":{}}", 10_000),
        "[".repeat(10_000),
        done(&list("1", 10_000)),
        done(&format!("[{}]", (1001..6000).map(|step| step.to_string()).collect::<Vec<_>>().join(","))),
        LINE.replace("\"42\"", &"9".repeat(100_000)),
        LINE.replace("cyclic", &"x".repeat(100_000)),
        LINE.replace("60000", "18446744073709551615"),
        LINE.replace("[{", &format!("[{}", "{},".repeat(10_000))),
    ] {
        let bytes = allocated(&text);
        assert!(bytes <= in_the_order_of(&text), "{bytes} for {} of {}", text.len(), &text[..40]);
    }
}

proptest! {
    #[test]
    fn a_mutated_text_is_read_or_refused(
        edits in prop::collection::vec((0..LINE.len(), 0usize..4, "[\\PC\"{}\\[\\],:0-9\\\\u]{0,4}"), 1..6),
    ) {
        let _alone = alone();
        let mut text = LINE.to_owned();
        for (at, cut, with) in edits {
            let mut at = at.min(text.len());
            let mut end = (at + cut).min(text.len());
            while !text.is_char_boundary(at) { at -= 1; }
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(at..end, &with);
        }
        prop_assert!(allocated(&text) <= in_the_order_of(&text));
        match text.parse::<State>() {
            Ok(state) => prop_assert_eq!(&state.to_string().parse::<State>().unwrap(), &state),
            Err(error) => {
                let known = [Code::InvalidArgument, Code::UnsupportedVersion];
                prop_assert!(known.contains(&error.code()), "{error:?}");
                prop_assert!(error.message().len() < 400);
            }
        }
    }
}
