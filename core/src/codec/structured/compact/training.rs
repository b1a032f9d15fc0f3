//! Dictionaries: what records have in common, and how often their bytes and matches are what.
//!
//! The content is chosen by the idea of FastCOVER: of each part of the samples, the stretch whose pieces of eight bytes
//! are the most frequent in all of them. The tables are counted from the matches that the finder makes of samples with
//! that content.

use alloc::vec;
use alloc::vec::Vec;

use structured_zstd::encoding::{CompressionLevel, HistoryBuf, Matcher, Sequence};

use super::Frames;
use super::finder::Finder;

const MAGIC: [u8; 4] = 0xEC30_A437u32.to_le_bytes();
/// Bytes that are counted as one piece, and bytes that are chosen at once.
const PIECE: usize = 8;
const STRETCH: usize = 256;
const COUNTERS: usize = 1 << 20;
/// The most of the samples that the tables are counted from.
const COUNTED: usize = 4 << 20;
/// Of a sample, the most that is counted, and the most literals that a table is made of: less than a block.
const BLOCK: usize = 100 << 10;
/// The level of the matches that are counted.
const LEVEL: i32 = 9;

/// A dictionary of at most `capacity` bytes, or why there is none.
pub(in super::super) fn train(
    samples: &[u8],
    sizes: &[usize],
    capacity: usize,
) -> Result<Vec<u8>, &'static str> {
    if sizes.len() < 7 || samples.len() < 8 * PIECE {
        return Err("they are too few or too small");
    }
    let mut counts = Counts::new();
    let mut content = content(samples, capacity);
    let offsets = (content.len() + (128 << 10)).ilog2() as usize + 1;
    counts.count(samples, sizes, &content);

    let mut dictionary = MAGIC.to_vec();
    dictionary.extend_from_slice(&number(&content).to_le_bytes());
    dictionary.extend_from_slice(&huffman(&counts.literals).ok_or("their bytes are all alike")?);
    describe(&counts.offsets[..offsets.min(OFFSETS)], 8, &mut dictionary);
    describe(&counts.matches, 9, &mut dictionary);
    describe(&counts.runs, 9, &mut dictionary);
    for offset in [1u32, 4, 8] {
        dictionary.extend_from_slice(&offset.to_le_bytes());
    }
    // The best is last.
    let room = capacity.saturating_sub(dictionary.len());
    content.drain(..content.len().saturating_sub(room));
    dictionary.append(&mut content);
    Ok(dictionary)
}

/// The stretches of the samples with the most frequent pieces, the best last.
fn content(samples: &[u8], capacity: usize) -> Vec<u8> {
    let mut frequency = vec![0u32; COUNTERS];
    let places = samples.len() - PIECE;
    for at in 0..places {
        let count = &mut frequency[piece(samples, at)];
        *count = count.saturating_add(1);
    }
    let parts = (capacity / STRETCH).clamp(1, (samples.len() / STRETCH).max(1));
    let part = samples.len().div_ceil(parts);
    let mut chosen: Vec<(u64, usize)> = Vec::new();
    for start in (0..places).step_by(part) {
        let end = (start + part).min(places);
        let (mut sum, mut best, mut from) = (0u64, 0u64, start);
        for at in start..end {
            sum += worth(&frequency, samples, at);
            if at >= start + STRETCH {
                sum = sum.saturating_sub(worth(&frequency, samples, at - STRETCH));
            }
            if sum > best {
                (best, from) = (sum, (at + 1).saturating_sub(STRETCH).max(start));
            }
        }
        if best > 0 {
            chosen.push((best, from));
            for at in from..(from + STRETCH).min(end) {
                frequency[piece(samples, at)] = 0;
            }
        }
    }
    chosen.sort_unstable();
    let mut content = Vec::new();
    for (_, from) in chosen {
        content.extend_from_slice(&samples[from..(from + STRETCH).min(samples.len())]);
    }
    content.drain(..content.len().saturating_sub(capacity));
    content
}

/// A piece that is there once saves nothing.
fn worth(frequency: &[u32], samples: &[u8], at: usize) -> u64 {
    u64::from(frequency[piece(samples, at)].saturating_sub(1))
}

#[expect(clippy::cast_possible_truncation, reason = "as many bits as there are counters")]
fn piece(samples: &[u8], at: usize) -> usize {
    let bytes = samples[at..].first_chunk::<PIECE>().copied().unwrap_or_default();
    (u64::from_le_bytes(bytes).wrapping_mul(0xCF1B_BCDC_B7A5_6463) >> (64 - COUNTERS.trailing_zeros()))
        as usize
}

/// Numbers of dictionaries below 32768 and from 2^31 on are reserved.
fn number(content: &[u8]) -> u32 {
    let hash = content.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    (hash % ((1 << 31) - 32768)) as u32 + 32768
}

const OFFSETS: usize = 32;

/// How often each code was used, and once more, since a table has to know all of them.
struct Counts {
    literals: Vec<u8>,
    runs: [u32; 36],
    matches: [u32; 53],
    offsets: [u32; OFFSETS],
}

impl Counts {
    fn new() -> Self {
        Counts { literals: Vec::new(), runs: [1; 36], matches: [1; 53], offsets: [1; OFFSETS] }
    }

