//! The benchmarks. Not part of the tests: their numbers need a quiet machine.

use crate::measured::{self, Measured};
use crate::peer;
use crate::process::{self, capture};
use crate::report::{Result, fail, say};
use crate::workspace::{cargo, program, root, target, targets_in};

const FOLDER: &str = "native/benches";

/// Runs every benchmark, or those whose name contains `filter`, then loaderx on the same stores, and prints one table.
pub(crate) fn run(filter: Option<&str>) -> Result {
    let results = target().join("criterion");
    // Results of other runs would be taken for new ones.
    let _ = std::fs::remove_dir_all(&results);
    rust_benchmarks(filter.as_slice())?;
    let mut found = Measured::of_criterion(&results)?;
    if found.is_empty() {
        return fail("no benchmark has this in its name");
    }
    say("loaderx on the same stores");
    let python = peer::ensure()?;
    let script = root().join(FOLDER).join("peer_loaderx.py");
    found.add_loaderx(&capture(program(python).arg(script).arg(target().join("bench")))?)?;
    print!("\n{}", measured::table(&found));
    Ok(())
}

/// Every benchmark runs once, without measuring.
pub(crate) fn smoke() -> Result {
    rust_benchmarks(&["--test"])
}

fn rust_benchmarks(arguments: &[&str]) -> Result {
    for name in targets_in(FOLDER)? {
        process::run(cargo("bench").args(["--package", "recask", "--bench", &name, "--"]).args(arguments))?;
    }
    Ok(())
}
