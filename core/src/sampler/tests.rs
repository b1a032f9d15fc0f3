//! Properties of the streams; their values are pinned in `tests/sampler_vectors.rs`.

extern crate std;

use alloc::vec::Vec;
use std::collections::BTreeSet;
use std::vec;

use proptest::prelude::*;

use super::bounded::below;
use super::{Mode, Occurrence, Sampler};
use crate::error::Code;

const EDGES: [u64; 8] = [1, 2, 3, 1 << 62, (1 << 62) + 1, 1 << 63, (1 << 63) + 5, u64::MAX];

fn sampler(mode: Mode, length: u64, batch: u64, seed: u64) -> Sampler {
    Sampler::builder(mode, length, batch).seed(seed).build().unwrap()
}

fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(Mode::ALL)
}

fn invertible() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::Sequential, Mode::Cyclic])
}

/// Lengths of every magnitude, the extremes among them.
fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![
        1..50u64,
        (0..64u32, any::<u64>()).prop_map(|(shift, x)| (x >> shift).max(1)),
        prop::sample::select(&EDGES)
    ]
}

/// All occurrences of `record` before `steps`, by looking at every index.
fn search(sampler: &Sampler, record: u64, steps: u64) -> Vec<Occurrence> {
    let start = sampler.slice().start;
    (0..steps)
        .flat_map(|step| {
            (start..).zip(sampler.at(step).unwrap()).map(move |(position, index)| (step, position, index))
        })
        .filter(|&(_, _, index)| index == record)
        .map(|(step, position, _)| Occurrence { step, position })
        .collect()
}

proptest! {
    #[test]
    fn the_iterator_and_at_agree_from_any_step(
        mode in modes(), length in lengths(), batch in 1..40u64, seed: u64, start in 0..200u64, back in 0..200u64,
    ) {
        let sampler = sampler(mode, length, batch, seed);
        let mut steps = sampler.iter_from(start);
        for step in start..start + 5 {
            prop_assert_eq!(steps.step(), Some(step));
            prop_assert_eq!(steps.next().unwrap().unwrap(), sampler.at(step).unwrap());
        }
        steps.seek(back);
        prop_assert_eq!(steps.next().unwrap().unwrap(), sampler.at(back).unwrap());
    }

    #[test]
    fn every_index_is_below_the_length(
        mode in modes(), length in lengths(), batch in 1..40u64, seed: u64, step: u64,
    ) {
        let step = if mode == Mode::Iid { step % 1000 } else { step };
        for index in sampler(mode, length, batch, seed).at(step).unwrap() {
            prop_assert!(index < length);
        }
    }

    #[test]
    fn the_slices_of_all_ranks_make_up_the_global_batch(
        mode in modes(), length in lengths(), batch in 1..40u64, seed: u64, world in 1..50u64, step in 0..100u64,
    ) {
        let global = sampler(mode, length, batch, seed);
        let expected = global.at(step).unwrap();
        let mut joined = Vec::new();
        let mut sizes = BTreeSet::new();
        for rank in 0..world {
            let shard = global.shard(rank, world).unwrap();
            let part = shard.at(step).unwrap();
            prop_assert_eq!(&shard.iter_from(step).next().unwrap().unwrap(), &part);
            prop_assert_eq!(shard.slice(), joined.len() as u64..(joined.len() + part.len()) as u64);
            sizes.insert(part.len());
            joined.extend(part);
        }
        prop_assert_eq!(joined, expected);
        prop_assert!(sizes.last().unwrap() - sizes.first().unwrap() <= 1);
    }

    #[test]
    fn a_cycle_holds_every_record_at_most_once(
        length in 1..400u64, batch in 1..60u64, seed: u64, cycle in 0..1000u64,
    ) {
        let sampler = sampler(Mode::Cyclic, length, batch, seed);
        let spc = sampler.steps_per_cycle().unwrap();
        let indices: Vec<u64> =
            sampler.iter_from(cycle * spc).take(usize::try_from(spc).unwrap()).flat_map(Result::unwrap).collect();
        let distinct: BTreeSet<u64> = indices.iter().copied().collect();
        prop_assert_eq!(distinct.len(), indices.len());
        let dropped = if batch <= length { length % batch } else { 0 };
        prop_assert_eq!(indices.len() as u64, length - dropped);
        prop_assert!(distinct.last().unwrap() < &length);
    }

    #[test]
    fn the_inverse_finds_what_a_search_finds(
        mode in invertible(), length in 1..60u64, batch in 1..60u64, seed: u64, world in 1..40u64, rank: u64,
        record: u64, from in 0..60u64,
    ) {
        let sampler = sampler(mode, length, batch, seed).shard(rank % world, world).unwrap();
        let record = record % length;
        let expected = search(&sampler, record, 60);
        let mut occurrences = sampler.steps_of(record).unwrap();
        let found: Vec<_> = occurrences.clone().take(expected.len()).collect();
        prop_assert_eq!(&found, &expected);
        // The search saw whole periods of the sequential order, so a record that it never saw never comes.
        if mode == Mode::Sequential {
            prop_assert!(expected.is_empty() || occurrences.clone().nth(expected.len()).unwrap().step >= 60);
            prop_assert!(!expected.is_empty() || occurrences.next().is_none());
        }
        occurrences.seek(from);
        let later: Vec<_> = expected.into_iter().filter(|found| found.step >= from).collect();
        prop_assert_eq!(occurrences.take(later.len()).collect::<Vec<_>>(), later);
    }

    #[test]
    fn the_inverse_leads_to_the_record_at_any_length(
        mode in invertible(), length in lengths(), batch in 1..40u64, seed: u64, record: u64, from in 0..1u64 << 40,
    ) {
        let sampler = sampler(mode, length, batch, seed);
        let record = record % length;
        let mut occurrences = sampler.steps_of(record).unwrap();
        occurrences.seek(from);
        let mut previous = None;
        for found in occurrences.take(4) {
            prop_assert!(found.step >= from && previous < Some(found));
            let batch = sampler.at(found.step).unwrap();
            prop_assert_eq!(batch[usize::try_from(found.position).unwrap()], record);
            previous = Some(found);
        }
        prop_assert!(previous.is_some() || length > 1 << 60);
    }
}

