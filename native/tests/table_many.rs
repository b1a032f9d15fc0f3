//! Many files as one table: finding them, shards, one file of many.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use recask::table::{
    ColumnInput, Shards, Table, TableWriter, WriteOptions, append_shard, concat, find, open, open_with,
};
use recask::tuning::{Advice, Tuning};
use recask::{Code, Progress};
use recask_core::format::cstore::Layout;

fn ids(values: &[i64]) -> [ColumnInput<'_>; 1] {
    [ColumnInput::of("id", values)]
}

fn write(path: &Path, values: &[i64]) {
    Table::create(path, &ids(values)).unwrap();
}

fn read(table: &Table) -> Vec<i64> {
    table.column("id").unwrap().values().unwrap().to_vec()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

mod finding {
    use super::*;

    fn found(spec: impl Into<recask::table::Files>, root: &Path) -> Vec<String> {
        let relative = |path: PathBuf| path.strip_prefix(root).unwrap().display().to_string();
        find(spec).unwrap().into_iter().map(relative).collect()
    }

    fn with(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    #[test]
    fn a_folder_is_its_tables_in_the_order_of_their_numbers() {
        let root = tempfile::tempdir().unwrap();
        with(
            root.path(),
            &[
                "run_10.cstore",
                "run_2.cstore",
                "a.cstore",
                "run_2.cstore.draft",
                ".run_3.cstore",
                ".colstore.lock",
                "run_4.csv",
                "cstore",
                "inner/run_1.cstore",
            ],
        );
        fs::create_dir(root.path().join("folder.cstore")).unwrap();
        assert_eq!(found(root.path(), root.path()), ["a.cstore", "run_2.cstore", "run_10.cstore"]);
        let inner = root.path().join("folder.cstore");
        let error = find(&inner).unwrap_err();
        assert_eq!(error.code(), Code::StoreNotFound);
        assert_eq!(
            error.message(),
            format!("there is no table (*.cstore) in the folder {}", inner.display())
        );
    }

    #[test]
    fn a_pattern_is_the_files_that_fit_it() {
        let root = tempfile::tempdir().unwrap();
        with(
            root.path(),
            &[
                "m/1.cstore",
                "m/10.cstore",
                "m/2.cstore",
                "m/2.cstore.draft",
                "m/.3.cstore",
                "n/4.cstore",
                "m/x.y",
            ],
        );
        let pattern = |text: &str| root.path().join(text);
        let root = root.path();
        assert_eq!(found(pattern("m/*.cstore"), root), ["m/1.cstore", "m/2.cstore", "m/10.cstore"]);
        assert_eq!(found(pattern("m/?.cstore"), root), ["m/1.cstore", "m/2.cstore"]);
        assert_eq!(found(pattern("m/[12].cstore"), root), ["m/1.cstore", "m/2.cstore"]);
        assert_eq!(found(pattern("*/[!1]*"), root), ["m/2.cstore", "m/x.y", "n/4.cstore"]);
        assert_eq!(found(pattern("**/4*"), root), ["n/4.cstore"]);
        let error = find(pattern("m/z*")).unwrap_err();
        assert_eq!(error.code(), Code::StoreNotFound);
        let error = find(pattern("m/***.cstore")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("at character"), "{error}");
    }

    #[test]
    fn a_file_whose_name_looks_like_a_pattern_is_that_file() {
        let root = tempfile::tempdir().unwrap();
        with(root.path(), &["a[1].cstore", "a1.cstore"]);
        assert_eq!(found(root.path().join("a[1].cstore"), root.path()), ["a[1].cstore"]);
        fs::remove_file(root.path().join("a[1].cstore")).unwrap();
        assert_eq!(found(root.path().join("a[1].cstore"), root.path()), ["a1.cstore"]);
    }

    #[test]
    fn a_list_keeps_its_order_and_may_name_a_file_twice() {
        let root = tempfile::tempdir().unwrap();
        with(root.path(), &["b.cstore", "f/2.cstore", "f/1.cstore"]);
        let at = |name| root.path().join(name);
        let list = vec![at("f"), at("b.cstore"), at("f/2*"), at("b.cstore")];
        let expected = ["f/1.cstore", "f/2.cstore", "b.cstore", "f/2.cstore", "b.cstore"];
        assert_eq!(found(list, root.path()), expected);
        assert_eq!(find(Vec::<PathBuf>::new()).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_missing_file_is_not_found_where_it_should_be() {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join("a.cstore"), &[1]);
        let missing = root.path().join("b.cstore");
        for list in [vec![missing.clone()], vec![root.path().join("a.cstore"), missing.clone()]] {
            let error = open(list).unwrap_err();
            assert_eq!(error.code(), Code::StoreNotFound);
            assert!(error.to_string().contains(missing.to_str().unwrap()), "{error}");
        }
    }
}

#[test]
fn many_files_are_one_table() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("10.cstore"), &[5, 6]);
    write(&root.path().join("9.cstore"), &[1, 2, 3]);
    let table = open(root.path()).unwrap();
    assert_eq!(read(&table), [1, 2, 3, 5, 6]);
    assert_eq!(table.rows([4, 0, -2]).unwrap().column("id").unwrap().values::<i64>().unwrap(), [6, 1, 5]);
    let tuning = Tuning { advice: Advice::Random, ..Tuning::current() };
    assert_eq!(read(&open_with(root.path(), &tuning).unwrap()), [1, 2, 3, 5, 6]);
    let all = open(root.path().join("[0-9]*.cstore").to_str().unwrap()).unwrap();
    assert_eq!(read(&all), [1, 2, 3, 5, 6]);
}

#[test]
fn files_of_other_columns_are_refused() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("1.cstore"), &[1]);
    Table::create(root.path().join("2.cstore"), &[ColumnInput::of("id", &[1i32])]).unwrap();
    let error = open(root.path()).unwrap_err();
    assert!(error.to_string().contains("2.cstore"), "{error}");
}

