//! What a store should hold: a plain list of records.

use recask::StoreKind;

use crate::random::Random;

/// One record as any side reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) shape: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
}

/// Random records of `itemsize` bytes an element: of shape `item_shape` in a dense store, of random shapes with up to
/// three extents, scalars included, in a ragged one.
pub(crate) fn random_records(
    random: &mut Random,
    kind: StoreKind,
    item_shape: &[u64],
    itemsize: u64,
    count: u64,
) -> Vec<Record> {
    let mut record = || {
        let shape = match kind {
            StoreKind::Dense => item_shape.to_vec(),
            StoreKind::Ragged => (0..random.below(4)).map(|_| 1 + random.below(6)).collect(),
        };
        let bytes = random.bytes(shape.iter().product::<u64>() * itemsize);
        Record { shape, bytes }
    };
    (0..count).map(|_| record()).collect()
}

/// Deletes as the format defines it: from the highest index down, the last record takes the place of the deleted one.
pub(crate) fn swap_remove(records: &mut Vec<Record>, targets: &[u64]) {
    let mut targets: Vec<usize> =
        targets.iter().map(|&target| usize::try_from(target).expect("small")).collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets.into_iter().rev() {
        records.swap_remove(target);
    }
}
