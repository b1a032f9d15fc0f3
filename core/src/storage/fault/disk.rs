//! What the process sees, what is on the disk, and what is still on its way.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Applied, SECTOR, random::Random};
use crate::storage::StorageError;
use crate::storage::memory::{bytes, lock::Holders};

/// A file, by its place in [`Disk::nodes`]: what handles refer to, whatever its name is.
pub(super) type NodeId = usize;

#[derive(Default)]
pub(super) struct Disk {
    pub(super) nodes: Vec<Node>,
    /// The names as the process sees them.
    pub(super) live: BTreeMap<String, NodeId>,
    /// The names as the last `sync_names` left them.
    pub(super) durable: BTreeMap<String, NodeId>,
    /// What is not durable yet, in order.
    pub(super) pending: Vec<Pending>,
}

#[derive(Default)]
pub(super) struct Node {
    pub(super) live: Vec<u8>,
    /// The content as the last sync of this file left it.
    pub(super) durable: Vec<u8>,
    pub(super) holders: Arc<Holders>,
}

pub(super) enum Pending {
    Write { node: NodeId, offset: u64, data: Vec<u8> },
    SetLen { node: NodeId, len: u64 },
    Create { name: String, node: NodeId },
    Remove { name: String },
    Rename { from: String, to: String, node: NodeId },
}

impl Disk {
    /// A disk with one durable file for each (name, content).
    pub(super) fn holding(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let mut disk = Disk::default();
        for (name, content) in files {
            disk.live.insert(name, disk.nodes.len());
            disk.nodes.push(Node { durable: content.clone(), live: content, holders: Arc::default() });
        }
        disk.durable.clone_from(&disk.live);
        disk
    }

    /// Returns the new node also where its name was not created, as a failed create has no handle anyway.
    pub(super) fn create(&mut self, name: String, applied: Applied) -> NodeId {
        let node = self.nodes.len();
        self.nodes.push(Node::default());
        if applied.to_an_indivisible_operation() {
            self.live.insert(name.clone(), node);
            self.pending.push(Pending::Create { name, node });
        }
        node
    }

    pub(super) fn remove(&mut self, name: String, applied: Applied) {
        if applied.to_an_indivisible_operation() {
            self.live.remove(&name);
            self.pending.push(Pending::Remove { name });
        }
    }

    pub(super) fn rename(&mut self, from: String, to: String, applied: Applied) {
        if applied.to_an_indivisible_operation()
            && let Some(node) = self.live.remove(&from)
        {
            self.live.insert(to.clone(), node);
            self.pending.push(Pending::Rename { from, to, node });
        }
    }

    pub(super) fn write(
        &mut self,
        node: NodeId,
        offset: u64,
        data: &[u8],
        applied: Applied,
    ) -> Result<(), StorageError> {
        let data = &data[..applied.prefix_of_write(offset, data.len())];
        if !data.is_empty() {
            bytes::write(&mut self.nodes[node].live, offset, data)?;
            self.pending.push(Pending::Write { node, offset, data: data.to_vec() });
        }
        Ok(())
    }

    pub(super) fn set_len(&mut self, node: NodeId, len: u64, applied: Applied) -> Result<(), StorageError> {
        if applied.to_an_indivisible_operation() {
            bytes::resize(&mut self.nodes[node].live, len)?;
            self.pending.push(Pending::SetLen { node, len });
        }
        Ok(())
    }

    pub(super) fn sync(&mut self, synced: NodeId, applied: Applied) {
        if applied.to_an_indivisible_operation() {
            let Node { live, durable, .. } = &mut self.nodes[synced];
            durable.clone_from(live);
            self.pending.retain(|pending| match pending {
                Pending::Write { node, .. } | Pending::SetLen { node, .. } => *node != synced,
                Pending::Create { .. } | Pending::Remove { .. } | Pending::Rename { .. } => true,
            });
        }
    }

    pub(super) fn sync_names(&mut self, applied: Applied) {
        if applied.to_an_indivisible_operation() {
            self.durable.clone_from(&self.live);
            self.pending.retain(|pending| matches!(pending, Pending::Write { .. } | Pending::SetLen { .. }));
        }
    }

    pub(super) fn settle(&mut self) {
        self.sync_names(Applied::Whole);
        for node in 0..self.nodes.len() {
            self.sync(node, Applied::Whole);
        }
    }
}

impl Applied {
    fn to_an_indivisible_operation(self) -> bool {
        match self {
            Applied::Whole => true,
            Applied::Nothing => false,
            Applied::Torn(seed) => Random::new(seed).chance(4),
        }
    }

    fn prefix_of_write(self, offset: u64, len: usize) -> usize {
        match self {
            Applied::Whole => len,
            Applied::Nothing => 0,
            Applied::Torn(seed) => {
                // Every boundary inside the write, its start and its end are equally likely.
                let to_boundary = SECTOR - offset % SECTOR;
                let inside = (len as u64).saturating_sub(to_boundary).div_ceil(SECTOR);
                match Random::new(seed).below(inside + 2) {
                    0 => 0,
                    nth => usize::try_from(to_boundary + (nth - 1) * SECTOR).map_or(len, |at| at.min(len)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    fn prefixes(offset: u64, len: usize) -> BTreeSet<usize> {
        (0..200).map(|seed| Applied::Torn(seed).prefix_of_write(offset, len)).collect()
    }

    #[test]
    fn a_write_tears_at_every_sector_boundary_and_nowhere_else() {
        assert_eq!(prefixes(0, 1024), BTreeSet::from([0, 512, 1024]));
        assert_eq!(prefixes(500, 1024), BTreeSet::from([0, 12, 524, 1024]));
        assert_eq!(prefixes(512, 513), BTreeSet::from([0, 512, 513]));
    }

    #[test]
    fn a_write_inside_one_sector_happens_or_does_not() {
        assert_eq!(prefixes(8, 16), BTreeSet::from([0, 16]));
    }
}
