//! Seeded sequences of operations, run until they end or the storage fails, with the states that are then allowed.

use recask_core::Result;
use recask_core::storage::fault::{FaultEnvironment, FaultStorage};

use super::random::Random;
use super::{Handle, Record, Setup, delete_from};

/// One thing that a program does with a store.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Create,
    Append(Vec<Record>),
    Delete(Vec<u64>),
    Compact,
    Sync,
    /// Close, and open again for writing.
    Reopen,
}

/// What a store may hold after a script was cut off.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The states that were committed, oldest first.
    states: Vec<Vec<Record>>,
    /// How many of them a power failure must not undo: all but the last of these may be gone.
    durable: usize,
    /// The state after the step that was under way.
    next: Option<Vec<Record>>,
    /// The create was under way.
    pub(crate) creating: bool,
}

impl Outcome {
    /// Whether a store may hold `records` now, after the process was killed or the power failed.
    pub(crate) fn allows(&self, records: &[Record], power_failed: bool) -> bool {
        let oldest = if power_failed { self.durable } else { self.states.len() }.saturating_sub(1);
        self.states[oldest..].iter().chain(&self.next).any(|state| state == records)
    }

    /// The last committed state.
    pub(crate) fn last(&self) -> Vec<Record> {
        self.states.last().cloned().unwrap_or_default()
    }

    /// An append was committed.
    pub(crate) fn append(&mut self, state: Vec<Record>) {
        self.states.push(state);
    }

    /// What was under way turned out to have ended in this state.
    pub(crate) fn settle(&mut self, state: Vec<Record>) {
        assert!(self.allows(&state, false), "{} records are neither the old nor the new state", state.len());
        self.next = None;
        self.states.push(state);
    }
}

/// A sequence that starts with a create; `weights` of append, delete, compact, sync and reopen.
pub(crate) fn random(setup: &Setup, seed: u64, steps: usize, weights: [u64; 5]) -> Vec<Step> {
    let mut random = Random::new(seed);
    let mut len = 0;
    let mut script = vec![Step::Create];
    while script.len() <= steps {
        let mut choice = random.below(weights.iter().sum());
        let kind = weights.iter().position(|&weight| {
            let hit = choice < weight;
            choice = choice.saturating_sub(weight);
            hit
        });
        script.push(match kind {
            Some(1) if len > 0 => {
                let targets = random.some_of(len);
                let mut left: Vec<u64> = (0..len).collect();
                delete_from(&mut left, &targets);
                len = left.len() as u64;
                Step::Delete(targets)
            }
            Some(2) => Step::Compact,
            Some(3) => Step::Sync,
            Some(4) => Step::Reopen,
            _ => {
                let count = 1 + random.below(4);
                len += count;
                Step::Append(setup.records(&mut random, count))
            }
        });
    }
    script
}

/// Runs the steps until one fails. The handle is dropped at the end, as in a program that was cut off.
pub(crate) fn run(setup: &Setup, script: &[Step], storage: &FaultStorage) -> Outcome {
    let mut session = Session::new(setup, storage);
    for step in script {
        if let Err(error) = session.step(step) {
            assert!(storage.is_frozen(), "{step:?} failed while the storage worked: {error:?}");
            break;
        }
    }
    session.outcome
}

/// A program at work on one store, and what it knows of it.
pub(crate) struct Session<'s> {
    setup: &'s Setup,
    storage: FaultStorage,
    pub(crate) handle: Option<Handle<FaultEnvironment>>,
    pub(crate) outcome: Outcome,
}

impl<'s> Session<'s> {
    pub(crate) fn new(setup: &'s Setup, storage: &FaultStorage) -> Self {
        Session { setup, storage: storage.clone(), handle: None, outcome: Outcome::default() }
    }

    /// Does one thing. Where it fails, its result is among the allowed states.
    pub(crate) fn step(&mut self, step: &Step) -> Result<()> {
        let mut state = self.outcome.last();
        let mut step = step.clone();
        match &mut step {
            Step::Append(records) => state.extend_from_slice(records),
            Step::Delete(targets) => {
                // An earlier step may have failed, and the store have fewer records than the script meant.
                let len = state.len() as u64;
                *targets = targets.iter().filter_map(|target| target.checked_rem(len)).collect();
                delete_from(&mut state, targets);
            }
            _ => {}
        }
        if let Err(error) = self.perform(&step) {
            self.outcome.creating = self.outcome.states.is_empty();
            self.outcome.next = Some(state);
            return Err(error);
        }
        self.outcome.states.push(state);
        if !matches!(step, Step::Append(_)) {
            self.outcome.durable = self.outcome.states.len();
        }
        Ok(())
    }

    fn perform(&mut self, step: &Step) -> Result<()> {
        if let Step::Create = step {
            self.handle = Some(self.setup.create(self.storage.clone())?);
            return Ok(());
        }
        let mut handle = self.handle.take().unwrap();
        if let Step::Reopen = step {
            handle.close()?;
            self.outcome.durable = self.outcome.states.len();
            self.handle = Some(self.setup.open_for_writing(self.storage.clone())?);
            return Ok(());
        }
        let done = match step {
            Step::Append(records) => handle.append(records).map(drop),
            Step::Delete(targets) => handle.delete(targets),
            Step::Compact => handle.compact(),
            _ => handle.sync(),
        };
        self.handle = Some(handle);
        done
    }
}
