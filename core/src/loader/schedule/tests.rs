//! The rules of a schedule in whatever way it goes: at random, and in all ways of small worlds.

mod world;

use alloc::format;
use alloc::string::String;
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::error::Code;
use world::{FIRST, Move, Plan, World, delivered_by};

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::ByStep), Just(Order::AsCompleted)]
}

fn some_steps(most: usize) -> impl Strategy<Value = BTreeSet<u64>> {
    proptest::collection::btree_set(FIRST..u64::MAX, 0..=most)
}

fn plans() -> impl Strategy<Value = Plan> {
    (0usize..4, 0usize..4, orders(), some_steps(3), some_steps(2), some_steps(6)).prop_map(
        |(depth, workers, order, done, fails, lets_go)| Plan {
            depth,
            workers,
            order,
            start: Cursor::new(FIRST, done),
            fails,
            lets_go,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn in_whatever_way_it_goes_the_rules_hold_and_it_ends(
        plan in plans(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..80),
    ) {
        let mut world = World::new(plan);
        for choice in choices {
            let moves = world.moves();
            world.make(*choice.get(&moves));
        }
        world.drain();
        world.check_complete();
    }

    #[test]
    fn a_run_that_goes_on_elsewhere_or_stops_is_not_confused(
        plan in plans(),
        choices in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..16), 0..80),
    ) {
        let mut world = World::new(plan);
        for (choice, rare) in choices {
            let moves = match rare {
                0 => vec![Move::Seek(FIRST + choice.index(10) as u64)],
                1 if choice.index(4) == 0 => vec![Move::Stop],
                _ => world.moves(),
            };
            world.make(*choice.get(&moves));
        }
        world.drain();
    }

    #[test]
    fn a_run_that_starts_at_the_cursor_of_another_delivers_exactly_the_rest(
        plan in plans(),
        next in plans(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let mut world = World::new(Plan { fails: BTreeSet::new(), ..plan });
        for choice in choices {
            let moves = world.moves();
            world.make(*choice.get(&moves));
        }
        let start = world.schedule.cursor().clone();
        prop_assert_eq!(delivered_by(&start), world.delivered);
        // The world refuses a step that was delivered before.
        let mut resumed = World::new(Plan { start, fails: BTreeSet::new(), ..next });
        resumed.drain();
        resumed.check_complete();
    }
}

/// Every state that three steps can be in, with a seek and a stop at any moment.
#[test]
fn all_small_worlds_keep_the_rules_and_end() {
    let start = Cursor::at(u64::MAX - 3);
    let mut states = 0;
    for order in [Order::ByStep, Order::AsCompleted] {
        for (depth, workers) in [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2)] {
            for (fails, lets_go) in [(0, 0b001), (0b010, 0), (0b101, 0b110)] {
                let steps =
                    |bits: u64| (0..3).filter(|n| bits >> n & 1 == 1).map(|n| u64::MAX - 3 + n).collect();
                let (fails, lets_go) = (steps(fails), steps(lets_go));
                states += explore(&Plan { depth, workers, order, start: start.clone(), fails, lets_go });
            }
        }
    }
    assert!(states > 10_000, "only {states} states were seen");
}

/// Goes from state to state in all ways, and from each to the end; returns how many there are. A state is reached by making
/// its moves again, since errors cannot be copied.
fn explore(plan: &Plan) -> usize {
    let mut seen = BTreeSet::<String>::new();
    let mut open = vec![Vec::<Move>::new()];
    while let Some(path) = open.pop() {
        let mut world = World::new(plan.clone());
        path.iter().for_each(|made| world.make(*made));
        let state = (&world.schedule, &world.workers, &world.leaving, world.kept, world.run);
        if !seen.insert(format!("{state:?}")) {
            continue;
        }
        let mut moves = world.moves();
        let made = |wanted: fn(&Move) -> bool| path.iter().any(wanted);
        if !made(|made| matches!(made, Move::Seek(_) | Move::Stop)) {
            moves.extend([Move::Seek(u64::MAX - 2), Move::Stop]);
        }
        open.extend(moves.into_iter().map(|next| [&path[..], &[next]].concat()));
        world.drain();
    }
    seen.len()
}

