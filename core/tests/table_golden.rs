//! Every golden table: what the Python packages wrote is read as NumPy reads it, and what is damaged is refused.

use recask_core::environment::Environment;
use recask_core::exec::Serial;
use recask_core::format::cstore::{Json, Layout};
use recask_core::table::{ColumnData, Selection, Table, verify};
use recask_core::{Code, Index};
use sha2::{Digest, Sha256};

mod table;

use table::{Mapped, Threads, described, field, golden, int, items, text, unmapped};

/// Runs on every way to read: positional and mapped, serial and parallel.
fn every_way(bytes: &[u8], check: impl Fn(&dyn Fn(&Read<'_>) -> Answer)) {
    let serial = table::open(unmapped(bytes.to_vec()), Serial).unwrap();
    let mapped = table::open(Mapped(bytes.to_vec()), Serial).unwrap();
    let parallel = table::open(Mapped(bytes.to_vec()), Threads).unwrap();
    check(&|read| read.of(&serial));
    check(&|read| read.of(&mapped));
    check(&|read| read.of(&parallel));
}

/// Columns (all when `None`) of some rows.
struct Read<'a> {
    columns: Option<&'a [String]>,
    rows: Index<'a>,
}

#[derive(Debug, PartialEq)]
struct Answer {
    columns: Vec<(String, String, usize, String)>,
    structs: Option<Vec<u8>>,
}

impl Read<'_> {
    fn of<E: Environment>(&self, table: &Table<E>) -> Answer {
        let mut selection = table.rows(self.rows.clone()).unwrap();
        if let Some(columns) = self.columns {
            selection = selection.select(columns).unwrap();
        }
        let columns = selection.columns().unwrap();
        let structs = selection.struct_rows().ok();
        if let Some(structs) = &structs {
            assert_eq!(structs.as_bytes(), interleaved(&selection));
        }
        let mut buffers: Vec<Vec<u8>> =
            columns.iter().map(|column| vec![0xa5; column.as_bytes().len()]).collect();
        selection.gather_into(&mut buffers.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>()).unwrap();
        for (column, buffer) in columns.iter().zip(&buffers) {
            assert_eq!(column.as_bytes(), buffer);
            assert_eq!(selection.column(column.name()).unwrap().as_bytes(), buffer);
            assert_eq!(column.len() as u64, selection.len());
            if let Some(borrowed) = selection.borrowed(column.name()) {
                assert_eq!(borrowed, buffer);
            }
        }
        let hashed = columns.iter().map(|column| {
            (column.name().into(), column.dtype().to_string(), column.len(), sha256(column.as_bytes()))
        });
        Answer { columns: hashed.collect(), structs: structs.map(|structs| structs.as_bytes().to_vec()) }
    }
}

fn interleaved<E: Environment>(selection: &Selection<E>) -> Vec<u8> {
    let columns = selection.columns().unwrap();
    let rows = usize::try_from(selection.len()).unwrap();
    let value = |row: usize, column: usize| {
        let width = columns[column].as_bytes().len() / rows;
        columns[column].as_bytes()[row * width..][..width].to_vec()
    };
    (0..rows).flat_map(|row| (0..columns.len()).flat_map(move |column| value(row, column))).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn index_of(select: &Json) -> Index<'static> {
    let Json::Object(members) = select else { panic!("{select:?}") };
    let [(kind, value)] = members.as_slice() else { panic!("{select:?}") };
    match kind.as_str() {
        "all" => Index::ALL,
        "int" => Index::from(int(value)),
        "indices" => Index::from(items(value).iter().map(int).collect::<Vec<_>>()),
        "mask" => Index::Mask(text(value).bytes().map(|flag| flag == b'1').collect()),
        "slice" => {
            let bound = |json: &Json| (*json != Json::Null).then(|| int(json));
            let [start, stop, step] = items(value) else { panic!("{value:?}") };
            Index::range(bound(start), bound(stop), bound(step).unwrap_or(1))
        }
        other => panic!("a selection by {other}"),
    }
}

fn expected(name: &str, cell: &Json) -> (String, String, usize, String) {
    let len = cell.get("len").map_or(usize::MAX, |len| usize::try_from(int(len)).unwrap());
    (name.into(), field(cell, "dtype").into(), len, field(cell, "sha256").into())
}

