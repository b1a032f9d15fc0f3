//! What differs between the streams of a state and those that are there.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::State;
use crate::dtype::excerpt;
use crate::error::{Code, Error, Result};
use crate::loader::Identity;

/// How many differences are said.
const MOST_SAID: usize = 8;

pub(super) fn check(state: &State, length: u64, identities: &[Identity]) -> Result<()> {
    let mut differences = Vec::new();
    if length != state.length() {
        differences.push(format!("the streams had {} records and have {length}", state.length()));
    }
    let there: BTreeMap<_, _> = identities.iter().map(|identity| (identity.name(), identity)).collect();
    let known: BTreeMap<_, _> = state.streams.iter().map(|identity| (identity.name(), identity)).collect();
    for (name, old) in &known {
        match there.get(name) {
            Some(new) => differences.extend(difference(old, new, length == state.length(), length)),
            None => differences.push(format!("there is no stream '{}' any more", excerpt(name))),
        }
    }
    let additional = there.keys().filter(|name| !known.contains_key(*name));
    differences.extend(additional.map(|name| format!("the stream '{}' was not there", excerpt(name))));
    if differences.is_empty() {
        return Ok(());
    }
    if differences.len() > MOST_SAID {
        let more = differences.len() - MOST_SAID;
        differences.truncate(MOST_SAID);
        differences.push(format!("{more} more"));
    }
    let text = format!("the loader's state was taken from other data: {}", differences.join("; "));
    Err(Error::new(Code::StateMismatch, text))
}

/// The first thing in which two streams of one name differ. Values can be compared where the lengths are equal, since only
/// then the samples are those of the same records.
fn difference(old: &Identity, new: &Identity, same_length: bool, length: u64) -> Option<String> {
    let name = excerpt(&old.name);
    if old.kind != new.kind {
        return Some(format!("the stream '{name}' was {} and is {}", old.kind, new.kind));
    }
    if old.layout != new.layout {
        return Some(layouts(&name, &old.layout, &new.layout));
    }
    let mut samples = Identity::sampled(length).zip(old.samples.iter().zip(&new.samples));
    let (record, _) = samples
        .find(|(_, (old, new))| old.is_some() && new.is_some() && old != new)
        .filter(|_| same_length)?;
    Some(format!("the stream '{name}' has other values in record {record}"))
}

/// Layouts of many columns are long, and often begin alike: shows both from shortly before where they part.
fn layouts(name: &str, old: &str, new: &str) -> String {
    const BEFORE: usize = 20;
    let alike = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let from = alike.saturating_sub(BEFORE);
    let shown = |layout: &str| {
        let end: String = layout.chars().skip(from).collect();
        let mark = if from > 0 { "…" } else { "" };
        // Nothing stands around it, so its quotes need no escape.
        mark.to_string() + &excerpt(&end).replace(r"\'", "'")
    };
    format!("the stream '{name}' was of the type {} and is of {}", shown(old), shown(new))
}
