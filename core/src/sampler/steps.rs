use alloc::vec::Vec;
use core::iter::FusedIterator;

use super::iid::Stream;
use super::{Mode, Sampler};
use crate::error::Result;
use crate::progress::{self, Progress};

/// The batches of a [`Sampler`] in the order of their steps; made by [`Sampler::iter`] and [`Sampler::iter_from`].
///
/// It yields exactly what [`Sampler::at`] returns, and ends after step 2^64 − 1 only. In [`Mode::Iid`] it keeps the
/// generator, so that a step costs one batch of draws. A batch that does not fit into memory is an error, and the
/// same step is tried again by the next call.
///
/// ```
/// use recask_core::sampler::Sampler;
///
/// let mut steps = Sampler::iid(1000, 4).seed(7).build()?.iter();
/// let mut indices = Vec::new();
/// steps.next_into(&mut indices)?;
/// let resumed_at = steps.step();
/// let second = steps.next().unwrap()?;
///
/// steps.seek(resumed_at.unwrap());
/// assert_eq!(steps.next().unwrap()?, second);
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Steps {
    sampler: Sampler,
    step: Option<u64>,
    stream: Option<Stream>,
}

impl Steps {
    pub(super) fn new(sampler: Sampler, step: u64) -> Self {
        let stream = (sampler.mode == Mode::Iid).then(|| Stream::new(sampler.length, sampler.seed));
        let mut steps = Steps { sampler, step: None, stream };
        steps.seek(step);
        steps
    }

    /// The step that comes next; `None` after step 2^64 − 1.
    #[must_use]
    pub fn step(&self) -> Option<u64> {
        self.step
    }

    /// The sampler whose steps these are.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Makes `step` the next one.
    ///
    /// Free in all modes but [`Mode::Iid`]. There it draws and drops all indices from here to `step`, or from the
    /// start when `step` lies behind, and nothing can interrupt it but in [`Steps::seek_watched`].
    pub fn seek(&mut self, step: u64) {
        if let Some(stream) = &mut self.stream {
            stream.go_to(self.sampler.draws_before(step));
        }
        self.step = Some(step);
    }

    /// [`Steps::seek`] in pieces of some milliseconds, between which `progress` may stop it. Progress counts draws.
    ///
    /// # Errors
    /// [`Code::Interrupted`](crate::Code::Interrupted); the next step is the one that it was.
    pub fn seek_watched(&mut self, step: u64, progress: &dyn Progress) -> Result<()> {
        const DRAWS: u64 = 1 << 22;
        let draw = self.sampler.draws_before(step);
        if let Some(stream) = &mut self.stream {
            while let Some(rest) = stream.draws_to(draw).checked_sub(DRAWS).filter(|&rest| rest > 0) {
                progress::check(progress)?;
                stream.go_to(draw - rest);
                progress.advance(DRAWS);
            }
        }
        progress::check(progress)?;
        self.seek(step);
        Ok(())
    }

    /// The next batch, into a buffer that is cleared first; `false`, with an empty buffer, after step 2^64 − 1.
    ///
    /// # Errors
    /// [`Code::TooLarge`](crate::Code::TooLarge) when the batch does not fit into memory; the step stays the next one.
    pub fn next_into(&mut self, out: &mut Vec<u64>) -> Result<bool> {
        out.clear();
        let Some(step) = self.step else { return Ok(false) };
        match &mut self.stream {
            Some(stream) => self.sampler.fill_from(stream, step, out)?,
            None => self.sampler.at_into(step, out)?,
        }
        self.step = step.checked_add(1);
        Ok(true)
    }
}

impl Iterator for Steps {
    type Item = Result<Vec<u64>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut out = Vec::new();
        match self.next_into(&mut out) {
            Ok(true) => Some(Ok(out)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl FusedIterator for Steps {}
