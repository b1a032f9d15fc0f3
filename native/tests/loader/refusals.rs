//! What a loader refuses, and what it reports.

use std::time::Duration;

use recask::loader::LoaderBuilder;
use recask::{Code, DType, DenseStore, Loader, Mode, Sampler};

use super::data::{Data, Kind};
use super::watchdog::watch;

fn refused(builder: LoaderBuilder, code: Code, said: &[&str]) {
    for error in [builder.budget().unwrap_err(), builder.start().unwrap_err()] {
        assert_eq!(error.code(), code, "{error}");
        for said in said {
            assert!(error.message().contains(said), "{said} is not in: {error}");
        }
    }
}

#[test]
fn streams_that_do_not_fit_together() {
    let _watchdog = watch("streams_that_do_not_fit_together");
    refused(Loader::builder(), Code::InvalidArgument, &["at least one stream"]);
    let (long, short) = (Data::new(&[Kind::Raw, Kind::Table], 12), Data::new(&[Kind::Ragged], 7));
    let with = |name: &str, data: &Data| long.loader().stream(name, data.streams().next().unwrap().1);
    refused(with("words", &short), Code::ShapeMismatch, &["'s0' has 12", "'s1' has 12", "'words' has 7"]);
    refused(with("s1", &long), Code::InvalidArgument, &["two streams are called 's1'"]);
    let folder = tempfile::tempdir().unwrap();
    let empty = DenseStore::builder(DType::U8, [2]).create(folder.path().join("empty")).unwrap();
    let builder = Loader::builder().stream("nothing", empty);
    refused(builder, Code::InvalidArgument, &["'nothing' has no records"]);
}

#[test]
fn orders_without_a_meaning() {
    let _watchdog = watch("orders_without_a_meaning");
    let data = Data::new(&[Kind::Raw], 12);
    let loader = || data.loader();
    refused(loader().batch(0), Code::InvalidArgument, &["batch"]);
    refused(loader().ranks(2, 2), Code::InvalidArgument, &["rank"]);
    refused(loader().ranks(0, 0), Code::InvalidArgument, &["world"]);
    let sampled = |length| loader().sampler(Sampler::cyclic(length, 3).seed(1).build().unwrap());
    refused(sampled(12).batch(3), Code::InvalidArgument, &["sampler", "batch"]);
    refused(sampled(12).mode(Mode::Cyclic), Code::InvalidArgument, &["sampler", "mode"]);
    refused(sampled(12).seed(1), Code::InvalidArgument, &["sampler", "seed"]);
    refused(sampled(12).ranks(0, 1), Code::InvalidArgument, &["sampler", "ranks"]);
    refused(sampled(13), Code::InvalidArgument, &["12", "13"]);
}

#[test]
fn batches_beyond_all_memory() {
    let _watchdog = watch("batches_beyond_all_memory");
    let data = Data::new(&[Kind::Raw], 12);
    // A cyclic batch is no larger than the data.
    let mut loader = data.loader().batch(u64::MAX).seed(1).start().unwrap();
    assert_eq!(loader.next().unwrap().unwrap().len(), 12);
    // Others are as large as was asked for.
    let loader = || data.loader().batch(u64::MAX / 4).mode(Mode::IidSeek).seed(1);
    assert_eq!(loader().budget().unwrap_err().code(), Code::TooLarge);
    assert_eq!(loader().memory_limit(u64::MAX).start().unwrap_err().code(), Code::TooLarge);
    let error = loader().start().unwrap().next().unwrap().unwrap_err();
    assert_eq!((error.code(), error.step()), (Code::TooLarge, Some(0)), "{error}");
}

#[test]
fn names_and_kinds_that_a_batch_does_not_have() {
    let _watchdog = watch("names_and_kinds_that_a_batch_does_not_have");
    let data = Data::new(&[Kind::Raw, Kind::Table], 12);
    let batch = data.loader().batch(3).seed(1).start().unwrap().next().unwrap().unwrap();
    let error = batch.dense("image").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("'s0', 's1'"), "{error}");
    assert_eq!(batch.ragged("s1").unwrap_err().code(), Code::KindMismatch);
    assert_eq!(batch.table("s1").unwrap().column("weight").unwrap_err().code(), Code::ColumnNotFound);
}

#[test]
fn the_report_counts_what_came() {
    let _watchdog = watch("the_report_counts_what_came");
    let data = Data::new(&[Kind::Raw, Kind::Table], 12);
    let mut loader = data.loader().batch(3).seed(1).start().unwrap();
    for batch in loader.by_ref().take(7) {
        drop(batch.unwrap());
    }
    let report = loader.report();
    // Six elements of 4 bytes; 8 and 4 bytes in columns.
    assert_eq!((report.batches, report.records, report.value_bytes), (7, 21, 21 * (6 * 4 + 8 + 4)));
    assert_eq!((report.lost_records, report.skipped_steps, report.losses.len()), (0, 0, 0));
    assert!(report.waited > Duration::ZERO);
}
