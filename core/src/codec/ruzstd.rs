//! zstd decoding in pure Rust: the second opinion in tests, and a build without a C compiler.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use ::ruzstd::decoding::{Dictionary, FrameDecoder};

use super::{Codec, CodecError, Decoder, Encoder, wrong_size};
use crate::error::{Code, Error, Result};

/// The dictionary that frames were written against.
pub struct Backend {
    dictionary: Option<Arc<[u8]>>,
}

impl Backend {
    /// Checks that the dictionary can be parsed.
    ///
    /// # Errors
    /// [`Code::CorruptDictionary`]; also for a dictionary without the zstd magic, which this decoder cannot use.
    pub fn new(codec: &Codec) -> Result<Self> {
        let backend = Backend { dictionary: codec.dictionary.clone() };
        backend.decoder()?;
        Ok(backend)
    }

    /// The library.
    #[must_use]
    pub fn library() -> Option<String> {
        Some("ruzstd".into())
    }

    /// A decoder of frames.
    ///
    /// # Errors
    /// As [`Backend::new`].
    pub fn decoder(&self) -> Result<Box<dyn Decoder>> {
        let mut frames = FrameDecoder::new();
        if let Some(bytes) = &self.dictionary {
            let broken = |error| {
                Error::new(Code::CorruptDictionary, format!("the dictionary cannot be used: {error}"))
            };
            let dictionary = Dictionary::decode_dict(bytes).map_err(broken)?;
            frames.add_dict(dictionary).map_err(|error| {
                Error::new(Code::CorruptDictionary, format!("the dictionary cannot be used: {error}"))
            })?;
        }
        Ok(Box::new(RuzstdDecoder { frames }))
    }

    /// There is none.
    ///
    /// # Errors
    /// [`Code::Unsupported`].
    pub fn with_encoder<T>(&self, _work: impl FnOnce(&mut dyn Encoder) -> Result<T>) -> Result<T> {
        Err(Error::new(Code::Unsupported, "this build reads zstd records but cannot write them"))
    }
}

struct RuzstdDecoder {
    frames: FrameDecoder,
}

impl Decoder for RuzstdDecoder {
    fn decode(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        match self.frames.decode_all(frame, out) {
            Ok(size) if size == out.len() => Ok(()),
            Ok(size) => Err(wrong_size(size, out.len())),
            Err(error) => Err(CodecError(format!("ruzstd says: {error}").into())),
        }
    }
}
