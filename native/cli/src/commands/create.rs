//! `recask create`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recask::convert::{self, CodecChoice};
use recask::{AnyStore, Codec, DType, DenseStore, RaggedStore, Shape};

use crate::args::{self, Global};
use crate::codec_args::{CodecArgs, TierName};
use crate::commands::info::{StoreInfo, disk_bytes};
use crate::failure::{At as _, Failure};
use crate::output::Output;
use crate::progress::{Bar, Unit};

/// Make an empty store
///
/// Needed only to fix the type before there are records; import makes stores by itself.
#[derive(Args, Debug)]
#[command(after_help = "\
Element types are NumPy's: uint8, f4, <i8, bool, S16, U8, datetime64[ns], complex64, >f8, or a
structure such as \"[('id', '<i8'), ('xy', '<f4', (2,))]\".
A store does not keep the level: it is checked here, and later appends use the default.

Examples:
  recask create dense images --dtype uint8 --shape 28,28 --codec zstd
  recask create dense labels --dtype int64
  recask create ragged tokens --dtype int32 --train corpus.npy --tier fast")]
pub(crate) struct Create {
    /// Whether all records have one shape, or each its own
    #[arg(value_enum)]
    kind: Kind,
    /// Where; must not exist, or be an empty directory
    path: PathBuf,
    /// The type of one element, as NumPy writes it
    #[arg(long, value_parser = args::dtype)]
    dtype: DType,
    /// The shape of one record of a dense store, such as 28,28 [default: () for scalars]
    #[arg(long, value_parser = args::shape)]
    shape: Option<Shape>,
    #[command(flatten)]
    codec: CodecArgs,
    /// Train the dictionary from a file, folder or store like the data that will come
    #[arg(long, value_name = "FILE")]
    train: Option<PathBuf>,
    /// How large the trained dictionary may be
    #[arg(long, value_enum, requires = "train", default_value_t)]
    tier: TierName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Every record has the same shape
    Dense,
    /// Every record has its own shape
    Ragged,
}

pub(crate) fn run(args: Create, global: Global, out: &mut Output) -> Result<(), Failure> {
    if args.kind == Kind::Ragged && args.shape.is_some() {
        return Err(Failure::Usage(
            "records of a ragged store have their own shapes; leave --shape out".into(),
        ));
    }
    let codec = codec(&args, global)?;
    let Create { kind, path, dtype, shape, .. } = args;
    let store = match kind {
        Kind::Dense => {
            let builder = DenseStore::builder(dtype, shape.unwrap_or_default());
            AnyStore::Dense(builder.codec(codec).create(path.as_path()).at(&path)?)
        }
        Kind::Ragged => {
            AnyStore::Ragged(RaggedStore::builder(dtype).codec(codec).create(path.as_path()).at(&path)?)
        }
    };
    let mut info = StoreInfo::of(&path, &store);
    store.close().at(&path)?;
    info.disk_bytes = disk_bytes(&path);
    if global.json {
        out.json(&info)?;
    } else {
        writeln!(
            out,
            "created {}: an empty {} store of {}, {}",
            info.path, info.kind, info.dtype, info.codec
        )?;
    }
    Ok(())
}

fn codec(args: &Create, global: Global) -> Result<Codec, Failure> {
    let training = args.train.as_ref().map(|_| ("--train", args.tier.tier()));
    let choice = match (args.codec.choice(training)?, &args.train) {
        (CodecChoice::TrainDict { tier, level }, Some(source)) => {
            let bar =
                Bar::new(global, "reading samples", convert::import_units(source).unwrap_or(0), Unit::Bytes);
            let dictionary = convert::dictionary_from(source, tier, &bar).at(source)?;
            CodecChoice::ZstdDict { dictionary, level }
        }
        (choice, _) => choice,
    };
    let (codec, level) = match choice {
        CodecChoice::Raw => (Codec::raw(), None),
        CodecChoice::Zstd { level } => (Codec::zstd(), level),
        CodecChoice::ZstdDict { dictionary, level } => (Codec::zstd_dict(dictionary), level),
        CodecChoice::TrainDict { .. } => {
            return Err(Failure::Usage("a dictionary needs samples: give --train FILE".into()));
        }
    };
    Ok(match level {
        Some(level) => codec.level(level),
        None => codec,
    })
}
