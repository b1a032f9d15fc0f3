//! Compacting and recoding tables: the rows stay, and the bytes are those of a table written anew.

use std::sync::atomic::{AtomicU64, Ordering};

use recask_core::Code;
use recask_core::format::cstore::Layout;
use recask_core::progress::Progress;
use recask_core::storage::memory::MemoryPlace;
use recask_core::table::{ColumnInput, Table, WriteOptions, compact, compact_to, recode, recode_to, verify};

mod table;

use table::writing::{Memory, NEWER, OLDER, WITH_STATISTICS, Writer, contents, files, holding, table_bytes};
use table::{described, field, golden};

/// Counts, and stops after so many units.
#[derive(Default)]
struct Counting {
    units: AtomicU64,
    stop_at: Option<u64>,
}

impl Progress for Counting {
    fn advance(&self, units: u64) {
        self.units.fetch_add(units, Ordering::Relaxed);
    }

    fn proceed(&self) -> bool {
        self.stop_at.is_none_or(|stop| self.units.load(Ordering::Relaxed) < stop)
    }
}

#[test]
fn compaction_gives_the_golden_bytes() {
    for (source, compacted) in [
        ("stream_3rec.cstore", "stream_3rec_compacted.cstore"),
        ("crash_update_orphans.cstore", "crash_orphans_compacted.cstore"),
        ("v051_stream_3rec.cstore", "v051_oneshot.cstore"),
        ("v051_stream_3rec_stats.cstore", "v051_oneshot_stats.cstore"),
    ] {
        let (bytes, expected) = (golden(source), golden(compacted));
        let place = holding(&bytes);
        let out = MemoryPlace::new();
        let done = compact_to::<Memory>(place.clone(), out.clone(), None, &()).unwrap();
        assert!(table_bytes(&out) == expected, "{source}");
        assert!(table_bytes(&place) == bytes, "{source} was changed");
        let progress = Counting::default();
        assert_eq!(compact::<Memory>(place.clone(), &progress).unwrap(), done, "{source}");
        assert!(table_bytes(&place) == expected, "{source}");
        assert_eq!((done.bytes_before, done.bytes), (bytes.len() as u64, expected.len() as u64));
        assert_eq!(done.records, 1);
        let table = Table::<Memory>::open(place).unwrap();
        assert_eq!(progress.units.into_inner(), table.len() * table.schema().row_width(), "{source}");
    }
}

#[test]
fn compaction_keeps_what_every_golden_table_has() {
    let names = described("manifest.json").into_iter().chain(described("manifest_v051.json"));
    let mut compacted = 0;
    for name in names.map(|file| field(&file, "file").to_owned()) {
        let place = holding(&golden(&name));
        let Ok(before) = Table::<Memory>::open(place.clone()) else {
            assert!(compact::<Memory>(place.clone(), &()).is_err(), "{name}");
            assert!(table_bytes(&place) == golden(&name), "{name}");
            let out = MemoryPlace::new();
            assert!(compact_to::<Memory>(place, out.clone(), None, &()).is_err(), "{name}");
            assert!(out.storage().is_none(), "{name}");
            continue;
        };
        let out = MemoryPlace::new();
        compact_to::<Memory>(place.clone(), out.clone(), None, &()).unwrap();
        compact::<Memory>(place.clone(), &()).unwrap();
        for place in [&place, &out] {
            let after = Table::<Memory>::open(place.clone()).unwrap();
            assert!(after.all().columns().unwrap() == before.all().columns().unwrap(), "{name}");
            assert_eq!(after.manifest(), before.manifest(), "{name}");
            assert_eq!(after.layout(), before.layout(), "{name}");
            assert!(after.file_records() <= 1, "{name}");
        }
        let trailing = if before.statistics().unwrap().is_some() { 1 } else { 0 };
        assert_eq!(
            verify(Table::<Memory>::open(out).unwrap().file(), &()).unwrap().trailing_bytes.min(1),
            trailing
        );
        compacted += 1;
    }
    assert!(compacted > 40, "{compacted} tables");
}

#[test]
fn a_table_of_one_record_is_left_alone() {
    for name in ["oneshot_1000.cstore", "var_trailing_bytes.cstore", "crash_create_uncommitted.cstore"] {
        let bytes = golden(name);
        let place = holding(&bytes);
        let done = compact::<Memory>(place.clone(), &()).unwrap();
        assert_eq!((done.records, done.bytes), (done.records_before, done.bytes_before), "{name}");
        assert!(table_bytes(&place) == bytes, "{name}");
    }
}

#[test]
fn nothing_is_written_over_what_is_there() {
    let bytes = golden("stream_3rec.cstore");
    let place = holding(&bytes);
    let other = holding(b"mine");
    for out in [&place, &other] {
        let before = files(out);
        let compacted = compact_to::<Memory>(place.clone(), out.clone(), None, &()).map(drop);
        let recoded = recode_to::<Memory>(place.clone(), out.clone(), &NEWER, &());
        for outcome in [compacted, recoded] {
            assert_eq!(outcome.unwrap_err().code(), Code::StoreExists);
        }
        assert!(files(out) == before);
    }
    let nowhere = MemoryPlace::new();
    assert_eq!(compact::<Memory>(nowhere.clone(), &()).unwrap_err().code(), Code::StoreNotFound);
    assert_eq!(recode::<Memory>(nowhere.clone(), &NEWER, &()).unwrap_err().code(), Code::StoreNotFound);
    let both = WriteOptions { layout: Layout::V03, statistics: true };
    assert_eq!(recode::<Memory>(place.clone(), &both, &()).unwrap_err().code(), Code::InvalidArgument);
    assert!(table_bytes(&place) == bytes);
}