#[test]
fn whole_columns_and_every_selection_are_what_numpy_has() {
    let mut gathers = 0;
    for file in described("manifest.json").iter().chain(&described("manifest_v051.json")) {
        let Some(columns) = file.get("columns") else { continue };
        let name = field(file, "file");
        let bytes = golden(name);
        let table = table::open(Mapped(bytes.clone()), Serial).unwrap();
        assert_eq!(i64::try_from(table.len()).unwrap(), int(file.get("n_rows").unwrap()), "{name}");
        let record_rows: Vec<i64> = (0..table.file_records())
            .map(|record| table.record_rows(record).unwrap())
            .map(|rows| i64::try_from(rows.end - rows.start).unwrap())
            .collect();
        assert_eq!(record_rows, items(file.get("record_rows").unwrap()).iter().map(int).collect::<Vec<_>>());
        let layout = if name.starts_with("v051") { Layout::V05 } else { Layout::V03 };
        assert_eq!(table.layout(), layout, "{name}");
        if let Some(schema) = file.get("schema") {
            let entries: Vec<_> =
                table.manifest().columns.iter().map(|column| column.entry().clone()).collect();
            // A long one is abridged.
            let listed = items(schema).iter().take_while(|entry| matches!(entry, Json::Object(_)));
            assert!(entries.starts_with(&listed.cloned().collect::<Vec<_>>()), "{name}");
        }
        every_way(&bytes, |read| {
            let answer = read(&Read { columns: None, rows: Index::ALL });
            for (got, wanted) in answer.columns.iter().zip(items(columns)) {
                let (column, dtype, _, hash) = expected(field(wanted, "name"), wanted);
                assert_eq!((&got.0, &got.1, &got.3), (&column, &dtype, &hash), "{name}");
            }
            assert_eq!(answer.columns.len(), items(columns).len());
        });
        for case in file.get("gather").map(items).unwrap_or_default() {
            let label = field(case, "label");
            if label == "floats" {
                // No such index can be written in Rust.
                continue;
            }
            let index = index_of(case.get("select").unwrap());
            let chosen: Vec<String> =
                items(case.get("columns").unwrap()).iter().map(|column| text(column).into()).collect();
            let Some(Json::Object(cells)) = case.get("expect") else {
                let code = match label {
                    "mask short" => Code::ShapeMismatch,
                    "step 0" => Code::InvalidArgument,
                    _ => Code::IndexOutOfRange,
                };
                assert_eq!(table.rows(index).unwrap_err().code(), code, "{name} {label}");
                continue;
            };
            let wanted: Vec<_> = cells.iter().map(|(column, cell)| expected(column.as_str(), cell)).collect();
            every_way(&bytes, |read| {
                let answer = read(&Read { columns: Some(&chosen), rows: index.clone() });
                assert_eq!(answer.columns, wanted, "{name} {label}");
            });
            gathers += 1;
        }
    }
    assert!(gathers > 200, "{gathers} selections were tried");
}

#[test]
fn variants_and_harmless_damage_read_as_colstore_reads_them() {
    let mut tried = 0;
    for file in &described("manifest.json") {
        let name = field(file, "file");
        let Some(Json::Object(hashes)) = file.get("open").and_then(|open| open.get("dict_sha256")) else {
            continue;
        };
        if REFUSED.iter().any(|(refused, ..)| *refused == name) {
            continue;
        }
        every_way(&golden(name), |read| {
            let answer = read(&Read { columns: None, rows: Index::ALL });
            let got: Vec<_> =
                answer.columns.iter().map(|column| (column.0.as_str(), column.3.as_str())).collect();
            let wanted: Vec<_> = hashes.iter().map(|(column, hash)| (column.as_str(), text(hash))).collect();
            assert_eq!(got, wanted, "{name}");
        });
        tried += 1;
    }
    assert_eq!(tried, 6);
}

