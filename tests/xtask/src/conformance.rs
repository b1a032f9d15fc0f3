//! The conformance cases, which every door runs.

use std::collections::BTreeMap;

use crate::process::output;
use crate::report::{Result, fail, say};
use crate::suites;
use crate::workspace::{program, target};

/// The doors that exist so far.
pub(crate) const DOORS: [&str; 2] = ["native", "memory"];

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ok,
    Skip,
    Fail,
}

/// The outcomes of one door by the names of the cases.
pub(crate) type Outcomes = BTreeMap<String, Outcome>;

/// Builds the runner, and runs every case through a door. Failures are printed and are among the outcomes.
pub(crate) fn outcomes(door: &str) -> Result<Outcomes> {
    suites::build(&["--bin", "conformance"])?;
    let runner = target().join("debug/conformance");
    // It ends with an error where a case fails; the lines say which.
    let (ended_well, lines) = output(program(&runner).args(["--door", door]))?;
    let outcomes: Outcomes = lines.lines().filter_map(parse).collect();
    lines.lines().filter(|line| line.starts_with("FAIL ")).for_each(say);
    if outcomes.is_empty() {
        return fail("the conformance runner reported no case");
    }
    if !ended_well && !outcomes.values().any(|outcome| *outcome == Outcome::Fail) {
        return fail(format!(
            "the conformance runner broke off after {} cases of the door {door}",
            outcomes.len()
        ));
    }
    Ok(outcomes)
}

/// Every door passes every case, or skips it with a reason.
pub(crate) fn check() -> Result {
    for door in DOORS {
        let outcomes = outcomes(door)?;
        let count = |wanted| outcomes.values().filter(|outcome| **outcome == wanted).count();
        let (passed, skipped, failed) = (count(Outcome::Ok), count(Outcome::Skip), count(Outcome::Fail));
        say(format!("{door}: {passed} ok, {skipped} skipped, {failed} failed"));
        if failed > 0 {
            return fail(format!("{failed} conformance cases failed through the door {door}"));
        }
    }
    Ok(())
}

/// `ok NAME`, `FAIL NAME: reason` or `skip NAME: reason`; anything else is talk.
fn parse(line: &str) -> Option<(String, Outcome)> {
    let (word, rest) = line.split_once(' ')?;
    let outcome = match word {
        "ok" => Outcome::Ok,
        "skip" => Outcome::Skip,
        "FAIL" => Outcome::Fail,
        _ => return None,
    };
    let name = rest.split_once(": ").map_or(rest, |(name, _)| name);
    Some((name.trim().into(), outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_runner_are_understood() {
        assert_eq!(parse("ok open/raw"), Some(("open/raw".into(), Outcome::Ok)));
        assert_eq!(parse("FAIL gather/x: got 1: not 2"), Some(("gather/x".into(), Outcome::Fail)));
        assert_eq!(parse("skip a b: no locks"), Some(("a b".into(), Outcome::Skip)));
        assert_eq!(parse("12 cases"), None);
    }
}