#[test]
fn a_far_inverse_of_a_narrow_slice_is_exact_and_quick() {
    // The record moves by one position per pass of the data set, and the slice is one position wide.
    let sampler = Sampler::sequential((1 << 31) + 1, 1 << 31).shard(1 << 30, 1 << 31).build().unwrap();
    let passes = (1 << 30) - 3;
    let place: u64 = 3 + passes * sampler.length();
    let expected = Occurrence { step: place >> 31, position: 1 << 30 };
    assert_eq!(sampler.steps_of(3).unwrap().next(), Some(expected));
    assert_eq!(sampler.at(expected.step).unwrap(), [3]);
}

#[test]
fn a_record_that_never_reaches_a_rank_has_no_steps() {
    let first = Sampler::sequential(4, 4).shard(0, 2).build().unwrap();
    assert_eq!(first.steps_of(3).unwrap().next(), None);
    assert_eq!(first.steps_of(1).unwrap().nth(9), Some(Occurrence { step: 9, position: 1 }));
    for mode in [Mode::Sequential, Mode::Cyclic] {
        let without_work = sampler(mode, 5, 2, 1).shard(2, 3).unwrap();
        assert!(without_work.at(0).unwrap().is_empty());
        assert_eq!(without_work.steps_of(0).unwrap().next(), None);
    }
}

#[test]
fn occurrences_end_with_the_last_step() {
    let mut last = sampler(Mode::Sequential, 3, 1, 0).steps_of(0).unwrap();
    last.seek(u64::MAX - 2);
    assert_eq!(last.collect::<Vec<_>>(), [Occurrence { step: u64::MAX, position: 0 }]);

    let every_step = sampler(Mode::Cyclic, 1, 1, 0);
    let mut last = every_step.steps_of(0).unwrap();
    last.seek(u64::MAX - 1);
    assert_eq!(last.map(|found| found.step).collect::<Vec<_>>(), [u64::MAX - 1, u64::MAX]);

    // One cycle fills the steps but one: afterwards only the first position of the second cycle is left.
    let long = sampler(Mode::Cyclic, u64::MAX, 1, 9);
    let left = long.at(u64::MAX).unwrap()[0];
    assert_eq!(long.steps_of(left).unwrap().last(), Some(Occurrence { step: u64::MAX, position: 0 }));
    assert_eq!(long.steps_of(left ^ 1).unwrap().count(), 1);
}

