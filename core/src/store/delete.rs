//! Swap-remove: the last record takes the place of the deleted one.
//!
//! All changed entries are known before the first is written: they go into the journal, then into the table.

use alloc::format;
use alloc::vec::Vec;

use super::view::Overlay;
use super::{Store, read_only};
use crate::error::{Code, Error, Result};
use crate::format::zrecord::journal::{Redo, State};
use crate::format::zrecord::{Entry, Header};
use crate::storage::{FileId, Storage, StorageFile};

/// Entries written as one piece of the table, unchanged ones between them included.
const PATCH: u64 = 4096;
/// The most unchanged entries between two changed ones of a piece.
const PATCH_GAP: u64 = 16;

impl<S: Storage> Store<S> {
    /// Deletes records (not entries), in the order of the specification (section 10): from the highest to the lowest,
    /// the last record moves into the hole. Duplicates count once; the payload stays until [`Store::compact`].
    ///
    /// Durable when it returns. Needs the store alone.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] and nothing changes; [`Code::StoreBusy`], [`Code::ReadOnly`], or what the storage says.
    pub fn delete(&mut self, records: &[u64]) -> Result<()> {
        self.writer()?;
        self.attach()?;
        let targets = self.targets(records)?;
        if targets.is_empty() {
            return Ok(());
        }
        self.alone(|store| store.delete_alone(&targets))
    }

    /// Unique and ascending.
    fn targets(&self, records: &[u64]) -> Result<Vec<u64>> {
        let mut targets = records.to_vec();
        targets.sort_unstable();
        targets.dedup();
        match targets.last() {
            Some(&last) if last >= self.len() => {
                let text = format!("record {last} is out of range; the store has {} records", self.len());
                Err(Error::new(Code::IndexOutOfRange, text))
            }
            _ => Ok(targets),
        }
    }

    fn delete_alone(&mut self, targets: &[u64]) -> Result<()> {
        // Another process may have changed the store before we had it alone.
        if targets.last().is_some_and(|&last| last >= self.len()) {
            return Err(Error::new(
                Code::IndexOutOfRange,
                "the store was changed by another process; look at it again",
            ));
        }
        let per_record = self.kind().entries();
        let left = self.len() - targets.len() as u64;
        let mut entries = Vec::new();
        let first_moved = left.saturating_mul(per_record);
        let count = (targets.len() as u64).saturating_mul(per_record);
        let count =
            usize::try_from(count).map_err(|_| Error::new(Code::TooLarge, "too many records at once"))?;
        self.view.entries(first_moved, count, &mut Vec::new(), &mut entries)?;
        let mut overlay = Overlay::new();
        for (hole, mover) in moves(targets, self.len()) {
            for half in 0..per_record {
                let from = (mover - left).saturating_mul(per_record) + half;
                if let Some(entry) = usize::try_from(from).ok().and_then(|from| entries.get(from)) {
                    overlay.push((hole.saturating_mul(per_record) + half, *entry));
                }
            }
        }
        let header = Header { length: first_moved, ..*self.view.header() };
        self.change_table(header, overlay)
    }

    /// Writes entries and a header so that an interruption leaves all of them or none, durable at the end.
    pub(super) fn change_table(&mut self, header: Header, overlay: Overlay) -> Result<()> {
        self.sync()?;
        let redo = Redo { header: header.encode(), entries: overlay };
        let body = redo.encode();
        let base = self.view.header().encode();
        let state = State::Redo { body_len: body.len() as u64, body_hash: Redo::hash(&body) };
        self.or_break(|store| {
            let Store { storage, writer, .. } = store;
            writer.as_mut().ok_or_else(read_only)?.announce(storage, &body, state, base)
        })?;
        // From here on the change counts: this handle sees it through the journal until the table has it.
        self.view.publish(header);
        self.view.set_overlay(redo.entries.clone());
        self.or_break(|store| {
            store.apply(&redo.entries)?;
            store.sync_all()
        })?;
        self.view.set_overlay(Overlay::new());
        Ok(())
    }

