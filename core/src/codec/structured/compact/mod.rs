//! Frames by a match finder of our own, for programs that are downloaded.
//!
//! The library has a match finder for each band of levels, each compiled for many cases: with them the browser's module would be a
//! quarter larger. Its trainer of dictionaries holds them too, so there is one of our own beside. This finder searches chains of
//! hashes alone, so the levels differ only in how long it looks; it gives up the optimal parser of levels 13 and above and
//! the speed of the fastest ones. The library still writes the blocks, so the format is in one hand.

mod chains;
mod finder;
mod training;
mod tuning;

use alloc::vec::Vec;
use core::mem;

use structured_zstd::decoding::errors::DictionaryDecodeError;
use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, FrameCompressor};

use self::finder::Finder;
pub(super) use self::training::train;

/// The library asks for a reader, but the finder has the record already.
type Nothing = &'static [u8];

pub(super) struct Frames(FrameCompressor<Nothing, Vec<u8>, Finder>);

impl Frames {
    pub(super) fn new(
        level: i32,
        dictionary: Option<EncoderDictionary>,
    ) -> Result<Self, DictionaryDecodeError> {
        let (finder, level) = (Finder::new(level), CompressionLevel::from_level(level));
        FrameCompressor::new_with_matcher_and_dictionary(finder, level, dictionary).map(Frames)
    }

    /// Without a dictionary.
    fn of(finder: Finder, level: i32) -> Self {
        Frames(FrameCompressor::new_with_matcher(finder, CompressionLevel::from_level(level)))
    }

    /// Writes the frame of `record` over `frame`.
    pub(super) fn write(&mut self, record: &[u8], frame: &mut Vec<u8>) {
        let mut finder = self.0.replace_matcher(Finder::default());
        finder.load(record);
        self.0.replace_matcher(finder);
        self.0.set_source_size_hint(record.len() as u64);
        self.0.set_source(&[]);
        frame.clear();
        self.0.set_drain(mem::take(frame));
        self.0.compress();
        *frame = self.0.take_drain().unwrap_or_default();
    }
}