#[test]
fn shards_are_numbered_behind_the_highest() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("a/trades");
    for (name, value) in [("shard_00000.cstore", 1), ("shard_00001.cstore", 2)] {
        assert_eq!(append_shard(&folder, &ids(&[value])).unwrap(), folder.join(name));
    }
    fs::remove_file(folder.join("shard_00000.cstore")).unwrap();
    assert_eq!(append_shard(&folder, &ids(&[3])).unwrap(), folder.join("shard_00002.cstore"));
    fs::rename(folder.join("shard_00002.cstore"), folder.join("shard_99999.cstore")).unwrap();
    assert_eq!(append_shard(&folder, &ids(&[4])).unwrap(), folder.join("shard_100000.cstore"));
    assert_eq!(read(&open(&folder).unwrap()), [2, 3, 4]);
    // What only looks like a shard has no number; the ending decides whether it is a table.
    let tables = ["shard_.cstore", "shard_200000x.cstore", "xshard_200000.cstore", "shard_-1.cstore"];
    let others = ["shard_200000.cstore.tmp", ".shard_200000.cstore.0123456789abcdef.tmp"];
    for name in tables.into_iter().chain(others) {
        fs::write(folder.join(name), "").unwrap();
    }
    assert_eq!(append_shard(&folder, &ids(&[5])).unwrap(), folder.join("shard_100001.cstore"));
    for name in tables {
        fs::remove_file(folder.join(name)).unwrap();
    }
    assert_eq!(read(&open(&folder).unwrap()), [2, 3, 4, 5]);
}

#[test]
fn the_highest_number_is_the_end() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join(format!("shard_{}.cstore", u64::MAX)), &[1]);
    let error = append_shard(root.path(), &ids(&[2])).unwrap_err();
    assert_eq!(error.code(), Code::TooLarge);
}

#[test]
fn a_shard_has_the_columns_of_the_others() {
    let root = tempfile::tempdir().unwrap();
    let mut shards = Shards::open(root.path()).unwrap();
    assert_eq!(shards.schema(), None);
    shards.append(&[ColumnInput::of("a", &[1i64]), ColumnInput::of("b", &[1u8])]).unwrap();
    assert_eq!(shards.schema().unwrap().columns.len(), 2);
    let (a, b) = (ColumnInput::of("a", &[2i64]), ColumnInput::of("b", &[2u8]));
    for (wrong, code) in [
        (vec![a.clone()], Code::ShapeMismatch),
        (vec![b.clone(), a.clone()], Code::ColumnNotFound),
        (vec![ColumnInput::of("a", &[2i32]), b.clone()], Code::DTypeMismatch),
        (vec![a.clone(), ColumnInput::of("b", &[1u8, 2])], Code::ShapeMismatch),
        (vec![], Code::InvalidArgument),
    ] {
        assert_eq!(shards.append(&wrong).unwrap_err().code(), code);
        let mut writer = shards.writer().unwrap();
        let _ = writer.write(&wrong);
        assert!(writer.finish().is_err());
    }
    assert_eq!(names(root.path()), [".colstore.lock", "shard_00000.cstore"]);
    shards.append(&[a, b]).unwrap();
    assert_eq!(open(root.path()).unwrap().len(), 2);
}