#[test]
fn a_seek_by_a_single_draw_back_draws_again() {
    let sampler = sampler(Mode::Iid, 1 << 40, 1, 4);
    let mut steps = sampler.iter_from(6);
    let seventh = steps.next().unwrap().unwrap();
    steps.seek(6);
    assert_eq!(steps.next().unwrap().unwrap(), seventh);
}

#[test]
fn words_below_the_threshold_are_rejected() {
    // The index, and how many words were left over.
    let draw = |bound, words: &[u64]| {
        let mut words = words.iter().copied();
        (below(bound, || words.next().unwrap()), words.len())
    };
    // 2^64 mod 12 is 4. The low half of the product is 0 for the first three words, and 20 for the fourth.
    assert_eq!(draw(12, &[0, 1 << 62, 1 << 63, 0x5555_5555_5555_5557, 0]), (4, 1));
    // 2^64 mod 3 is 1. The product is 2^65 + 1: just at the threshold, which is accepted.
    assert_eq!(draw(3, &[0xAAAA_AAAA_AAAA_AAAB, 0]), (2, 1));
    // A power of two divides 2^64, so nothing is rejected.
    assert_eq!(draw(8, &[0, 1 << 63]), (0, 1));
}

#[test]
fn steps_end_after_the_last_one() {
    for mode in [Mode::Sequential, Mode::Cyclic, Mode::IidSeek] {
        let sampler = sampler(mode, 10, 3, 1);
        let mut steps = sampler.iter_from(u64::MAX);
        assert_eq!(steps.next().unwrap().unwrap(), sampler.at(u64::MAX).unwrap());
        assert_eq!(steps.step(), None);
        assert!(steps.next().is_none());
        let mut buffer = vec![1];
        assert!(!steps.next_into(&mut buffer).unwrap());
        assert!(buffer.is_empty());
        steps.seek(0);
        assert_eq!(steps.next().unwrap().unwrap(), sampler.at(0).unwrap());
    }
}

#[test]
fn the_counters_of_the_sequential_order_wrap_as_in_loaderx() {
    // 2^63 · 3 wraps to 2^63.
    assert_eq!(sampler(Mode::Sequential, 10, 3, 0).at(1 << 63).unwrap(), [8, 9, 0]);
    // 6 · k = 2^64 - 4. The last record is 2^64 - 2; the counter 2^64 - 1 begins a new pass, and so does 0 after it.
    let step = (u64::MAX - 3) / 6;
    let long = sampler(Mode::Sequential, u64::MAX, 6, 0);
    assert_eq!(long.at(step).unwrap(), [u64::MAX - 3, u64::MAX - 2, u64::MAX - 1, 0, 0, 1]);
    let long_batch = Sampler::sequential(u64::MAX, 1 << 63).shard((1 << 61) - 1, 1 << 61).build().unwrap();
    assert_eq!(long_batch.at(1).unwrap(), [u64::MAX - 3, u64::MAX - 2, u64::MAX - 1, 0]);
}

#[test]
fn cyclic_reaches_every_step_of_the_longest_data_sets() {
    for length in EDGES {
        for batch in [1, 3, 1 << 40, u64::MAX] {
            let sampler = Sampler::cyclic(length, batch).seed(7).shard(0, batch.div_ceil(4)).build().unwrap();
            for step in [0, 1, u64::MAX / 2, u64::MAX] {
                let indices = sampler.at(step).unwrap();
                assert!(indices.iter().all(|&index| index < length), "{sampler:?}, step {step}");
                assert_eq!(indices.iter().collect::<BTreeSet<_>>().len(), indices.len());
            }
            assert_eq!(sampler.steps_per_cycle(), Some((length / batch).max(1)));
        }
    }
}

#[test]
fn a_batch_beyond_the_memory_is_an_error_but_its_small_shards_are_not() {
    for mode in Mode::ALL {
        for batch in [1 << 60, 1 << 61, u64::MAX] {
            let whole = sampler(*mode, u64::MAX, batch, 3);
            assert_eq!(whole.at(2).unwrap_err().code(), Code::TooLarge);
            let mut steps = whole.iter();
            assert_eq!(steps.next().unwrap().unwrap_err().code(), Code::TooLarge);
            assert_eq!(steps.step(), Some(0));
        }
    }
    let shard = sampler(Mode::Cyclic, u64::MAX, u64::MAX, 3).shard(5, 1 << 62).unwrap();
    assert_eq!(shard.at(2).unwrap().len(), 4);
}

