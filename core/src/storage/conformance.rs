//! What every storage must do, as named cases that a runner prints one by one.
//!
//! A door runs [`cases`] over its own storage, in the place where that storage works.

mod contents;
mod locks;
mod names;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use super::{Storage, StorageError, StorageErrorKind};

/// What a storage can do, and how its directories are prepared.
#[derive(Clone, Copy, Debug)]
pub struct Abilities {
    /// Locks exclude each other. A storage without locks answers `Ok` and skips these cases.
    pub locks: bool,
    /// Files with a gap of several GiB cost nothing.
    pub sparse: bool,
    /// Every new directory holds a file of this name, which is none of a store.
    pub foreign_name: Option<&'static str>,
}

/// The answer of a case: a failure says what was expected.
pub type Outcome = Result<(), String>;

/// One rule. `run` gets a function that makes an empty directory.
pub struct Case<S> {
    /// The rule as a sentence.
    pub name: &'static str,
    /// Checks it.
    pub run: fn(&dyn Fn() -> S, Abilities) -> Outcome,
    applies: fn(Abilities) -> bool,
}

/// The rules that apply to a storage with these abilities.
#[must_use]
pub fn cases<S: Storage>(abilities: Abilities) -> Vec<Case<S>> {
    let all = names::cases().into_iter().chain(contents::cases()).chain(locks::cases());
    all.filter(|case| (case.applies)(abilities)).collect()
}

/// Runs every case that applies; `make` makes an empty directory.
///
/// # Panics
/// When a case fails, naming it.
pub fn storage_suite<S: Storage>(make: &dyn Fn() -> S, abilities: Abilities) {
    for case in cases::<S>(abilities) {
        if let Err(failure) = (case.run)(make, abilities) {
            panic!("{}: {failure}", case.name);
        }
    }
}

impl<S> Case<S> {
    const fn always(name: &'static str, run: fn(&dyn Fn() -> S, Abilities) -> Outcome) -> Self {
        Case { name, run, applies: |_| true }
    }

    const fn when(
        applies: fn(Abilities) -> bool,
        name: &'static str,
        run: fn(&dyn Fn() -> S, Abilities) -> Outcome,
    ) -> Self {
        Case { name, run, applies }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the calls read better")]
fn equal<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

/// The value of a call that must succeed.
fn succeed<T>(what: &str, result: Result<T, StorageError>) -> Result<T, String> {
    result.map_err(|error| format!("{what} failed: {error}"))
}

/// A call that must fail in this way.
fn fail<T>(what: &str, result: Result<T, StorageError>, expected: StorageErrorKind) -> Outcome {
    match result {
        Ok(_) => Err(format!("{what} succeeded, expected {expected:?}")),
        Err(error) => equal(what, error.kind(), expected),
    }
}