#[test]
fn an_unfinished_shard_is_seen_by_nobody_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    append_shard(root.path(), &ids(&[1])).unwrap();
    let mut shards = Shards::open(root.path()).unwrap();
    let mut writer = shards.writer().unwrap();
    for value in [2, 3] {
        writer.write(&ids(&[value, value])).unwrap();
    }
    assert_eq!(writer.rows(), 4);
    assert_eq!(read(&open(root.path()).unwrap()), [1]);
    drop(writer);
    assert_eq!(names(root.path()), [".colstore.lock", "shard_00000.cstore"]);

    let mut writer = shards.writer().unwrap();
    writer.write(&ids(&[4])).unwrap();
    writer.write(&ids(&[5])).unwrap();
    let path = writer.finish().unwrap();
    assert_eq!(open(&path).unwrap().file_records(), 2);
    assert_eq!(read(&open(root.path()).unwrap()), [1, 4, 5]);
}

#[test]
fn a_name_that_somebody_took_meanwhile_is_not_replaced() {
    let root = tempfile::tempdir().unwrap();
    let mut shards = Shards::open(root.path()).unwrap();
    let mut writer = shards.writer().unwrap();
    writer.write(&ids(&[2])).unwrap();
    write(&root.path().join("shard_00000.cstore"), &[1]);
    assert_eq!(writer.finish().unwrap(), root.path().join("shard_00001.cstore"));
    assert_eq!(read(&open(root.path()).unwrap()), [1, 2]);
}

#[test]
fn one_at_a_time_adds_to_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let shards = Shards::open(root.path()).unwrap();
    assert_eq!(append_shard(root.path(), &ids(&[1])).unwrap_err().code(), Code::StoreBusy);
    drop(shards);
    append_shard(root.path(), &ids(&[1])).unwrap();
}

#[test]
fn appends_from_many_threads_are_all_there() {
    let root = tempfile::tempdir().unwrap();
    let paths = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in 0..4 {
            let (paths, root) = (&paths, root.path());
            scope.spawn(move || {
                for turn in 0..5 {
                    let path = loop {
                        match append_shard(root, &ids(&[thread * 10 + turn])) {
                            Ok(path) => break path,
                            Err(error) => assert_eq!(error.code(), Code::StoreBusy, "{error}"),
                        }
                        thread::yield_now();
                    };
                    paths.lock().unwrap().push(path);
                }
            });
        }
    });
    let mut paths = paths.into_inner().unwrap();
    paths.sort();
    assert_eq!(find(root.path()).unwrap(), paths);
    let mut found = read(&open(root.path()).unwrap());
    found.sort_unstable();
    let expected: Vec<i64> = (0..4).flat_map(|thread| (0..5).map(move |turn| thread * 10 + turn)).collect();
    assert_eq!(found, expected);
}

#[test]
fn rows_of_a_table_become_a_shard() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("source.cstore");
    let mut writer = TableWriter::create(&source).unwrap();
    for values in [[1, 2], [3, 4]] {
        writer.write(&ids(&values)).unwrap();
    }
    writer.close().unwrap();
    let table = open(&source).unwrap();
    let folder = root.path().join("shards");
    let mut shards =
        Shards::open_with(&folder, &WriteOptions { layout: Layout::V05, statistics: true }).unwrap();
    let path = shards.append_rows(&table.rows([3, 0, 2]).unwrap(), &()).unwrap();
    let shard = open(&path).unwrap();
    assert_eq!((shard.file_records(), shard.layout(), read(&shard)), (1, Layout::V05, vec![4, 1, 3]));
    assert!(shard.statistics().unwrap().is_some());
    let wrong = Table::create(root.path().join("w.cstore"), &[ColumnInput::of("id", &[1u8])]).unwrap();
    assert_eq!(shards.append_rows(&wrong.all(), &()).unwrap_err().code(), Code::DTypeMismatch);
}

