//! How much memory a loader takes, counted by the allocator of this process: no other tests are in it for that reason.

mod loader {
    pub(crate) mod watchdog;
}

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use loader::watchdog::{watch, watch_for};
use recask::loader::{Batch, LoaderBuilder, Stream, StreamBatch};
use recask::table::ColumnInput;
use recask::{Code, Codec, DType, DenseStore, Loader, RaggedStore, Table};
use recask_core::loader as core;
use tempfile::TempDir;

/// Counts bytes that are in use, and allocations that are large.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGE: AtomicUsize = AtomicUsize::new(0);
/// From how many bytes on an allocation is large.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

fn count(bytes: usize) {
    PEAK.fetch_max(LIVE.fetch_add(bytes, SeqCst) + bytes, SeqCst);
    if bytes >= THRESHOLD.load(SeqCst) {
        LARGE.fetch_add(1, SeqCst);
    }
}

// SAFETY: all of it is the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the same contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may exist for a moment.
        count(size);
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller keeps the same contract.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller keeps the same contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The tests of this process come one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const LENGTH: usize = 400;
const WIDTH: usize = 16 << 10;
const BATCH: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Raw,
    Zstd,
    Ragged,
    Table,
}

fn write(path: &Path, kind: Kind) -> Stream {
    match kind {
        Kind::Raw | Kind::Zstd => {
            let codec = if kind == Kind::Raw { Codec::raw() } else { Codec::zstd() };
            let mut store = DenseStore::builder(DType::U8, [WIDTH as u64]).codec(codec).create(path).unwrap();
            let record = |i: usize| vec![u8::try_from(i % 256).unwrap(); WIDTH];
            store.append(&(0..LENGTH).flat_map(record).collect::<Vec<_>>()).unwrap();
            store.into()
        }
        Kind::Ragged => {
            // From 1 to 1000 texts of 32 bytes.
            let mut store = RaggedStore::builder("|S32".parse().unwrap()).create(path).unwrap();
            for i in 0..LENGTH {
                let length = 1 + i * 387 % 1000;
                store.append_bytes(&[(&[length as u64], &vec![b'x'; 32 * length])]).unwrap();
            }
            store.into()
        }
        Kind::Table => {
            let (text, values) = (|| "|S8192".parse().unwrap(), vec![b'x'; LENGTH * 8192]);
            let columns = [ColumnInput::new("a", text(), &values), ColumnInput::new("b", text(), &values)];
            Table::create(path, &columns).unwrap().into()
        }
    }
}

fn stream(kind: Kind) -> (TempDir, Stream) {
    let folder = tempfile::tempdir().unwrap();
    let stream = write(&folder.path().join("data"), kind);
    (folder, stream)
}

fn load(stream: &Stream) -> LoaderBuilder {
    Loader::builder().stream("data", stream.clone()).batch(BATCH).seed(1)
}

/// Where the values of a batch lie.
fn place(batch: &core::Batch) -> usize {
    let values = match batch.stream("data").unwrap() {
        StreamBatch::Dense(values) => values.as_bytes(),
        StreamBatch::Ragged(values) => values.as_bytes(),
        StreamBatch::Table(columns) => columns[0].as_bytes(),
    };
    values.as_ptr().addr()
}

/// A batch that is counted while it is alive.
struct Counted {
    batch: Batch,
    alive: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, SeqCst);
    }
}

