//! Writing tables: byte for byte what the Python packages write, and refusals that change nothing.

use recask_core::dtype::DType;
use recask_core::format::cstore::{Column, Layout};
use recask_core::storage::memory::MemoryPlace;
use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
use recask_core::table::{ColumnInput, Table, WriteOptions, compact, recode, verify};
use recask_core::{Code, Error, Result};

mod table;

use table::writing::{Content, Memory, NEWER, Writer, contents, files, holding, table_bytes};
use table::{described, field, golden};

/// The intact golden tables, with the options that they were written with.
fn written_by_the_packages() -> Vec<(String, WriteOptions)> {
    let described = described("manifest.json").into_iter().chain(described("manifest_v051.json"));
    let names = described.filter(|file| ["valid", "v051"].contains(&field(file, "class")));
    names
        .map(|file| {
            let name = field(&file, "file").to_owned();
            let layout = if name.starts_with("v051") { Layout::V05 } else { Layout::V03 };
            (name.clone(), WriteOptions { layout, statistics: name.ends_with("_stats.cstore") })
        })
        .collect()
}

#[test]
fn every_golden_table_is_written_again_byte_for_byte() {
    let mut written = 0;
    for (name, options) in written_by_the_packages() {
        let bytes = golden(&name);
        let table = Table::<Memory>::open(holding(&bytes)).unwrap();
        let records = contents(&table);

        let place = MemoryPlace::new();
        let mut writer = Writer::create_with(place.clone(), &options).unwrap();
        records.iter().for_each(|record| writer.write(&record.inputs()).unwrap());
        assert_eq!((writer.rows(), writer.records()), (table.len(), table.file_records()), "{name}");
        assert_eq!(writer.schema(), Some(table.manifest()), "{name}");
        writer.close().unwrap();
        assert!(table_bytes(&place) == bytes, "{name} is written with other bytes");

        // In pieces of rows, over the old file.
        let mut writer = Writer::recreate_with(place.clone(), &options).unwrap();
        for record in &records {
            in_pieces(&mut writer, record);
        }
        writer.close().unwrap();
        assert!(table_bytes(&place) == bytes, "{name} is written in pieces with other bytes");

        // Record by record in sessions of their own.
        let place = MemoryPlace::new();
        Table::<Memory>::create_with(place.clone(), &records[0].inputs(), &options).unwrap();
        for record in &records[1..] {
            let mut writer = Writer::update(place.clone()).unwrap();
            writer.write(&record.inputs()).unwrap();
            writer.close().unwrap();
        }
        assert!(table_bytes(&place) == bytes, "{name} is continued with other bytes");
        written += 1;
    }
    assert!(written >= 26, "{written} tables");
}

/// Rows 0, 1..4, 4..9, … as pieces of one record. Names that are no Rust strings go by `write`.
fn in_pieces(writer: &mut Writer, record: &Content) {
    if record.0.iter().any(|(column, _)| !column.name().is_unicode()) {
        return writer.write(&record.inputs()).unwrap();
    }
    let width = |column: &Column| usize::try_from(column.dtype().itemsize()).unwrap();
    let rows = record.0[0].1.len() / width(&record.0[0].0);
    let schema = record.0.iter().map(|(column, _)| (column.name().as_str(), column.dtype().clone()));
    let mut pieces = writer.record(schema, rows as u64).unwrap();
    let mut first = 0;
    for step in (1..).step_by(2) {
        let end = rows.min(first + step);
        let inputs: Vec<_> = record
            .0
            .iter()
            .map(|(column, bytes)| {
                let piece = &bytes[first * width(column)..end * width(column)];
                ColumnInput::new(column.name().as_str(), column.dtype().clone(), piece)
            })
            .collect();
        pieces.write(&inputs).unwrap();
        first = end;
        assert_eq!(pieces.missing_rows(), (rows - first) as u64);
        if first == rows {
            break;
        }
    }
    pieces.finish().unwrap();
}

#[test]
fn big_endian_values_are_stored_little_endian() {
    let bytes = golden("oneshot_from_big_endian.cstore");
    let record = contents(&Table::<Memory>::open(holding(&bytes)).unwrap()).remove(0);
    let mut swapped = 0;
    let turned: Vec<(DType, Vec<u8>)> = record
        .0
        .iter()
        .map(|(column, values)| {
            let spelling = column.dtype().to_string();
            let Some(rest) = spelling.strip_prefix('<') else {
                return (column.dtype().clone(), values.clone());
            };
            swapped += 1;
            let unit =
                if rest.starts_with('U') { 4 } else { usize::try_from(column.dtype().itemsize()).unwrap() };
            let values = values.chunks(unit).flat_map(|value| value.iter().rev().copied()).collect();
            (DType::parse(&format!(">{rest}")).unwrap(), values)
        })
        .collect();
    assert!(swapped > 5);
    let inputs: Vec<_> = record
        .0
        .iter()
        .zip(&turned)
        .map(|((column, _), (dtype, values))| ColumnInput::new(column.name().as_str(), dtype.clone(), values))
        .collect();
    let place = MemoryPlace::new();
    Table::<Memory>::create(place.clone(), &inputs).unwrap();
    assert!(table_bytes(&place) == bytes);
}