#[test]
fn a_shard_has_the_layout_of_the_first() {
    let root = tempfile::tempdir().unwrap();
    let options = WriteOptions { layout: Layout::V05, statistics: true };
    Shards::open_with(root.path(), &options).unwrap().append(&ids(&[1])).unwrap();
    let second = open(append_shard(root.path(), &ids(&[2])).unwrap()).unwrap();
    assert_eq!((second.layout(), second.statistics().unwrap().is_some()), (Layout::V05, true));
    let other = WriteOptions { layout: Layout::V03, statistics: false };
    let third = Shards::open_with(root.path(), &other).unwrap().append(&ids(&[3])).unwrap();
    assert_eq!(open(third).unwrap().layout(), Layout::V03);
    assert_eq!(read(&open(root.path()).unwrap()), [1, 2, 3]);
}

#[derive(Default)]
struct Counting {
    done: AtomicU64,
    stop_after: Option<u64>,
}

impl Progress for Counting {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn proceed(&self) -> bool {
        self.stop_after.is_none_or(|limit| self.done.load(Ordering::Relaxed) < limit)
    }
}

#[test]
fn many_files_become_one_of_the_bytes_that_one_write_gives() {
    let root = tempfile::tempdir().unwrap();
    let mut all = (Vec::new(), Vec::new());
    for shard in 0..3u8 {
        let ids: Vec<i64> = (0..50_000).map(|id| id * 3 + i64::from(shard)).collect();
        let kinds = vec![shard; ids.len()];
        let columns = [ColumnInput::of("id", &ids), ColumnInput::of("kind", &kinds)];
        append_shard(root.path().join("shards"), &columns).unwrap();
        all.0.extend(ids);
        all.1.extend(kinds);
    }
    let dest = root.path().join("one.cstore");
    let progress = Counting::default();
    let table = concat(root.path().join("shards"), &dest, &WriteOptions::default(), &progress).unwrap();
    assert_eq!(progress.done.into_inner(), 150_000);
    assert_eq!((table.len(), table.file_records()), (150_000, 1));
    let expected = root.path().join("expected.cstore");
    Table::create(&expected, &[ColumnInput::of("id", &all.0), ColumnInput::of("kind", &all.1)]).unwrap();
    assert!(fs::read(&dest).unwrap() == fs::read(&expected).unwrap());
    assert_eq!(names(root.path()), ["expected.cstore", "one.cstore", "shards"]);
}

#[test]
fn joining_files_replaces_nothing_and_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let (source, dest) = (root.path().join("a.cstore"), root.path().join("one.cstore"));
    write(&source, &[1, 2]);
    for taken in [&source, &root.path().to_owned()] {
        let error = concat(&source, taken, &WriteOptions::default(), &()).unwrap_err();
        assert_eq!(error.code(), Code::StoreExists);
    }
    let stopped = Counting { stop_after: Some(0), ..Counting::default() };
    let error = concat(&source, &dest, &WriteOptions::default(), &stopped).unwrap_err();
    assert_eq!(error.code(), Code::Interrupted);
    let contradiction = WriteOptions { layout: Layout::V03, statistics: true };
    concat(&source, &dest, &contradiction, &()).unwrap_err();
    let wrong = root.path().join("b.cstore");
    Table::create(&wrong, &[ColumnInput::of("id", &[1u8])]).unwrap();
    concat([&source, &wrong], &dest, &WriteOptions::default(), &()).unwrap_err();
    assert_eq!(names(root.path()), ["a.cstore", "b.cstore"]);
    assert_eq!(read(&open(&source).unwrap()), [1, 2]);
}

#[test]
fn files_without_rows_can_be_joined() {
    let root = tempfile::tempdir().unwrap();
    write(&root.path().join("a.cstore"), &[]);
    let table = concat(root.path(), root.path().join("b.cstore"), &WriteOptions::default(), &()).unwrap();
    assert_eq!((table.len(), table.file_records()), (0, 1));
}
