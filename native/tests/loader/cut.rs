//! A file that is cut while a loader reads it.

use std::fs::OpenOptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use recask::loader::{Batch, LoaderBuilder, OnLoss, Report};
use recask::{Code, DType, DenseStore, Error, Loader, Sampler};
use tempfile::TempDir;

use super::watchdog::watch;

const RECORDS: u64 = 64;
const BATCH: u64 = 8;
const WIDTH: u64 = 4096;
/// Steps of one pass.
const PASS: u64 = RECORDS / BATCH;

/// Workers and prefetch.
const WAYS: [(usize, usize); 4] = [(0, 0), (1, 0), (2, 1), (3, 4)];

/// A label and an image a record; the file of the images can be cut.
struct Streams {
    folder: TempDir,
}

impl Streams {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut image = DenseStore::builder(DType::U8, [WIDTH]).create(folder.path().join("image")).unwrap();
        let width = usize::try_from(WIDTH).unwrap();
        let values = (0..RECORDS).flat_map(|record| vec![u8::try_from(record).unwrap(); width]);
        image.append(&values.collect::<Vec<_>>()).unwrap();
        let mut label = DenseStore::builder(DType::U64, ()).create(folder.path().join("label")).unwrap();
        label.append(&(0..RECORDS).collect::<Vec<_>>()).unwrap();
        Streams { folder }
    }

    fn loader(&self) -> LoaderBuilder {
        let open = |name: &str| DenseStore::open(self.folder.path().join(name)).unwrap();
        Loader::builder()
            .stream("label", open("label"))
            .stream("image", open("image"))
            .sampler(Sampler::sequential(RECORDS, BATCH).build().unwrap())
    }

    /// Leaves the images of the records below `first_lost`.
    fn cut(&self, first_lost: u64) {
        let file = OpenOptions::new().write(true).open(self.folder.path().join("image/0.chunk")).unwrap();
        let whole = file.metadata().unwrap().len();
        file.set_len(whole - (RECORDS - first_lost) * WIDTH).unwrap();
    }
}

/// Starts a loader and cuts a file when everything is made that can be made ahead, so that nobody is reading: in the middle of
/// the step behind. Tells that step and the first record that is lost.
fn cut_after_start(on_loss: OnLoss, workers: usize, prefetch: usize) -> (Streams, Loader, u64, u64) {
    let streams = Streams::new();
    let made = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&made);
    let transform = move |batch: Batch| {
        count.fetch_add(1, SeqCst);
        Ok::<_, Error>(batch)
    };
    let builder = streams.loader().on_loss(on_loss).workers(workers).prefetch(prefetch);
    let loader = builder.transform(transform).start().unwrap();
    let ahead = if workers == 0 { 0 } else { (workers + prefetch) as u64 };
    while made.load(SeqCst) < ahead {
        thread::sleep(Duration::from_millis(1));
    }
    let first_lost = ahead * BATCH + 3;
    streams.cut(first_lost);
    (streams, loader, ahead, first_lost)
}

fn records(step: u64) -> impl Iterator<Item = u64> {
    (0..BATCH).map(move |position| (step * BATCH + position) % RECORDS)
}

fn check(batch: &Batch, expected: impl Iterator<Item = u64>) {
    let expected: Vec<_> = expected.collect();
    assert_eq!(batch.indices(), expected);
    assert_eq!(batch.dense("label").unwrap().values::<u64>().unwrap(), expected);
    let images = batch.dense("image").unwrap();
    assert_eq!(images.shape(), [expected.len() as u64, WIDTH]);
    for (position, &record) in expected.iter().enumerate() {
        assert!(images.record(position).unwrap().iter().all(|&value| u64::from(value) == record));
    }
}

#[test]
fn the_error_names_stream_record_and_step() {
    let _watchdog = watch("the_error_names_stream_record_and_step");
    for (workers, prefetch) in WAYS {
        let (_streams, mut loader, cut, first_lost) = cut_after_start(OnLoss::Fail, workers, prefetch);
        for step in 0..cut {
            check(&loader.next().unwrap().unwrap(), records(step));
        }
        let error = loader.next().unwrap().unwrap_err();
        assert_eq!(error.code(), Code::TruncatedFile, "{error}");
        let place = (error.stream(), error.record(), error.step());
        assert_eq!(place, (Some("image"), Some(first_lost), Some(cut)), "{error}");
        assert!(loader.next().is_none() && loader.next().is_none());
        assert_eq!(loader.step(), cut);
    }
}

