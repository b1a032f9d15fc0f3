//! The loader's threads in all the orders that loom finds.

use crate::process::capture;
use crate::report::{Result, fail};
use crate::workspace::{cargo, kept};

const TESTS: &str = "loader::monitor::interleavings";

/// How often a thread may be interrupted where it would not have to wait. Most mistakes show with two.
const PREEMPTIONS: &str = "2";

pub(crate) fn check() -> Result {
    let mut command = cargo("test");
    command.args(["--package", "recask", "--lib", "--target-dir"]).arg(kept("interleavings")).arg(TESTS);
    command.env("RUSTFLAGS", "--cfg loom").env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS);
    // Thousands of runs: worth optimising, and quicker to build than a release.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    let printed = capture(&mut command)?;
    print!("{printed}");
    if printed.contains("test result: ok. 0 passed") {
        return fail(format!("no test is called {TESTS}"));
    }
    Ok(())
}
