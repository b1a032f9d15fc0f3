//! The matches of a block, chosen by looking ahead.

use alloc::vec::Vec;
use core::mem;

use structured_zstd::encoding::{CompressionLevel, HistoryBuf, Matcher, Sequence};

use super::chains::{Chains, LIMIT, Match, alike};
use super::tuning::{MOST_HEADS, Tuning};

/// The shortest match that the format has. Only an offset that is repeated makes it worth while.
const SHORTEST: usize = 3;

/// The history of a frame, dictionary first, and how its matches are found.
#[derive(Default)]
pub(super) struct Finder {
    /// The dictionary, then the record.
    history: Vec<u8>,
    dictionary: usize,
    /// The last block is from here to `claimed`. What lies between that and `given` is in no block yet.
    block: usize,
    claimed: usize,
    given: usize,
    record: Chains,
    /// The positions of the dictionary, entered once for all frames.
    before: Chains,
    offsets: [usize; 3],
    tuning: Tuning,
    window: usize,
}

impl Finder {
    pub(super) fn new(level: i32) -> Self {
        Finder { tuning: Tuning::of(level), ..Finder::default() }
    }

    /// One that finds nothing.
    pub(super) fn blind() -> Self {
        let mut finder = Finder::new(1);
        finder.tuning.blind = true;
        finder
    }

    /// Takes the record of the next frame.
    pub(super) fn load(&mut self, record: &[u8]) {
        self.history.truncate(self.dictionary);
        self.history.extend_from_slice(record);
    }

    /// The first position that a match before `end` may begin at: within the window, and in the dictionary only as
    /// long as all of the frame so far is.
    fn low(&self, at: usize, end: usize) -> usize {
        if end - self.dictionary <= self.window {
            0
        } else {
            self.dictionary.max(at.saturating_sub(self.window))
        }
    }

    fn best(&mut self, at: usize, low: usize, end: usize) -> Match {
        let here = &self.history[at..end];
        let mut best = Match::default();
        for offset in self.offsets {
            if offset == 0 || offset > at - low {
                continue;
            }
            let length = alike(&self.history[at - offset..], here);
            if length >= SHORTEST && length > best.length {
                let score = i32::try_from(4 * length).unwrap_or(i32::MAX);
                best = Match { length, offset, score };
            }
        }
        let effort = self.tuning.effort;
        if best.length < effort.enough {
            self.record.meet(&self.history, at, end, low.max(self.dictionary), effort, &mut best);
        }
        if best.length < effort.enough && low < self.dictionary {
            self.before.search(&self.history, at, end, low, effort, &mut best);
        }
        best
    }

    /// As the decoder will: what was used is now the nearest.
    fn repeat(&mut self, offset: usize) {
        let found = self.offsets.iter().position(|known| *known == offset).unwrap_or(2);
        self.offsets[..=found].rotate_right(1);
        self.offsets[0] = offset;
    }
}

impl Matcher for Finder {
    fn get_last_space(&mut self) -> &[u8] {
        &self.history[self.block..self.claimed]
    }

    /// The record is here already: its bytes are given out, none are read.
    fn fill_in_place(
        &mut self,
        capacity: usize,
        _fill: &mut dyn FnMut(&mut HistoryBuf) -> (usize, bool),
    ) -> (usize, bool) {
        let more = capacity.min(self.history.len() - self.given);
        self.given += more;
        (more, self.given == self.history.len())
    }

    fn uncommitted_input(&self) -> &[u8] {
        &self.history[self.claimed..self.given]
    }

    fn commit_filled(&mut self, len: usize) {
        self.block = self.claimed;
        self.claimed += len;
    }

    fn skip_matching(&mut self) {
        if self.claimed < LIMIT {
            self.record.enter(&self.history, self.claimed, 8);
        }
    }

    fn start_matching(&mut self, mut handle_sequence: impl FnMut(Sequence)) {
        let end = self.claimed;
        let tuning = self.tuning;
        let (mut written, mut at) = (self.block, self.block);
        while at + SHORTEST < end && end < LIMIT && !tuning.blind {
            self.record.enter(&self.history, at, tuning.step);
            let mut best = self.best(at, self.low(at, end), end);
            if best.score <= 0 {
                at += 1 + ((at - written) >> tuning.patience);
                continue;
            }
            let mut ahead = 0;
            while ahead < tuning.ahead && best.length < tuning.effort.enough && at + ahead + SHORTEST < end {
                ahead += 1;
                self.record.enter(&self.history, at + ahead, 1);
                let later = self.best(at + ahead, self.low(at + ahead, end), end);
                // What it is late by goes out as it is.
                if later.score > best.score + 4 * i32::try_from(ahead).unwrap_or(i32::MAX) {
                    best = later;
                    at += ahead;
                    ahead = 0;
                }
            }
            let low = self.low(at, end);
            while at > written
                && at - best.offset > low
                && self.history[at - 1] == self.history[at - 1 - best.offset]
            {
                at -= 1;
                best.length += 1;
            }
            handle_sequence(Sequence::Triple {
                literal_len: at - written,
                offset: best.offset,
                match_len: best.length,
            });
            self.repeat(best.offset);
            at += best.length;
            written = at;
        }
        self.record.enter(&self.history, end, tuning.step);
        handle_sequence(Sequence::Literals { len: end - written });
    }

    fn reset(&mut self, _level: CompressionLevel) {
        let record = self.history.len() - self.dictionary;
        self.window = record.next_power_of_two().clamp(1 << 10, self.tuning.window);
        self.record.restart(self.window, self.tuning.heads);
        self.record.pass(self.dictionary);
        self.offsets = [1, 4, 8];
        (self.block, self.claimed, self.given) = (self.dictionary, self.dictionary, self.dictionary);
    }

    fn supports_dictionary_priming(&self) -> bool {
        true
    }

    fn prime_with_dictionary(&mut self, content: &[u8], offsets: [u32; 3]) {
        self.invalidate_primed_dictionary();
        self.history.splice(..0, content.iter().copied());
        self.dictionary = content.len();
        if self.dictionary < LIMIT {
            self.before.restart(self.dictionary, MOST_HEADS);
            self.before.enter(&self.history[..self.dictionary], self.dictionary, 1);
        }
        self.reset(CompressionLevel::Default);
        self.reapply_resident_dictionary(offsets);
    }

    fn dictionary_is_resident(&self) -> bool {
        self.dictionary > 0
    }

    fn reapply_resident_dictionary(&mut self, offsets: [u32; 3]) {
        self.offsets = offsets.map(|offset| usize::try_from(offset).unwrap_or(0));
    }

    fn invalidate_primed_dictionary(&mut self) {
        self.history.drain(..mem::take(&mut self.dictionary));
    }

    /// Found matches reach no further back, so a decoder need not keep more.
    fn window_size(&self) -> u64 {
        self.window as u64
    }
}