#[test]
fn structures_become_columns() {
    let row = DType::parse("[('id', '<i4'), ('', '|V3'), ('price', '>f8'), ('tag', '|S2')]").unwrap();
    let rows = [(7i32, 1.5f64, *b"ab"), (-1, -0.0, *b"c\0")];
    let bytes: Vec<u8> = rows
        .iter()
        .flat_map(|(id, price, tag)| [&id.to_le_bytes()[..], &[9; 3], &price.to_be_bytes(), tag].concat())
        .collect();
    let place = MemoryPlace::new();
    let mut writer = Writer::create(place.clone()).unwrap();
    writer.write_structs(&row, &bytes).unwrap();
    writer.write_structs(&row, &[]).unwrap();
    for (dtype, bytes, code) in [
        ("<i4", &bytes[..], Code::InvalidDType),
        ("[('id', '<i4', (2,))]", &[], Code::InvalidDType),
        ("[('id', [('x', '<i4')])]", &[], Code::InvalidDType),
        ("[('id', '<i4')]", &[], Code::ShapeMismatch),
        ("[('id', '<i4'), ('', '|V3'), ('price', '>f8'), ('tag', '|S2')]", &bytes[1..], Code::BufferSize),
    ] {
        let error = writer.write_structs(&DType::parse(dtype).unwrap(), bytes).unwrap_err();
        assert_eq!(error.code(), code, "{dtype}: {error}");
    }
    writer.close().unwrap();
    let table = Table::<Memory>::open(place).unwrap();
    assert_eq!((table.len(), table.file_records()), (2, 2));
    assert_eq!(table.column("id").unwrap().values::<i32>().unwrap(), [7, -1]);
    assert_eq!(table.column("price").unwrap().as_bytes(), [1.5f64, -0.0].map(f64::to_le_bytes).concat());
    assert_eq!(table.column("tag").unwrap().as_bytes(), *b"abc\0");
}

/// Columns that no table takes.
fn refused_anywhere() -> Vec<(Vec<ColumnInput<'static>>, Code, &'static str)> {
    let of = |spelling: &str, bytes| ColumnInput::new("x", DType::parse(spelling).unwrap(), bytes);
    vec![
        (vec![of("<c8", &[0; 8])], Code::InvalidDType, "column 'x' has the type '<c8'"),
        (vec![of("|V4", &[0; 8])], Code::InvalidDType, "column 'x' has the type '|V4'"),
        (vec![of("[('a', '<i4')]", &[0; 8])], Code::InvalidDType, "write one column for each field"),
        (vec![of("|S0", &[])], Code::InvalidDType, "no bytes"),
    ]
}

/// Columns that do not fit `x: <i4, y: <f8`.
fn refused_there() -> Vec<(Vec<ColumnInput<'static>>, Code, &'static str)> {
    let x = || ColumnInput::of("x", &[1i32, 2]);
    let y = || ColumnInput::of("y", &[1f64, 2.0]);
    vec![
        (vec![x()], Code::ShapeMismatch, "1 columns are given, the table has 2"),
        (vec![x(), y(), ColumnInput::of("z", &[1u8, 2])], Code::ShapeMismatch, "3 columns"),
        (vec![y(), x()], Code::InvalidArgument, "column 'y' is given where the table has column 'x'"),
        (vec![x(), x()], Code::InvalidArgument, "column 'x' is given where the table has column 'y'"),
        (vec![x(), ColumnInput::of("z", &[1f64, 2.0])], Code::ColumnNotFound, "column 'z'"),
        (vec![x(), ColumnInput::of("y", &[1f32, 2.0])], Code::DTypeMismatch, "column 'y' is given as '<f4'"),
        (vec![ColumnInput::of("x", &[1u32, 2]), y()], Code::DTypeMismatch, "column 'x' is given as '<u4'"),
        (vec![x(), ColumnInput::of("y", &[1f64])], Code::ShapeMismatch, "column 'y' has 1 values"),
        (vec![x(), ColumnInput::new("y", DType::F64, &[0; 15])], Code::BufferSize, "column 'y' has 15 bytes"),
    ]
}

