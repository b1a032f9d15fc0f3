//! Arrow IPC in memory.

use std::path::Path;

use recask::convert::table::{
    ExportOptions, Format, ImportOptions, Rules, export, import, to_ipc, write_ipc,
};
use recask::table::{ColumnInput, TableWriter};
use recask::{Code, DType, Progress, Selection, Table};

fn rows(folder: &Path, count: usize) -> Table {
    let ids: Vec<u64> = (0..count as u64).collect();
    let text: Vec<u8> = (b'a'..=b'z').cycle().take(count * 2).flat_map(|letter| [letter, 0, 0, 0]).collect();
    let columns =
        [ColumnInput::of("id", &ids), ColumnInput::new("text", "<U2".parse::<DType>().unwrap(), &text)];
    Table::create(folder.join("rows.cstore"), &columns).unwrap()
}

#[test]
fn the_bytes_are_those_of_the_file_and_are_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // More than one batch.
    let table = rows(folder.path(), 100_000);
    for (format, name) in [(Format::Arrow, "a.arrow"), (Format::ArrowStream, "a.arrows")] {
        let bytes = to_ipc(&table.all(), format, Vec::new(), &()).unwrap();
        export(&table.all(), &at(name), &ExportOptions::default(), &()).unwrap();
        assert!(bytes == std::fs::read(at(name)).unwrap());

        let (written, imported) = (at("written.cstore"), at("imported.cstore"));
        let mut writer = TableWriter::recreate(&written).unwrap();
        assert_eq!(write_ipc(&mut writer, &bytes, &Rules::default(), &()).unwrap(), 100_000);
        writer.close().unwrap();
        let options =
            ImportOptions { mode: recask::convert::table::Mode::Recreate, ..ImportOptions::default() };
        import(&at(name), &imported, &options, &()).unwrap();
        assert!(std::fs::read(&written).unwrap() == std::fs::read(&imported).unwrap());
    }
}

#[test]
fn rows_go_behind_those_that_are_there_where_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let table = rows(folder.path(), 10);
    let mut writer = TableWriter::create(folder.path().join("more.cstore")).unwrap();
    let mut add = |rows: Selection| {
        let bytes = to_ipc(&rows, Format::ArrowStream, Vec::new(), &())?;
        write_ipc(&mut writer, &bytes, &Rules::default(), &())
    };
    assert_eq!(add(table.head(3)).unwrap(), 3);
    assert_eq!(add(table.select(["id"]).unwrap()).unwrap_err().code(), Code::ColumnNotFound);
    // In another order, which is put right.
    assert_eq!(add(table.tail(1).select(["text", "id"]).unwrap()).unwrap(), 1);
    assert_eq!(add(table.head(0)).unwrap(), 0);
    assert_eq!((writer.rows(), writer.records()), (4, 3));
    writer.close().unwrap();
    let more = Table::open(folder.path().join("more.cstore")).unwrap();
    assert_eq!(more.column("id").unwrap().values::<u64>().unwrap(), [0, 1, 2, 9]);
}

#[test]
fn what_is_refused_or_stopped_leaves_the_writer_as_it_was() {
    struct Stop;
    impl Progress for Stop {
        fn proceed(&self) -> bool {
            false
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let table = rows(folder.path(), 100);
    let bytes = to_ipc(&table.all(), Format::Arrow, Vec::new(), &()).unwrap();
    let mut writer = TableWriter::create(folder.path().join("x.cstore")).unwrap();
    let mut code = |bytes: &[u8]| write_ipc(&mut writer, bytes, &Rules::default(), &()).unwrap_err().code();
    for cut in [0, 3, 8, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(code(&bytes[..cut]), Code::InvalidSource, "{cut}");
    }
    assert_eq!(code(b"text that is long enough to be something"), Code::InvalidSource);
    let stopped = write_ipc(&mut writer, &bytes, &Rules::default(), &Stop).unwrap_err();
    assert_eq!((stopped.code(), writer.rows()), (Code::Interrupted, 0));
    assert!(writer.schema().is_none());
    let to =
        |format, progress: &dyn Progress| to_ipc(&table.all(), format, Vec::new(), progress).unwrap_err();
    assert_eq!(to(Format::Arrow, &Stop).code(), Code::Interrupted);
    assert_eq!(to(Format::Csv, &()).code(), Code::InvalidArgument);
}

#[test]
fn a_place_that_takes_no_more_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut room = [0u8; 500];
    let error = to_ipc(&rows(folder.path(), 100).all(), Format::Arrow, &mut room[..], &()).unwrap_err();
    assert_eq!(error.code(), Code::Io);
}
