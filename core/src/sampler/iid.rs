//! Uniform with replacement, from one generator.

use alloc::vec::Vec;
use core::ops::Range;

use super::bounded::below;
use super::sfc64::Sfc64;

/// The endless stream of draws of one seed, and how far it has been read.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    length: u64,
    seed: u64,
    generator: Sfc64,
    drawn: u64,
}

impl Stream {
    pub(super) fn new(length: u64, seed: u64) -> Self {
        Stream { length, seed, generator: Sfc64::new(seed), drawn: 0 }
    }

    /// Makes `draw` the number of the next draw: forward by drawing, backward by starting again.
    pub(super) fn go_to(&mut self, draw: u64) {
        if draw < self.drawn {
            *self = Stream::new(self.length, self.seed);
        }
        while self.drawn < draw {
            self.draw();
        }
    }

    /// How many draws [`Stream::go_to`] would make.
    pub(super) fn draws_to(&self, draw: u64) -> u64 {
        draw.checked_sub(self.drawn).unwrap_or(draw)
    }

    /// Appends positions `slice` of the batch of `step`, and stands at the start of the next batch afterwards.
    pub(super) fn fill(&mut self, batch: u64, step: u64, slice: Range<u64>, out: &mut Vec<u64>) {
        self.go_to(step.wrapping_mul(batch));
        for position in 0..batch {
            let index = self.draw();
            if slice.contains(&position) {
                out.push(index);
            }
        }
    }

    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(1);
        below(self.length, || self.generator.next())
    }
}