#[test]
fn parameters_without_meaning_are_refused() {
    for mode in Mode::ALL {
        for builder in [
            Sampler::builder(*mode, 0, 1),
            Sampler::builder(*mode, 1, 0),
            Sampler::builder(*mode, 1, 1).shard(0, 0),
            Sampler::builder(*mode, 1, 1).shard(2, 2),
        ] {
            assert_eq!(builder.seed(1).build().unwrap_err().code(), Code::InvalidArgument);
        }
        let unseeded = Sampler::builder(*mode, 10, 2).build();
        if *mode == Mode::Sequential {
            assert_eq!(unseeded.unwrap().seed(), 0);
        } else {
            let error = unseeded.unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains("needs a seed"), "{error}");
        }
        let sampler = sampler(*mode, 10, 2, 9);
        assert_eq!(sampler.shard(3, 3).unwrap_err().code(), Code::InvalidArgument);
        let outside = sampler.steps_of(10).unwrap_err();
        assert_eq!((outside.code(), outside.record()), (Code::IndexOutOfRange, Some(10)));
    }
    for mode in [Mode::Iid, Mode::IidSeek] {
        assert_eq!(sampler(mode, 10, 2, 9).steps_of(1).unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn a_sampler_tells_its_parameters() {
    let sampler = Sampler::iid(100, 8).seed(5).shard(1, 3).build().unwrap();
    assert_eq!((sampler.mode(), sampler.length(), sampler.batch(), sampler.seed()), (Mode::Iid, 100, 8, 5));
    assert_eq!((sampler.rank(), sampler.world(), sampler.slice()), (1, 3, 3..6));
    assert_eq!(sampler.steps_per_cycle(), None);
    assert_eq!(sampler.draws_before(4), 32);
    // Sharding again cuts the global batch, not the slice.
    assert_eq!(sampler.shard(0, 2).unwrap().slice(), 0..4);
    assert_eq!(Sampler::iid_seek(100, 8).seed(5).build().unwrap().draws_before(4), 0);
}

#[test]
fn modes_have_names() {
    for mode in Mode::ALL {
        assert_eq!(mode.as_str().parse::<Mode>().unwrap(), *mode);
    }
    for unknown in ["", "Cyclic", "iid-seek", "random"] {
        assert_eq!(unknown.parse::<Mode>().unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn iid_seek_draws_all_records_about_equally_often() {
    let sampler = sampler(Mode::IidSeek, 16, 64, 11);
    let mut counts = [0u32; 16];
    for index in sampler.iter().take(1000).flat_map(Result::unwrap) {
        counts[usize::try_from(index).unwrap()] += 1;
    }
    // 64,000 draws: 4,000 each, with a deviation of 61.
    assert!(counts.iter().all(|count| (3700..4300).contains(count)), "{counts:?}");
}

/// Stops after some pieces of work.
struct Patience(core::sync::atomic::AtomicU32);

impl crate::progress::Progress for Patience {
    fn proceed(&self) -> bool {
        self.0.fetch_sub(1, core::sync::atomic::Ordering::Relaxed) > 1
    }
}

#[test]
fn a_far_seek_goes_in_pieces_and_can_be_stopped() {
    // The second product wraps at 2^64, to 2^63.
    for (step, batch) in [(1 << 40, 64), (1 << 63, 3)] {
        let sampler = Sampler::iid(1000, batch).seed(5).build().unwrap();
        let mut steps = sampler.iter_from(2);
        let stopped = steps.seek_watched(step, &Patience(3.into())).unwrap_err();
        assert_eq!((stopped.code(), steps.step()), (Code::Interrupted, Some(2)));
        assert_eq!(steps.next().unwrap().unwrap(), sampler.at(2).unwrap());
    }
    let sampler = Sampler::iid(1000, 1 << 20).seed(5).build().unwrap();
    let mut steps = sampler.iter();
    for step in [11, 3, 9] {
        steps.seek_watched(step, &()).unwrap();
        let mut plain = sampler.iter();
        plain.seek(step);
        assert_eq!(steps.next().unwrap().unwrap(), plain.next().unwrap().unwrap());
    }
}
