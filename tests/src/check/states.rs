//! Cases of states: where a run of a loader stands, as text and back.

use recask_core::Result;
use recask_core::loader::{Cursor, Feed, Identity, State};
use recask_core::sampler::{Mode, Sampler};

use super::loads::{all_opened, policy};
use super::{Checked, same, settle};
use crate::cases::{Integer, LoadStream, ResumedAt, StateCase, StateOfCase, WhenLost};
use crate::door::Door;

pub(super) fn written<D: Door>(door: &D, case: &StateOfCase) -> Checked {
    let text = over(door, &case.streams, case.on_loss).and_then(|(length, identities)| {
        let mode: Mode = case.mode.parse()?;
        let order = Sampler::builder(mode, length, case.batch).seed(case.seed.0);
        let sampler = order.shard(case.rank, case.world).build()?;
        let cursor = Cursor::new(case.step.0, case.done.iter().map(|step| step.0));
        Ok(State::new(&sampler, &cursor, &identities).to_string())
    });
    settle(text, &case.expect, |text, wanted| same("text", &text, &wanted.text))
}

pub(super) fn read<D: Door>(door: &D, case: &StateCase) -> Checked {
    settle(resumed(door, case), &case.expect, |resumed, wanted| same("state", &resumed, wanted))
}

fn resumed<D: Door>(door: &D, case: &StateCase) -> Result<ResumedAt> {
    let state: State = case.text.parse()?;
    if let Some(streams) = &case.streams {
        let (length, identities) = over(door, streams, case.on_loss)?;
        state.check(length, &identities)?;
    }
    Ok(ResumedAt {
        mode: state.mode().to_string(),
        seed: Integer(state.seed()),
        batch: Integer(state.batch()),
        length: Integer(state.length()),
        step: Integer(state.step()),
        done: state.cursor().done().iter().copied().map(Integer).collect(),
        rank: Integer(state.rank()),
        world: Integer(state.world()),
        indices: state.sampler(case.rank, case.world)?.at(state.step())?,
        text: state.to_string(),
    })
}

/// The length of the streams, and what they hold.
fn over<D: Door>(door: &D, streams: &[LoadStream], when_lost: WhenLost) -> Result<(u64, Vec<Identity>)> {
    let streams = all_opened(door, streams)?;
    let length = streams.first().map_or(1, |(_, stream)| stream.len());
    // The order does not matter for what they hold.
    let feed = Feed::new(streams, Sampler::sequential(length, 1).build()?)?;
    Ok((length, feed.identities(policy(when_lost))?))
}