/// What is wrong with each damaged file. colstore opens some of them and reads wrong rows.
const REFUSED: &[(&str, Code, Option<u64>, &str)] = &[
    ("crash_before_header.cstore", Code::CorruptHeader, Some(0), "does not start with CSTORE"),
    ("bad_empty.cstore", Code::CorruptHeader, Some(0), "does not start with CSTORE"),
    ("bad_magic.cstore", Code::CorruptHeader, Some(0), "does not start with CSTORE"),
    ("bad_magic_version.cstore", Code::CorruptHeader, Some(0), "does not start with CSTORE"),
    ("bad_cut_in_counters.cstore", Code::TruncatedFile, Some(8), "ends inside its counters"),
    ("bad_cut_in_manifest_len.cstore", Code::TruncatedFile, Some(40), "ends before its manifest"),
    ("bad_cut_in_manifest.cstore", Code::TruncatedFile, Some(40), "should have 202 bytes"),
    ("bad_counters_value.cstore", Code::CorruptHeader, Some(8), "checksum of the counters"),
    ("bad_counters_crc.cstore", Code::CorruptHeader, Some(8), "checksum of the counters"),
    ("bad_manifest_crc.cstore", Code::CorruptHeader, Some(48), "1 is stored, 3153509804 computed"),
    ("bad_manifest_name_changed.cstore", Code::CorruptHeader, Some(48), "checksum of the manifest"),
    ("bad_manifest_len_2p63.cstore", Code::TruncatedFile, Some(40), "should have 9223372036854775808 bytes"),
    ("bad_manifest_len_2p62.cstore", Code::TruncatedFile, Some(40), "should have 4611686018427387904 bytes"),
    ("bad_manifest_len_past_end.cstore", Code::TruncatedFile, Some(40), "should have 100000 bytes"),
    ("bad_manifest_len_short.cstore", Code::CorruptHeader, Some(48), "not valid JSON"),
    ("bad_manifest_len_zero.cstore", Code::CorruptHeader, Some(48), "not valid JSON"),
    ("bad_manifest_not_json.cstore", Code::CorruptHeader, Some(48), "not valid JSON"),
    ("bad_manifest_utf8.cstore", Code::CorruptHeader, Some(48), "not UTF-8"),
    ("bad_manifest_list.cstore", Code::CorruptHeader, Some(48), "no JSON object"),
    ("bad_manifest_no_columns.cstore", Code::CorruptHeader, Some(48), "lists no columns"),
    ("bad_version_2.cstore", Code::UnsupportedVersion, Some(48), "format_version 2"),
    ("bad_version_missing.cstore", Code::UnsupportedVersion, Some(48), "no format_version"),
    ("bad_dtype_unknown.cstore", Code::CorruptHeader, Some(48), "zz9"),
    ("bad_n_records_too_many.cstore", Code::TruncatedFile, Some(328), "ends inside the record header"),
    ("bad_n_records_negative.cstore", Code::CorruptHeader, Some(8), "-1 records"),
    ("bad_n_records_2p61.cstore", Code::TruncatedFile, Some(8), "2305843009213693952 records"),
    ("bad_rows_more_1rec.cstore", Code::CorruptHeader, Some(16), "name 9 rows"),
    ("bad_rows_more_1rec_silent.cstore", Code::CorruptHeader, Some(16), "name 4 rows"),
    ("bad_rows_fewer_1rec.cstore", Code::CorruptHeader, Some(16), "name 2 rows"),
    ("bad_rows_more_2rec.cstore", Code::CorruptHeader, Some(16), "name 9 rows"),
    ("bad_rows_fewer_2rec.cstore", Code::CorruptHeader, Some(16), "name 2 rows"),
    ("bad_rows_negative.cstore", Code::CorruptHeader, Some(16), "-1 rows"),
    ("bad_body_cut.cstore", Code::TruncatedFile, Some(256), "3 rows of 12 bytes"),
    ("bad_pad_cut.cstore", Code::TruncatedFile, Some(256), "3 rows of 12 bytes"),
    ("bad_body_cut_2rec.cstore", Code::TruncatedFile, Some(312), "1 rows of 12 bytes"),
    ("bad_second_header_cut.cstore", Code::TruncatedFile, Some(312), "ends inside the record header"),
    ("bad_rec_magic.cstore", Code::CorruptRecord, Some(256), "does not start with REC"),
    ("bad_rec_garbage.cstore", Code::CorruptRecord, Some(256), "does not start with REC"),
    ("bad_rec_index.cstore", Code::CorruptRecord, Some(256), "says record 5"),
    ("bad_rec_rows_flip.cstore", Code::CorruptRecord, Some(256), "checksum of the record header"),
    ("bad_rec_reserved_flip.cstore", Code::CorruptRecord, Some(256), "checksum of the record header"),
    ("bad_rec_crc.cstore", Code::CorruptRecord, Some(256), "checksum of the record header"),
    ("bad_rec_rows_negative.cstore", Code::CorruptRecord, Some(256), "-3 rows"),
    ("bad_rec_rows_huge.cstore", Code::TruncatedFile, Some(256), "4611686018427387904 rows"),
];

