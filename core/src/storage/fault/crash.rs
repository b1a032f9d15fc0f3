//! What a disk may hold after the process or the machine died.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::disk::{Disk, NodeId, Pending};
use super::random::Random;
use super::{SECTOR, Survival};
use crate::storage::memory::{MemoryStorage, bytes};

pub(super) fn image(disk: &Disk, survival: Survival) -> MemoryStorage {
    match survival {
        Survival::All => gather(&disk.live, |node| disk.nodes[node].live.clone()),
        Survival::None => gather(&disk.durable, |node| disk.nodes[node].durable.clone()),
        Survival::Subset(seed) => subset(disk, &mut Random::new(seed)),
    }
}

fn gather(
    names: &BTreeMap<alloc::string::String, NodeId>,
    mut content: impl FnMut(NodeId) -> Vec<u8>,
) -> MemoryStorage {
    MemoryStorage::from_files(names.iter().map(|(name, &node)| (name.clone(), content(node))))
}

fn subset(disk: &Disk, random: &mut Random) -> MemoryStorage {
    // A seed also picks how much survives, or long logs would always lose about half.
    let eighths = [1, 4, 7][usize::try_from(random.below(3)).unwrap_or(0)];
    let mut names = disk.durable.clone();
    let mut contents: Vec<Vec<u8>> = disk.nodes.iter().map(|node| node.durable.clone()).collect();
    for pending in &disk.pending {
        match pending {
            Pending::Write { node, offset, data } => {
                write(&mut contents[*node], *offset, data, eighths, random);
            }
            Pending::SetLen { node, len } => {
                if random.chance(eighths) {
                    resize(&mut contents[*node], *len);
                }
            }
            Pending::Create { name, node } => {
                if random.chance(eighths) {
                    names.insert(name.clone(), *node);
                }
            }
            Pending::Remove { name } => {
                if random.chance(eighths) {
                    names.remove(name);
                }
            }
            Pending::Rename { from, to, node } => {
                if random.chance(eighths) {
                    names.remove(from);
                    names.insert(to.clone(), *node);
                }
            }
        }
    }
    gather(&names, |node| core::mem::take(&mut contents[node]))
}

/// The write survives, is lost, or each of its sectors survives or is lost. A file system stores data and size
/// apart, so what is lost at the end of a file reads as zeros or is missing.
fn write(content: &mut Vec<u8>, offset: u64, data: &[u8], eighths: u64, random: &mut Random) {
    let torn = random.chance(2);
    let survives = random.chance(eighths);
    if torn || !survives {
        let end = offset + data.len() as u64;
        if end > content.len() as u64 && random.chance(4) {
            resize(content, end);
        }
    }
    if !torn {
        if survives {
            overwrite(content, offset, data);
        }
        return;
    }
    let (mut at, mut rest) = (offset, data);
    while !rest.is_empty() {
        let to_boundary = usize::try_from(SECTOR - at % SECTOR).unwrap_or(usize::MAX);
        let (sector, after) = rest.split_at(to_boundary.min(rest.len()));
        if random.chance(eighths) {
            overwrite(content, at, sector);
        }
        at += sector.len() as u64;
        rest = after;
    }
}

fn overwrite(content: &mut Vec<u8>, offset: u64, data: &[u8]) {
    bytes::write(content, offset, data).expect("the same bytes were in memory before");
}

fn resize(content: &mut Vec<u8>, len: u64) {
    bytes::resize(content, len).expect("a file of this size was in memory before");
}
