//! The part of every global batch that one of several processes takes.

use alloc::format;
use core::ops::Range;

use crate::error::{Code, Error, Result};

/// One rank of a world of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shard {
    rank: u64,
    world: u64,
}

impl Shard {
    pub(super) fn new(rank: u64, world: u64) -> Result<Self> {
        if world == 0 {
            return Err(Error::new(
                Code::InvalidArgument,
                "a world has at least one rank, but it was given as 0",
            ));
        }
        if rank >= world {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("rank {rank} does not exist in a world of {world}; ranks count from 0"),
            ));
        }
        Ok(Shard { rank, world })
    }

    pub(super) fn rank(self) -> u64 {
        self.rank
    }

    pub(super) fn world(self) -> u64 {
        self.world
    }

    /// The positions of this rank in a global batch of `size`; the first `size mod world` ranks take one more.
    pub(super) fn slice(self, size: u64) -> Range<u64> {
        let (share, extra) = (size / self.world, size % self.world);
        let start = self.rank * share + self.rank.min(extra);
        start..start + share + u64::from(self.rank < extra)
    }
}