#[test]
fn a_refused_write_changes_nothing() {
    let good = [ColumnInput::of("x", &[1i32, 2]), ColumnInput::of("y", &[0.5f64, 1.5])];
    let twice = [ColumnInput::of("x", &[1i32]), ColumnInput::of("x", &[1i32])];
    let place = MemoryPlace::new();
    let mut writer = Writer::create(place.clone()).unwrap();
    let refuse = |writer: &mut Writer, columns: &[ColumnInput<'_>], code: Code, text: &str| {
        let (before, known) = (files(&place), (writer.rows(), writer.records(), writer.schema().cloned()));
        let error = writer.write(columns).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(text) && error.place().is_some(), "{error}");
        assert!(files(&place) == before);
        assert_eq!((writer.rows(), writer.records(), writer.schema().cloned()), known);
    };
    refuse(&mut writer, &twice, Code::InvalidArgument, "'x' is given twice");
    for (columns, code, text) in refused_anywhere() {
        refuse(&mut writer, &columns, code, text);
    }
    writer.write(&[]).unwrap();
    assert_eq!((table_bytes(&place), writer.schema()), (vec![], None));
    assert_eq!(writer.record::<&str>([], 1).unwrap_err().code(), Code::InvalidArgument);

    writer.write(&good).unwrap();
    writer.write(&[]).unwrap();
    for (columns, code, text) in refused_there() {
        refuse(&mut writer, &columns, code, text);
    }
    writer.commit().unwrap();
    for (columns, code, text) in refused_there() {
        refuse(&mut writer, &columns, code, text);
    }
    let before = files(&place);
    writer.commit().unwrap();
    assert!(files(&place) == before, "a commit without news wrote");
    writer.write(&good).unwrap();
    writer.close().unwrap();
    let table = Table::<Memory>::open(place).unwrap();
    assert_eq!(table.column("x").unwrap().values::<i32>().unwrap(), [1, 2, 1, 2]);
}

#[test]
fn a_refused_table_leaves_nothing() {
    let wrong = [ColumnInput::of("x", &[1i32]), ColumnInput::of("y", &[1f64, 2.0])];
    for columns in [&wrong[..], &[]] {
        let place = MemoryPlace::new();
        Table::<Memory>::create(place.clone(), columns).unwrap_err();
        assert!(place.storage().is_none(), "{columns:?}");
        let old = golden("stream_3rec.cstore");
        let place = holding(&old);
        Table::<Memory>::recreate(place.clone(), columns).unwrap_err();
        assert!(table_bytes(&place) == old);
        let error = Table::<Memory>::create(place.clone(), columns).unwrap_err();
        assert!([Code::StoreExists, Code::InvalidArgument].contains(&error.code()), "{error}");
    }
    let both = WriteOptions { layout: Layout::V03, statistics: true };
    let place = MemoryPlace::new();
    assert_eq!(Writer::create_with(place.clone(), &both).unwrap_err().code(), Code::InvalidArgument);
    assert!(place.storage().is_none());
}

#[test]
fn rows_in_pieces_are_counted() {
    let place = MemoryPlace::new();
    let mut writer = Writer::create(place.clone()).unwrap();
    let schema = || [("x", DType::U8), ("y", DType::U16)];
    let piece = [ColumnInput::of("x", &[1u8, 2]), ColumnInput::of("y", &[3u16, 4])];

    let mut record = writer.record(schema(), 3).unwrap();
    record.write(&piece).unwrap();
    let error = record.write(&piece).unwrap_err();
    assert_eq!((error.code(), error.message().contains("lacks 1")), (Code::ShapeMismatch, true), "{error}");
    assert_eq!(record.write(&piece[..1]).unwrap_err().code(), Code::ShapeMismatch);
    assert_eq!(record.missing_rows(), 1);
    let error = record.finish().unwrap_err();
    assert_eq!(
        (error.code(), error.message().contains("last 1 were")),
        (Code::ShapeMismatch, true),
        "{error}"
    );
    assert_eq!((writer.rows(), writer.schema()), (0, None));
    assert_eq!(table_bytes(&place), []);

    let mut record = writer.record(schema(), 2).unwrap();
    record.write(&[]).unwrap();
    record.write(&piece).unwrap();
    record.finish().unwrap();
    writer.commit().unwrap();
    let committed = table_bytes(&place);
    // Dropped, and even forgotten, a record is not there.
    writer.record(schema(), 1000).unwrap().write(&piece).unwrap();
    assert!(table_bytes(&place) == committed);
    let mut record = writer.record(schema(), 1000).unwrap();
    record.write(&piece).unwrap();
    std::mem::forget(record);
    assert!(table_bytes(&place).len() > committed.len());
    writer.commit().unwrap();
    writer.write(&piece).unwrap();
    writer.close().unwrap();
    let table = Table::<Memory>::open(place.clone()).unwrap();
    assert_eq!(table.column("y").unwrap().values::<u16>().unwrap(), [3, 4, 3, 4]);
    assert_eq!(table_bytes(&place).len() as u64, table.committed_end());

    let mut writer = Writer::update(place).unwrap();
    for rows in [u64::MAX, 1 << 62] {
        assert_eq!(writer.record(schema(), rows).unwrap_err().code(), Code::TooLarge);
    }
}

