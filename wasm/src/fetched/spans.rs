//! Bytes of one file that are here.

use std::ops::Range;

/// Pieces of a file by their offset. They do not overlap.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

#[derive(Debug)]
struct Span {
    start: u64,
    bytes: Vec<u8>,
}

impl Span {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes.len() as u64)
    }
}

impl Spans {
    /// Adds a piece. What is here already of it is kept as it is.
    pub(super) fn add(&mut self, start: u64, bytes: Vec<u8>) {
        let mut rest = Span { start, bytes };
        let mut at = self.0.partition_point(|span| span.end() <= start);
        while !rest.bytes.is_empty() {
            let next = self.0.get(at).map(|span| (span.start, span.end()));
            let Some((next_start, next_end)) = next.filter(|(next_start, _)| *next_start < rest.end()) else {
                self.0.insert(at, rest);
                return;
            };
            let before = usize::try_from(next_start.saturating_sub(rest.start)).unwrap_or(usize::MAX);
            let covered = usize::try_from(next_end.saturating_sub(rest.start)).unwrap_or(usize::MAX);
            let behind = rest.bytes.split_off(covered.min(rest.bytes.len()));
            rest.bytes.truncate(before);
            if !rest.bytes.is_empty() {
                self.0.insert(at, rest);
                at += 1;
            }
            rest = Span { start: next_end, bytes: behind };
            at += 1;
        }
    }

    pub(super) fn holds(&self, bytes: &Range<u64>) -> bool {
        let mut at = bytes.start;
        for span in &self.0[self.0.partition_point(|span| span.end() <= bytes.start)..] {
            if at >= bytes.end || span.start > at {
                break;
            }
            at = span.end();
        }
        at >= bytes.end
    }

    /// Fills `out` from `offset`; the first byte that is not here where one is missing.
    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), u64> {
        let mut at = offset;
        let mut rest = out;
        for span in &self.0[self.0.partition_point(|span| span.end() <= offset)..] {
            if rest.is_empty() {
                break;
            }
            let Some(skip) = at.checked_sub(span.start) else { return Err(at) };
            let from = usize::try_from(skip).ok().and_then(|skip| span.bytes.get(skip..)).unwrap_or_default();
            let count = from.len().min(rest.len());
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&from[..count]);
            rest = later;
            at += count as u64;
        }
        if rest.is_empty() { Ok(()) } else { Err(at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte `i` of the file is `i`.
    fn piece(range: Range<u8>) -> (u64, Vec<u8>) {
        (u64::from(range.start), range.collect())
    }

    #[test]
    fn pieces_in_any_order_and_overlap_read_as_the_file() {
        let pieces = [20..30u8, 5..8, 0..6, 28..40, 0..3, 10..25, 33..34];
        // Every rotation is another order.
        for turn in 0..pieces.len() {
            let mut spans = Spans::default();
            let mut is_here = [false; 64];
            for range in pieces.iter().cycle().skip(turn).take(pieces.len()) {
                let (start, bytes) = piece(range.clone());
                spans.add(start, bytes);
                is_here[usize::from(range.start)..usize::from(range.end)].fill(true);
                for from in 0..50u8 {
                    for to in from..50u8 {
                        let wanted = &is_here[usize::from(from)..usize::from(to)];
                        let range = u64::from(from)..u64::from(to);
                        assert_eq!(spans.holds(&range), wanted.iter().all(|here| *here), "{range:?}");
                        let mut out = vec![0; wanted.len()];
                        let missing = wanted.iter().position(|here| !here).map(|at| range.start + at as u64);
                        assert_eq!(spans.read(range.start, &mut out).err(), missing, "{range:?}");
                        if missing.is_none() {
                            assert_eq!(out, (from..to).collect::<Vec<_>>());
                        }
                    }
                }
            }
        }
    }
}
