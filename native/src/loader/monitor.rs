//! A schedule that threads share: workers and the caller wait for each other.

#[cfg(all(test, loom))]
mod interleavings;
#[cfg(all(test, not(loom)))]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

pub(super) use recask_core::loader::Delivery;
use recask_core::loader::{Claim, Cursor, Order, Schedule, Ticket};
use recask_core::{Code, Error, Result};

use super::sync::{Condvar, Mutex, MutexGuard};

/// A [`Schedule`] behind a lock. After every change it wakes one of those who can go on; who goes on wakes the next.
///
/// Values are dropped where the lock is not held: a value may run a user's code, and give its lease back.
pub(super) struct Monitor<T> {
    schedule: Mutex<Schedule<T>>,
    workers: Condvar,
    caller: Condvar,
}

/// A step that a worker has to complete. Dropped before that, by a panic, it completes the step with that error, so that the
/// caller does not wait for ever.
pub(super) struct Claimed<'a, T> {
    monitor: &'a Monitor<T>,
    /// Until it is completed.
    ticket: Option<Ticket>,
    step: u64,
}

impl<T> Monitor<T> {
    /// As [`Schedule::new`].
    pub(super) fn new(depth: usize, workers: usize, order: Order, start: Cursor) -> Self {
        Monitor {
            schedule: Mutex::new(Schedule::new(depth, workers, order, start)),
            workers: Condvar::new(),
            caller: Condvar::new(),
        }
    }

    /// Waits for a step to work on; `None` when there is nothing to do any more.
    #[cfg(any(test, feature = "threads"))]
    pub(super) fn claim(&self) -> Option<Claimed<'_, T>> {
        let mut schedule = self.lock();
        let claim = loop {
            match schedule.claim() {
                Claim::Wait => schedule = wait(&self.workers, schedule),
                claim => break claim,
            }
        };
        self.wake(schedule);
        self.claimed(claim)
    }

    /// A step to work on, where one can start at once.
    pub(super) fn claim_now(&self) -> Option<Claimed<'_, T>> {
        let claim = self.change(Schedule::claim);
        self.claimed(claim)
    }

    /// Waits for what comes next; never [`Delivery::Wait`]. Somebody else has to work on the steps.
    pub(super) fn next(&self) -> Delivery<T> {
        let mut schedule = self.lock();
        let delivery = loop {
            match schedule.deliver() {
                Delivery::Wait => schedule = wait(&self.caller, schedule),
                delivery => break delivery,
            }
        };
        self.wake(schedule);
        delivery
    }

    /// What comes next; `None` where a step has to be worked on before.
    pub(super) fn next_now(&self) -> Option<Delivery<T>> {
        match self.change(Schedule::deliver) {
            Delivery::Wait => None,
            delivery => Some(delivery),
        }
    }

    /// A batch gave its memory back.
    pub(super) fn release(&self) {
        self.change(Schedule::release);
    }

    /// Goes on from elsewhere, and drops what was ready.
    pub(super) fn seek(&self, to: Cursor) {
        let unneeded = self.change(|schedule| schedule.seek(to));
        self.discard(unneeded);
    }

    /// Neither starts nor delivers steps from `fence` on.
    pub(super) fn set_fence(&self, fence: Option<u64>) {
        self.change(|schedule| schedule.set_fence(fence));
    }

    /// Ends the run, and drops what was ready. Who waits goes on and is told so.
    pub(super) fn stop(&self) {
        let unneeded = self.change(Schedule::stop);
        self.discard(unneeded);
    }

    /// Which steps were delivered.
    pub(super) fn cursor(&self) -> Cursor {
        self.lock().cursor().clone()
    }

    fn complete(&self, ticket: Ticket, outcome: Result<T>) {
        let unneeded = self.change(|schedule| schedule.complete(ticket, outcome));
        self.discard(unneeded);
    }

    /// Drops values that nobody needs, and counts them out only then: until then their leases are not with the caller.
    fn discard(&self, unneeded: Vec<Result<T>>) {
        let count = unneeded.len();
        if count == 0 {
            return;
        }
        for value in unneeded {
            // A value that panics has its message printed. There is no step to blame, and the others must go on.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
        }
        self.change(|schedule| schedule.dropped(count));
    }

    fn claimed(&self, claim: Claim) -> Option<Claimed<'_, T>> {
        match claim {
            Claim::Start(ticket) => {
                Some(Claimed { monitor: self, ticket: Some(ticket), step: ticket.step() })
            }
            Claim::Wait | Claim::Stop => None,
        }
    }

    fn change<R>(&self, change: impl FnOnce(&mut Schedule<T>) -> R) -> R {
        let mut schedule = self.lock();
        let result = change(&mut schedule);
        self.wake(schedule);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Schedule<T>> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks, and wakes one worker and the caller where they can go on; all of them at the end.
    fn wake(&self, schedule: MutexGuard<'_, Schedule<T>>) {
        let (over, claim, deliver) = (schedule.is_over(), schedule.can_claim(), schedule.can_deliver());
        drop(schedule);
        if over {
            self.workers.notify_all();
            self.caller.notify_all();
            return;
        }
        if claim {
            self.workers.notify_one();
        }
        if deliver {
            self.caller.notify_one();
        }
    }
}

impl<T> Claimed<'_, T> {
    /// The step to work on.
    pub(super) fn step(&self) -> u64 {
        self.step
    }

    /// Whether somebody still waits for the step; work that takes long may end early if not.
    pub(super) fn is_needed(&self) -> bool {
        self.ticket.is_some_and(|ticket| self.monitor.lock().is_needed(ticket))
    }

    /// Hands in what became of the step.
    pub(super) fn complete(mut self, outcome: Result<T>) {
        if let Some(ticket) = self.ticket.take() {
            self.monitor.complete(ticket, outcome);
        }
    }
}

impl<T> Drop for Claimed<'_, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            let error = Error::new(Code::Panicked, "the work on this step panicked; its message was printed");
            self.monitor.complete(ticket, Err(error));
        }
    }
}

fn wait<'a, T>(changed: &Condvar, schedule: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(schedule).unwrap_or_else(PoisonError::into_inner)
}