#[test]
fn damaged_files_are_refused_with_place_and_reason() {
    for &(name, code, offset, reason) in REFUSED {
        let bytes = golden(name);
        let mapped = table::open(Mapped(bytes.clone()), Serial).unwrap_err();
        let error = table::open(unmapped(bytes.clone()), Serial).unwrap_err();
        assert_eq!((error.code(), error.offset()), (code, offset), "{name}: {error}");
        assert!(error.message().contains(reason), "{name}: {error}");
        assert_eq!(error.to_string(), mapped.to_string());
        let report = verify(&unmapped(bytes), &()).unwrap();
        assert!(
            report.problems.iter().any(|problem| problem.message().contains(reason)),
            "{name}: {report:?}"
        );
    }
}

#[test]
fn every_bad_file_is_either_refused_or_explained() {
    const READ: [&str; 4] = [
        "bad_n_records_zero.cstore",
        "bad_rec_reserved_nonzero_ok.cstore",
        "bad_body_flip.cstore",
        "bad_duplicate_names.cstore",
    ];
    for file in described("manifest.json").iter().filter(|file| field(file, "class") == "bad") {
        let name = field(file, "file");
        let is_refused = REFUSED.iter().any(|(refused, ..)| *refused == name);
        assert!(is_refused != READ.contains(&name), "{name}");
    }
}

#[test]
fn what_was_not_committed_is_not_there() {
    for name in ["crash_create_uncommitted.cstore", "bad_n_records_zero.cstore"] {
        let table = table::open(unmapped(golden(name)), Serial).unwrap();
        assert_eq!((table.len(), table.file_records()), (0, 0), "{name}");
        assert!(table.schema().columns().len() >= 2, "{name}");
        assert!(table.all().columns().unwrap().iter().all(ColumnData::is_empty), "{name}");
    }
    let orphans = golden("crash_update_orphans.cstore");
    let report = verify(&unmapped(orphans.clone()), &()).unwrap();
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(report.trailing_bytes, orphans.len() as u64 - 1272);
}

#[test]
fn a_later_column_hides_an_earlier_one_of_the_same_name() {
    let table = table::open(Mapped(golden("bad_duplicate_names.cstore")), Serial).unwrap();
    assert_eq!(table.schema().names().collect::<Vec<_>>(), ["x"]);
    assert_eq!(table.schema().column("x").unwrap().manifest_position(), 1);
    assert_eq!(table.manifest().columns.len(), 2);
}

#[test]
fn intact_files_verify_and_manifests_are_written_as_python_writes_them() {
    for file in described("manifest.json").iter().chain(&described("manifest_v051.json")) {
        let name = field(file, "file");
        if !["valid", "v051"].contains(&field(file, "class")) {
            continue;
        }
        let bytes = golden(name);
        let report = verify(&Mapped(bytes.clone()), &()).unwrap();
        assert!(report.is_ok(), "{name}: {report:?}");
        let table = table::open(Mapped(bytes.clone()), Serial).unwrap();
        let manifest = table.manifest().encode();
        let at = usize::try_from(table.layout().manifest_len_at()).unwrap();
        assert_eq!(bytes[at..at + 8], (manifest.len() as u64).to_le_bytes(), "{name}");
        assert_eq!(&bytes[at + 8..][..manifest.len()], manifest.as_bytes(), "{name}");
    }
}

#[test]
fn the_footer_of_statistics_is_read_and_a_broken_one_ignored() {
    let bytes = golden("v051_stream_3rec_stats.cstore");
    let table = table::open(unmapped(bytes.clone()), Serial).unwrap();
    let statistics = table.statistics().unwrap().unwrap();
    let ids = statistics.column(table.schema().column("id").unwrap().manifest_position()).unwrap();
    let extremes: Vec<_> = (0..3)
        .map(|record| ids.record(record).unwrap())
        .map(|found| {
            [found.minimum, found.maximum].map(|value| i64::from_le_bytes(value.try_into().unwrap()))
        })
        .collect();
    assert_eq!(extremes, [[0, 19], [20, 20], [21, 49]]);
    assert_eq!(ids.record(3), None);

    let mut broken = bytes.clone();
    *broken.last_mut().unwrap() ^= 1;
    let table = table::open(unmapped(broken.clone()), Serial).unwrap();
    assert_eq!(table.statistics().unwrap(), None);
    assert_eq!(table.len(), 50);
    assert_eq!(verify(&unmapped(broken), &()).unwrap().found, 1);
    let cut = bytes[..bytes.len() - 1].to_vec();
    assert_eq!(table::open(unmapped(cut), Serial).unwrap().statistics().unwrap(), None);
    let without = table::open(unmapped(golden("v051_oneshot.cstore")), Serial).unwrap();
    assert_eq!(without.statistics().unwrap(), None);
}
