//! Which steps may start, and which batch comes next.

#[cfg(test)]
mod tests;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::Cursor;
use crate::error::{Error, Result};

/// In which order batches reach the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Steps in their order, at any number of workers.
    #[default]
    ByStep,
    /// Each batch as soon as it is ready: one that takes long holds up no other.
    AsCompleted,
}

/// How far steps may start before the lowest one that was not delivered, so that a [`Cursor`] stays small when one step takes
/// very long.
const FARTHEST: u64 = 4096;

/// The steps of a run on their way from a worker to the caller: no threads, no lock and no clock.
///
/// A worker claims a step, does its work and completes it; the caller takes what is next. Two things are counted, and both
/// are bounded. *Leases* are batches whose memory is in use, by whomever: a claim takes one, and [`Schedule::release`] gives
/// one back. *Undelivered* steps are those that were claimed and have not reached the caller. They differ: a transform may
/// turn a batch into something else and give its memory back early, and a caller may keep what was delivered.
///
/// It cannot get stuck. Steps are claimed in ascending order, so the lowest undelivered step was claimed before all others and
/// needs nothing more; and where no step is undelivered, one can be claimed, or all leases are with the caller, who is told so
/// ([`Delivery::Held`]).
///
/// ```
/// use recask_core::loader::{Claim, Cursor, Delivery, Order, Schedule};
///
/// let mut schedule = Schedule::new(1, 2, Order::ByStep, Cursor::at(7));
/// let (Claim::Start(first), Claim::Start(second)) = (schedule.claim(), schedule.claim()) else { panic!() };
/// assert!(schedule.complete(second, Ok("eight")).is_empty());
/// assert!(matches!(schedule.deliver(), Delivery::Wait)); // step 7 comes first
/// assert!(schedule.complete(first, Ok("seven")).is_empty());
/// assert!(matches!(schedule.deliver(), Delivery::Ready(7, "seven")));
/// schedule.release(); // the caller dropped it
/// assert_eq!(schedule.cursor(), &Cursor::at(8));
/// ```
#[derive(Debug)]
pub struct Schedule<T> {
    order: Order,
    /// The most steps that are undelivered at once.
    window: usize,
    cursor: Cursor,
    /// The lowest step that was not claimed, nor delivered before the start.
    unclaimed: u64,
    /// Steps from here on are neither started nor delivered.
    fence: u64,
    /// Counts seeks: a ticket of an earlier one is late.
    generation: u64,
    working: BTreeSet<Ticket>,
    ready: BTreeMap<u64, T>,
    /// Values that were handed back and are not dropped yet.
    leaving: usize,
    leases: usize,
    failure: Option<(u64, Error)>,
    over: bool,
}

/// The right to work on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    generation: u64,
    step: u64,
}

/// What a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Work on this step, then [`Schedule::complete`] it.
    Start(Ticket),
    /// Ask again after a change.
    Wait,
    /// There is nothing to do any more.
    Stop,
}

/// What there is for the caller.
#[derive(Debug)]
pub enum Delivery<T> {
    /// A step and its value.
    Ready(u64, T),
    /// The step that the error names has failed. It is said once, and the run is over.
    Failed(Error),
    /// Ask again after a change.
    Wait,
    /// Nothing can start before the caller drops a batch: it holds as many as there may be. Then it goes on.
    Held,
    /// The run is over.
    End,
}

impl Ticket {
    /// The step to work on.
    #[must_use]
    pub const fn step(self) -> u64 {
        self.step
    }
}

impl<T> Schedule<T> {
    /// A run from `start` on, whose `workers` (at least 1 is counted) work up to `depth` steps ahead: at most `depth + workers`
    /// steps are undelivered, and at most `depth + workers + 1` leases exist.
    #[must_use]
    pub fn new(depth: usize, workers: usize, order: Order, start: Cursor) -> Self {
        Schedule {
            order,
            window: depth.saturating_add(workers.max(1)),
            unclaimed: start.next(),
            fence: u64::MAX,
            cursor: start,
            generation: 0,
            working: BTreeSet::new(),
            ready: BTreeMap::new(),
            leaving: 0,
            leases: 0,
            failure: None,
            over: false,
        }
    }

    /// The next step to work on, with a lease for its batch. Steps that the start has as delivered are passed over.
    pub fn claim(&mut self) -> Claim {
        if self.over {
            return Claim::Stop;
        }
        if !self.may_start() {
            return Claim::Wait;
        }
        let ticket = Ticket { generation: self.generation, step: self.unclaimed };
        self.working.insert(ticket);
        self.leases += 1;
        self.unclaimed += 1;
        self.pass_over_delivered();
        Claim::Start(ticket)
    }

    /// Takes in what became of a step.
    ///
    /// It returns what nobody needs any more: the outcome itself when it is late, after a seek, a stop or an earlier failure;
    /// on a failure what was ready behind it. Drop it where no lock is held, since that may run a user's code, then say so
    /// by [`Schedule::dropped`].
    #[must_use = "what is returned counts until it is reported as dropped"]
    pub fn complete(&mut self, ticket: Ticket, outcome: Result<T>) -> Vec<Result<T>> {
        let is_needed = self.is_needed(ticket);
        self.working.remove(&ticket);
        let unneeded = if is_needed {
            match outcome {
                Ok(value) => self.ready.insert(ticket.step, value).map(Ok).into_iter().collect(),
                Err(error) => self.fail(ticket.step, error),
            }
        } else {
            Vec::from([outcome])
        };
        self.leaving += unneeded.len();
        unneeded
    }

