//! Many ranges in the order of their offsets.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::ReadRange;
use crate::storage::FileId;

/// Fewer are sorted by comparing them.
const MANY: usize = 256;
/// Values of one digit.
const RADIX: usize = 1 << 11;

/// Positions in `reads`, by file and offset; equal ones stay in their order.
pub(super) fn in_order(reads: &[ReadRange]) -> Vec<usize> {
    let mut files: BTreeMap<FileId, Vec<(u64, usize)>> = BTreeMap::new();
    for (position, read) in reads.iter().enumerate() {
        files.entry(read.file).or_default().push((read.offset, position));
    }
    let sorted = files.into_values().flat_map(|mut items| {
        sort_by_offset(&mut items, |(offset, _)| *offset);
        items
    });
    sorted.map(|(_, position)| position).collect()
}

/// Sorts, and leaves equal ones in their order. Digit after digit, since the sort of a standard library that was built for its
/// size takes several times as long.
pub(crate) fn sort_by_offset<T: Copy>(items: &mut Vec<T>, offset: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&offset) {
        return;
    }
    if items.len() < MANY {
        items.sort_by_key(offset);
        return;
    }
    let most = items.iter().map(&offset).max().unwrap_or(0);
    let mut spare = items.clone();
    let mut shift = 0;
    while shift < u64::BITS && most >> shift > 0 {
        // A digit is below the radix.
        let digit = |item: &T| usize::try_from((offset(item) >> shift) % RADIX as u64).unwrap_or(0);
        let mut places = [0usize; RADIX];
        items.iter().for_each(|item| places[digit(item)] += 1);
        let mut end = 0;
        for place in &mut places {
            (*place, end) = (end, end + *place);
        }
        for item in &*items {
            let place = &mut places[digit(item)];
            spare[*place] = *item;
            *place += 1;
        }
        core::mem::swap(items, &mut spare);
        shift += RADIX.ilog2();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_the_one_of_a_stable_sort(
            reads in prop::collection::vec((0u32..3, prop_oneof![0u64..50, any::<u64>()]), 0..1500),
        ) {
            let read = |&(chunk, offset): &(u32, u64)| ReadRange { file: FileId::Chunk(chunk), offset, len: 1 };
            let reads: Vec<ReadRange> = reads.iter().map(read).collect();
            let mut expected: Vec<usize> = (0..reads.len()).collect();
            expected.sort_by_key(|&position| (reads[position].file, reads[position].offset));
            prop_assert_eq!(in_order(&reads), expected);
        }
    }
}
