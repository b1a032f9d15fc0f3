//! Records that are lost while a loader reads them: which one the error names, and what is delivered without them.
#![cfg(all(feature = "zstd", feature = "conformance"))]

mod engine;
#[allow(dead_code, reason = "one of its functions is enough")]
#[path = "table/laid_out.rs"]
mod laid_out;
mod loss;

use std::sync::Arc;

use engine::random::Random;
use engine::{Handle, Kind, Setup};
use loss::{NAMES, Others, Scene, Snapshot, TableFile, Value, check, cut, overwrite, setups, store, values};
use recask_core::codec::Codec;
use recask_core::loader::{Feed, OnLoss, Stream};
use recask_core::storage::fault::{FaultEnvironment, FaultStorage};
use recask_core::storage::{FileId, StorageErrorKind};
use recask_core::table::ColumnData;
use recask_core::{Code, Sampler};

fn without(truth: &[Value], lost: &[u64]) -> Vec<Option<Value>> {
    (0..).zip(truth).map(|(index, value)| (!lost.contains(&index)).then(|| value.clone())).collect()
}

/// The stores with one chunk and one segment.
fn plain_setups() -> Vec<Setup> {
    [Kind::Dense(40), Kind::Ragged]
        .into_iter()
        .flat_map(|kind| [Codec::raw(), Codec::zstd()].map(|codec| Setup::new(kind, codec)))
        .collect()
}

#[test]
fn streams_in_order_lose_nothing() {
    for setup in setups() {
        let scene = store(&setup, 10, 1);
        check(&scene.stream, &without(&scene.truth, &[]), Others::Delivered, &format!("{setup:?}"));
    }
    let scene = loss::table(&[TableFile(vec![3, 5]), TableFile(vec![4])], &[2, 0, 1], |rows| rows);
    check(&scene.stream, &without(&scene.truth, &[]), Others::Delivered, "a table");
}

#[test]
fn a_cut_chunk_loses_the_records_behind_its_end() {
    for setup in plain_setups() {
        for first_lost in [0, 6, 9] {
            let scene = store(&setup, 10, 2);
            let before = Snapshot::of(&setup, &scene);
            // One byte of its last half is missing.
            let (entry, ..) = before.entry(*before.physical(first_lost).last().unwrap());
            cut(&scene.places[0], FileId::Chunk(0), entry.end() - 1);
            let lost: Vec<u64> = (first_lost..10).collect();
            let context = format!("{setup:?} from record {first_lost} on");
            check(&scene.stream, &without(&scene.truth, &lost), Others::Refused, &context);
        }
    }
}

#[test]
fn a_cut_table_of_records_loses_those_whose_entries_are_gone() {
    for setup in plain_setups() {
        for first_lost in [0, 5, 9] {
            let scene = store(&setup, 10, 3);
            let before = Snapshot::of(&setup, &scene);
            let (_, segment, end) = before.entry(*before.physical(first_lost).last().unwrap());
            cut(&scene.places[0], segment, end - 1);
            let lost: Vec<u64> = (first_lost..10).collect();
            let context = format!("{setup:?} from record {first_lost} on");
            check(&scene.stream, &without(&scene.truth, &lost), Others::Refused, &context);
        }
    }
}

#[test]
fn a_corrupt_frame_loses_its_record_alone() {
    for kind in [Kind::Dense(40), Kind::Ragged] {
        let setup = Setup::new(kind, Codec::zstd());
        for half in 0..if kind == Kind::Ragged { 2 } else { 1 } {
            let scene = store(&setup, 10, 4);
            let before = Snapshot::of(&setup, &scene);
            for record in [2, 3, 8] {
                let (entry, ..) = before.entry(before.physical(record)[half]);
                // The magic number of zstd.
                overwrite(&scene.places[0], FileId::Chunk(0), entry.offset.into(), &[0]);
            }
            let context = format!("{kind:?}, half {half}");
            check(&scene.stream, &without(&scene.truth, &[2, 3, 8]), Others::Delivered, &context);
        }
    }
}

