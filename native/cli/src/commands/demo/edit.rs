//! Deleting and compacting, beside a plain list that does the same.

use std::path::Path;

use recask::convert::{self, CodecChoice, ImportOptions};
use serde::Serialize;

use super::truth::{SOURCES, Truth};
use super::{Watch, shuffle};
use crate::failure::{At as _, Failure};
use crate::record;
use crate::streams::open_for_writing;

/// What happened to the edited stores.
#[derive(Default, Serialize)]
pub(super) struct Edited {
    pub(super) deleted: u64,
    pub(super) freed: u64,
    /// Records that stay.
    pub(super) records: u64,
}

/// Imports one source of each kind, deletes every third record and the last ones, compacts, and compares what is left.
pub(super) fn delete_and_compact(root: &Path) -> Result<Edited, Failure> {
    let options = ImportOptions { codec: CodecChoice::Zstd { level: None }, fields: None };
    let mut edited = Edited::default();
    for source in SOURCES.iter().filter(|source| source.name != "digits") {
        let file = source.unpack(&root.with_file_name("sources"))?;
        let dataset = root.join(source.name);
        convert::import(&file, &dataset, &options, &Watch).at(&file)?;
        for truth in source.truths()? {
            edit(&dataset.join(truth.stream), &truth, &mut edited)?;
        }
    }
    Ok(edited)
}

fn edit(path: &Path, truth: &Truth, edited: &mut Edited) -> Result<(), Failure> {
    let mut store = open_for_writing(path)?;
    let len = store.len();
    let doomed: Vec<u64> = (0..len).filter(|record| record % 3 == 1 || record + 10 > len).collect();
    store.delete(&doomed).at(path)?;
    let before = store.stats().at(path)?;
    store.compact(&Watch).at(path)?;
    let after = store.stats().at(path)?;
    let expected = swap_removed(len, &doomed);
    let mut records = 0;
    for (position, &original) in (0..).zip(&expected) {
        let record = record::read(&store, position).at(path)?;
        if !truth.has(original, record.dtype, &record.shape, &record.bytes) {
            return Err(shuffle::wrong("the record is not the one that the deletion leaves here", position))
                .at(path);
        }
        records += 1;
    }
    if store.len() != records {
        return Err(shuffle::wrong("there are more records than the deletion leaves", records)).at(path);
    }
    store.close().at(path)?;
    edited.deleted += doomed.len() as u64;
    edited.freed += before.chunk_bytes.saturating_sub(after.chunk_bytes);
    edited.records += records;
    Ok(())
}

/// The original numbers of what is left: from the highest down, the last one moves into the hole.
fn swap_removed(len: u64, ascending: &[u64]) -> Vec<u64> {
    let mut left: Vec<u64> = (0..len).collect();
    for &doomed in ascending.iter().rev() {
        if let Ok(hole) = usize::try_from(doomed) {
            left.swap_remove(hole);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_fills_the_hole_from_the_highest_down() {
        assert_eq!(swap_removed(6, &[1, 3]), [0, 4, 2, 5]);
        assert_eq!(swap_removed(3, &[1, 2]), [0]);
    }
}