fn a_slow_caller_takes_no_more_than_the_budget(kind: Kind) {
    const STEPS: u64 = 300;
    let _alone = alone();
    let _watchdog = watch_for("a_slow_caller_takes_no_more_than_the_budget", Duration::from_secs(60));
    let (_folder, stream) = stream(kind);
    // Threads and decoders that stay are made before it is counted.
    load(&stream).start().unwrap().take(20).for_each(|batch| drop(batch.unwrap()));

    for (workers, prefetch) in [(0, 0), (1, 0), (2, 4)] {
        let base = LIVE.load(SeqCst);
        PEAK.store(base, SeqCst);
        let builder = load(&stream).workers(workers).prefetch(prefetch);
        let budget = builder.budget().unwrap();
        let most_batches = prefetch + workers.max(1) + 1;
        assert_eq!(budget.batches(), most_batches as u64);
        let batch_bytes = usize::try_from(budget.batch_bytes()).unwrap();

        let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let places = Arc::new(Mutex::new(BTreeSet::new()));
        let transform = {
            let (alive, most, places) = (Arc::clone(&alive), Arc::clone(&most), Arc::clone(&places));
            move |batch: Batch| {
                let bytes = batch.memory_bytes();
                if bytes > budget.batch_bytes() {
                    return Err(format!("{bytes} bytes of {}", budget.batch_bytes()));
                }
                most.fetch_max(alive.fetch_add(1, SeqCst) + 1, SeqCst);
                places.lock().unwrap().insert(place(&batch));
                Ok(Counted { batch, alive: Arc::clone(&alive) })
            }
        };
        let mut loader = builder.transform(transform).start().unwrap();
        // Until all is made that can be made beside the one that the caller has.
        let held = loader.next().unwrap().unwrap();
        while workers > 0 && alive.load(SeqCst) < most_batches {
            thread::sleep(Duration::from_millis(1));
        }
        drop(held);
        // Half a batch; a table has its values in two columns.
        THRESHOLD.store(batch_bytes / if kind == Kind::Table { 4 } else { 2 }, SeqCst);
        LARGE.store(0, SeqCst);
        for step in 1..STEPS {
            let counted = loader.next().unwrap().unwrap();
            assert_eq!(counted.batch.step(), step);
            if step.is_multiple_of(10) {
                thread::sleep(Duration::from_millis(1));
            }
        }
        THRESHOLD.store(usize::MAX, SeqCst);
        drop(loader);

        let (peak, all_bytes) = (PEAK.load(SeqCst) - base, usize::try_from(budget.bytes()).unwrap());
        // Threads, lists and decoders take less than another batch.
        let beside = 256 << 10;
        assert!(beside < batch_bytes / 2);
        assert!(peak <= all_bytes + beside, "{kind:?}: {peak} bytes, not {all_bytes}");
        let made = if workers == 0 { 1 } else { most_batches };
        assert_eq!((most.load(SeqCst), alive.load(SeqCst)), (made, 0));
        if kind != Kind::Ragged {
            // All memory was there in the beginning, and went from batch to batch.
            assert_eq!((places.lock().unwrap().len(), LARGE.load(SeqCst)), (made, 0), "{kind:?}");
            assert!(peak >= made * batch_bytes, "{kind:?}: {peak} bytes, not {made} times {batch_bytes}");
        }
    }
}

#[test]
fn a_slow_caller_of_dense_records() {
    a_slow_caller_takes_no_more_than_the_budget(Kind::Raw);
}

#[test]
fn a_slow_caller_of_compressed_records() {
    a_slow_caller_takes_no_more_than_the_budget(Kind::Zstd);
}

#[test]
fn a_slow_caller_of_ragged_records() {
    a_slow_caller_takes_no_more_than_the_budget(Kind::Ragged);
}

#[test]
fn a_slow_caller_of_a_table() {
    a_slow_caller_takes_no_more_than_the_budget(Kind::Table);
}

