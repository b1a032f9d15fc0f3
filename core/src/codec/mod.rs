//! Codecs: how one record becomes stored bytes and back.
//!
//! [`Codec`] is what a user chooses. [`Coders`] is the same ready to work: the dictionary digested once, and
//! decoders (and encoders of the C library) kept between calls, since making one costs more than a small record.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use spin::Mutex;

use crate::error::Result;
use crate::format::zrecord::CodecKind;

pub mod dictionary;
#[cfg(not(any(feature = "zstd", feature = "structured-zstd", feature = "ruzstd")))]
mod none;
#[cfg(feature = "ruzstd")]
pub mod ruzstd;
#[cfg(feature = "structured-zstd")]
pub mod structured;
#[cfg(feature = "zstd")]
pub mod zstd;

// The zstd of this build: the C library, else pure Rust, else a decoder alone, else none. Each module has a `Backend`
// of the same shape.
#[cfg(not(any(feature = "zstd", feature = "structured-zstd", feature = "ruzstd")))]
use self::none as chosen;
#[cfg(all(feature = "ruzstd", not(any(feature = "zstd", feature = "structured-zstd"))))]
use self::ruzstd as chosen;
#[cfg(all(feature = "structured-zstd", not(feature = "zstd")))]
use self::structured as chosen;
#[cfg(feature = "zstd")]
use self::zstd as chosen;

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

    #[cfg(any(feature = "zstd", feature = "structured-zstd"))]
    fn level_or_default(&self) -> i32 {
        self.level.unwrap_or(match self.kind {
            CodecKind::ZstdDict => DEFAULT_DICTIONARY_LEVEL,
            CodecKind::Raw | CodecKind::Zstd => DEFAULT_LEVEL,
        })
    }
}

/// Turns records into frames.
pub trait Encoder {
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
}

enum Backend {
    Raw,
    Zstd(chosen::Backend),
}

impl Coders {
    /// Digests the dictionary and checks the level.
    ///
    /// # Errors
    /// [`CorruptDictionary`](crate::error::Code::CorruptDictionary) for a dictionary that cannot be digested,
    /// [`InvalidArgument`](crate::error::Code::InvalidArgument) for a level out of range,
    /// [`Unsupported`](crate::error::Code::Unsupported) where this build has no zstd or its zstd takes no such
    /// dictionary.
    pub fn new(codec: Codec) -> Result<Self> {
        let backend = match codec.kind {
            CodecKind::Raw => Backend::Raw,
            CodecKind::Zstd | CodecKind::ZstdDict => Backend::Zstd(chosen::Backend::new(&codec)?),
        };
        Ok(Coders { codec, backend, decoders: Mutex::new(Vec::new()) })
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
            (None, Backend::Zstd(backend)) => backend.decoder()?,
        };
        let result = work(Some(&mut *decoder));
        self.decoders.lock().push(decoder);
        result
    }

    /// Runs `work` with an encoder, which is kept for the next call where the library's encoders may change threads.
    /// `None` for raw.
    pub fn with_encoder<T>(&self, work: impl FnOnce(Option<&mut dyn Encoder>) -> Result<T>) -> Result<T> {
        match &self.backend {
            Backend::Raw => work(None),
            Backend::Zstd(backend) => backend.with_encoder(|encoder| work(Some(encoder))),
        }
    }
}

impl core::fmt::Debug for Coders {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Coders({})", self.codec.kind.as_str())
    }
}

/// The library that codes zstd in this build, with its version: `libzstd 1.5.7`, `structured-zstd 0.2.6`, or `ruzstd`,
/// which only decodes. `None` where there is no zstd.
#[must_use]
pub fn zstd_library() -> Option<String> {
    chosen::Backend::library()
}

/// The error for a level outside of `range`.
#[cfg(any(feature = "zstd", feature = "structured-zstd"))]
fn bad_level(level: i32, range: core::ops::RangeInclusive<i32>) -> crate::error::Error {
    let (low, high) = range.into_inner();
    let text = alloc::format!("zstd has no level {level}; use {low} to {high}");
    crate::error::Error::new(crate::error::Code::InvalidArgument, text)
}

/// The refusal of a frame with another content size than its entry says.
#[cfg(any(feature = "zstd", feature = "structured-zstd", feature = "ruzstd"))]
fn wrong_size(size: usize, expected: usize) -> CodecError {
    CodecError(alloc::format!("its frame holds {size} bytes instead of {expected}").into())
}