#[test]
fn without_lost_records_it_goes_on_and_counts_them() {
    let _watchdog = watch("without_lost_records_it_goes_on_and_counts_them");
    for (workers, prefetch) in WAYS {
        let (_streams, mut loader, cut, first_lost) = cut_after_start(OnLoss::SkipRecords, workers, prefetch);
        let (mut batches, mut kept, mut lost) = (0, 0, Vec::new());
        // Two passes and a step of the third, which is after those of which nothing is left.
        for step in 0..=2 * PASS {
            let is_lost = |record: &u64| step >= cut && *record >= first_lost;
            lost.extend(records(step).filter(is_lost));
            let left: Vec<_> = records(step).filter(|record| !is_lost(record)).collect();
            if !left.is_empty() {
                let batch = loader.next().unwrap().unwrap();
                assert_eq!(batch.step(), step);
                (batches, kept) = (batches + 1, kept + left.len() as u64);
                check(&batch, left.into_iter());
            }
        }
        // What was made ahead of the caller is not counted yet.
        let report = loader.report();
        assert_eq!((report.batches, report.records), (batches, kept));
        assert_eq!(report.skipped_steps, 2 * PASS + 1 - batches);
        assert_eq!(report.lost_records, lost.len() as u64);
        lost.truncate(Report::LOSSES);
        assert!(report.losses.iter().map(|loss| loss.record).eq(lost));
        for loss in &report.losses {
            assert_eq!((&loss.stream[..], loss.error.code()), ("image", Code::TruncatedFile));
            assert_eq!((loss.error.step(), loss.error.record()), (Some(loss.step), Some(loss.record)));
        }
    }
}

#[test]
fn without_lost_steps_every_batch_keeps_its_size() {
    let _watchdog = watch("without_lost_steps_every_batch_keeps_its_size");
    for (workers, prefetch) in WAYS {
        let streams = Streams::new();
        let builder = streams.loader().on_loss(OnLoss::SkipSteps).workers(workers).prefetch(prefetch);
        streams.cut(19);
        let mut loader = builder.start().unwrap();
        // Record 19 is one of step 2.
        for step in [0, 1, 8, 9, 16] {
            let (came, batch) = loader.next_with_step().unwrap().unwrap();
            assert_eq!((came, batch.step()), (step, step));
            check(&batch, records(step));
        }
        assert_eq!(loader.report().skipped_steps, 12);
        assert_eq!(loader.state().unwrap().step(), 17);
    }
}

#[test]
fn losses_are_counted_further_than_they_are_kept() {
    let _watchdog = watch("losses_are_counted_further_than_they_are_kept");
    let streams = Streams::new();
    let builder = streams.loader().on_loss(OnLoss::SkipRecords);
    streams.cut(24);
    let mut loader = builder.start().unwrap();
    for step in [0, 1, 2, 8, 9, 10, 16, 17, 18, 24] {
        assert_eq!(loader.next().unwrap().unwrap().step(), step);
    }
    let report = loader.report();
    assert_eq!((report.lost_records, report.losses.len()), (3 * 40, Report::LOSSES));
}

#[test]
fn a_stream_that_is_lost_as_a_whole_ends_the_run() {
    let _watchdog = watch("a_stream_that_is_lost_as_a_whole_ends_the_run");
    for on_loss in [OnLoss::SkipRecords, OnLoss::SkipSteps] {
        for workers in [0, 2] {
            let streams = Streams::new();
            let builder = streams.loader().on_loss(on_loss).workers(workers);
            streams.cut(0);
            let mut loader = builder.start().unwrap();
            let error = loader.next().unwrap().unwrap_err();
            assert_eq!((error.code(), error.stream()), (Code::TruncatedFile, Some("image")), "{error}");
            assert!(error.message().contains("nothing of 1000 steps in a row could be read"), "{error}");
            assert_eq!((error.step(), loader.report().skipped_steps), (Some(999), 1000));
            assert!(loader.next().is_none() && loader.next().is_none());
        }
    }
}

#[test]
fn a_file_that_was_cut_before_is_told_when_the_state_is_asked_for() {
    let _watchdog = watch("a_file_that_was_cut_before_is_told_when_the_state_is_asked_for");
    let streams = Streams::new();
    let builder = streams.loader();
    streams.cut(40);
    let error = builder.start().unwrap().state().unwrap_err();
    assert_eq!((error.code(), error.stream()), (Code::TruncatedFile, Some("image")), "{error}");
    // The first one that is lost of those by which data is known: every ninth.
    assert_eq!(error.record(), Some(45), "{error}");
}
