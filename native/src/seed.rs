//! Seeds from the operating system.

use recask_core::sampler::{Mode, Sampler, SamplerBuilder};
use recask_core::{Code, Error, Result};

/// Describes a sampler of `batch` out of `length` records, with a seed from the operating system where none is given
/// later. [`Sampler::seed`] tells which it was.
///
/// ```
/// let sampler = recask::sampler(recask::Mode::Cyclic, 1000, 32).build()?;
/// let again = recask::sampler(recask::Mode::Cyclic, 1000, 32).seed(sampler.seed()).build()?;
/// assert_eq!(sampler.at(7)?, again.at(7)?);
/// # Ok::<(), recask::Error>(())
/// ```
pub fn sampler(mode: Mode, length: u64, batch: u64) -> SamplerBuilder {
    let builder = Sampler::builder(mode, length, batch);
    // Without a source of randomness the builder is left to ask for a seed.
    match system_seed() {
        Ok(seed) if mode.needs_seed() => builder.seed(seed),
        _ => builder,
    }
}

/// A random seed from the operating system.
///
/// # Errors
/// [`Code::Unsupported`] where the system has no source of randomness.
pub fn system_seed() -> Result<u64> {
    getrandom::u64().map_err(|error| {
        Error::new(Code::Unsupported, format!("the system gives no random seed ({error}); give one yourself"))
    })
}
