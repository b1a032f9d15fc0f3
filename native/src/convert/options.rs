//! What an import is asked for.

use recask_core::{Code, Codec, Result};

use crate::{Samples, Tier};

/// How imported records are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CodecChoice {
    /// As they are.
    #[default]
    Raw,
    /// One zstd frame a record; level 3 where none is given.
    Zstd {
        /// The compression level.
        level: Option<i32>,
    },
    /// zstd against this dictionary; level 19 where none is given.
    ZstdDict {
        /// The dictionary.
        dictionary: Vec<u8>,
        /// The compression level.
        level: Option<i32>,
    },
    /// zstd against a dictionary that is trained from the source first, one for each stream; level 19 where none is
    /// given. Of a source with several streams, those that no dictionary can be trained from are stored as
    /// [`CodecChoice::Zstd`] at its own level; for a single stream that is an error.
    TrainDict {
        /// How large a dictionary, from how many samples.
        tier: Tier,
        /// The compression level.
        level: Option<i32>,
    },
}

/// How to import. `ImportOptions::default()` takes everything and stores it raw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// How records are stored.
    pub codec: CodecChoice,
    /// Which arrays of an npz, or fields of JSON lines, to take; all where `None`.
    pub fields: Option<Vec<String>>,
}

impl CodecChoice {
    /// The codec of one stream, out of `streams`.
    pub(super) fn codec(
        &self,
        streams: usize,
        samples: impl FnOnce(Tier) -> Result<Samples>,
    ) -> Result<Codec> {
        let at_level = |codec: Codec, level: Option<i32>| match level {
            Some(level) => codec.level(level),
            None => codec,
        };
        match self {
            CodecChoice::Raw => Ok(Codec::raw()),
            CodecChoice::Zstd { level } => Ok(at_level(Codec::zstd(), *level)),
            CodecChoice::ZstdDict { dictionary, level } => {
                Ok(at_level(Codec::zstd_dict(dictionary.as_slice()), *level))
            }
            CodecChoice::TrainDict { tier, level } => {
                match samples(*tier).and_then(|samples| samples.train(*tier)) {
                    Ok(dictionary) => Ok(at_level(Codec::zstd_dict(dictionary), *level)),
                    Err(error) if error.code() == Code::TrainingFailed && streams > 1 => Ok(Codec::zstd()),
                    Err(error) => Err(error),
                }
            }
        }
    }

    pub(super) fn trained(&self) -> Option<Tier> {
        match self {
            CodecChoice::TrainDict { tier, .. } => Some(*tier),
            _ => None,
        }
    }
}