    fn count(&mut self, samples: &[u8], sizes: &[usize], content: &[u8]) {
        let mut finder = Finder::new(LEVEL);
        finder.prime_with_dictionary(content, [1, 4, 8]);
        let (mut rest, mut counted) = (samples, 0);
        // Spread over all of the samples.
        let every = (samples.len() / COUNTED).max(1);
        let share = (BLOCK * every * 2).div_ceil(sizes.len()).max(16);
        for (index, size) in sizes.iter().enumerate() {
            let (sample, behind) = rest.split_at((*size).min(rest.len()));
            rest = behind;
            if index % every == 0 && counted < COUNTED {
                let sample = &sample[..sample.len().min(BLOCK)];
                counted += sample.len();
                self.count_one(&mut finder, sample, share);
            }
        }
    }

    fn count_one(&mut self, finder: &mut Finder, sample: &[u8], share: usize) {
        finder.load(sample);
        finder.reset(CompressionLevel::Default);
        finder.reapply_resident_dictionary([1, 4, 8]);
        let (given, _) = finder.fill_in_place(sample.len(), &mut |_: &mut HistoryBuf| (0, true));
        finder.commit_filled(given);
        let (mut at, mut recent, mut kept) = (0, [1, 4, 8], 0);
        finder.start_matching(|sequence| {
            let literals = match sequence {
                Sequence::Literals { len } => len,
                Sequence::Triple { literal_len, offset, match_len } => {
                    self.runs[run_code(literal_len)] += 1;
                    self.matches[match_code(match_len)] += 1;
                    let code = match recent.iter().position(|known| *known == offset) {
                        Some(0) if literal_len > 0 => 0,
                        Some(_) => 1,
                        None => (offset + 3).ilog2() as usize,
                    };
                    let found = recent.iter().position(|known| *known == offset).unwrap_or(2);
                    recent[..=found].rotate_right(1);
                    recent[0] = offset;
                    self.offsets[code.min(OFFSETS - 1)] += 1;
                    at += match_len;
                    literal_len
                }
            };
            let start = match sequence {
                Sequence::Literals { .. } => at,
                Sequence::Triple { match_len, .. } => at - match_len,
            };
            let room = (BLOCK - self.literals.len()).min(share.saturating_sub(kept)).min(literals);
            self.literals.extend_from_slice(&sample[start..start + room]);
            kept += room;
            at += literals;
        });
    }
}

/// The code of a number of literals, of the 36 of the format.
fn run_code(length: usize) -> usize {
    match length {
        ..16 => length,
        16..24 => 16 + (length - 16) / 2,
        24..32 => 20 + (length - 24) / 4,
        32..48 => 22 + (length - 32) / 8,
        48..64 => 24,
        _ => (length.ilog2() as usize + 19).min(35),
    }
}

/// The code of a length of a match, of the 53 of the format.
fn match_code(length: usize) -> usize {
    match length.saturating_sub(3) {
        short @ ..32 => short,
        length @ 32..40 => 32 + (length - 32) / 2,
        length @ 40..48 => 36 + (length - 40) / 4,
        length @ 48..64 => 38 + (length - 48) / 8,
        length @ 64..96 => 40 + (length - 64) / 16,
        96..128 => 42,
        length => (length.ilog2() as usize + 36).min(52),
    }
}

/// The table of a Huffman code for bytes as they are in `literals`, and every other one too: from a frame that has no
/// match, where the library wrote it.
fn huffman(literals: &[u8]) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend_from_slice(literals);
    let mut frame = Vec::new();
    Frames::of(Finder::blind(), 1).write(&bytes, &mut frame);
    // Magic number, descriptor and size; the header of the block, which is compressed (2); that of the literals, with
    // a table of their own (2).
    let size_of_size = [1, 2, 4, 8][usize::from(frame.get(4)? >> 6)];
    let block = frame.get(5 + size_of_size..)?;
    let literals = block.get(3..)?;
    if (block[0] >> 1) & 3 != 2 || literals.first()? & 3 != 2 {
        return None;
    }
    let header = [3, 3, 4, 5][usize::from(literals[0] >> 2 & 3)];
    let table = literals.get(header..)?;
    let described = usize::from(*table.first()?);
    let len = if described < 128 { described } else { (described - 127).div_ceil(2) };
    Some(table.get(..=len)?.to_vec())
}

/// Writes the table of a finite state code for symbols as frequent as `counts`, none of which is 0: so that they sum up
/// to `1 << log`.
#[expect(clippy::cast_possible_truncation, reason = "shares of at most 512, and the lowest byte")]
fn describe(counts: &[u32], log: u32, out: &mut Vec<u8>) {
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let spare = (1u64 << log) - counts.len() as u64;
    let mut shares: Vec<u32> =
        counts.iter().map(|count| 1 + (u64::from(*count) * spare / total.max(1)) as u32).collect();
    let left = (1u32 << log) - shares.iter().sum::<u32>();
    if let Some(most) = shares.iter_mut().max() {
        *most += left;
    }

    let (mut bits, mut written) = (u64::from(log - 5), 4);
    let mut remaining = (1u32 << log) + 1;
    let (mut threshold, mut width) = (1u32 << log, log + 1);
    for share in shares {
        // Small values take a bit less, as many as there is room for.
        let small = 2 * threshold - 1 - remaining;
        remaining -= share;
        let value = share + 1;
        let value = if value >= threshold { value + small } else { value };
        bits |= u64::from(value) << written;
        written += width - u32::from(value < small);
        while remaining < threshold {
            width -= 1;
            threshold >>= 1;
        }
        while written >= 8 {
            out.push(bits as u8);
            (bits, written) = (bits >> 8, written - 8);
        }
    }
    if written > 0 {
        out.push(bits as u8);
    }
}
