//! Which records come, and from where on: what the options say, or a state.

use clap::Args;
use recask::loader::{Batch, LoaderBuilder, State};
use recask::{Mode, system_seed};

use crate::failure::Failure;
use crate::output;

#[derive(Args, Debug)]
pub(super) struct OrderArgs {
    /// Records in a batch, over all ranks [default: 256, or that of the state]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,
    /// sequential, cyclic, iid or iid_seek; recask sample explains them [default: cyclic, or that of the state]
    #[arg(long)]
    mode: Option<Mode>,
    /// The order's seed
    #[arg(long)]
    seed: Option<u64>,
    /// The first step to load [default: 0, or that of the state]
    #[arg(long)]
    pub(super) step: Option<u64>,
    /// Which of the ranks to load the slice of [default: 0, or that of the state]
    #[arg(long)]
    rank: Option<u64>,
    /// How many ranks share each batch [default: 1, or that of the state]
    #[arg(long)]
    world: Option<u64>,
    /// Take rank and world from the variables RANK and WORLD_SIZE, which launchers set
    #[arg(long, conflicts_with_all = ["rank", "world"])]
    ranks_from_env: bool,
}

impl OrderArgs {
    /// Tells the builder, which refuses options that contradict the state: the same command line may start a run and go on with
    /// it.
    pub(super) fn apply(
        &self,
        mut builder: LoaderBuilder<Batch>,
        state: Option<State>,
    ) -> Result<LoaderBuilder<Batch>, Failure> {
        if let Some(batch) = self.batch {
            builder = builder.batch(batch);
        }
        if let Some(mode) = self.mode {
            builder = builder.mode(mode);
        }
        if let Some(seed) = self.seed(state.is_some())? {
            builder = builder.seed(seed);
        }
        if self.ranks_from_env {
            builder = builder.ranks_from_env()?;
        } else if self.rank.is_some() || self.world.is_some() {
            builder = builder.ranks(self.rank.unwrap_or(0), self.world.unwrap_or(1));
        } else if let Some(state) = &state {
            builder = builder.ranks(state.rank(), state.world());
        }
        match state {
            Some(_) if self.step.is_some() => {
                let text = "the state says at which step to go on; leave --step out, or name a file that is not there yet";
                Err(Failure::Usage(text.to_owned()))
            }
            Some(state) => Ok(builder.resume(state)),
            None => Ok(builder.first_step(self.step.unwrap_or(0))),
        }
    }

    /// The seed that was given, or one that is drawn and told where a new order needs one.
    fn seed(&self, resumes: bool) -> Result<Option<u64>, Failure> {
        if self.seed.is_some() || resumes || !self.mode.unwrap_or(Mode::Cyclic).needs_seed() {
            return Ok(self.seed);
        }
        let seed = system_seed()?;
        output::note(&format!("seed: {seed}"));
        Ok(Some(seed))
    }
}
