//! The options that say how new records are stored, the same for every command that makes stores.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recask::Tier;
use recask::convert::CodecChoice;

use crate::failure::{Failure, read_file};

/// The names of the codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodecName {
    /// The bytes themselves: fastest, readable without a copy
    Raw,
    /// One zstd frame a record
    Zstd,
    /// One zstd frame a record, against a dictionary: for many small similar records
    #[value(name = "zstd_dict", alias = "zstd-dict")]
    ZstdDict,
}

/// How much a dictionary may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierName {
    /// 32 KiB, from 4 MiB of samples
    Fast,
    /// 128 KiB, from 16 MiB of samples
    #[default]
    Balanced,
    /// 1 MiB, from 64 MiB of samples
    Max,
}

impl TierName {
    pub(crate) fn tier(self) -> Tier {
        match self {
            TierName::Fast => Tier::Fast,
            TierName::Balanced => Tier::Balanced,
            TierName::Max => Tier::Max,
        }
    }
}

/// How new records are stored.
#[derive(Args, Debug)]
pub(crate) struct CodecArgs {
    /// How records are stored [default: what the other options need, else raw]
    #[arg(long, value_enum)]
    codec: Option<CodecName>,
    /// Compression level: larger is smaller and slower [default: 3 for zstd, 19 for zstd_dict]
    #[arg(long, allow_negative_numbers = true)]
    level: Option<i32>,
    /// A dictionary from a file, such as train-dict writes
    #[arg(long, value_name = "FILE")]
    dict: Option<PathBuf>,
}

impl CodecArgs {
    /// What was chosen; `train` says that a dictionary is to be trained, by this option.
    pub(crate) fn choice(&self, train: Option<(&str, Tier)>) -> Result<CodecChoice, Failure> {
        let dictionary = self.dict.is_some() || train.is_some();
        let implied = match self.level {
            _ if dictionary => CodecName::ZstdDict,
            Some(_) => CodecName::Zstd,
            None => CodecName::Raw,
        };
        let codec = self.codec.unwrap_or(implied);
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        if dictionary && codec != CodecName::ZstdDict {
            return usage("only the codec zstd_dict has a dictionary; leave the dictionary or the codec out");
        }
        let level = self.level;
        match codec {
            CodecName::Raw if level.is_some() => usage("the codec raw has no level; choose --codec zstd"),
            CodecName::Raw => Ok(CodecChoice::Raw),
            CodecName::Zstd => Ok(CodecChoice::Zstd { level }),
            CodecName::ZstdDict => match (&self.dict, train) {
                (Some(path), None) => Ok(CodecChoice::ZstdDict { dictionary: read_file(path)?, level }),
                (None, Some((_, tier))) => Ok(CodecChoice::TrainDict { tier, level }),
                (Some(_), Some((option, _))) => {
                    Err(Failure::Usage(format!("give --dict or {option}, not both")))
                }
                (None, None) => {
                    usage("the codec zstd_dict needs a dictionary: give --dict FILE, or have one trained")
                }
            },
        }
    }

    /// Whether anything was said about the codec.
    pub(crate) fn is_given(&self) -> bool {
        self.codec.is_some() || self.level.is_some() || self.dict.is_some()
    }
}

/// Training a dictionary from what is being written.
#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    /// Train a dictionary from the records themselves
    #[arg(long)]
    train_dict: bool,
    /// How large the trained dictionary may be
    #[arg(long, value_enum, requires = "train_dict", default_value_t)]
    tier: TierName,
}

impl TrainArgs {
    /// For [`CodecArgs::choice`].
    pub(crate) fn training(&self) -> Option<(&'static str, Tier)> {
        self.train_dict.then(|| ("--train-dict", self.tier.tier()))
    }
}
