//! A small world around a schedule: workers with tickets, a caller that keeps what it was given, values that are about to be
//! dropped. It counts for itself, and compares after every move.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::error::Code;

/// Runs start this many steps before the last possible one, so that they have an end.
const STEPS: u64 = 10;
const FIRST: u64 = u64::MAX - STEPS;

#[derive(Clone, Debug)]
struct Plan {
    depth: usize,
    workers: usize,
    order: Order,
    start: Cursor,
    fails: BTreeSet<u64>,
    /// Steps whose transform gives the memory of the batch back before it is done.
    lets_go: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Claim,
    LetGo(usize),
    Complete(usize),
    Deliver,
    Release,
    Drop,
    Seek(u64),
    Stop,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    step: u64,
    run: u64,
    leased: bool,
}

#[derive(Debug)]
struct World {
    plan: Plan,
    schedule: Schedule<Value>,
    workers: Vec<Option<(Ticket, Value)>>,
    ready: BTreeMap<u64, Value>,
    leaving: Vec<Option<Value>>,
    /// Leases with the caller.
    kept: usize,
    run: u64,
    delivered: BTreeSet<u64>,
    failed: Option<u64>,
    over: bool,
}

impl World {
    fn new(plan: Plan) -> Self {
        World {
            schedule: Schedule::new(plan.depth, plan.workers, plan.order, plan.start.clone()),
            workers: vec![None; plan.workers.max(1)],
            ready: BTreeMap::new(),
            leaving: Vec::new(),
            kept: 0,
            run: 0,
            delivered: delivered_by(&plan.start),
            failed: None,
            over: false,
            plan,
        }
    }

    /// All moves that mean something here; the seek and the stop are up to the test.
    fn moves(&self) -> Vec<Move> {
        let mut moves = vec![Move::Deliver];
        for (worker, work) in self.workers.iter().enumerate() {
            match work {
                Some((_, value)) => {
                    moves.push(Move::Complete(worker));
                    if value.leased && self.plan.lets_go.contains(&value.step) {
                        moves.push(Move::LetGo(worker));
                    }
                }
                None if !moves.iter().any(|known| matches!(known, Move::Claim)) => moves.push(Move::Claim),
                None => {}
            }
        }
        moves.extend((self.kept > 0).then_some(Move::Release));
        moves.extend((!self.leaving.is_empty()).then_some(Move::Drop));
        moves
    }

    fn make(&mut self, chosen: Move) {
        match chosen {
            Move::Claim => self.claim(),
            Move::LetGo(worker) => {
                if let Some((_, value)) = &mut self.workers[worker] {
                    value.leased = false;
                    self.schedule.release();
                }
            }
            Move::Complete(worker) => self.complete(worker),
            Move::Deliver => self.deliver(),
            Move::Release => {
                self.kept -= 1;
                self.schedule.release();
            }
            Move::Drop => {
                if self.leaving.pop().flatten().is_some_and(|value| value.leased) {
                    self.schedule.release();
                }
                self.schedule.dropped(1);
            }
            Move::Seek(to) => {
                self.run += 1;
                self.delivered = delivered_by(&Cursor::at(to));
                let unneeded = self.schedule.seek(Cursor::at(to));
                self.give_up(&unneeded);
            }
            Move::Stop => {
                self.over = true;
                let unneeded = self.schedule.stop();
                self.give_up(&unneeded);
            }
        }
        self.check();
    }

    fn claim(&mut self) {
        let can = self.schedule.can_claim();
        let claim = self.schedule.claim();
        assert_eq!(can, claim != Claim::Wait);
        match claim {
            Claim::Start(ticket) => {
                let step = ticket.step();
                assert!(self.failed.is_none() && !self.over && step < u64::MAX);
                assert!(!self.delivered.contains(&step) && !self.ready.contains_key(&step));
                let lower_is_free = |lower| {
                    let is_worked_on = self.works().any(|value| value.run == self.run && value.step == lower);
                    !self.delivered.contains(&lower) && !self.ready.contains_key(&lower) && !is_worked_on
                };
                assert!(!(FIRST..step).any(lower_is_free), "step {step} is not the lowest");
                let idle = self.workers.iter_mut().find(|work| work.is_none()).expect("an idle worker");
                *idle = Some((ticket, Value { step, run: self.run, leased: true }));
            }
            Claim::Wait => assert!(!self.over),
            Claim::Stop => assert!(self.over),
        }
    }

    fn complete(&mut self, worker: usize) {
        let (ticket, value) = self.workers[worker].take().expect("a busy worker");
        let fails = self.plan.fails.contains(&value.step);
        if fails && value.leased {
            self.schedule.release();
        }
        let error = || Error::new(Code::TransformFailed, "as planned");
        let failed_before = |failed: u64| self.plan.order == Order::AsCompleted || failed < value.step;
        let is_late = self.over || value.run != self.run || self.failed.is_some_and(failed_before);
        assert_eq!(self.schedule.is_needed(ticket), !is_late);
        let unneeded = self.schedule.complete(ticket, if fails { Err(error()) } else { Ok(value) });
        assert!(!self.schedule.is_needed(ticket));
        let mut expected = usize::from(is_late);
        if !is_late && fails {
            expected += usize::from(self.failed.replace(value.step).is_some());
            if self.plan.order == Order::ByStep {
                expected += self.ready.split_off(&value.step).len();
            }
        } else if !is_late {
            self.ready.insert(value.step, value);
        }
        assert_eq!(unneeded.len(), expected);
        self.leaving.extend(unneeded.into_iter().map(Result::ok));
    }