#[test]
fn an_impossible_entry_loses_its_record_alone() {
    for setup in plain_setups() {
        let scene = store(&setup, 10, 5);
        let before = Snapshot::of(&setup, &scene);
        for (record, field, bytes) in [(1, 12, 7u32), (4, 8, 0), (7, 0, u32::MAX)] {
            let (_, segment, end) = before.entry(before.physical(record)[0]);
            overwrite(&scene.places[0], segment, end - 16 + field, &bytes.to_le_bytes());
        }
        check(&scene.stream, &without(&scene.truth, &[1, 4, 7]), Others::Delivered, &format!("{setup:?}"));
    }
}

#[test]
fn a_shape_that_contradicts_its_record_loses_it() {
    let setup = Setup::new(Kind::Ragged, Codec::raw());
    let scene = store(&setup, 10, 6);
    let (entry, ..) = Snapshot::of(&setup, &scene).entry(2 * 4 + 1);
    overwrite(&scene.places[0], FileId::Chunk(0), entry.offset.into(), &99u64.to_le_bytes());
    check(&scene.stream, &without(&scene.truth, &[4]), Others::Delivered, "rank 99");
}

#[test]
fn everything_may_be_lost() {
    for setup in plain_setups() {
        let scene = store(&setup, 10, 7);
        cut(&scene.places[0], FileId::Chunk(0), 0);
        cut(&scene.places[0], FileId::Loc(0), 0);
        let lost: Vec<u64> = (0..10).collect();
        check(&scene.stream, &without(&scene.truth, &lost), Others::Refused, &format!("{setup:?}"));
    }
}

#[test]
fn any_damage_of_a_store_loses_what_it_hits_and_nothing_else() {
    let rounds = if engine::slow() { 2000 } else { 60 };
    let mut lossy = 0;
    for setup in setups() {
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let count = 1 + random.below(12);
            let scene = store(&setup, count, seed);
            let place = &scene.places[0];
            let files = Snapshot::of(&setup, &scene);
            let ids = files.ids();
            let mut any = || ids[usize::try_from(random.below(ids.len() as u64)).unwrap()];
            let (flipped, cut_ids) = ((0..2).map(|_| any()).collect::<Vec<_>>(), [any(), any()]);
            for id in flipped.into_iter().take(usize::try_from(random.below(3)).unwrap()) {
                let at = random.below(files.len(id).max(1));
                overwrite(place, id, at, &[u8::try_from(random.below(256)).unwrap()]);
            }
            // A handle that opens the damaged files says what is left of them before they are cut as well.
            let damaged = Snapshot::of(&setup, &scene);
            let mut expected = damaged.read(count);
            for id in cut_ids.into_iter().take(usize::try_from(random.below(3)).unwrap()) {
                let len = random.below(damaged.len(id) + 1);
                cut(place, id, len.min(Snapshot::of(&setup, &scene).len(id)));
                for record in 0..count {
                    if damaged.needs(record, id, len) {
                        expected[usize::try_from(record).unwrap()] = None;
                    }
                }
            }
            lossy += u64::from(expected.contains(&None));
            check(&scene.stream, &expected, Others::Either, &format!("{setup:?}, seed {seed}"));
        }
    }
    assert!(lossy > rounds * 4, "only {lossy} stores lost anything");
}

/// Cuts files of a table and says which rows are lost.
fn cut_table(
    scene: &Scene,
    files: &[TableFile],
    columns: &[usize],
    lens: &[Option<u64>],
    rows: &[u64],
) -> Vec<u64> {
    for (place, len) in scene.places.iter().zip(lens) {
        len.iter().for_each(|&len| cut(place, FileId::Table, len));
    }
    let is_lost = |mut row: u64| {
        for (file, len) in files.iter().zip(lens) {
            if row < file.rows() {
                return columns.iter().any(|&column| len.is_some_and(|len| file.end_of(row, column) > len));
            }
            row -= file.rows();
        }
        false
    };
    (0..).zip(rows).filter(|&(_, &row)| is_lost(row)).map(|(position, _)| position).collect()
}

