//! zstd by its C library.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zstd_safe::{CCtx, CDict, CParameter, DCtx, DDict, get_error_name};

use super::{Codec, CodecError, Decoder, Encoder, bad_level, dictionary::untrainable, wrong_size};
use crate::error::{Code, Error, Result};

/// A level, and the dictionary in the two forms that coding needs. The form for compression takes long to make and
/// is made only when something is written.
pub struct Backend {
    level: i32,
    dictionary: Option<Dictionary>,
    encoders: spin::Mutex<Vec<ZstdEncoder>>,
}

struct Dictionary {
    bytes: Arc<[u8]>,
    decode: Arc<DDict<'static>>,
    encode: spin::Mutex<Option<Arc<CDict<'static>>>>,
}

impl Backend {
    /// Checks the level and digests the dictionary.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for a level out of range, [`Code::CorruptDictionary`] for a dictionary that cannot
    /// be digested.
    pub fn new(codec: &Codec) -> Result<Self> {
        let (level, range) = (codec.level_or_default(), zstd_safe::min_c_level()..=zstd_safe::max_c_level());
        if !range.contains(&level) {
            return Err(bad_level(level, range));
        }
        let dictionary = codec
            .dictionary
            .as_ref()
            .map(|bytes| {
                let broken = || {
                    let text = "the dictionary cannot be used: it starts like a zstd dictionary, but its tables are damaged";
                    Error::new(Code::CorruptDictionary, text)
                };
                let decode = DDict::try_create(bytes).ok_or_else(broken)?;
                Ok(Dictionary { bytes: Arc::clone(bytes), decode: Arc::new(decode), encode: spin::Mutex::new(None) })
            })
            .transpose()?;
        Ok(Backend { level, dictionary, encoders: spin::Mutex::new(Vec::new()) })
    }

    /// The library and its version.
    #[must_use]
    pub fn library() -> Option<String> {
        Some(format!("libzstd {}", zstd_safe::version_string()))
    }

    /// A decoder of frames.
    ///
    /// # Errors
    /// None; other libraries have some.
    pub fn decoder(&self) -> Result<Box<dyn Decoder>> {
        let dictionary = self.dictionary.as_ref().map(|dictionary| Arc::clone(&dictionary.decode));
        Ok(Box::new(ZstdDecoder { context: DCtx::create(), dictionary }))
    }

    /// Runs `work` with an encoder, which is kept for the next call.
    ///
    /// # Errors
    /// [`Code::CorruptDictionary`] where the dictionary cannot be used for compression, and what `work` returns.
    pub fn with_encoder<T>(&self, work: impl FnOnce(&mut dyn Encoder) -> Result<T>) -> Result<T> {
        let pooled = self.encoders.lock().pop();
        let mut encoder = match pooled {
            Some(encoder) => encoder,
            None => self.encoder()?,
        };
        let result = work(&mut encoder);
        self.encoders.lock().push(encoder);
        result
    }

    fn encoder(&self) -> Result<ZstdEncoder> {
        let dictionary =
            self.dictionary.as_ref().map(|dictionary| dictionary.for_encoding(self.level)).transpose()?;
        let mut context = CCtx::create();
        // With a digested dictionary its level counts, so that only a plain context needs one.
        if dictionary.is_none() {
            context
                .set_parameter(CParameter::CompressionLevel(self.level))
                .map_err(|code| Error::new(Code::InvalidArgument, get_error_name(code)))?;
        }
        Ok(ZstdEncoder { context, dictionary })
    }
}

impl Dictionary {
    fn for_encoding(&self, level: i32) -> Result<Arc<CDict<'static>>> {
        let mut made = self.encode.lock();
        if let Some(dictionary) = &*made {
            return Ok(Arc::clone(dictionary));
        }
        let dictionary = CDict::try_create(&self.bytes, level).ok_or_else(|| {
            Error::new(
                Code::CorruptDictionary,
                "the dictionary cannot be used for compression; train another one",
            )
        })?;
        Ok(Arc::clone(made.insert(Arc::new(dictionary))))
    }
}

struct ZstdDecoder {
    context: DCtx<'static>,
    dictionary: Option<Arc<DDict<'static>>>,
}

impl Decoder for ZstdDecoder {
    fn decode(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let result = match &self.dictionary {
            Some(dictionary) => self.context.decompress_using_ddict(out, frame, dictionary),
            None => self.context.decompress(out, frame),
        };
        match result {
            Ok(size) if size == out.len() => Ok(()),
            Ok(size) => Err(wrong_size(size, out.len())),
            Err(code) => Err(CodecError(format!("zstd says: {}", get_error_name(code)).into())),
        }
    }
}

struct ZstdEncoder {
    context: CCtx<'static>,
    dictionary: Option<Arc<CDict<'static>>>,
}

impl Encoder for ZstdEncoder {
    fn bound(&self, len: usize) -> usize {
        zstd_safe::compress_bound(len)
    }

    fn encode(&mut self, record: &[u8], out: &mut [u8]) -> Result<usize, CodecError> {
        let result = match &self.dictionary {
            Some(dictionary) => self.context.compress_using_cdict(out, record, dictionary),
            None => self.context.compress2(out, record),
        };
        result.map_err(|code| CodecError(format!("zstd says: {}", get_error_name(code)).into()))
    }
}

/// Trains a dictionary of at most `capacity` bytes from samples that lie one after the other.
///
/// # Errors
/// [`Code::TrainingFailed`] where the samples are too few or too small.
pub fn train(samples: &[u8], sizes: &[usize], capacity: usize) -> Result<Vec<u8>> {
    let mut dictionary = alloc::vec![0; capacity];
    let trained = zstd_safe::train_from_buffer(&mut dictionary[..], samples, sizes)
        .map_err(|code| untrainable(samples, sizes, get_error_name(code)))?;
    dictionary.truncate(trained);
    Ok(dictionary)
}