    fn deliver(&mut self) {
        let can = self.schedule.can_deliver();
        let delivery = self.schedule.deliver();
        assert_eq!(can, !matches!(delivery, Delivery::Wait));
        let lowest = (FIRST..=u64::MAX).find(|step| !self.delivered.contains(step));
        let due = match self.plan.order {
            Order::ByStep => self.ready.keys().next().copied().filter(|step| Some(*step) == lowest),
            Order::AsCompleted => self.ready.keys().next().copied(),
        };
        let is_failure_due =
            self.failed.is_some() && (self.plan.order == Order::AsCompleted || self.failed == lowest);
        match delivery {
            Delivery::Ready(step, value) => {
                assert!(!self.over && Some(step) == due);
                assert_eq!((value.step, value.run), (step, self.run));
                assert!(self.delivered.insert(step));
                self.ready.remove(&step);
                self.kept += usize::from(value.leased);
            }
            Delivery::Failed(error) => {
                assert!(!self.over && due.is_none() && is_failure_due);
                assert_eq!(error.step(), self.failed);
                self.over = true;
                self.failed = None;
            }
            Delivery::Wait => assert!(!self.over && due.is_none() && !is_failure_due && !self.is_held()),
            Delivery::Held => assert!(self.is_held() && !self.over),
            Delivery::End => {
                assert!(self.over || lowest == Some(u64::MAX));
                self.over = true;
            }
        }
    }

    /// Everything that exists is with the caller, and more is to come.
    fn is_held(&self) -> bool {
        let all = self.plan.depth + self.plan.workers.max(1) + 1;
        let has_more = (FIRST..u64::MAX).any(|step| !self.delivered.contains(&step));
        self.undelivered() == 0 && self.kept == all && has_more
    }

    fn give_up(&mut self, unneeded: &[Result<Value>]) {
        assert_eq!(unneeded.len(), self.ready.len() + usize::from(self.failed.is_some()));
        self.ready.clear();
        self.failed = None;
        self.leaving.extend(unneeded.iter().map(|value| value.as_ref().ok().copied()));
    }

    fn works(&self) -> impl Iterator<Item = &Value> {
        self.workers.iter().flatten().map(|(_, value)| value)
    }

    fn undelivered(&self) -> usize {
        self.works().count() + self.ready.len() + self.leaving.len()
    }

    fn check(&self) {
        let values = self.works().chain(self.ready.values()).chain(self.leaving.iter().flatten());
        let leases = values.filter(|value| value.leased).count() + self.kept;
        let window = self.plan.depth + self.plan.workers.max(1);
        assert_eq!((self.schedule.leases(), self.schedule.undelivered()), (leases, self.undelivered()));
        assert_eq!(self.schedule.in_flight(), self.works().count());
        assert!(leases <= window + 1 && self.undelivered() <= window);
        assert_eq!(self.schedule.cursor(), &Cursor::new(FIRST, self.delivered.iter().copied()));
        assert_eq!(self.schedule.is_over(), self.over);
        // Where nobody works, somebody can.
        let somebody = self.works().count() + self.leaving.len() > 0;
        assert!(somebody || self.schedule.can_claim() || self.schedule.can_deliver(), "stuck");
    }

    /// Everybody goes on until the end; the caller keeps what it gets as long as it can.
    fn drain(&mut self) {
        for _ in 0..20 * STEPS {
            while !self.leaving.is_empty() {
                self.make(Move::Drop);
            }
            let all = self.plan.depth + self.plan.workers.max(1) + 1;
            if self.kept == all {
                self.make(Move::Deliver);
                self.make(Move::Release);
            }
            let idle = self.workers.iter().position(Option::is_none);
            idle.into_iter().for_each(|_| self.make(Move::Claim));
            let busy = self.workers.iter().rposition(Option::is_some);
            busy.into_iter().for_each(|worker| self.make(Move::Complete(worker)));
            self.make(Move::Deliver);
            if self.over && self.undelivered() == 0 {
                (0..self.kept).for_each(|_| self.make(Move::Release));
                assert!(matches!(self.schedule.deliver(), Delivery::End));
                assert_eq!((self.schedule.claim(), self.schedule.leases()), (Claim::Stop, 0));
                return;
            }
        }
        panic!("it did not end: {self:?}");
    }

    /// What a run that nobody stopped has delivered in the end.
    fn check_complete(&self) {
        let before = delivered_by(&self.plan.start);
        let failing = self.plan.fails.difference(&before).next();
        if failing.is_none() || self.plan.order == Order::ByStep {
            let end = failing.copied().unwrap_or(u64::MAX);
            assert!((FIRST..end).all(|step| self.delivered.contains(&step)));
        }
        assert!(self.delivered.difference(&before).all(|step| !self.plan.fails.contains(step)));
    }
}

fn delivered_by(cursor: &Cursor) -> BTreeSet<u64> {
    (FIRST..u64::MAX).filter(|step| cursor.has(*step)).collect()
}

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