#[test]
fn a_cut_table_loses_the_rows_of_which_a_selected_value_is_gone() {
    let files = [TableFile(vec![4, 6])];
    let rows: Vec<u64> = (0..10).collect();
    // Of the second record, the first column is whole, and the second one ends in row 7.
    let len = files[0].end_of(7, 1) - 1;
    for (columns, lost) in [
        (&[0, 1, 2][..], &[4, 5, 6, 7, 8, 9][..]),
        (&[1, 0], &[7, 8, 9]),
        (&[0], &[]),
        (&[2], &[4, 5, 6, 7, 8, 9]),
    ] {
        let scene = loss::table(&files, columns, |rows| rows);
        assert_eq!(cut_table(&scene, &files, columns, &[Some(len)], &rows), lost);
        if lost.is_empty() {
            // The file is refused, yet no row of the selection is lost: the error is that of the file.
            let feed =
                Feed::new([("some", scene.stream)], Sampler::sequential(10, 4).build().unwrap()).unwrap();
            let mut batch = feed.new_batch();
            feed.draw(0, None, &mut batch).unwrap();
            let error = feed.fill_surviving(0, OnLoss::Fail, &mut batch, &mut Vec::new()).unwrap_err();
            assert_eq!((error.code(), error.record()), (Code::TruncatedFile, None));
            assert!(feed.fill_surviving(0, OnLoss::SkipSteps, &mut batch, &mut Vec::new()).unwrap());
            assert_eq!(values(&batch, "some"), scene.truth[..4]);
        } else {
            let context = format!("columns {columns:?}");
            check(&scene.stream, &without(&scene.truth, lost), Others::Refused, &context);
        }
    }
}

#[test]
fn of_several_files_only_the_rows_of_the_cut_one_are_lost() {
    let files = [TableFile(vec![4]), TableFile(vec![2, 2]), TableFile(vec![4])];
    let rows: Vec<u64> = (0..12).collect();
    let scene = loss::table(&files, &[0, 1, 2], |rows| rows);
    let len = files[1].end_of(2, 0) - 1;
    assert_eq!(cut_table(&scene, &files, &[0, 1, 2], &[None, Some(len), None], &rows), [6, 7]);
    check(&scene.stream, &without(&scene.truth, &[6, 7]), Others::Either, "the second of three files");
    // Batches of four rows are those of one file each.
    let feed = Feed::new([("some", scene.stream)], Sampler::sequential(12, 4).build().unwrap()).unwrap();
    let mut batch = feed.new_batch();
    for (step, whole) in [(0, true), (1, false), (2, true)] {
        feed.draw(step, None, &mut batch).unwrap();
        let filled = feed.fill_surviving(step, OnLoss::Fail, &mut batch, &mut Vec::new());
        assert_eq!(
            filled.map_err(|error| (error.code(), error.record())),
            if whole { Ok(true) } else { Err((Code::TruncatedFile, Some(6))) }
        );
    }
}

#[test]
fn any_cut_of_a_table_loses_what_it_hits_and_nothing_else() {
    let rounds = if engine::slow() { 5000 } else { 300 };
    let mut lossy = 0;
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let file =
            |random: &mut Random| TableFile((0..1 + random.below(3)).map(|_| random.below(6)).collect());
        let mut files: Vec<TableFile> = (0..1 + random.below(3)).map(|_| file(&mut random)).collect();
        files.push(TableFile(vec![2]));
        let len: u64 = files.iter().map(TableFile::rows).sum();
        let columns = [&[0, 1, 2][..], &[2, 0], &[1], &[0, 2]][usize::try_from(random.below(4)).unwrap()];
        let list = random.some_of(len);
        let way = random.below(3);
        let scene = loss::table(&files, columns, |rows| match way {
            0 => rows,
            1 => rows.rows(recask_core::Index::range(None, None, -1)).unwrap(),
            _ => rows.rows(&list).unwrap(),
        });
        let rows: Vec<u64> = match way {
            0 => (0..len).collect(),
            1 => (0..len).rev().collect(),
            _ => list,
        };
        let lens: Vec<Option<u64>> = files
            .iter()
            .map(|file| {
                let end = (file.rows() > 0).then(|| file.end_of(file.rows() - 1, 2))?;
                (random.below(2) == 0).then(|| end - random.below(end.min(120)))
            })
            .collect();
        let lost = cut_table(&scene, &files, columns, &lens, &rows);
        lossy += u64::from(!lost.is_empty());
        let context = format!("seed {seed}: {files:?} cut to {lens:?}, {columns:?}, {rows:?}");
        check_table(&scene, &lost, &context);
    }
    assert!(lossy > rounds / 3, "only {lossy} tables lost anything");
}

