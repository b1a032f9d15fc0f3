//! Codecs: how one record becomes stored bytes and back.
//!
//! [`Codec`] is what a user chooses. [`Coders`] is the same ready to work: the dictionary digested once, and
//! encoders and decoders kept between calls, since making one costs more than a small record.

use alloc::boxed::Box;
#[cfg(not(all(feature = "ruzstd", not(feature = "zstd"))))]
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use spin::Mutex;

use crate::error::{Code, Error, Result};
use crate::format::zrecord::CodecKind;

pub mod dictionary;
#[cfg(feature = "ruzstd")]
pub mod ruzstd;
#[cfg(feature = "zstd")]
pub mod zstd;

/// The level of [`Codec::zstd`], the one that loaderx uses.
pub const DEFAULT_LEVEL: i32 = 3;
/// The level of [`Codec::zstd_dict`], the one that loaderx uses.
pub const DEFAULT_DICTIONARY_LEVEL: i32 = 19;

/// How a new store keeps its records.
///
/// ```
/// use recask_core::codec::Codec;
/// let codec = Codec::zstd().level(9);
/// assert_eq!(codec.kind().as_str(), "zstd");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codec {
    kind: CodecKind,
    level: Option<i32>,
    dictionary: Option<Arc<[u8]>>,
}

impl Codec {
    /// The bytes themselves: fastest, readable without a copy.
    #[must_use]
    pub const fn raw() -> Self {
        Codec { kind: CodecKind::Raw, level: None, dictionary: None }
    }

    /// One zstd frame a record, at level 3.
    #[must_use]
    pub const fn zstd() -> Self {
        Codec { kind: CodecKind::Zstd, level: None, dictionary: None }
    }

    /// One zstd frame a record against `dictionary`, at level 19. Any non-empty bytes serve; trained ones
    /// ([`dictionary`]) serve best.
    #[must_use]
    pub fn zstd_dict(dictionary: impl Into<Arc<[u8]>>) -> Self {
        Codec { kind: CodecKind::ZstdDict, level: None, dictionary: Some(dictionary.into()) }
    }

    /// Another compression level than the default; no effect on raw.
    #[must_use]
    pub const fn level(mut self, level: i32) -> Self {
        self.level = Some(level);
        self
    }

    /// Raw, zstd or zstd with a dictionary.
    #[must_use]
    pub const fn kind(&self) -> CodecKind {
        self.kind
    }

    /// The dictionary, for [`CodecKind::ZstdDict`].
    #[must_use]
    pub fn dictionary(&self) -> Option<&[u8]> {
        self.dictionary.as_deref()
    }

    pub(crate) fn of_store(kind: CodecKind, dictionary: Option<Vec<u8>>, level: Option<i32>) -> Self {
        Codec { kind, level, dictionary: dictionary.map(Arc::from) }
    }

    #[cfg(feature = "zstd")]
    fn level_or_default(&self) -> i32 {
        self.level.unwrap_or(match self.kind {
            CodecKind::ZstdDict => DEFAULT_DICTIONARY_LEVEL,
            CodecKind::Raw | CodecKind::Zstd => DEFAULT_LEVEL,
        })
    }
}

/// Turns records into frames.
pub trait Encoder: Send {
    /// The most bytes that [`Encoder::encode`] may need for a record of `len` bytes.
    fn bound(&self, len: usize) -> usize;

    /// Writes the frame of `record` to the start of `out`, which has at least [`Encoder::bound`] bytes, and returns
    /// its length.
    ///
    /// # Errors
    /// A sentence, when the codec refuses.
    fn encode(&mut self, record: &[u8], out: &mut [u8]) -> Result<usize, CodecError>;
}

/// Turns frames into records.
pub trait Decoder: Send {
    /// Fills `out` exactly with the content of `frame`.
    ///
    /// # Errors
    /// A sentence, when the frame is damaged or has another content size.
    fn decode(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), CodecError>;
}

/// Why a codec refused: a lower-case sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecError(pub alloc::borrow::Cow<'static, str>);

