//! A small world around a schedule: workers with tickets, a caller that keeps what it was given, values that are about to be
//! dropped. It counts for itself, and compares after every move.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use crate::error::{Code, Error, Result};
use crate::loader::{Claim, Cursor, Delivery, Order, Schedule, Ticket};

/// Runs start this many steps before the last possible one, so that they have an end.
const STEPS: u64 = 10;
pub(super) const FIRST: u64 = u64::MAX - STEPS;

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) depth: usize,
    pub(super) workers: usize,
    pub(super) order: Order,
    pub(super) start: Cursor,
    pub(super) fails: BTreeSet<u64>,
    /// Steps whose transform gives the memory of the batch back before it is done.
    pub(super) lets_go: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
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
pub(super) struct Value {
    pub(super) step: u64,
    pub(super) run: u64,
    pub(super) leased: bool,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) plan: Plan,
    pub(super) schedule: Schedule<Value>,
    pub(super) workers: Vec<Option<(Ticket, Value)>>,
    pub(super) ready: BTreeMap<u64, Value>,
    pub(super) leaving: Vec<Option<Value>>,
    /// Leases with the caller.
    pub(super) kept: usize,
    pub(super) run: u64,
    pub(super) delivered: BTreeSet<u64>,
    pub(super) failed: Option<u64>,
    pub(super) over: bool,
}

impl World {
    pub(super) fn new(plan: Plan) -> Self {
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
    pub(super) fn moves(&self) -> Vec<Move> {
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

    pub(super) fn make(&mut self, chosen: Move) {
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
    pub(super) fn drain(&mut self) {
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
    pub(super) fn check_complete(&self) {
        let before = delivered_by(&self.plan.start);
        let failing = self.plan.fails.difference(&before).next();
        if failing.is_none() || self.plan.order == Order::ByStep {
            let end = failing.copied().unwrap_or(u64::MAX);
            assert!((FIRST..end).all(|step| self.delivered.contains(&step)));
        }
        assert!(self.delivered.difference(&before).all(|step| !self.plan.fails.contains(step)));
    }
}

pub(super) fn delivered_by(cursor: &Cursor) -> BTreeSet<u64> {
    (FIRST..u64::MAX).filter(|step| cursor.has(*step)).collect()
}