/// As [`check`], where a file may be refused of which no selected row is lost.
fn check_table(scene: &Scene, lost: &[u64], context: &str) {
    if lost.is_empty() {
        let len = scene.truth.len() as u64;
        let feed =
            Feed::new([("some", scene.stream.clone())], Sampler::sequential(len, len).build().unwrap());
        let feed = feed.unwrap();
        let mut batch = feed.new_batch();
        let mut losses = Vec::new();
        feed.draw(0, None, &mut batch).unwrap();
        assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut losses).unwrap(), "{context}");
        assert_eq!((values(&batch, "some"), losses.len()), (scene.truth.clone(), 0), "{context}");
        return;
    }
    check(&scene.stream, &without(&scene.truth, lost), Others::Either, context);
}

#[test]
fn what_one_stream_lost_is_left_out_of_all() {
    let raw = Setup::new(Kind::Dense(40), Codec::raw());
    let zstd = Setup::new(Kind::Ragged, Codec::zstd());
    let (images, tokens) = (store(&raw, 8, 8), store(&zstd, 8, 9));
    let rows = loss::table(&[TableFile(vec![8])], &[0, 1, 2], |rows| rows);
    let names = ["images", "tokens", "rows"];
    let scenes = [&images, &tokens, &rows];
    let feed = || {
        let streams = names.iter().copied().zip(scenes.map(|scene| scene.stream.clone()));
        Feed::new(streams, Sampler::sequential(8, 8).build().unwrap()).unwrap()
    };
    let layout = Snapshot::of(&zstd, &tokens);
    for record in [1, 6] {
        let (entry, ..) = layout.entry(2 * record);
        overwrite(&tokens.places[0], FileId::Chunk(0), entry.offset.into(), &[0]);
    }
    cut(&images.places[0], FileId::Chunk(0), 40 * 6);
    cut(&rows.places[0], FileId::Table, TableFile(vec![8]).end_of(2, 2));

    let feed = feed();
    let mut batch = feed.new_batch();
    let mut losses = Vec::new();
    feed.draw(0, None, &mut batch).unwrap();
    assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut losses).unwrap());
    assert_eq!(batch.indices(), [0, 2]);
    for (name, scene) in names.iter().zip(scenes) {
        assert_eq!(values(&batch, name), [0, 2].map(|index| scene.truth[index].clone()), "{name}");
    }
    let seen: Vec<_> =
        losses.iter().map(|loss| (loss.stream.as_str(), loss.record, loss.error.code())).collect();
    let expected = [
        ("images", 6, Code::TruncatedFile),
        ("images", 7, Code::TruncatedFile),
        ("tokens", 1, Code::CorruptRecord),
        ("tokens", 6, Code::CorruptRecord),
        ("rows", 3, Code::TruncatedFile),
        ("rows", 4, Code::TruncatedFile),
        ("rows", 5, Code::TruncatedFile),
        ("rows", 6, Code::TruncatedFile),
        ("rows", 7, Code::TruncatedFile),
    ];
    assert_eq!(seen, expected);

    // All of them are also told where the step is skipped.
    losses.clear();
    feed.draw(0, None, &mut batch).unwrap();
    assert!(!feed.fill_surviving(0, OnLoss::SkipSteps, &mut batch, &mut losses).unwrap());
    assert_eq!(losses.len(), expected.len());
}

#[test]
fn a_stream_before_the_one_that_failed_is_read_again_without_what_that_lost() {
    let raw = Setup::new(Kind::Dense(40), Codec::raw());
    let (first, second) = (store(&raw, 5, 1), store(&raw, 5, 2));
    cut(&second.places[0], FileId::Chunk(0), 40 * 3 + 1);
    let streams = [("first", first.stream), ("second", second.stream)];
    let feed = Feed::new(streams, Sampler::sequential(5, 5).build().unwrap()).unwrap();
    let mut batch = feed.new_batch();
    feed.draw(0, None, &mut batch).unwrap();
    assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut Vec::new()).unwrap());
    assert_eq!(values(&batch, "first"), first.truth[..3]);
    assert_eq!(values(&batch, "second"), second.truth[..3]);
}

