//! Three million flights: imported, filtered, gathered and exported, and compared with what pyarrow reads. `cargo xtask test
//! --slow` runs it: `RECASK_FLIGHTS_3M` names the file `data/flights-3m.parquet` of the npm package `vega-datasets` 3.2, and
//! `RECASK_PYARROW_PYTHON` a Python that has pyarrow.

use std::path::{Path, PathBuf};
use std::process::Command;

use recask::convert::table::{ExportOptions, Format, ImportOptions, export, import};
use recask::table::Table;

const ROWS: u64 = 3_000_000;
const LATE: &str = "delay > 60 AND origin = 'SEA' AND date >= '2001-03-01'";

#[test]
#[ignore = "takes minutes, and needs a file and pyarrow: a step of cargo xtask test --slow"]
fn three_million_flights_are_what_pyarrow_reads() {
    let source = std::env::var_os("RECASK_FLIGHTS_3M").map(PathBuf::from);
    let source = source.expect("RECASK_FLIGHTS_3M names no flights-3m.parquet");
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let path = place("flights.cstore");
    let made = import(&source, &path, &ImportOptions::default(), &()).unwrap();
    assert_eq!((made.rows, made.format), (ROWS, Format::Parquet));
    let columns: Vec<_> = made.columns.iter().map(|(name, dtype)| format!("{name} {dtype}")).collect();
    assert_eq!(columns, ["date <M8[us]", "delay <i8", "distance <i8", "origin <U3", "destination <U3"]);

    let flights = Table::open(&path).unwrap();
    assert_eq!((flights.len(), flights.file_records()), (ROWS, 1));
    let write = |rows: &recask::Selection, name: &str| {
        export(rows, &place(name), &ExportOptions::default(), &()).unwrap();
    };
    for format in [Format::Parquet, Format::Arrow, Format::Csv] {
        write(&flights.all(), &format!("all.{}", format.as_str()));
    }
    let late = flights.filter(LATE).unwrap();
    write(&late, "late.parquet");
    write(&late, "late.jsonl");
    // Python draws the same rows.
    let drawn: Vec<i64> = (0..100_000).map(|i| i * 7_919 * 104_729 % 3_000_000).collect();
    write(&flights.rows(drawn).unwrap().select(["delay", "destination", "date"]).unwrap(), "drawn.arrow");

    let python = std::env::var_os("RECASK_PYARROW_PYTHON")
        .expect("RECASK_PYARROW_PYTHON names no Python with pyarrow");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table_convert/flights.py");
    let checked = Command::new(python).arg(script).arg(&source).arg(folder.path()).status().unwrap();
    assert!(checked.success(), "pyarrow reads something else");

    // And back again.
    for name in ["all.parquet", "all.arrow"] {
        let again = place(&format!("{name}.cstore"));
        import(&place(name), &again, &ImportOptions::default(), &()).unwrap();
        assert!(std::fs::read(&again).unwrap() == std::fs::read(&path).unwrap(), "{name}");
    }
}
