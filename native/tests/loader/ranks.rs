//! Processes that share every batch.

use std::env;
use std::process::Command;

use proptest::prelude::*;
use recask::loader::{Order, State};
use recask::{Code, Loader, Sampler};

use super::data::{Data, KINDS, Kind, Way, kinds, samplers, ways};
use super::watchdog::watch;

/// What all ranks get of the next step, one after the other.
fn union(ranks: &mut [Loader], data: &Data) -> Vec<u64> {
    let take = |rank: &mut Loader| {
        let batch = rank.next().unwrap().unwrap();
        data.check(&batch);
        batch.indices().to_vec()
    };
    ranks.iter_mut().flat_map(take).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn ranks_share_the_global_batch_and_go_on_as_others(
        kinds in kinds(),
        sampler in samplers(),
        way in ways(),
        (before, after) in (1u64..9, 1u64..9),
        steps in 0u64..6,
    ) {
        let _watchdog = watch("ranks_share_the_global_batch_and_go_on_as_others");
        let way = Way { order: Order::ByStep, ..way };
        let data = Data::new(&kinds, sampler.length());
        let start = |rank| {
            let builder = data.loader().batch(sampler.batch()).seed(sampler.seed()).mode(sampler.mode());
            way.apply(builder).ranks(rank, before).start().unwrap()
        };
        let mut ranks: Vec<_> = (0..before).map(start).collect();
        for step in 0..steps {
            prop_assert_eq!(union(&mut ranks, &data), sampler.at(step).unwrap());
        }
        let states: Vec<State> = ranks.iter().map(|rank| rank.state().unwrap()).collect();
        for (rank, state) in (0..).zip(&states) {
            prop_assert_eq!((state.rank(), state.world(), state.step()), (rank, before, steps));
        }
        // Any of the states serves any of the later ranks.
        let resume = |rank: u64| {
            let state = states[usize::try_from(rank % before).unwrap()].to_string().parse().unwrap();
            way.apply(data.loader()).ranks(rank, after).resume(state).start().unwrap()
        };
        let mut ranks: Vec<_> = (0..after).map(resume).collect();
        for step in steps..steps + 4 {
            prop_assert_eq!(union(&mut ranks, &data), sampler.at(step).unwrap());
        }
    }
}

#[test]
fn a_run_of_eight_goes_on_with_four() {
    let _watchdog = watch("a_run_of_eight_goes_on_with_four");
    let data = Data::new(&[Kind::Raw, Kind::Ragged], 100);
    let sampler = Sampler::cyclic(100, 30).seed(4).build().unwrap();
    let start = |rank| data.loader().batch(30).seed(4).ranks(rank, 8).start().unwrap();
    let mut eight: Vec<_> = (0..8).map(start).collect();
    for step in 0..5 {
        assert_eq!(union(&mut eight, &data), sampler.at(step).unwrap());
    }
    let state = eight.pop().unwrap().state().unwrap();
    drop(eight);
    let resume = |rank| data.loader().ranks(rank, 4).resume(state.clone()).start().unwrap();
    let mut four: Vec<_> = (0..4).map(resume).collect();
    for step in 5..10 {
        assert_eq!(union(&mut four, &data), sampler.at(step).unwrap());
    }
}

#[test]
fn a_rank_without_a_share_gets_empty_batches_that_still_come() {
    let _watchdog = watch("a_rank_without_a_share_gets_empty_batches_that_still_come");
    let data = Data::new(&KINDS, 10);
    for workers in 0..3 {
        let start = |rank| data.loader().batch(2).seed(4).ranks(rank, 3).workers(workers).start().unwrap();
        let [mut first, mut last] = [start(0), start(2)];
        for step in 0..12 {
            assert_eq!(first.next().unwrap().unwrap().len(), 1);
            let batch = last.next().unwrap().unwrap();
            assert!(batch.is_empty());
            assert_eq!((batch.step(), batch.value_bytes()), (step, 0));
            data.check(&batch);
        }
        assert_eq!((last.report().batches, last.report().records), (12, 0));
    }
}

#[test]
fn a_rank_is_inside_of_its_world() {
    let _watchdog = watch("a_rank_is_inside_of_its_world");
    let data = Data::new(&[Kind::Raw], 10);
    let state = data.loader().start().unwrap().state().unwrap();
    for (rank, world) in [(3, 3), (0, 0), (u64::MAX, 1)] {
        for builder in [data.loader(), data.loader().resume(state.clone())] {
            let error = builder.ranks(rank, world).start().unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        }
    }
}

/// Variables belong to a process: each case is a process of its own, which runs this test once more.
#[test]
fn a_launcher_tells_the_rank() {
    const TEST: &str = "ranks::a_launcher_tells_the_rank";
    const EXPECTED: &str = "RECASK_TEST_EXPECTED";
    let _watchdog = watch(TEST);
    if let Ok(expected) = env::var(EXPECTED) {
        let data = Data::new(&[Kind::Raw], 10);
        let told = match data.loader().batch(4).seed(1).ranks_from_env() {
            Ok(builder) => {
                let sampler = builder.start().unwrap().sampler().clone();
                format!("{} of {}", sampler.rank(), sampler.world())
            }
            Err(error) => error.code().to_string(),
        };
        assert_eq!(told, expected);
        return;
    }
    let cases = [(Some(("2", "5")), "2 of 5"), (None, "0 of 1"), (Some(("5", "5")), "invalid_argument")];
    for (variables, expected) in cases {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", TEST]).env(EXPECTED, expected).env_remove("RANK").env_remove("WORLD_SIZE");
        if let Some((rank, world)) = variables {
            child.env("RANK", rank).env("WORLD_SIZE", world);
        }
        let output = child.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{expected}: {said}");
    }
}