#[test]
fn the_empty_share_of_a_rank_is_a_batch_and_no_loss() {
    let raw = Setup::new(Kind::Dense(40), Codec::raw());
    let scene = store(&raw, 5, 1);
    cut(&scene.places[0], FileId::Chunk(0), 1);
    let sampler = Sampler::sequential(5, 2).build().unwrap().shard(2, 3).unwrap();
    let feed = Feed::new([("some", scene.stream)], sampler).unwrap();
    let mut batch = feed.new_batch();
    for on_loss in [OnLoss::SkipRecords, OnLoss::SkipSteps] {
        let mut losses = Vec::new();
        feed.draw(0, None, &mut batch).unwrap();
        assert!(feed.fill_surviving(0, on_loss, &mut batch, &mut losses).unwrap());
        assert_eq!((batch.len(), losses.len()), (0, 0));
    }
}

/// A feed over a store whose reads fail on request.
fn fragile(setup: &Setup) -> (Feed<FaultEnvironment>, FaultStorage) {
    let storage = FaultStorage::new();
    let mut writer: Handle<FaultEnvironment> = setup.create(storage.clone()).unwrap();
    writer.append(&setup.records(&mut Random::new(1), 6)).unwrap();
    drop(writer);
    let stream = match setup.open(storage.clone()).unwrap() {
        Handle::Dense(store) => Stream::Dense(Arc::new(store)),
        Handle::Ragged(store) => Stream::Ragged(Arc::new(store)),
    };
    (Feed::new([("some", stream)], Sampler::sequential(6, 6).build().unwrap()).unwrap(), storage)
}

#[test]
fn neither_locks_nor_refusals_count_as_lost_records() {
    for setup in plain_setups() {
        let (feed, storage) = fragile(&setup);
        let mut batch = feed.new_batch();
        feed.draw(0, None, &mut batch).unwrap();
        storage.forget_operations();
        feed.fill_drawn(0, &mut batch).unwrap();
        for read in 0..storage.reads() {
            for (kind, code) in [
                (StorageErrorKind::Busy, Code::StoreBusy),
                (StorageErrorKind::PermissionDenied, Code::PermissionDenied),
            ] {
                for on_loss in [OnLoss::Fail, OnLoss::SkipRecords, OnLoss::SkipSteps] {
                    let mut losses = Vec::new();
                    storage.forget_operations();
                    storage.fail_read_at(read, kind);
                    let error = feed.fill_surviving(0, on_loss, &mut batch, &mut losses).unwrap_err();
                    assert_eq!(
                        (error.code(), error.stream()),
                        (code, Some("some")),
                        "read {read}: {error:?}"
                    );
                    assert!(losses.is_empty(), "read {read}");
                }
            }
        }
    }
}

#[test]
fn a_read_that_fails_once_loses_nothing() {
    for setup in plain_setups() {
        let (feed, storage) = fragile(&setup);
        let mut batch = feed.new_batch();
        feed.fill(0, &mut batch).unwrap();
        let expected = batch.clone();
        storage.forget_operations();
        feed.fill_drawn(0, &mut batch).unwrap();
        let reads = storage.reads();
        for read in 0..reads {
            let mut losses = Vec::new();
            storage.forget_operations();
            storage.fail_read_at(read, StorageErrorKind::Other);
            assert!(feed.fill_surviving(0, OnLoss::SkipSteps, &mut batch, &mut losses).unwrap());
            assert!(losses.is_empty() && batch == expected, "read {read} of {setup:?}");
        }
    }
}

#[test]
fn columns_have_the_names_of_the_selection_after_a_loss() {
    let files = [TableFile(vec![4])];
    let scene = loss::table(&files, &[2, 0], |rows| rows);
    cut(&scene.places[0], FileId::Table, files[0].end_of(1, 2));
    let feed = Feed::new([("some", scene.stream)], Sampler::sequential(4, 4).build().unwrap()).unwrap();
    let mut batch = feed.new_batch();
    feed.draw(0, None, &mut batch).unwrap();
    assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut Vec::new()).unwrap());
    let columns = batch.table("some").unwrap();
    assert_eq!(columns.iter().map(ColumnData::name).collect::<Vec<_>>(), [NAMES[2], NAMES[0]]);
    assert_eq!(columns.column("id").unwrap().values::<u64>().unwrap(), [0, 0x0101_0101_0101]);
}
