//! Conformance cases by doors.

use std::collections::BTreeSet;

use crate::conformance::{DOORS, Outcome, Outcomes, outcomes};
use crate::report::{Result, fail};

/// Prints the table; fails where a case does.
pub(crate) fn run() -> Result {
    let doors = DOORS.into_iter().map(outcomes).collect::<Result<Vec<_>>>()?;
    print!("{}", table(&DOORS, &doors));
    if doors.iter().flat_map(|door| door.values()).any(|outcome| *outcome == Outcome::Fail) {
        return fail("not every case passes through every door");
    }
    Ok(())
}

fn table(names: &[&str], doors: &[Outcomes]) -> String {
    let cases: BTreeSet<&String> = doors.iter().flat_map(|door| door.keys()).collect();
    let width = cases.iter().map(|case| case.chars().count()).max().unwrap_or(0).max("skipped".len());
    let row = |first: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!("  {cell:>8}")).collect();
        format!("{first:width$}{cells}\n")
    };
    let mut text = row("case", &mut names.iter().map(ToString::to_string));
    for &case in &cases {
        text += &row(case, &mut doors.iter().map(|door| word(door.get(case)).into()));
    }
    for (title, wanted) in [("passed", Outcome::Ok), ("skipped", Outcome::Skip), ("failed", Outcome::Fail)] {
        let count = |door: &Outcomes| door.values().filter(|outcome| **outcome == wanted).count().to_string();
        text += &row(title, &mut doors.iter().map(count));
    }
    text
}

fn word(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Ok) => "ok",
        Some(Outcome::Skip) => "skip",
        Some(Outcome::Fail) => "FAIL",
        None => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_each_case_and_totals() {
        let native = Outcomes::from([("a".into(), Outcome::Ok), ("locks".into(), Outcome::Ok)]);
        let memory = Outcomes::from([("a".into(), Outcome::Fail)]);
        let expected = "\
case       native    memory
a              ok      FAIL
locks          ok         -
passed          2         0
skipped         0         0
failed          0         1
";
        assert_eq!(table(&["native", "memory"], &[native, memory]), expected);
    }
}
