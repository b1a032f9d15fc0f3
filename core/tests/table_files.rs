//! Several files as one table: they read as if one file had all their rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use recask_core::dtype::DType;
use recask_core::environment::Environment;
use recask_core::exec::Serial;
use recask_core::storage::memory::MemoryPlace;
use recask_core::storage::{StorageError, StorageFile};
use recask_core::table::filter::col;
use recask_core::table::{ColumnInput, Missing, Table, TableFile};
use recask_core::{Code, Index};

mod table;

use table::laid_out::{assemble, numbered, of};
use table::writing::{Memory, WITH_STATISTICS, Writer, holding, table_bytes};
use table::{Mapped, OneFile, Threads, unmapped};

const WIDTHS: [u32; 4] = [8, 1, 3, 70];

type Split = Vec<Vec<u64>>;

/// Files with the given records, which count their rows through all of them.
fn files(split: &Split) -> Vec<Vec<u8>> {
    let whole: Vec<u64> = split.concat();
    let (bytes, names) = numbered(&WIDTHS, whole.iter().copied());
    let whole = table::open(unmapped(bytes), Serial).unwrap();
    let mut first = 0;
    let file = |records: &Vec<u64>| {
        let columns: Vec<_> =
            names.iter().map(String::as_str).zip(WIDTHS.map(|w| DType::bytes(w).unwrap())).collect();
        let record = |&rows: &u64| {
            let part = whole.rows(first..first + rows).unwrap().columns().unwrap();
            first += rows;
            (rows, part.iter().map(|column| column.as_bytes().to_vec()).collect())
        };
        assemble(&columns, &records.iter().map(record).collect::<Vec<_>>())
    };
    split.iter().map(file).collect()
}

fn named<F>(files: Vec<Vec<u8>>, open: impl Fn(Vec<u8>) -> F) -> impl Iterator<Item = (String, F)> {
    (0..).zip(files).map(move |(number, bytes)| (format!("file {number}"), open(bytes)))
}

fn assert_same<A: Environment, B: Environment>(several: &Table<A>, one: &Table<B>, rows: Index<'_>) {
    let (several, one) = (several.rows(rows.clone()).unwrap(), one.rows(rows).unwrap());
    assert!(several.columns().unwrap() == one.columns().unwrap());
    assert!(several.struct_rows().unwrap() == one.struct_rows().unwrap());
    assert!(several.summaries(Missing::Skip).unwrap() == one.summaries(Missing::Skip).unwrap());
    let name = one.table().schema().names().next().unwrap();
    assert_eq!(several.distinct(name).unwrap(), one.distinct(name).unwrap());
    let passes = col(name).gt("M");
    let found = several.clone().filter_by(passes.clone()).unwrap();
    assert_eq!(found.row_numbers().unwrap(), one.clone().filter_by(passes).unwrap().row_numbers().unwrap());
    let batches: Vec<_> = several.batches(7).map(|part| part.column(name).unwrap().into_parts().2).collect();
    let batches: Vec<u8> = batches.iter().flat_map(|part| part.to_vec()).collect();
    assert!(batches == one.column(name).unwrap().as_bytes());
    if let Some(borrowed) = several.borrowed(name) {
        assert_eq!(borrowed, one.column(name).unwrap().as_bytes());
    }
}

