//! Work that fails or is stopped leaves nothing behind.

use std::sync::atomic::{AtomicU64, Ordering};

use recask::convert::table::{ExportOptions, Format, ImportOptions, export, import};
use recask::{Code, Progress};

use crate::support::{make, names_in, ticks, utf32};

/// Stops the work after so many reports, and adds up what they say.
struct Limit {
    left: AtomicU64,
    units: AtomicU64,
}

impl Limit {
    fn after(reports: u64) -> Self {
        Limit { left: AtomicU64::new(reports), units: AtomicU64::new(0) }
    }
}

impl Progress for Limit {
    fn advance(&self, units: u64) {
        self.units.fetch_add(units, Ordering::Relaxed);
    }

    fn proceed(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

#[test]
fn stopped_work_leaves_nothing_and_finished_work_has_reported_all() {
    let folder = tempfile::tempdir().unwrap();
    let values: Vec<i64> = (0..100_000).collect();
    let text: Vec<String> = values.iter().map(|value| format!("{value:06}x")).collect();
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let table =
        make(&folder.path().join("t.cstore"), &[("x", "<i8", ticks(&values)), ("t", "<U7", utf32(7, &text))]);
    for format in Format::ALL {
        let place = tempfile::tempdir().unwrap();
        let (file, dest) =
            (place.path().join(format!("deep/a.{}", format.as_str())), place.path().join("in/a.cstore"));
        for reports in 0..3 {
            let outcome = export(&table.all(), &file, &ExportOptions::default(), &Limit::after(reports));
            assert_eq!(outcome.unwrap_err().code(), Code::Interrupted, "{format:?} {reports}");
            assert!(names_in(place.path()).is_empty(), "{format:?} {reports}");
        }
        let all = Limit::after(u64::MAX);
        export(&table.all(), &file, &ExportOptions::default(), &all).unwrap();
        let passes = if format == Format::Npz { 2 } else { 1 };
        assert_eq!(all.units.into_inner(), passes * 100_000, "{format:?}");

        for reports in 0..3 {
            let outcome = import(&file, &dest, &ImportOptions::default(), &Limit::after(reports));
            assert_eq!(outcome.unwrap_err().code(), Code::Interrupted, "{format:?} {reports}");
            assert_eq!(names_in(place.path()), ["deep"], "{format:?} {reports}");
        }
        let all = Limit::after(u64::MAX);
        import(&file, &dest, &ImportOptions::default(), &all).unwrap();
        let bytes = file.metadata().unwrap().len();
        let units = all.units.into_inner();
        assert!(units <= bytes && units + 2 >= bytes, "{format:?}: {units} of {bytes}");
    }
}

#[test]
fn an_export_replaces_a_file_only_on_request_and_only_when_complete() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        make(&folder.path().join("t.cstore"), &[("x", "|u1", vec![1]), ("bad", "<m8[M]", ticks(&[1]))]);
    let file = folder.path().join("a.parquet");
    std::fs::write(&file, "old").unwrap();
    let replace = ExportOptions { replace: true, ..ExportOptions::default() };
    let refused = export(&table.all(), &file, &ExportOptions::default(), &()).unwrap_err();
    assert_eq!(refused.code(), Code::StoreExists);
    assert_eq!(export(&table.all(), &file, &replace, &()).unwrap_err().code(), Code::InvalidDType);
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(names_in(folder.path()), ["a.parquet", "t.cstore"]);

    export(&table.select(["x"]).unwrap(), &file, &replace, &()).unwrap();
    assert_eq!(Format::detect(&file).unwrap(), Format::Parquet);
    let unnamed = export(&table.all(), &folder.path().join("a.xyz"), &replace, &()).unwrap_err();
    assert_eq!(unnamed.code(), Code::InvalidArgument);
}

#[cfg(unix)]
#[test]
fn an_exported_file_has_the_permissions_of_a_new_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let table = make(&folder.path().join("t.cstore"), &[("x", "|u1", vec![1])]);
    let file = folder.path().join("a.csv");
    export(&table.all(), &file, &ExportOptions::default(), &()).unwrap();
    std::fs::write(folder.path().join("other"), "").unwrap();
    let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("a.csv"), mode("other"));
}