#[test]
fn of_several_failures_the_lowest_step_is_told() {
    let mut schedule = Schedule::<()>::new(2, 2, Order::ByStep, Cursor::default());
    let mut claim = || match schedule.claim() {
        Claim::Start(ticket) => ticket,
        other => panic!("{other:?}"),
    };
    let tickets = [claim(), claim(), claim(), claim()];
    let error = |text: &'static str| Err(Error::new(Code::TransformFailed, text));
    assert!(schedule.complete(tickets[3], Ok(())).is_empty());
    assert_eq!(schedule.complete(tickets[2], error("two")).len(), 1); // the value of step 3
    assert_eq!(schedule.complete(tickets[1], error("one")).len(), 1); // the other failure
    assert!(matches!(schedule.deliver(), Delivery::Wait));
    assert!(schedule.complete(tickets[0], Ok(())).is_empty());
    assert!(matches!(schedule.deliver(), Delivery::Ready(0, ())));
    let Delivery::Failed(error) = schedule.deliver() else { panic!("no failure") };
    assert_eq!((error.message(), error.step()), ("one", Some(1)));
    assert!(matches!(schedule.deliver(), Delivery::End));
    assert_eq!((schedule.claim(), schedule.cursor()), (Claim::Stop, &Cursor::at(1)));
}

#[test]
fn a_ticket_counts_once() {
    let mut schedule = Schedule::new(0, 1, Order::ByStep, Cursor::default());
    let Claim::Start(ticket) = schedule.claim() else { panic!("no ticket") };
    assert!(schedule.complete(ticket, Ok('a')).is_empty());
    assert!(matches!(schedule.complete(ticket, Ok('b'))[..], [Ok('b')]));
    assert!(matches!(schedule.deliver(), Delivery::Ready(0, 'a')));
}

#[test]
fn one_step_that_takes_very_long_does_not_let_the_cursor_grow_without_end() {
    let mut schedule = Schedule::new(1, 1, Order::AsCompleted, Cursor::default());
    let Claim::Start(slow) = schedule.claim() else { panic!("no ticket") };
    let mut others = 0;
    while let Claim::Start(ticket) = schedule.claim() {
        assert!(schedule.complete(ticket, Ok(())).is_empty());
        assert!(matches!(schedule.deliver(), Delivery::Ready(..)));
        schedule.release();
        others += 1;
    }
    assert_eq!((others, schedule.cursor().done().len()), (FARTHEST - 1, 4095));
    assert!(schedule.complete(slow, Ok(())).is_empty());
    assert!(matches!(schedule.deliver(), Delivery::Ready(0, ())));
    assert_eq!(schedule.cursor(), &Cursor::at(FARTHEST));
    assert!(matches!(schedule.claim(), Claim::Start(next) if next.step() == FARTHEST));
}

#[test]
fn what_is_ready_behind_a_fence_waits_for_its_end() {
    for order in [Order::ByStep, Order::AsCompleted] {
        let mut schedule = Schedule::new(2, 2, order, Cursor::default());
        let mut claim = || match schedule.claim() {
            Claim::Start(ticket) => ticket,
            other => panic!("{other:?}"),
        };
        let tickets = [claim(), claim(), claim()];
        schedule.set_fence(Some(2));
        assert_eq!((schedule.claim(), schedule.can_claim()), (Claim::Wait, false)); // step 3
        for late in [2, 1] {
            assert!(schedule.complete(tickets[late], Ok(late)).is_empty());
        }
        if order == Order::AsCompleted {
            assert!(matches!(schedule.deliver(), Delivery::Ready(1, 1)));
        }
        assert!(matches!(schedule.deliver(), Delivery::Wait) && !schedule.can_deliver()); // step 2 is ready
        assert!(schedule.complete(tickets[0], Ok(0)).is_empty());
        assert!(schedule.can_deliver() && matches!(schedule.deliver(), Delivery::Ready(0, 0)));
        if order == Order::ByStep {
            assert!(matches!(schedule.deliver(), Delivery::Ready(1, 1)));
        }
        for _ in 0..2 {
            assert!(schedule.can_deliver() && matches!(schedule.deliver(), Delivery::End));
        }
        assert_eq!((schedule.cursor(), schedule.is_over()), (&Cursor::at(2), false));
        schedule.set_fence(None);
        assert!(matches!(schedule.deliver(), Delivery::Ready(2, 2)));
        assert!(matches!(schedule.claim(), Claim::Start(ticket) if ticket.step() == 3));
    }
}

#[test]
fn a_failure_behind_a_fence_is_told_when_the_fence_is_gone() {
    let mut schedule = Schedule::<()>::new(1, 1, Order::ByStep, Cursor::default());
    let (Claim::Start(first), Claim::Start(second)) = (schedule.claim(), schedule.claim()) else { panic!() };
    schedule.set_fence(Some(1));
    let error = Error::new(Code::TransformFailed, "as planned");
    assert!(schedule.complete(second, Err(error)).is_empty());
    assert!(schedule.complete(first, Ok(())).is_empty());
    assert!(matches!(schedule.deliver(), Delivery::Ready(0, ())));
    assert!(matches!(schedule.deliver(), Delivery::End) && !schedule.is_over());
    schedule.set_fence(None);
    assert!(matches!(schedule.deliver(), Delivery::Failed(error) if error.step() == Some(1)));
}
