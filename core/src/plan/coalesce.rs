//! Fewer, longer reads instead of many short ones.

use alloc::vec::Vec;
use core::ops::Range;

use super::ReadRange;
use super::order::in_order;
use crate::storage::FileId;

/// When two ranges are read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coalesce {
    /// The most unwanted bytes between them.
    pub gap: u64,
    /// The most bytes of one read; a single range may be longer.
    pub max: u64,
}

/// One read that serves several ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Its bytes.
    pub bytes: Range<u64>,
    /// The ranges that it serves, as positions in the list that was coalesced.
    pub members: Vec<usize>,
}

impl Span {
    /// Where the bytes of `read` lie in the bytes of this span.
    #[must_use]
    pub fn locate(&self, read: &ReadRange) -> Option<Range<usize>> {
        let start = usize::try_from(read.offset.checked_sub(self.bytes.start)?).ok()?;
        let end = start.checked_add(usize::try_from(read.len).ok()?)?;
        (self.file == read.file && read.end() <= self.bytes.end).then_some(start..end)
    }
}

/// Joins ranges of one file that touch, overlap or nearly touch. Every range belongs to exactly one span; spans come
/// in the order of files and offsets.
#[must_use]
pub fn coalesce(reads: &[ReadRange], rule: Coalesce) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for i in in_order(reads) {
        let read = &reads[i];
        if let Some(span) = spans.last_mut() {
            let end = span.bytes.end.max(read.end());
            let near = span.file == read.file && read.offset <= span.bytes.end.saturating_add(rule.gap);
            if near && (end - span.bytes.start <= rule.max || read.end() <= span.bytes.end) {
                span.bytes.end = end;
                span.members.push(i);
                continue;
            }
        }
        spans.push(Span { file: read.file, bytes: read.offset..read.end(), members: alloc::vec![i] });
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunk: u32, offset: u64, len: u32) -> ReadRange {
        ReadRange { file: FileId::Chunk(chunk), offset, len }
    }

    #[test]
    fn near_ranges_join_and_far_ones_do_not() {
        let reads = [read(0, 100, 10), read(1, 0, 5), read(0, 0, 10), read(0, 12, 8), read(0, 12, 3)];
        let spans = coalesce(&reads, Coalesce { gap: 2, max: 1000 });
        let seen: Vec<_> =
            spans.iter().map(|span| (span.file, span.bytes.clone(), span.members.clone())).collect();
        assert_eq!(
            seen,
            [
                (FileId::Chunk(0), 0..20, alloc::vec![2, 3, 4]),
                (FileId::Chunk(0), 100..110, alloc::vec![0]),
                (FileId::Chunk(1), 0..5, alloc::vec![1]),
            ]
        );
        assert_eq!(spans[0].locate(&reads[3]), Some(12..20));
        assert_eq!(spans[0].locate(&reads[1]), None);
    }

    #[test]
    fn no_read_exceeds_the_maximum_unless_a_single_range_does() {
        let reads: Vec<_> = (0..10).map(|i| read(0, i * 10, 10)).chain([read(0, 100, 90)]).collect();
        let spans = coalesce(&reads, Coalesce { gap: 0, max: 30 });
        assert_eq!(
            spans.iter().map(|span| span.bytes.end - span.bytes.start).collect::<Vec<_>>(),
            [30, 30, 30, 10, 90]
        );
        let members: usize = spans.iter().map(|span| span.members.len()).sum();
        assert_eq!(members, reads.len());
    }
}