fn splits() -> impl Strategy<Value = Split> {
    let record = prop_oneof![3 => 0..4u64, 2 => Just(5), 1 => 90..140u64];
    proptest::collection::vec(proptest::collection::vec(record, 0..5), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_read_as_one_file_with_all_records(
        split in splits(),
        picks in proptest::collection::vec(any::<u32>(), 0..300),
        bounds in any::<[Option<i8>; 2]>(),
        step in prop_oneof![Just(1i64), -3..0i64, 2..9i64],
    ) {
        let (whole, _) = numbered(&WIDTHS, split.concat());
        let one = table::open(unmapped(whole), Serial).unwrap();
        let mapped = Table::<OneFile<_, _>>::from_files(named(files(&split), Mapped), Threads).unwrap();
        let read = Table::<OneFile<_, _>>::from_files(named(files(&split), unmapped), Serial).unwrap();
        let half = |bytes: Vec<u8>| Sometimes { is_mapped: bytes.len().is_multiple_of(16), ..Sometimes::of(bytes) };
        let mixed = Table::<OneFile<_, _>>::from_files(named(files(&split), half), Serial).unwrap();
        prop_assert_eq!((mapped.files(), mapped.len()), (split.len(), one.len()));
        let rows = one.len();
        let picks: Vec<u64> = picks.iter().filter_map(|&pick| u64::from(pick).checked_rem(rows)).collect();
        let mut sorted = picks.clone();
        sorted.sort_unstable();
        let range = Index::range(bounds[0].map(i64::from), bounds[1].map(i64::from), step);
        for index in [Index::from(&picks), Index::from(&sorted), range, Index::ALL] {
            assert_same(&mapped, &one, index.clone());
            assert_same(&read, &one, index.clone());
            assert_same(&mixed, &one, index);
        }
    }
}

#[test]
fn rows_and_records_count_through_all_files() {
    let split = vec![vec![2, 0, 3], vec![], vec![4], vec![0]];
    let several = Table::<OneFile<_, _>>::from_files(named(files(&split), Mapped), Serial).unwrap();
    assert_eq!((several.len(), several.file_records(), several.files()), (9, 5, 4));
    let records: Vec<_> = (0..6).map(|record| several.record_rows(record)).collect();
    assert_eq!(records, [Some(0..2), Some(2..2), Some(2..5), Some(5..9), Some(9..9), None]);
    let parts: Vec<_> = (0..4).map(|number| several.file_at(number).unwrap()).collect();
    assert_eq!(parts.iter().map(TableFile::rows).collect::<Vec<_>>(), [0..5, 5..5, 5..9, 9..9]);
    assert_eq!(parts.iter().map(TableFile::records).collect::<Vec<_>>(), [0..3, 3..3, 3..4, 4..5]);
    assert_eq!(parts[2].place(), Some("file 2"));
    assert_eq!(parts.iter().map(TableFile::committed_end).sum::<u64>(), several.committed_end());
    assert!(several.file_at(4).is_none());
    assert_eq!(
        [0, 4, 5, 8, 9].map(|row| several.file_of_row(row)),
        [Some(0), Some(0), Some(2), Some(2), None]
    );
    let one = table::open(Mapped(files(&split).remove(0)), Serial).unwrap();
    let only = one.file_at(0).unwrap();
    assert_eq!((only.rows(), only.records(), only.place()), (0..5, 0..3, None));
    assert!(several.rows(5..9).unwrap().borrowed("c0_8").is_some());
    assert!(several.rows(4..6).unwrap().borrowed("c0_8").is_none());
}

#[test]
fn files_with_other_columns_are_refused_by_name() {
    let first = [("x", DType::I32), ("y", DType::F64)];
    let file = |columns: &[(&str, DType)]| assemble(columns, &[]);
    let big = DType::parse(">i4").unwrap();
    for (second, code, message) in [
        (
            &[("x", DType::I64), ("y", DType::F64)][..],
            Code::DTypeMismatch,
            "column 'x' is '<i8', in the first file it is '<i4'",
        ),
        (&[("x", big), ("y", DType::F64)], Code::DTypeMismatch, "column 'x' is '>i4'"),
        (&[("x", DType::I32)], Code::ColumnNotFound, "column 'y' of the first file is missing"),
        (
            &[("x", DType::I32), ("z", DType::F64)],
            Code::ColumnNotFound,
            "column 'y' of the first file is missing",
        ),
        (
            &[("x", DType::I32), ("y", DType::F64), ("z", DType::I8)],
            Code::ColumnNotFound,
            "column 'z' is not in the first",
        ),
        (
            &[("y", DType::F64), ("x", DType::I32)],
            Code::InvalidArgument,
            "column 0 is 'y', in the first file it is 'x'",
        ),
        (&[("x", DType::I32), ("x", DType::I32), ("y", DType::F64)], Code::ShapeMismatch, "3 columns"),
    ] {
        let files = named(vec![file(&first), file(&first), file(second)], unmapped);
        let error = Table::<OneFile<_, _>>::from_files(files, Serial).unwrap_err();
        assert_eq!((error.code(), error.place()), (code, Some("file 2")), "{error}");
        assert!(error.message().contains(message) && error.message().contains("file 0"), "{error}");
    }
    let none = Table::<Memory>::open_all(Vec::<MemoryPlace>::new()).unwrap_err();
    assert_eq!(none.code(), Code::InvalidArgument);
    let missing = Table::<Memory>::open_all([holding(&file(&first)), MemoryPlace::new()]).unwrap_err();
    assert_eq!((missing.code(), missing.place()), (Code::StoreNotFound, Some("a table in memory")));
}

#[test]
fn more_rows_than_a_table_can_count_are_refused() {
    let file = || assemble(&[], &[(1 << 62, vec![])]);
    let open = |count| {
        let files = named((0..count).map(|_| file()).collect(), unmapped);
        Table::<OneFile<_, _>>::from_files(files, Serial)
    };
    assert_eq!(open(1).unwrap().len(), 1 << 62);
    assert_eq!(open(2).unwrap_err().code(), Code::TooLarge);
}

#[test]
fn the_file_that_fails_is_named_and_others_are_read() {
    let split = vec![vec![3], vec![4, 4], vec![5]];
    let cut = |bytes| Sometimes { is_mapped: true, ..Sometimes::of(bytes) };
    let read = |bytes| Sometimes::of(bytes);
    for open in [&cut as &dyn Fn(Vec<u8>) -> Sometimes, &read] {
        let several = Table::<OneFile<_, _>>::from_files(named(files(&split), open), Serial).unwrap();
        several.file_at(1).unwrap().file().len.store(200, Ordering::Relaxed);
        several.rows([0, 2, 11]).unwrap().columns().unwrap();
        several.rows(11..).unwrap().summaries(Missing::Skip).unwrap();
        let failing = [
            several.rows([0, 11, 4]).unwrap().columns().unwrap_err(),
            several.rows(1..5).unwrap().columns().unwrap_err(),
            several.all().struct_rows().unwrap_err(),
            several.filter("c1_1 = 'x'").unwrap_err(),
            several.all().distinct("c0_8").unwrap_err(),
        ];
        for error in failing {
            assert_eq!((error.code(), error.place()), (Code::TruncatedFile, Some("file 1")), "{error}");
        }
        assert!(several.rows(3..5).unwrap().borrowed("c0_8").is_none());
        // The file that is intact is still borrowed, where it is mapped.
        let is_mapped = several.file().is_mapped;
        assert_eq!(several.rows(0..3).unwrap().borrowed("c0_8").is_some(), is_mapped);
    }
}

#[test]
fn later_errors_of_a_single_table_name_its_place() {
    let place = MemoryPlace::new();
    let table = Table::<Memory>::create(place.clone(), &[ColumnInput::of("x", &[1i32, 2])]).unwrap();
    let storage = place.storage().unwrap();
    let file = recask_core::storage::Storage::open(
        &storage,
        recask_core::storage::FileId::Table,
        recask_core::storage::OpenMode::ReadWrite,
    );
    file.unwrap().set_len(100).unwrap();
    let error = table.column("x").unwrap_err();
    assert_eq!((error.code(), error.place()), (Code::TruncatedFile, Some("a table in memory")));
}

#[test]
fn verification_and_statistics_join() {
    let with = |values: &[i32]| {
        let place = MemoryPlace::new();
        let mut writer = Writer::create_with(place.clone(), &WITH_STATISTICS).unwrap();
        values.iter().for_each(|value| writer.write(&[ColumnInput::of("x", &[*value, 0])]).unwrap());
        writer.close().unwrap();
        table_bytes(&place)
    };
    let without = assemble(&[("x", DType::I32)], &[(1, vec![of(&[9i32])])]);
    let mut damaged = with(&[7]);
    damaged[40] = 1;
    let parts = vec![with(&[5, -6]), without.clone(), damaged];
    let several = Table::<OneFile<_, _>>::from_files(named(parts, unmapped), Serial).unwrap();
    let report = several.verify(&()).unwrap();
    assert_eq!((report.records, report.rows, report.found), (4, 7, 1));
    assert_eq!(report.problems[0].place(), Some("file 2"));
    let statistics = several.statistics().unwrap().unwrap();
    let column = statistics.column(0).unwrap();
    let ends = |record| column.record(record).map(|ends| (ends.minimum.to_vec(), ends.maximum.to_vec()));
    assert_eq!(ends(0), Some((of(&[0i32]), of(&[5i32]))));
    assert_eq!(ends(1), Some((of(&[-6i32]), of(&[0i32]))));
    assert_eq!(ends(2), None);
    assert_eq!(ends(3), Some((of(&[0i32]), of(&[7i32]))));
    assert_eq!(ends(4), None);
    assert_eq!(several.filter("x = 7 OR x = 9").unwrap().row_numbers().unwrap(), [4, 5]);
    let none =
        Table::<OneFile<_, _>>::from_files(named(vec![without.clone(), without], unmapped), Serial).unwrap();
    assert!(none.statistics().unwrap().is_none());
}

/// A file that is mapped or not, and can be cut.
struct Sometimes {
    bytes: Mapped,
    is_mapped: bool,
    len: AtomicU64,
}

impl Sometimes {
    fn of(bytes: Vec<u8>) -> Self {
        Sometimes { len: AtomicU64::new(bytes.len() as u64), bytes: Mapped(bytes), is_mapped: false }
    }
}

impl StorageFile for Sometimes {
    fn len(&self) -> Result<u64, StorageError> {
        Ok(self.len.load(Ordering::Relaxed))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        self.bytes.read_exact_at(offset, buf)
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        self.bytes.write_all_at(offset, data)
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.bytes.set_len(len)
    }

    fn sync(&self) -> Result<(), StorageError> {
        Ok(())
    }

    fn mapped(&self, range: Range<u64>) -> Option<&[u8]> {
        self.bytes.mapped(range).filter(|_| self.is_mapped)
    }
}