    /// Writes entries, ascending, into the table.
    pub(super) fn apply(&mut self, changed: &[(u64, Entry)]) -> Result<()> {
        let geometry = self.geometry();
        let mut bytes = Vec::new();
        let mut rest = changed;
        while let Some(&(first, _)) = rest.first() {
            let Some((segment, offset)) = geometry.slot(first) else { break };
            let limit = (first - first % geometry.segment_entries).saturating_add(geometry.segment_entries);
            let count = piece(rest, limit);
            let (piece, behind) = rest.split_at(count);
            rest = behind;
            let last = piece.last().map_or(first, |(slot, _)| *slot);
            let size = (last - first + 1).saturating_mul(Entry::SIZE as u64);
            bytes.resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
            let file = self.view.segment(segment)?;
            let in_table =
                |error: crate::storage::StorageError| error.in_file(FileId::Loc(segment)).at_offset(offset);
            if piece.len() as u64 != last - first + 1 {
                file.read_exact_at(offset, &mut bytes).map_err(in_table)?;
            }
            for (slot, entry) in piece {
                let at = usize::try_from(slot - first).unwrap_or(usize::MAX).saturating_mul(Entry::SIZE);
                if let Some(place) = bytes.get_mut(at..at.saturating_add(Entry::SIZE)) {
                    place.copy_from_slice(&entry.encode());
                }
            }
            file.write_all_at(offset, &bytes).map_err(in_table)?;
            self.writer.as_mut().ok_or_else(read_only)?.unsynced.segments.insert(segment);
        }
        Ok(())
    }
}

/// How many of `changed` go into one write: near each other, in one segment, and not too many.
fn piece(changed: &[(u64, Entry)], limit: u64) -> usize {
    let Some(&(first, _)) = changed.first() else { return 0 };
    let near = changed
        .windows(2)
        .take_while(|pair| match pair {
            [(a, _), (b, _)] => b - a <= PATCH_GAP && *b < limit && b - first < PATCH,
            _ => false,
        })
        .count();
    near + 1
}

/// Which record ends in which hole, ascending by hole, for unique ascending `targets` out of `len` records.
///
/// The reference walks the targets from the highest down, each time moving the last record. A mover may itself sit in
/// a hole that was filled before; following that back takes one pass, since both run downwards.
fn moves(targets: &[u64], len: u64) -> Vec<(u64, u64)> {
    let mut holes: Vec<(u64, u64)> = Vec::with_capacity(targets.len());
    let left = len - targets.len() as u64;
    // holes[next..] are those at or above the last record that have not been passed yet, from the highest down.
    let mut next = 0;
    let mut last = len;
    for &target in targets.iter().rev() {
        last -= 1;
        while holes.get(next).is_some_and(|(hole, _)| *hole > last) {
            next += 1;
        }
        let mover = match holes.get(next) {
            Some(&(hole, mover)) if hole == last => mover,
            _ => last,
        };
        holes.push((target, mover));
    }
    // Holes behind the new end are gone with it.
    holes.retain(|(hole, _)| *hole < left);
    holes.reverse();
    holes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use super::*;

    /// Section 10 of the specification, to the letter.
    fn reference(targets: &[u64], len: u64) -> Vec<u64> {
        let mut order: Vec<u64> = (0..len).collect();
        let mut sorted = targets.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for target in sorted.into_iter().rev() {
            let last = order.pop().unwrap();
            let target = usize::try_from(target).unwrap();
            if target != order.len() {
                order[target] = last;
            }
        }
        order
    }

    fn order_after(targets: &[u64], len: u64) -> Vec<u64> {
        let mut targets = targets.to_vec();
        targets.sort_unstable();
        targets.dedup();
        let mut order: Vec<u64> = (0..len - targets.len() as u64).collect();
        for (hole, mover) in moves(&targets, len) {
            order[usize::try_from(hole).unwrap()] = mover;
        }
        order
    }

    #[test]
    fn examples_of_the_specification() {
        for (targets, expected) in [
            (&[0, 9][..], &[8, 1, 2, 3, 4, 5, 6, 7][..]),
            (&[2, 9, 5], &[0, 1, 7, 3, 4, 8, 6]),
            (&[0, 1, 2], &[7, 8, 9, 3, 4, 5, 6]),
            (&[9, 9, 8, 8, 0], &[7, 1, 2, 3, 4, 5, 6]),
            (&[7, 8], &[0, 1, 2, 3, 4, 5, 6, 9]),
        ] {
            assert_eq!(order_after(targets, 10), expected, "{targets:?}");
        }
    }

    #[test]
    fn every_set_of_targets_of_small_stores() {
        for len in 0..10u64 {
            for set in 0..1u64 << len {
                let targets: Vec<u64> = (0..len).filter(|i| set >> i & 1 == 1).collect();
                assert_eq!(order_after(&targets, len), reference(&targets, len), "{targets:?} of {len}");
            }
        }
    }

    #[test]
    fn movers_always_come_from_the_end() {
        let targets: Vec<u64> = (0..1000).filter(|i| i % 3 == 0 || i % 7 == 1).collect();
        let left = 1000 - targets.len() as u64;
        assert!(moves(&targets, 1000).iter().all(|(hole, mover)| *hole < left && *mover >= left));
    }
}
