//! Any file as a table: an error or rows, never a panic, and what is verified as good can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::storage::memory::MemoryEnvironment;
use recask_core::storage::{FileId, OpenMode, Storage as _};
use recask_core::table::filter::{col, lit};
use recask_core::table::{Missing, Selection, Table, verify};
use recask_core::{Code, Index};
use recask_fuzz::{TableFile, mended};

/// Rows of columns without width take no bytes, so that a small file may have any number of them.
const FEW: u64 = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&mended(bytes));
});

fn check(bytes: &[u8]) {
    let file = TableFile::new(bytes);
    let opened = Table::open(file.place());
    let handle = file.storage().open(FileId::Table, OpenMode::Read).expect("it is there");
    let verified = verify(&handle, &()).expect("memory does not fail");
    match opened {
        Ok(table) => {
            assert_eq!((verified.records, verified.rows), (table.file_records(), table.len()));
            read(&table);
        }
        Err(error) => {
            let too_large = error.code() == Code::TooLarge;
            assert!(!verified.is_ok() || too_large, "verify found nothing wrong: {error:?}");
        }
    }
    assert_eq!(file.bytes(), bytes, "reading wrote something");
}

fn read(table: &Table<MemoryEnvironment>) {
    let _ = table.statistics().expect("memory does not fail");
    let len = table.len().min(FEW);
    let few = table.head(FEW);
    let backwards = Index::range(None, None, -1);
    let scattered = [0, len / 2, 0, len.saturating_sub(1)].into_iter().filter(|&row| row < len);
    let scattered: Vec<u64> = scattered.collect();
    for selection in [
        few.clone(),
        table.tail(3),
        few.clone().rows(backwards).expect("a range"),
        few.clone().rows(&scattered).expect("they are there"),
    ] {
        readable(selection.columns().map(drop));
        let _ = selection.struct_rows();
        let _ = selection.summaries(Missing::Skip);
    }
    for column in few.columns_selected() {
        filter(&few, column.name());
    }
}

/// Every row is null, or is not.
fn filter(rows: &Selection<MemoryEnvironment>, name: &str) {
    let count = |expr| Some(rows.clone().filter_by(expr).ok()?.len());
    if let (Some(null), Some(not_null)) = (count(col(name).is_null()), count(col(name).is_not_null())) {
        assert_eq!(null + not_null, rows.len(), "{name}");
    }
    let _ = count(col(name).ne(lit(0)).and(col(name).gt(lit(1.5))));
}

/// The whole table is in the file, so that only memory can be short.
fn readable(outcome: recask_core::Result<()>) {
    if let Err(error) = outcome {
        assert_eq!(error.code(), Code::TooLarge, "an open table cannot be read: {error:?}");
    }
}
