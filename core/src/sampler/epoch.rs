//! Epochs, for those who count in passes over the records.

use alloc::format;
use core::ops::Range;

use super::{Mode, Sampler};
use crate::error::{Code, Error, Result};

impl Sampler {
    /// The steps of epoch `n`, counted from 0. Epochs follow each other without a gap; they are the same for all ranks.
    ///
    /// In the cyclic mode an epoch is a cycle: [`Sampler::steps_per_cycle`] steps in which no record comes twice. In the
    /// sequential mode it has the steps whose global batch *starts* in the `n`-th pass over the records, which are
    /// `ceil(n · length / batch)..ceil((n + 1) · length / batch)`: where the batch does not divide the length, the last batch
    /// of an epoch reaches into the next pass, and where it exceeds the length, some epochs have no step.
    ///
    /// ```
    /// use recask_core::sampler::Sampler;
    ///
    /// let cyclic = Sampler::cyclic(10, 4).seed(1).build()?;
    /// assert_eq!((cyclic.epoch(0)?, cyclic.epoch(1)?), (0..2, 2..4));
    ///
    /// let sequential = Sampler::sequential(10, 4).build()?;
    /// assert_eq!((sequential.epoch(0)?, sequential.epoch(1)?), (0..3, 3..5));
    /// assert_eq!(sequential.at(2)?, [8, 9, 0, 1]); // the last batch of epoch 0
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] in the iid modes, which draw with replacement and have no passes; [`Code::TooLarge`] where
    /// the epoch does not end within 2^64 − 1 steps, and in the sequential mode, whose counter wraps there, where it does not
    /// end within 2^64 records.
    pub fn epoch(&self, n: u64) -> Result<Range<u64>> {
        let end = match self.mode {
            Mode::Sequential => self.pass_start(n.into()).zip(self.pass_start(u128::from(n) + 1)),
            Mode::Cyclic => {
                let steps = self.order().steps_per_cycle();
                let start = n.checked_mul(steps);
                start.zip(start.and_then(|start| start.checked_add(steps)))
            }
            Mode::Iid | Mode::IidSeek => {
                let text = format!(
                    "the sampler mode {} draws with replacement and has no epochs; take a number of steps, or \
                     the mode cyclic or sequential",
                    self.mode
                );
                return Err(Error::new(Code::InvalidArgument, text));
            }
        };
        end.map(|(start, end)| start..end)
            .ok_or_else(|| Error::new(Code::TooLarge, format!("epoch {n} ends beyond the last step")))
    }

    /// The first step whose batch starts in pass `n` of the sequential mode or later.
    fn pass_start(&self, n: u128) -> Option<u64> {
        /// Where the counter of the sequential mode wraps.
        const RECORDS: u128 = 1 << 64;
        let before = n.checked_mul(self.length.into()).filter(|before| *before <= RECORDS)?;
        u64::try_from(before.div_ceil(self.batch.into())).ok()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn concat(sampler: &Sampler, steps: Range<u64>) -> Vec<u64> {
        steps.flat_map(|step| sampler.at(step).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn epochs_follow_each_other(length in 1u64..40, batch in 1u64..60, seed: u64) {
            for sampler in [Sampler::cyclic(length, batch), Sampler::sequential(length, batch)] {
                let sampler = sampler.seed(seed).build().unwrap();
                let mut next = 0;
                for n in 0..50 {
                    let epoch = sampler.epoch(n).unwrap();
                    prop_assert_eq!(epoch.start, next);
                    prop_assert!(epoch.end >= epoch.start);
                    prop_assert_eq!(sampler.shard(1, 3).unwrap().epoch(n).unwrap(), epoch.clone());
                    next = epoch.end;
                }
                prop_assert!(next >= 50 * length / batch.max(length));
            }
        }

        #[test]
        fn a_cyclic_epoch_has_no_record_twice(length in 1u64..40, batch in 1u64..60, seed: u64, n in 0u64..1000) {
            let sampler = Sampler::cyclic(length, batch).seed(seed).build().unwrap();
            let epoch = sampler.epoch(n).unwrap();
            let steps = sampler.steps_per_cycle().unwrap();
            prop_assert_eq!(epoch.clone(), n * steps..(n + 1) * steps);
            let records = concat(&sampler, epoch);
            prop_assert_eq!(records.len() as u64, length - length % batch.min(length));
            prop_assert_eq!(records.iter().collect::<BTreeSet<_>>().len(), records.len());
        }

        #[test]
        fn batches_of_a_sequential_epoch_start_in_its_pass(length in 1u64..40, batch in 1u64..60, n in 0u64..1000) {
            let sampler = Sampler::sequential(length, batch).build().unwrap();
            let steps = sampler.epoch(n).unwrap();
            prop_assert!(steps.clone().all(|step| step * batch / length == n));
            // And no other does.
            prop_assert!(steps.start.checked_sub(1).is_none_or(|step| step * batch / length < n));
            prop_assert!(steps.end * batch / length > n);
        }
    }

    #[test]
    fn a_sequential_epoch_may_be_empty_where_a_batch_takes_several_passes() {
        let sampler = Sampler::sequential(3, 7).build().unwrap();
        let epochs: Vec<_> = (0..5).map(|n| sampler.epoch(n).unwrap()).collect();
        assert_eq!(epochs, [0..1, 1..1, 1..2, 2..2, 2..3]);
    }

    #[test]
    fn an_epoch_ends_within_the_steps_there_are() {
        let code = |sampler: &Sampler, n| sampler.epoch(n).unwrap_err().code();
        let cyclic = Sampler::cyclic(3, 1).seed(0).build().unwrap();
        let last = u64::MAX / 3 - 1;
        assert_eq!(cyclic.epoch(last).unwrap(), u64::MAX - 3..u64::MAX);
        assert_eq!(code(&cyclic, last + 1), Code::TooLarge);
        assert_eq!(code(&cyclic, u64::MAX), Code::TooLarge);

        let wide = Sampler::sequential(1 << 63, 2).build().unwrap();
        assert_eq!(wide.epoch(1).unwrap(), 1 << 62..1 << 63);
        assert_eq!(code(&wide, 2), Code::TooLarge);
        // One record more, and its counter wraps within the epoch.
        let odd = Sampler::sequential((1 << 63) + 1, 2).build().unwrap();
        assert_eq!(odd.epoch(0).unwrap(), 0..(1 << 62) + 1);
        assert_eq!(code(&odd, 1), Code::TooLarge);
        assert_eq!(code(&Sampler::sequential(u64::MAX, 1).build().unwrap(), u64::MAX), Code::TooLarge);
    }

    #[test]
    fn modes_with_replacement_have_no_epochs() {
        for sampler in [Sampler::iid(10, 2), Sampler::iid_seek(10, 2)] {
            let error = sampler.seed(1).build().unwrap().epoch(0).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
        }
    }
}
