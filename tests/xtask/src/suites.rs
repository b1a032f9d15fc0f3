//! The tests of the workspace, by nextest where it is installed.

use crate::peer;
use crate::process::{run, works};
use crate::report::Result;
use crate::workspace::{cargo, targets_in};

/// The test of `recask-tests` that has a step of its own.
const INTEROP: &str = "interop";
const TEST_FOLDERS: [&str; 4] = ["core/tests", "native/tests", "native/cli/tests", "tests/tests"];
/// The whole workspace at once, so that every step builds with the same features.
const EVERYTHING: [&str; 2] = ["--workspace", "--all-features"];

/// Unit and integration tests.
pub(crate) fn unit_and_integration() -> Result {
    if has_nextest() {
        let filter = format!("not binary({INTEROP})");
        return run(cargo("nextest").arg("run").args(EVERYTHING).args(["--filterset", &filter]));
    }
    let mut command = cargo("test");
    command.args(EVERYTHING).args(["--lib", "--bins"]);
    for folder in TEST_FOLDERS {
        for name in targets_in(folder)?.into_iter().filter(|name| name != INTEROP) {
            command.args(["--test", &name]);
        }
    }
    run(&mut command)
}

pub(crate) fn documentation() -> Result {
    run(cargo("test").args(EVERYTHING).arg("--doc"))
}

/// Against the real package.
pub(crate) fn interop() -> Result {
    let python = peer::ensure()?;
    let mut command = if has_nextest() { cargo("nextest") } else { cargo("test") };
    if has_nextest() {
        command.arg("run");
    }
    run(command.args(EVERYTHING).args(["--test", INTEROP]).env(peer::VARIABLE, python))
}

/// Every interruption of longer random sequences, instead of a sample.
pub(crate) fn crashes() -> Result {
    let packages = ["--package", "recask-core", "--package", "recask", "--all-features", "--tests"];
    run(cargo("test").args(packages).env("RECASK_SLOW", "1"))
}

fn has_nextest() -> bool {
    works(cargo("nextest").arg("--version"))
}