/// A codec ready to work. Cheap to share between threads.
pub struct Coders {
    codec: Codec,
    backend: Backend,
    decoders: Mutex<Vec<Box<dyn Decoder>>>,
    encoders: Mutex<Vec<Box<dyn Encoder>>>,
}

enum Backend {
    Raw,
    #[cfg(feature = "zstd")]
    Zstd(zstd::Backend),
    #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
    Ruzstd(ruzstd::Backend),
}

impl Coders {
    /// Digests the dictionary and checks the level.
    ///
    /// # Errors
    /// [`Code::CorruptDictionary`] for a dictionary that cannot be digested, [`Code::InvalidArgument`] for a level out
    /// of range, [`Code::Unsupported`] where this build has no zstd.
    pub fn new(codec: Codec) -> Result<Self> {
        let backend = match codec.kind {
            CodecKind::Raw => Backend::Raw,
            CodecKind::Zstd | CodecKind::ZstdDict => Self::zstd_backend(&codec)?,
        };
        Ok(Coders { codec, backend, decoders: Mutex::new(Vec::new()), encoders: Mutex::new(Vec::new()) })
    }

    #[cfg(feature = "zstd")]
    fn zstd_backend(codec: &Codec) -> Result<Backend> {
        zstd::Backend::new(codec.dictionary(), codec.level_or_default()).map(Backend::Zstd)
    }

    #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
    fn zstd_backend(codec: &Codec) -> Result<Backend> {
        ruzstd::Backend::new(codec.dictionary()).map(Backend::Ruzstd)
    }

    #[cfg(not(any(feature = "zstd", feature = "ruzstd")))]
    fn zstd_backend(codec: &Codec) -> Result<Backend> {
        Err(Error::new(Code::Unsupported, format!("this build has no {} codec", codec.kind.as_str())))
    }

    /// What it was made of.
    #[must_use]
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// Runs `work` with a decoder, which is kept for the next call. `None` for raw.
    pub fn with_decoder<T>(
        &self,
        work: impl FnOnce(Option<&mut (dyn Decoder + 'static)>) -> Result<T>,
    ) -> Result<T> {
        let pooled = self.decoders.lock().pop();
        let mut decoder = match (pooled, &self.backend) {
            (Some(decoder), _) => decoder,
            (None, Backend::Raw) => return work(None),
            #[cfg(feature = "zstd")]
            (None, Backend::Zstd(backend)) => backend.decoder(),
            #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
            (None, Backend::Ruzstd(backend)) => backend.decoder()?,
        };
        let result = work(Some(&mut *decoder));
        self.decoders.lock().push(decoder);
        result
    }

    /// Runs `work` with an encoder, which is kept for the next call. `None` for raw.
    pub fn with_encoder<T>(
        &self,
        work: impl FnOnce(Option<&mut (dyn Encoder + 'static)>) -> Result<T>,
    ) -> Result<T> {
        let pooled = self.encoders.lock().pop();
        let mut encoder: Box<dyn Encoder> = match (pooled, &self.backend) {
            (Some(encoder), _) => encoder,
            (None, Backend::Raw) => return work(None),
            #[cfg(feature = "zstd")]
            (None, Backend::Zstd(backend)) => backend.encoder()?,
            #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
            (None, Backend::Ruzstd(_)) => {
                return Err(Error::new(
                    Code::Unsupported,
                    "this build reads zstd records but cannot write them",
                ));
            }
        };
        let result = work(Some(&mut *encoder));
        self.encoders.lock().push(encoder);
        result
    }
}

impl core::fmt::Debug for Coders {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Coders({})", self.codec.kind.as_str())
    }
}

/// The error for a level outside of `range`.
#[cfg(feature = "zstd")]
fn bad_level(level: i32, range: core::ops::RangeInclusive<i32>) -> Error {
    let (low, high) = range.into_inner();
    Error::new(Code::InvalidArgument, format!("zstd has no level {level}; use {low} to {high}"))
}