#[test]
fn work_that_is_stopped_leaves_the_table_as_it_was() {
    // More than one block of bytes.
    let values = vec![7u64; 700_000];
    let place = MemoryPlace::new();
    let mut writer = Writer::create(place.clone()).unwrap();
    for _ in 0..2 {
        writer.write(&[ColumnInput::of("x", &values), ColumnInput::of("y", &values)]).unwrap();
    }
    writer.close().unwrap();
    let bytes = table_bytes(&place);
    for stop_at in [0, 1, 5 << 20] {
        let progress = || Counting { stop_at: Some(stop_at), ..Counting::default() };
        let out = MemoryPlace::new();
        for error in [
            compact::<Memory>(place.clone(), &progress()).map(drop).unwrap_err(),
            compact_to::<Memory>(place.clone(), out.clone(), None, &progress()).map(drop).unwrap_err(),
            recode::<Memory>(place.clone(), &WITH_STATISTICS, &progress()).unwrap_err(),
            recode_to::<Memory>(place.clone(), out.clone(), &NEWER, &progress()).unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::Interrupted);
        }
        assert!(table_bytes(&place) == bytes);
        assert!(out.storage().is_none());
    }
    compact::<Memory>(place.clone(), &()).unwrap();
    let table = Table::<Memory>::open(place).unwrap();
    assert!(table.column("y").unwrap().values::<u64>().unwrap().iter().all(|&value| value == 7));
    assert_eq!(table.len(), 1_400_000);
}

#[test]
fn recoding_leads_to_every_layout_and_back() {
    let layouts = [OLDER, NEWER, WITH_STATISTICS];
    for name in ["stream_3rec.cstore", "v051_stream_3rec_stats.cstore", "stream_zero_rows_2rec.cstore"] {
        let source = Table::<Memory>::open(holding(&golden(name))).unwrap();
        // What writing the same records gives in each layout.
        let written = layouts.map(|options| {
            let place = MemoryPlace::new();
            let mut writer = Writer::create_with(place.clone(), &options).unwrap();
            contents(&source).iter().for_each(|record| writer.write(&record.inputs()).unwrap());
            writer.close().unwrap();
            table_bytes(&place)
        });
        for from in &written {
            for (options, to) in layouts.iter().zip(&written) {
                let place = holding(from);
                let out = MemoryPlace::new();
                recode_to::<Memory>(place.clone(), out.clone(), options, &()).unwrap();
                assert!(table_bytes(&out) == *to, "{name} to {options:?}");
                let progress = Counting::default();
                recode::<Memory>(place.clone(), options, &progress).unwrap();
                assert!(table_bytes(&place) == *to, "{name} to {options:?}");
                let rows = if from == to { 0 } else { source.len() * source.schema().row_width() };
                assert!(progress.units.into_inner() >= rows);
            }
        }
        assert!(written.contains(&golden(name)), "{name}");
    }
}

#[test]
fn every_golden_table_can_be_recoded() {
    let mut recoded = 0;
    for name in described("manifest.json").into_iter().map(|file| field(&file, "file").to_owned()) {
        let place = holding(&golden(&name));
        let Ok(before) = Table::<Memory>::open(place.clone()) else {
            assert!(recode::<Memory>(place.clone(), &NEWER, &()).is_err(), "{name}");
            assert!(table_bytes(&place) == golden(&name), "{name}");
            continue;
        };
        recode::<Memory>(place.clone(), &WITH_STATISTICS, &()).unwrap();
        let after = Table::<Memory>::open(place).unwrap();
        assert!(after.all().columns().unwrap() == before.all().columns().unwrap(), "{name}");
        assert_eq!(after.manifest(), before.manifest(), "{name}");
        assert_eq!(after.statistics().unwrap().is_some(), before.file_records() > 0, "{name}");
        let footer = verify(after.file(), &()).unwrap().problems;
        assert!(footer.iter().all(|problem| !problem.message().contains("footer")), "{name}: {footer:?}");
        recoded += 1;
    }
    assert!(recoded > 35, "{recoded} tables");
}

#[test]
fn compaction_can_change_the_layout_too() {
    let place = holding(&golden("v051_stream_3rec_stats.cstore"));
    let record = contents(&Table::<Memory>::open(holding(&golden("v051_oneshot.cstore"))).unwrap()).remove(0);
    for options in [OLDER, NEWER, WITH_STATISTICS] {
        let (out, written) = (MemoryPlace::new(), MemoryPlace::new());
        compact_to::<Memory>(place.clone(), out.clone(), Some(&options), &()).unwrap();
        Table::<Memory>::create_with(written.clone(), &record.inputs(), &options).unwrap();
        assert!(table_bytes(&out) == table_bytes(&written), "{options:?}");
    }
}

#[test]
fn keys_that_colstore_does_not_know_survive() {
    let place = holding(&golden("var_extra_column_key.cstore"));
    let before = Table::<Memory>::open(place.clone()).unwrap();
    recode::<Memory>(place.clone(), &NEWER, &()).unwrap();
    let after = Table::<Memory>::open(place.clone()).unwrap();
    assert_eq!(after.manifest(), before.manifest());
    assert!(after.manifest().columns[0].entry().get("name").is_some());
    let record = contents(&after).remove(0);
    let mut writer = Writer::update(place.clone()).unwrap();
    writer.write(&record.inputs()).unwrap();
    writer.close().unwrap();
    compact::<Memory>(place.clone(), &()).unwrap();
    let compacted = Table::<Memory>::open(place).unwrap();
    assert_eq!(compacted.manifest(), before.manifest());
    assert_eq!(compacted.len(), 2 * before.len());
}