#[test]
fn one_writer_at_a_time() {
    let columns = [ColumnInput::of("x", &[1i32])];
    let old = golden("stream_3rec.cstore");
    let busy = |place: &MemoryPlace| {
        let before = files(place);
        let outcomes: [Result<()>; 4] = [
            Writer::update(place.clone()).map(drop),
            Writer::recreate(place.clone()).map(drop),
            compact::<Memory>(place.clone(), &()).map(drop),
            recode::<Memory>(place.clone(), &NEWER, &()),
        ];
        assert!(outcomes.iter().all(|outcome| outcome.as_ref().is_err_and(is_busy)), "{outcomes:?}");
        assert!(files(place) == before);
        Table::<Memory>::open(place.clone()).map(|table| table.len()).ok()
    };
    let place = MemoryPlace::new();
    let mut writer = Writer::create(place.clone()).unwrap();
    assert_eq!(busy(&place), None);
    writer.write(&columns).unwrap();
    assert_eq!(busy(&place), Some(0));
    writer.commit().unwrap();
    assert_eq!(busy(&place), Some(1));
    drop(writer);
    let writer = Writer::update(place.clone()).unwrap();
    assert_eq!(busy(&place), Some(1));
    drop(writer);

    let place = holding(&old);
    let mut writer = Writer::recreate(place.clone()).unwrap();
    writer.write(&columns).unwrap();
    assert_eq!(busy(&place), Some(100));
    writer.commit().unwrap();
    // The lock went over to the new file.
    assert_eq!(busy(&place), Some(1));
    drop(writer);
    Writer::update(place).unwrap();
}

fn is_busy(error: &Error) -> bool {
    error.code() == Code::StoreBusy
}

#[test]
fn what_was_never_committed_leaves_no_trace() {
    let columns = [ColumnInput::of("x", &[1i32])];
    let place = MemoryPlace::new();
    for close in [false, true] {
        let mut writer = Writer::create(place.clone()).unwrap();
        if close {
            writer.commit().unwrap();
            writer.close().unwrap();
        } else {
            writer.write(&columns).unwrap();
            drop(writer);
        }
        assert!(place.storage().is_none());
    }
    let old = golden("v051_stream_3rec_stats.cstore");
    let place = holding(&old);
    let mut writer = Writer::recreate(place.clone()).unwrap();
    writer.write(&columns).unwrap();
    drop(writer);
    assert!(table_bytes(&place) == old);
    Writer::recreate(place.clone()).unwrap().close().unwrap();
    assert!(table_bytes(&place) == old);

    // The footer, which the first write overwrites, comes back as well.
    let table = Table::<Memory>::open(place.clone()).unwrap();
    let record = contents(&table).remove(0);
    let mut writer = Writer::update(place.clone()).unwrap();
    writer.write(&record.inputs()).unwrap();
    assert_eq!(Table::<Memory>::open(place.clone()).unwrap().statistics().unwrap(), None);
    drop(writer);
    assert!(table_bytes(&place) == old);
}

#[test]
fn a_stale_draft_is_replaced() {
    let place = holding(&golden("stream_3rec.cstore"));
    let left = place.storage().unwrap().open(FileId::Draft, OpenMode::CreateNew).unwrap();
    left.write_all_at(0, &[1; 5000]).unwrap();
    Table::<Memory>::recreate(place.clone(), &[ColumnInput::of("x", &[1i32])]).unwrap();
    assert_eq!(table_bytes(&place).len(), 192 + 32 + 8);
}

