//! Frames by the library's own match finders: the smallest ones, by much code.

use alloc::vec::Vec;

use structured_zstd::decoding::errors::DictionaryDecodeError;
use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, FrameCompressor};

pub(super) struct Frames(FrameCompressor);

impl Frames {
    pub(super) fn new(
        level: i32,
        dictionary: Option<EncoderDictionary>,
    ) -> Result<Self, DictionaryDecodeError> {
        let mut frames = FrameCompressor::new(CompressionLevel::from_level(level));
        if let Some(dictionary) = dictionary {
            frames.set_encoder_dictionary(dictionary)?;
        }
        Ok(Frames(frames))
    }

    /// Writes the frame of `record` over `frame`.
    pub(super) fn write(&mut self, record: &[u8], frame: &mut Vec<u8>) {
        self.0.compress_independent_frame_into(record, frame);
    }
}

/// A dictionary of at most `capacity` bytes, by the method of libzstd.
#[cfg(feature = "std")]
pub(super) fn train(
    samples: &[u8],
    sizes: &[usize],
    capacity: usize,
) -> Result<Vec<u8>, impl core::fmt::Display + use<>> {
    use structured_zstd::dictionary::{FastCoverOptions, FinalizeOptions, optimize_fastcover_dict};

    let (options, tables) = (FastCoverOptions::default(), FinalizeOptions::default());
    optimize_fastcover_dict(samples, sizes, capacity, &options, tables).map(|(dictionary, _)| dictionary)
}
