//! Readers of a table file beside those who write it.

use std::fs;
use std::path::Path;

use recask::Code;
use recask::table::{ColumnInput, Table, TableWriter, compact};

fn ids(values: &[i64]) -> [ColumnInput<'_>; 1] {
    [ColumnInput::of("id", values)]
}

fn append(path: &Path, values: &[i64]) {
    let mut writer = TableWriter::update(path).unwrap();
    writer.write(&ids(values)).unwrap();
    writer.close().unwrap();
}

fn read(table: &Table) -> Vec<i64> {
    table.column("id").unwrap().values().unwrap().to_vec()
}

/// Everything that a reader of two records with the ids 1, 2 and 3 can see.
fn check(reader: &Table) {
    assert_eq!((reader.len(), reader.file_records()), (3, 2));
    assert_eq!(read(reader), [1, 2, 3]);
    let scattered = reader.rows([2, 0, 0]).unwrap();
    assert_eq!(scattered.column("id").unwrap().values::<i64>().unwrap(), [3, 1, 1]);
    let first = reader.rows(..2).unwrap();
    assert_eq!(first.borrowed("id").map(<[u8]>::len), Some(16), "the file is not mapped");
}

fn two_records(path: &Path) -> Table {
    Table::create(path, &ids(&[1, 2])).unwrap();
    append(path, &[3]);
    Table::open(path).unwrap()
}

#[test]
fn a_reader_keeps_its_rows_beside_an_appender() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    let before = two_records(&path);
    let mut writer = TableWriter::update(&path).unwrap();
    writer.write(&ids(&[4])).unwrap();
    check(&before);
    check(&Table::open(&path).unwrap());
    writer.commit().unwrap();
    check(&before);
    assert_eq!(read(&Table::open(&path).unwrap()), [1, 2, 3, 4]);
    writer.write(&ids(&[5; 100_000])).unwrap();
    drop(writer);
    check(&before);
    append(&path, &[6]);
    check(&before);
    assert_eq!(read(&Table::open(&path).unwrap()), [1, 2, 3, 4, 6]);
}

#[cfg(not(windows))]
#[test]
fn a_reader_keeps_its_rows_when_the_table_is_compacted_or_replaced() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    let before = two_records(&path);
    compact::<recask::Native>(path.clone(), &()).unwrap();
    check(&before);
    let compacted = Table::open(&path).unwrap();
    assert_eq!((compacted.file_records(), read(&compacted)), (1, vec![1, 2, 3]));

    let mut writer = TableWriter::recreate(&path).unwrap();
    writer.write(&ids(&[7])).unwrap();
    assert_eq!(read(&Table::open(&path).unwrap()), [1, 2, 3]);
    writer.commit().unwrap();
    writer.write(&ids(&[8])).unwrap();
    writer.close().unwrap();
    check(&before);
    assert_eq!(read(&compacted), [1, 2, 3]);
    assert_eq!(read(&Table::open(&path).unwrap()), [7, 8]);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn one_at_a_time_writes_to_a_table_and_nobody_waits_to_read_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    two_records(&path);
    let writer = TableWriter::update(&path).unwrap();
    let busy = [
        TableWriter::update(&path).map(drop),
        TableWriter::recreate(&path).map(drop),
        compact::<recask::Native>(path.clone(), &()).map(drop),
    ];
    for outcome in busy {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), Code::StoreBusy);
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    check(&Table::open(&path).unwrap());
    drop(writer);
    TableWriter::update(&path).unwrap();
}

#[test]
fn a_table_that_replaced_another_stays_locked_by_its_writer() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    two_records(&path);
    let mut writer = TableWriter::recreate(&path).unwrap();
    writer.write(&ids(&[7])).unwrap();
    writer.commit().unwrap();
    assert_eq!(TableWriter::update(&path).unwrap_err().code(), Code::StoreBusy);
    writer.write(&ids(&[8])).unwrap();
    writer.close().unwrap();
    append(&path, &[9]);
    assert_eq!(read(&Table::open(&path).unwrap()), [7, 8, 9]);
}

#[test]
fn a_file_that_is_no_table_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("notes.txt");
    for content in ["", "not a table", &"x".repeat(10_000)] {
        fs::write(&path, content).unwrap();
        assert!(TableWriter::update(&path).is_err());
        assert!(compact::<recask::Native>(path.clone(), &()).is_err());
        assert_eq!(TableWriter::create(&path).unwrap_err().code(), Code::StoreExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_creation_leaves_no_folder() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/x.cstore");
    drop(TableWriter::create(&path).unwrap());
    let complex = ColumnInput::new("z", recask::DType::parse("<c16").unwrap(), &[0; 16]);
    assert_eq!(Table::create(&path, &[complex]).unwrap_err().code(), Code::InvalidDType);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    assert_eq!(read(&Table::create(&path, &ids(&[1])).unwrap()), [1]);
}

#[cfg(unix)]
#[test]
fn a_compaction_keeps_permissions_and_follows_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    two_records(&path);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = root.path().join("link.cstore");
    symlink("x.cstore", &link).unwrap();
    compact::<recask::Native>(link.clone(), &()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let found = fs::symlink_metadata(&path).unwrap();
    assert_eq!((found.is_file(), found.permissions().mode() & 0o7777), (true, 0o640));
    assert_eq!(Table::open(&path).unwrap().file_records(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn thousands_of_columns_are_one_mapping() {
    const COLUMNS: i32 = 3000;
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("wide.cstore");
    let values: Vec<[i32; 2]> = (0..COLUMNS).map(|column| [column, -column]).collect();
    let columns: Vec<_> =
        values.iter().enumerate().map(|(at, values)| ColumnInput::of(format!("c{at}"), values)).collect();
    let table = Table::create(&path, &columns).unwrap();
    let found = table.all().columns().unwrap();
    assert_eq!(found.len(), values.len());
    for (found, expected) in found.iter().zip(&values) {
        assert_eq!(found.values::<i32>().unwrap(), expected);
    }
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let name = path.canonicalize().unwrap();
    assert_eq!(maps.lines().filter(|line| line.ends_with(name.to_str().unwrap())).count(), 1);
}
