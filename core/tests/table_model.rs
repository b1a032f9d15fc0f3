//! Random sequences of everything that writes a table, beside a list of rows that is always right.

use recask_core::storage::memory::MemoryPlace;
use recask_core::table::{Table, verify};

mod table;

use table::script::{Session, Step, random, read, slow};
use table::writing::{Memory, Writer, contents, files, table_bytes};

#[test]
fn readers_see_what_was_committed_last() {
    let mut committed = 0;
    for seed in 1000..if slow() { 4000 } else { 1200 } {
        let place = MemoryPlace::new();
        let mut session = Session::<Memory>::new(place.clone());
        let mut opened: Option<(Table<Memory>, Vec<u64>)> = None;
        for (number, step) in random(seed, 30).into_iter().enumerate() {
            let context = format!("script {seed}, step {number} {step:?}");
            session.step(step).unwrap_or_else(|error| panic!("{context}: {error:?}"));
            let seen = Table::<Memory>::open(place.clone()).ok().map(|table| read(&table));
            match &session.committed {
                Some(rows) => assert!(seen.as_ref() == Some(rows), "{context}"),
                None => assert!(seen.is_none_or(|seen| seen.is_empty()), "{context}"),
            }
            // A table that was opened before keeps its rows, whatever happens to the file.
            if let Some((table, rows)) = &opened {
                assert!(read(table) == *rows, "{context}: an open table changed");
            }
            if session.writer.is_none() {
                check_closed(&place, session.committed.as_deref(), &context);
            }
            if matches!(step, Step::Close | Step::Commit) && session.committed.is_some() {
                let table = Table::<Memory>::open(place.clone()).unwrap();
                let rows = read(&table);
                opened = Some((table, rows));
                committed += 1;
            }
        }
    }
    assert!(committed > 500, "only {committed} commits");
}

/// Nothing lies around, and the bytes are those that writing the same records gives.
fn check_closed(place: &MemoryPlace, committed: Option<&[u64]>, context: &str) {
    if committed.is_none() {
        assert!(files(place).is_empty(), "{context}");
        return;
    }
    let table = Table::<Memory>::open(place.clone()).unwrap();
    let verified = verify(table.file(), &()).unwrap();
    assert!(verified.is_ok(), "{context}: {:?}", verified.problems);
    let statistics = table.statistics().unwrap().is_some();
    let options = recask_core::table::WriteOptions { layout: table.layout(), statistics };
    let again = MemoryPlace::new();
    let mut writer = Writer::create_with(again.clone(), &options).unwrap();
    contents(&table).iter().for_each(|record| writer.write(&record.inputs()).unwrap());
    writer.close().unwrap();
    assert!(table_bytes(place) == table_bytes(&again), "{context}: other bytes");
}
