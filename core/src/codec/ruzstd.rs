//! zstd decoding in pure Rust: the second opinion in tests, and a build without a C compiler.

use alloc::boxed::Box;
use alloc::format;

use ::ruzstd::decoding::{Dictionary, FrameDecoder};

use super::{CodecError, Decoder};
use crate::error::{Code, Error, Result};

/// The dictionary that frames were written against.
pub struct Backend {
    dictionary: Option<Box<[u8]>>,
}

impl Backend {
    /// Checks that the dictionary can be parsed.
    ///
    /// # Errors
    /// [`Code::CorruptDictionary`]; also for a dictionary without the zstd magic, which this decoder cannot use.
    pub fn new(dictionary: Option<&[u8]>) -> Result<Self> {
        let backend = Backend { dictionary: dictionary.map(Into::into) };
        backend.decoder()?;
        Ok(backend)
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
}

struct RuzstdDecoder {
    frames: FrameDecoder,
}

impl Decoder for RuzstdDecoder {
    fn decode(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        match self.frames.decode_all(frame, out) {
            Ok(size) if size == out.len() => Ok(()),
            Ok(size) => {
                Err(CodecError(format!("its frame holds {size} bytes instead of {}", out.len()).into()))
            }
            Err(error) => Err(CodecError(format!("ruzstd says: {error}").into())),
        }
    }
}