#[test]
fn update_does_not_touch_what_it_refuses_or_does_not_write() {
    let names = described("manifest.json").into_iter().chain(described("manifest_v051.json"));
    let (mut refused, mut taken) = (0, 0);
    for name in names.map(|file| field(&file, "file").to_owned()) {
        let bytes = golden(&name);
        let place = holding(&bytes);
        let opened = Table::<Memory>::open(place.clone()).map(drop).map_err(|error| error.to_string());
        let updated = Writer::update(place.clone());
        assert_eq!(updated.as_ref().map(drop).map_err(ToString::to_string), opened, "{name}");
        if let Ok(writer) = updated {
            writer.close().unwrap();
            drop(Writer::update(place.clone()).unwrap());
            taken += 1;
        } else {
            refused += 1;
        }
        assert!(table_bytes(&place) == bytes, "{name} was changed");
    }
    assert!(refused > 25 && taken > 40, "{refused} refused, {taken} taken");
    let missing = Writer::update(MemoryPlace::new()).unwrap_err();
    assert_eq!(missing.code(), Code::StoreNotFound);
}

#[test]
fn any_damage_is_refused_untouched_or_harmless() {
    for name in ["stream_3rec.cstore", "v051_stream_3rec_stats.cstore"] {
        let whole = golden(name);
        for at in 0..whole.len().min(900) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            let place = holding(&bytes);
            drop(Writer::update(place.clone()));
            assert!(table_bytes(&place) == bytes, "{name}, byte {at}");
            let place = holding(&whole[..at]);
            drop(Writer::update(place.clone()));
            assert!(table_bytes(&place) == whole[..at], "{name}, cut to {at}");
        }
    }
}

#[test]
fn columns_that_cannot_be_appended_to_are_named() {
    let cases = [
        ("var_big_endian_dtype.cstore", Code::DTypeMismatch, "'>i4'"),
        ("bad_duplicate_names.cstore", Code::InvalidArgument, "column 'x' twice"),
    ];
    for (name, code, text) in cases {
        let bytes = golden(name);
        let place = holding(&bytes);
        let mut writer = Writer::update(place.clone()).unwrap();
        let schema = writer.schema().unwrap().clone();
        let values = [0; 64];
        let inputs: Vec<_> = schema
            .columns
            .iter()
            .map(|column: &Column| {
                let width = usize::try_from(column.dtype().itemsize()).unwrap();
                ColumnInput::new(column.name().as_str(), column.dtype().clone(), &values[..width])
            })
            .collect();
        let error = writer.write(&inputs).unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
        assert!(error.message().contains(text), "{name}: {error}");
        drop(writer);
        assert!(table_bytes(&place) == bytes, "{name}");
    }
}

#[test]
fn interrupted_tables_go_on() {
    let recovered = golden("crash_update_recovered.cstore");
    let last = contents(&Table::<Memory>::open(holding(&recovered)).unwrap()).pop().unwrap();
    let place = holding(&golden("crash_update_orphans.cstore"));
    let mut writer = Writer::update(place.clone()).unwrap();
    assert_eq!((writer.rows(), writer.records()), (50, 2));
    writer.write(&last.inputs()).unwrap();
    writer.close().unwrap();
    assert!(table_bytes(&place) == recovered);

    let place = holding(&golden("crash_create_uncommitted.cstore"));
    let mut writer = Writer::update(place.clone()).unwrap();
    let columns = writer.schema().unwrap().columns.clone();
    let values = [0; 64];
    let content = Content(
        columns
            .into_iter()
            .map(|column| {
                let width = usize::try_from(column.dtype().itemsize()).unwrap();
                (column, values[..width].to_vec())
            })
            .collect(),
    );
    writer.write(&content.inputs()).unwrap();
    writer.close().unwrap();
    let table = Table::<Memory>::open(place.clone()).unwrap();
    assert_eq!((table.len(), table.file_records()), (1, 1));
    assert_eq!(table_bytes(&place).len() as u64, table.committed_end());
}

#[test]
fn a_damaged_footer_is_replaced_by_one_that_says_nothing_of_old_records() {
    let mut bytes = golden("v051_stream_3rec_stats.cstore");
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    let place = holding(&bytes);
    let record = contents(&Table::<Memory>::open(place.clone()).unwrap()).remove(2);
    let mut writer = Writer::update(place.clone()).unwrap();
    writer.write(&record.inputs()).unwrap();
    writer.close().unwrap();
    let table = Table::<Memory>::open(place.clone()).unwrap();
    let statistics = table.statistics().unwrap().unwrap();
    let known: Vec<_> = (0..4).map(|record| statistics.column(0).unwrap().record(record).is_some()).collect();
    assert_eq!(known, [false, false, false, true]);
    assert!(verify(table.file(), &()).unwrap().is_ok());
}
