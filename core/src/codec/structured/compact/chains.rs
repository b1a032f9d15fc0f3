//! Where four bytes stood before.

use alloc::vec;
use alloc::vec::Vec;

/// Bytes that go by a hash, and the fewest that a match by it has.
pub(super) const HASHED: usize = 4;
/// The longest history that positions are kept of. Tables hold half of the numbers, so that old ones can be told.
pub(super) const LIMIT: usize = 1 << 31;

/// The places of each hash, the nearest first: the last one by its hash, the one before by place.
#[derive(Default)]
pub(super) struct Chains {
    heads: Vec<u32>,
    links: Vec<u32>,
    /// The first entries of each table are in use, a power of two.
    heads_used: usize,
    links_used: usize,
    /// Position 0 is entered as this. What is below belongs to an earlier history.
    base: u32,
    /// Every position before this is entered, or never will be.
    next: usize,
}

/// A match, or none of it yet.
#[derive(Clone, Copy, Default)]
pub(super) struct Match {
    pub(super) length: usize,
    pub(super) offset: usize,
    /// What it is worth: a quarter of a byte, which is more or less two bits.
    pub(super) score: i32,
}

/// How hard to look.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Places of a hash that are compared.
    pub(super) places: u32,
    /// A match as long as this is taken at once.
    pub(super) enough: usize,
}

impl Chains {
    /// Forgets everything, and makes room for matches that reach `reach` bytes back.
    pub(super) fn restart(&mut self, reach: usize, most_heads: usize) {
        self.heads_used = reach.next_power_of_two().clamp(1 << 8, most_heads);
        self.links_used = reach.next_power_of_two().max(1 << 8);
        let ended = u64::from(self.base) + self.next as u64;
        match u32::try_from(ended) {
            // Below `LIMIT`, so that no later sum is too large.
            Ok(ended) if ended >> 31 == 0 => self.base = ended.max(1),
            _ => {
                self.heads.fill(0);
                self.base = 1;
            }
        }
        self.next = 0;
        grow(&mut self.heads, self.heads_used);
        grow(&mut self.links, self.links_used);
    }

    /// Passes over the positions before `position`.
    pub(super) fn pass(&mut self, position: usize) {
        self.next = self.next.max(position);
    }

    /// Enters the positions before `end`, or every `step`th of them.
    pub(super) fn enter(&mut self, history: &[u8], end: usize, step: usize) {
        while self.next < end {
            let Some(hash) = hash(history, self.next, self.heads_used) else { break };
            let entry = self.entry(self.next);
            let head = &mut self.heads[hash];
            self.links[self.next & (self.links_used - 1)] = *head;
            *head = entry;
            self.next += step;
        }
        self.pass(end);
    }

    /// Looks for a match of `history[at..end]` with what begins at `low` or later that is worth more than `best`, and
    /// enters `at` where it is next.
    pub(super) fn meet(
        &mut self,
        history: &[u8],
        at: usize,
        end: usize,
        low: usize,
        effort: Effort,
        best: &mut Match,
    ) {
        let Some(hash) = hash(history, at, self.heads_used) else { return };
        let head = self.heads[hash];
        if at == self.next {
            self.links[at & (self.links_used - 1)] = head;
            self.heads[hash] = self.entry(at);
            self.next += 1;
        }
        self.follow(head, history, at, end, low, effort, best);
    }

    /// As [`Chains::meet`], where `at` is in another history than what was entered.
    pub(super) fn search(
        &self,
        history: &[u8],
        at: usize,
        end: usize,
        low: usize,
        effort: Effort,
        best: &mut Match,
    ) {
        if let Some(hash) = hash(history, at, self.heads_used) {
            self.follow(self.heads[hash], history, at, end, low, effort, best);
        }
    }

    #[inline]
    #[expect(clippy::too_many_arguments, reason = "those of its two callers, and where to begin")]
    fn follow(
        &self,
        mut entry: u32,
        history: &[u8],
        at: usize,
        end: usize,
        low: usize,
        effort: Effort,
        best: &mut Match,
    ) {
        let (here, low) = (&history[at..end], self.entry(low));
        let mask = self.links_used - 1;
        for _ in 0..effort.places {
            if entry < low || best.length >= here.len() {
                return;
            }
            let place = (entry - self.base) as usize;
            if place >= at {
                return;
            }
            if history[place + best.length] == here[best.length] {
                let (length, offset) = (alike(&history[place..], here), at - place);
                let score = worth(length, offset);
                if length >= HASHED && score > best.score {
                    *best = Match { length, offset, score };
                    if length >= effort.enough {
                        return;
                    }
                }
            }
            entry = self.links[place & mask];
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "histories are shorter than LIMIT")]
    fn entry(&self, position: usize) -> u32 {
        self.base + position as u32
    }
}

/// Tables only grow: what is there was entered for an earlier history, which `base` tells.
fn grow(table: &mut Vec<u32>, len: usize) {
    if table.len() < len {
        *table = vec![0; len];
    }
}

fn hash(history: &[u8], at: usize, heads: usize) -> Option<usize> {
    let bytes = history.get(at..)?.first_chunk::<HASHED>()?;
    let mixed = u32::from_le_bytes(*bytes).wrapping_mul(0x9E37_79B1);
    Some((mixed >> (32 - heads.trailing_zeros())) as usize)
}

/// Every byte that is not written is worth four, every bit of the offset costs one.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a block has 128 KiB")]
fn worth(length: usize, offset: usize) -> i32 {
    4 * length as i32 - offset.ilog2() as i32
}

/// How many bytes two slices have in common at their start.
#[inline]
pub(super) fn alike(one: &[u8], other: &[u8]) -> usize {
    let (ones, others) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    for (index, (one, other)) in ones.iter().zip(others).enumerate() {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            return 8 * index + (differ.trailing_zeros() / 8) as usize;
        }
    }
    let start = 8 * ones.len().min(others.len());
    start + one[start..].iter().zip(&other[start..]).take_while(|(one, other)| one == other).count()
}