    /// What comes next for the caller.
    pub fn deliver(&mut self) -> Delivery<T> {
        if self.over {
            return Delivery::End;
        }
        if self.cursor.next() >= self.fence {
            // No fence is behind the last step of all.
            self.over = self.fence == u64::MAX;
            return Delivery::End;
        }
        if let Some(next) = self.ready.first_entry()
            && *next.key() < self.fence
            && is_due(self.order, *next.key(), &self.cursor)
        {
            let (step, value) = next.remove_entry();
            self.cursor.deliver(step);
            return Delivery::Ready(step, value);
        }
        if let Some((_, error)) = self.failure.take_if(|(step, _)| is_due(self.order, *step, &self.cursor)) {
            self.over = true;
            return Delivery::Failed(error);
        }
        if self.undelivered() > 0 || self.failure.is_some() {
            return Delivery::Wait;
        }
        if self.leases > self.window { Delivery::Held } else { Delivery::Wait }
    }

    /// Neither starts nor delivers steps from `fence` on; what was started before waits. At the fence, deliveries say
    /// [`Delivery::End`] until it is moved. `None` takes it away.
    pub fn set_fence(&mut self, fence: Option<u64>) {
        self.fence = fence.unwrap_or(u64::MAX);
    }

    /// A lease came back: a batch was dropped, by whomever.
    pub fn release(&mut self) {
        self.leases = self.leases.saturating_sub(1);
    }

    /// So many of the values that were returned as not needed are dropped by now.
    pub fn dropped(&mut self, values: usize) {
        self.leaving = self.leaving.saturating_sub(values);
    }

    /// Goes on from elsewhere. Steps that are worked on become late, and a failure that was not delivered is forgotten; leases
    /// stay. A run that is over stays so.
    ///
    /// It returns what was ready, for which the same holds as for [`Schedule::complete`].
    #[must_use = "what is returned counts until it is reported as dropped"]
    pub fn seek(&mut self, to: Cursor) -> Vec<Result<T>> {
        self.generation = self.generation.wrapping_add(1);
        self.unclaimed = to.next();
        self.cursor = to;
        self.give_up()
    }

    /// Ends the run: from now on [`Claim::Stop`] and [`Delivery::End`].
    ///
    /// It returns what was ready, for which the same holds as for [`Schedule::complete`].
    #[must_use = "what is returned counts until it is reported as dropped"]
    pub fn stop(&mut self) -> Vec<Result<T>> {
        self.over = true;
        self.give_up()
    }

    /// Which steps were delivered: where a run goes on that stops here.
    #[must_use]
    pub const fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// How many batches' memory is in use.
    #[must_use]
    pub const fn leases(&self) -> usize {
        self.leases
    }

    /// How many steps are worked on, late ones included.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.working.len()
    }

    /// How many steps are worked on, wait for the caller, or are given up and not dropped yet.
    #[must_use]
    pub fn undelivered(&self) -> usize {
        self.working.len() + self.ready.len() + self.leaving
    }

    /// Whether what becomes of a step can still reach the caller; if not, work that takes long may end early.
    #[must_use]
    pub fn is_needed(&self, ticket: Ticket) -> bool {
        self.working.contains(&ticket) && !self.is_late(ticket)
    }

    /// Whether the run has ended: for a worker there is nothing to do any more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// Whether [`Schedule::claim`] would say anything but [`Claim::Wait`].
    #[must_use]
    pub fn can_claim(&self) -> bool {
        self.over || self.may_start()
    }

    /// Whether [`Schedule::deliver`] would say anything but [`Delivery::Wait`].
    #[must_use]
    pub fn can_deliver(&self) -> bool {
        let next = self.ready.first_key_value().map(|(step, _)| *step).filter(|&step| step < self.fence);
        let failed = self.failure.as_ref().map(|(step, _)| *step);
        self.over
            || self.cursor.next() >= self.fence
            || next.or(failed).is_some_and(|step| is_due(self.order, step, &self.cursor))
            || (self.undelivered() == 0 && failed.is_none() && self.leases > self.window)
    }

    fn may_start(&self) -> bool {
        let farthest = self.cursor.next().saturating_add(FARTHEST.max(self.window as u64));
        self.failure.is_none()
            && self.leases <= self.window
            && self.undelivered() < self.window
            && self.unclaimed < farthest.min(self.fence)
    }

    /// Whether what becomes of a step can no longer reach the caller.
    fn is_late(&self, ticket: Ticket) -> bool {
        let failed_before =
            |(step, _): &(u64, Error)| self.order == Order::AsCompleted || *step < ticket.step;
        self.over || ticket.generation != self.generation || self.failure.as_ref().is_some_and(failed_before)
    }

    /// Notes a failure. In the order of steps the ones below it still reach the caller, the ones above do not; as completed,
    /// those that are ready do.
    fn fail(&mut self, step: u64, error: Error) -> Vec<Result<T>> {
        let behind = match self.order {
            Order::ByStep => self.ready.split_off(&step),
            Order::AsCompleted => BTreeMap::new(),
        };
        let higher = self.failure.replace((step, error.at_step(step)));
        behind.into_values().map(Ok).chain(higher.map(|(_, error)| Err(error))).collect()
    }

    fn give_up(&mut self) -> Vec<Result<T>> {
        let ready = core::mem::take(&mut self.ready).into_values().map(Ok);
        let unneeded: Vec<_> = ready.chain(self.failure.take().map(|(_, error)| Err(error))).collect();
        self.leaving += unneeded.len();
        unneeded
    }

    fn pass_over_delivered(&mut self) {
        while self.unclaimed < u64::MAX && self.cursor.has(self.unclaimed) {
            self.unclaimed += 1;
        }
    }
}

/// Whether it is the turn of a step that is ready or has failed.
fn is_due(order: Order, step: u64, cursor: &Cursor) -> bool {
    order == Order::AsCompleted || step == cursor.next()
}
