//! `recask sample`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use recask::core::sampler::Sampler;
use recask::{Mode, sampler, system_seed};

use crate::args::Global;
use crate::failure::{At as _, Failure};
use crate::interrupt;
use crate::output::{self, Output};
use crate::streams::{Place, common_length};
use crate::tables::TablePlace;

/// Print which records make up the batches
///
/// A batch is a pure function of mode, length, batch size, seed and step, the same in every language and as in loaderx:
///
///   sequential   one record after the other, and from the start again
///   cyclic       every record once in a cycle, in a new order in each
///   iid          uniform with replacement, the stream of loaderx; far steps cost time
///   iid_seek     uniform with replacement, any step at once; Recask's own
///
/// Without --seed one is drawn from the system and printed on stderr.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  recask sample mnist --batch 4 --seed 1                          as many records as the dataset has
  recask sample --len 10 --batch 4 --seed 1 --steps 5 --json      [8,2,…] one line a step
  recask sample --len 1000000 --batch 256 --seed 1 --step 123456  any step
  recask sample --len 100 --batch 8 --seed 1 --rank 1 --world 2   the half of each batch for the second of two"
)]
pub(crate) struct Sample {
    /// A store, dataset or table whose records or rows are counted
    #[arg(conflicts_with = "len")]
    path: Option<PathBuf>,
    /// How many records there are to choose from
    #[arg(long)]
    len: Option<u64>,
    /// How many indices a step has, over all ranks
    #[arg(long, default_value_t = 32)]
    batch: u64,
    /// sequential, cyclic, iid or iid_seek
    #[arg(long, default_value_t = Mode::Cyclic)]
    mode: Mode,
    /// The order's seed
    #[arg(long)]
    seed: Option<u64>,
    /// The first step to print
    #[arg(long, default_value_t = 0)]
    step: u64,
    /// How many steps to print
    #[arg(long, default_value_t = 1)]
    steps: u64,
    /// Which of the ranks to print the slice of
    #[arg(long, default_value_t = 0)]
    rank: u64,
    /// How many ranks share each batch
    #[arg(long, default_value_t = 1)]
    world: u64,
}

pub(crate) fn run(args: &Sample, global: Global, out: &mut Output) -> Result<(), Failure> {
    let len = match (&args.path, args.len) {
        (Some(path), _) => match TablePlace::at(path) {
            Some(table) => table.open()?.len(),
            None => common_length(&Place::at(path).open()?)?,
        },
        (None, Some(len)) => len,
        (None, None) => {
            return Err(Failure::Usage(
                "sample from what? give a PATH, or a number of records with --len".into(),
            ));
        }
    };
    let mut builder = sampler(args.mode, len, args.batch).shard(args.rank, args.world);
    match args.seed {
        Some(seed) => builder = builder.seed(seed),
        None if args.mode.needs_seed() => {
            let seed = system_seed()?;
            output::note(&format!("seed: {seed}"));
            builder = builder.seed(seed);
        }
        None => {}
    }
    let sampler = match &args.path {
        Some(path) => builder.build().at(path)?,
        None => builder.build()?,
    };
    if !global.json {
        writeln!(out, "{}", heading(&sampler))?;
    }
    let mut steps = sampler.iter();
    steps.seek_watched(args.step, &interrupt::Watch)?;
    let mut indices = Vec::new();
    for _ in 0..args.steps {
        interrupt::check()?;
        let step = steps.step();
        if !steps.next_into(&mut indices)? {
            break;
        }
        if global.json {
            out.json(&indices)?;
        } else {
            let shown: Vec<String> = indices.iter().map(ToString::to_string).collect();
            writeln!(out, "step {}: {}", step.unwrap_or_default(), shown.join(" "))?;
        }
    }
    Ok(())
}

/// Everything that is needed to get the same batches again.
fn heading(sampler: &Sampler) -> String {
    let seed = if sampler.mode().needs_seed() { format!(", seed {}", sampler.seed()) } else { String::new() };
    let rank = match sampler.world() {
        1 => String::new(),
        world => format!(", rank {} of {world}", sampler.rank()),
    };
    format!("# {}, {} records, batch {}{seed}{rank}", sampler.mode(), sampler.length(), sampler.batch())
}
