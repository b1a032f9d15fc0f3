//! Real data; what pyarrow and pandas find in it is written down here.

use std::path::{Path, PathBuf};

use recask::convert::table::{ExportOptions, Format, ImportOptions, export, import};
use recask::table::Table;

use crate::support::content;

fn real(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/real").join(name)
}

fn schema(table: &Table) -> Vec<String> {
    table.schema().columns().iter().map(|column| format!("{} {}", column.name(), column.dtype())).collect()
}

fn sum(table: &Table, column: &str) -> f64 {
    let column = table.column(column).unwrap();
    match column.dtype().to_string().as_str() {
        "<f4" => column.values::<f32>().unwrap().iter().map(|&value| f64::from(value)).sum(),
        "<i2" => column.values::<i16>().unwrap().iter().map(|&value| f64::from(value)).sum(),
        _ => column.values::<f64>().unwrap().iter().sum(),
    }
}

/// Exports to every format and imports again: the same table.
fn round_trips(path: &Path, formats: &[Format]) {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::open(path).unwrap();
    let before = content(path);
    for &format in formats {
        let file = folder.path().join(format!("a.{}", format.as_str()));
        export(&table.all(), &file, &ExportOptions::default(), &()).unwrap();
        let dest = folder.path().join(format!("{}.cstore", format.as_str()));
        import(&file, &dest, &ImportOptions::default(), &()).unwrap();
        assert!(content(&dest) == before, "{format:?}");
    }
}

#[test]
fn the_weather_of_seattle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weather.cstore");
    let made = import(&real("seattle-weather.csv"), &path, &ImportOptions::default(), &()).unwrap();
    assert_eq!((made.rows, made.format), (1461, Format::Csv));
    let table = Table::open(&path).unwrap();
    let expected =
        ["date <M8[D]", "precipitation <f8", "temp_max <f8", "temp_min <f8", "wind <f8", "weather <U7"];
    assert_eq!(schema(&table), expected);
    assert_eq!(table.file_records(), 1);
    for (column, expected) in
        [("precipitation", 4426.0), ("wind", 4735.3), ("temp_max", 24_017.5), ("temp_min", 12_031.0)]
    {
        let found = sum(&table, column);
        assert!((found - expected).abs() < 1e-8, "{column}: {found}");
    }
    let days = table.column("date").unwrap();
    let days = days.values::<i64>().unwrap();
    // 2012-01-01 and 2015-12-31.
    assert_eq!((days[0], days[1460]), (15_340, 16_800));
    let weather = table.column("weather").unwrap();
    let rain: Vec<u8> = crate::support::utf32(7, &["rain"]);
    assert_eq!(weather.as_bytes().chunks_exact(28).filter(|value| *value == rain).count(), 641);
    round_trips(&path, &Format::ALL);

    // The text of the file itself comes back, but for the numbers of ticks.
    let again = folder.path().join("weather.csv");
    export(&table.all(), &again, &ExportOptions::default(), &()).unwrap();
    assert!(std::fs::read(&again).unwrap() == std::fs::read(real("seattle-weather.csv")).unwrap());
}

#[test]
fn two_hundred_thousand_flights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flights.cstore");
    let made = import(&real("flights-200k.arrow"), &path, &ImportOptions::default(), &()).unwrap();
    assert_eq!((made.rows, made.format), (200_000, Format::Arrow));
    let table = Table::open(&path).unwrap();
    assert_eq!(schema(&table), ["delay <i2", "distance <i2", "time <f4"]);
    assert_eq!((sum(&table, "delay"), sum(&table, "distance")), (1_500_159.0, 145_847_125.0));
    assert!((sum(&table, "time") - 2_755_170.166_238_514_7).abs() < 1e-6);
    let delay = table.column("delay").unwrap();
    let delay = delay.values::<i16>().unwrap();
    assert_eq!((delay.iter().min(), delay.iter().max()), (Some(&-86), Some(&1444)));
    round_trips(&path, &[Format::Arrow, Format::ArrowStream, Format::Parquet, Format::Npz]);
}
