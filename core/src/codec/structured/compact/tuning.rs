//! What a level means.

use super::chains::Effort;

/// The longest table of hashes, for records of a MiB and more.
pub(super) const MOST_HEADS: usize = 1 << 18;

/// How matches are chosen.
#[derive(Clone, Copy)]
pub(super) struct Tuning {
    pub(super) effort: Effort,
    /// Positions that are looked ahead for a better match.
    pub(super) ahead: usize,
    /// One of how many positions is entered.
    pub(super) step: usize,
    /// After two to the power of this many bytes without a match, one more position is left out each time.
    pub(super) patience: u32,
    pub(super) heads: usize,
    /// Nothing is looked for.
    pub(super) blind: bool,
    /// How far back a match begins at most.
    pub(super) window: usize,
}

impl Tuning {
    /// Of levels as the library takes them; 0 is 3.
    pub(super) fn of(level: i32) -> Self {
        let level = if level == 0 { 3 } else { level.clamp(-7, 22) };
        let (places, enough) = match level {
            ..=0 => (1, 24),
            1..=3 => (2, 32),
            4 => (2, 48),
            5..=6 => (4 << (level - 4), 64),
            7..=12 => (24 << ((level - 6) / 2), 128),
            13..=17 => (256, 256),
            _ => (1024, 1024),
        };
        Tuning {
            effort: Effort { places, enough },
            ahead: match level {
                ..=3 => 0,
                4..=6 => 1,
                _ => 2,
            },
            step: if level <= 0 { 3 } else { 1 },
            patience: match level {
                ..=0 => 4,
                1..=2 => 5,
                3..=5 => 6,
                _ => 8,
            },
            heads: match level {
                ..=2 => 1 << 14,
                3..=5 => 1 << 16,
                _ => MOST_HEADS,
            },
            blind: false,
            window: match level {
                ..=4 => 1 << 21,
                5..=16 => 1 << 22,
                _ => 1 << 23,
            },
        }
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning::of(3)
    }
}
