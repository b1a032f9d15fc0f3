//! zstd in pure Rust, both ways: where there is no C compiler, WebAssembly first of all.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use structured_zstd::decoding::errors::{DictionaryDecodeError, FrameDecoderError};
use structured_zstd::decoding::{ContentChecksum, DictionaryHandle, FrameDecoder};
use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, compress_bound};

#[cfg(feature = "compact")]
mod compact;
#[cfg(not(feature = "compact"))]
mod library;

#[cfg(feature = "compact")]
use self::compact as chosen;
#[cfg(not(feature = "compact"))]
use self::library as chosen;

use super::{Codec, CodecError, Decoder, Encoder, bad_level, wrong_size};
use crate::error::{Code, Error, Result};

/// A level, and the dictionary in the two forms that coding needs. The form for compression is made only when
/// something is written.
pub struct Backend {
    level: i32,
    dictionary: Option<Dictionary>,
}

struct Dictionary {
    bytes: Arc<[u8]>,
    decode: DictionaryHandle,
    encode: spin::Mutex<Option<EncoderDictionary>>,
}

impl Backend {
    /// Checks the level and digests the dictionary.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for a level out of range, [`Code::CorruptDictionary`] for a dictionary that cannot
    /// be digested, [`Code::Unsupported`] for one with tables but without a number of its own.
    pub fn new(codec: &Codec) -> Result<Self> {
        let (level, range) =
            (codec.level_or_default(), CompressionLevel::MIN_LEVEL..=CompressionLevel::MAX_LEVEL);
        if !range.contains(&level) {
            return Err(bad_level(level, range));
        }
        let dictionary = codec
            .dictionary
            .as_ref()
            .map(|bytes| {
                let decode = DictionaryHandle::from_serialized_or_raw_content(bytes).map_err(refused)?;
                check_offsets(decode.as_dict())?;
                Ok(Dictionary { bytes: Arc::clone(bytes), decode, encode: spin::Mutex::new(None) })
            })
            .transpose()?;
        Ok(Backend { level, dictionary })
    }

    /// The library and its version.
    #[must_use]
    pub fn library() -> Option<String> {
        Some("structured-zstd 0.2.6".into())
    }

    /// A decoder of frames.
    ///
    /// # Errors
    /// None; other libraries have some.
    pub fn decoder(&self) -> Result<Box<dyn Decoder>> {
        let mut frames = FrameDecoder::new();
        frames.set_content_checksum(ContentChecksum::Verify);
        let dictionary = self.dictionary.as_ref().map(|dictionary| dictionary.decode.clone());
        Ok(Box::new(StructuredDecoder { frames, dictionary }))
    }

    /// Runs `work` with an encoder, which lives no longer: the library's may not change threads.
    ///
    /// # Errors
    /// [`Code::CorruptDictionary`] where the dictionary cannot be used for compression, and what `work` returns.
    pub fn with_encoder<T>(&self, work: impl FnOnce(&mut dyn Encoder) -> Result<T>) -> Result<T> {
        let dictionary = self.dictionary.as_ref().map(Dictionary::for_encoding).transpose()?;
        let frames = chosen::Frames::new(self.level, dictionary).map_err(refused)?;
        work(&mut StructuredEncoder { frames, frame: Vec::new() })
    }
}

impl Dictionary {
    fn for_encoding(&self) -> Result<EncoderDictionary> {
        let mut made = self.encode.lock();
        if let Some(dictionary) = &*made {
            return Ok(dictionary.clone());
        }
        let dictionary = EncoderDictionary::from_serialized_or_raw_content(&self.bytes).map_err(refused)?;
        Ok(made.insert(dictionary).clone())
    }
}

/// The offsets that the first matches of a frame may repeat lie within the content, which the library leaves open.
fn check_offsets(dictionary: &structured_zstd::decoding::Dictionary) -> Result<()> {
    let content = dictionary.dict_content.len() as u64;
    if dictionary.id != 0 && dictionary.offset_hist.iter().any(|offset| u64::from(*offset) > content) {
        let text = "the dictionary cannot be used: its repeated offsets lie outside of its content";
        return Err(Error::new(Code::CorruptDictionary, text));
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn refused(error: DictionaryDecodeError) -> Error {
    let reason = match error {
        DictionaryDecodeError::ZeroDictionaryId => {
            let text = "this build has no codec for a zstd dictionary with the number 0; train another one, \
                        or use a build with the C library";
            return Error::new(Code::Unsupported, text);
        }
        DictionaryDecodeError::DictionaryTooSmall { .. } => "it ends early",
        DictionaryDecodeError::ZeroRepeatOffsetInDictionary { .. } => "a repeated offset is 0",
        DictionaryDecodeError::BadMagicNum { .. } => "it is none of zstd",
        DictionaryDecodeError::FSETableError(_) | DictionaryDecodeError::HuffmanTableError(_) => {
            "its tables are damaged"
        }
        _ => "it is damaged",
    };
    Error::new(Code::CorruptDictionary, format!("the dictionary cannot be used: {reason}"))
}

struct StructuredDecoder {
    frames: FrameDecoder,
    dictionary: Option<DictionaryHandle>,
}

impl Decoder for StructuredDecoder {
    fn decode(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let result = match &self.dictionary {
            Some(dictionary) => self.frames.decode_all_with_dict_handle(frame, out, dictionary),
            None => self.frames.decode_all(frame, out),
        };
        match result {
            Ok(size) if size == out.len() => Ok(()),
            Ok(size) => Err(wrong_size(size, out.len())),
            Err(error) => Err(CodecError(reason(&error).into())),
        }
    }
}

/// Our own words: the texts of the library would be a large part of a module that is downloaded.
fn reason(error: &FrameDecoderError) -> &'static str {
    match error {
        FrameDecoderError::ChecksumMismatch { .. } => "zstd says: the checksum of the frame is another",
        FrameDecoderError::DictNotProvided { .. } | FrameDecoderError::DictIdMismatch { .. } => {
            "zstd says: the frame was made with another dictionary"
        }
        FrameDecoderError::FrameContentSizeMismatch { .. } => {
            "zstd says: the frame holds another number of bytes than it says"
        }
        FrameDecoderError::TargetTooSmall => "zstd says: the frame holds more bytes than the record has",
        FrameDecoderError::WindowSizeTooBig { .. } => "zstd says: the frame asks for too much memory",
        _ => "zstd says: the frame is damaged or ends early",
    }
}

struct StructuredEncoder {
    frames: chosen::Frames,
    /// The library only writes into a vector; kept, so that it allocates once.
    frame: Vec<u8>,
}

impl Encoder for StructuredEncoder {
    fn bound(&self, len: usize) -> usize {
        compress_bound(len)
    }

    fn encode(&mut self, record: &[u8], out: &mut [u8]) -> Result<usize, CodecError> {
        self.frames.write(record, &mut self.frame);
        let size = self.frame.len();
        let room =
            out.get_mut(..size).ok_or(CodecError("zstd says: the frame is larger than its bound".into()))?;
        room.copy_from_slice(&self.frame);
        Ok(size)
    }
}

/// Trains a dictionary of at most `capacity` bytes from samples that lie one after the other.
///
/// # Errors
/// [`Code::TrainingFailed`] where the samples are too few or too small.
#[cfg(any(feature = "std", feature = "compact"))]
pub fn train(samples: &[u8], sizes: &[usize], capacity: usize) -> Result<Vec<u8>> {
    chosen::train(samples, sizes, capacity)
        .map_err(|error| super::dictionary::untrainable(samples, sizes, error))
}