#[test]
fn a_caller_that_keeps_all_batches_is_told() {
    let _alone = alone();
    let _watchdog = watch("a_caller_that_keeps_all_batches_is_told");
    let (_folder, stream) = stream(Kind::Raw);
    for workers in 0..3 {
        for prefetch in 0..3 {
            let mut loader = load(&stream).workers(workers).prefetch(prefetch).start().unwrap();
            let all = prefetch + workers.max(1) + 1;
            let mut kept: Vec<_> = loader.by_ref().take(all).map(Result::unwrap).collect();
            for _ in 0..3 {
                let error = loader.next().unwrap().unwrap_err();
                assert_eq!(error.code(), Code::BatchesHeld, "{workers} workers, prefetch {prefetch}");
                assert_eq!(loader.step(), all as u64);
            }
            // Each that is dropped makes room for one.
            for next in all..all + 5 {
                drop(kept.swap_remove(next % all));
                kept.push(loader.next().unwrap().unwrap());
                assert_eq!(kept[all - 1].step(), next as u64);
                assert_eq!(loader.next().unwrap().unwrap_err().code(), Code::BatchesHeld);
            }
            assert_eq!(kept.iter().map(|batch| place(batch)).collect::<BTreeSet<_>>().len(), all);
        }
    }
}

#[test]
fn a_detached_batch_is_the_callers() {
    let _alone = alone();
    let _watchdog = watch("a_detached_batch_is_the_callers");
    let (_folder, stream) = stream(Kind::Raw);
    let loader = load(&stream).workers(1).prefetch(0).start().unwrap();
    let kept: Vec<_> = loader.take(20).map(|batch| batch.unwrap().detach()).collect();
    assert_eq!(kept.iter().map(place).collect::<BTreeSet<_>>().len(), 20);
    // Nothing was written over them.
    for (step, batch) in kept.iter().enumerate() {
        assert_eq!((batch.step(), batch.len()), (step as u64, 64));
        let records = batch.dense("data").unwrap().as_bytes().chunks(WIDTH);
        for (record, &index) in records.zip(batch.indices()) {
            assert!(record.iter().all(|&value| u64::from(value) == index % 256));
        }
    }
}

#[test]
fn a_limit_below_the_budget_is_refused_before_anything_is_read() {
    let _alone = alone();
    let _watchdog = watch("a_limit_below_the_budget_is_refused_before_anything_is_read");
    for kind in [Kind::Raw, Kind::Ragged, Kind::Table] {
        let (folder, stream) = stream(kind);
        let builder = || load(&stream).workers(3).prefetch(2);
        let budget = builder().budget().unwrap();
        assert_eq!(budget.bytes(), 6 * budget.batch_bytes());
        let limited = |bytes| builder().memory_limit(bytes).start();
        assert!(limited(budget.bytes()).unwrap().next().unwrap().is_ok());
        let error = limited(budget.bytes() - 1).unwrap_err();
        assert_eq!(error.code(), Code::TooLarge);
        for number in [6, budget.batch_bytes(), budget.bytes(), budget.bytes() - 1] {
            assert!(error.message().contains(&number.to_string()), "{error}");
        }
        if kind == Kind::Raw {
            // Reading would show that the values are gone.
            let chunk = folder.path().join("data/0.chunk");
            std::fs::OpenOptions::new().write(true).open(chunk).unwrap().set_len(0).unwrap();
            let read = limited(budget.bytes()).unwrap().next().unwrap().map(drop);
            assert_eq!(read.unwrap_err().code(), Code::TruncatedFile);
            assert_eq!(limited(budget.bytes() - 1).unwrap_err().code(), Code::TooLarge);
        }
    }
}

#[test]
fn loaders_that_were_dropped_leave_nothing() {
    let _alone = alone();
    let _watchdog = watch("loaders_that_were_dropped_leave_nothing");
    let (_folder, stream) = stream(Kind::Raw);
    let after = |rounds: usize| {
        for round in 0..rounds {
            let mut loader = load(&stream).start().unwrap();
            let kept: Vec<_> = loader.by_ref().take(round % 4).map(Result::unwrap).collect();
            // In either order.
            if round.is_multiple_of(2) {
                drop(loader);
            }
            drop(kept);
        }
        LIVE.load(SeqCst)
    };
    let (few, many) = (after(10), after(60));
    assert!(many <= few + (64 << 10), "{few} bytes became {many}");
}
