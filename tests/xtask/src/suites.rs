//! The tests of the workspace, by nextest where it is installed.

use std::process::Command;

use crate::peer::{self, Peer};
use crate::process::{run, works};
use crate::report::Result;
use crate::workspace::{cargo, targets_in};

/// The tests of `recask-tests` that have steps of their own, since they need more: stores and tables with the packages of
/// Python, and modules in sandboxes.
const WITH_MORE: [&str; 3] = ["interop", "table_interop", "wasi"];
const TEST_FOLDERS: [&str; 4] = ["core/tests", "native/tests", "native/cli/tests", "tests/tests"];
/// The whole workspace at once, so that every step builds with the same features.
const EVERYTHING: [&str; 2] = ["--workspace", "--all-features"];

/// Unit and integration tests.
pub(crate) fn unit_and_integration() -> Result {
    if has_nextest() {
        let filter = WITH_MORE.map(|name| format!("not binary(={name})")).join(" and ");
        return run(cargo("nextest").arg("run").args(EVERYTHING).args(["--filterset", &filter]));
    }
    let mut command = cargo("test");
    command.args(EVERYTHING).args(["--lib", "--bins"]);
    for folder in TEST_FOLDERS {
        for name in targets_in(folder)?.into_iter().filter(|name| !WITH_MORE.contains(&name.as_str())) {
            command.args(["--test", &name]);
        }
    }
    run(&mut command)
}

/// The encoders of structured-zstd itself, which the small ones (`compact`) stand in for wherever all features are on.
pub(crate) fn uncompacted_codecs() -> Result {
    let features = "std,zstd,structured-zstd,ruzstd";
    let mut command = cargo("test");
    command.args(["--package", "recask-core", "--no-default-features", "--features", features]);
    run(command.args(["--test", "second_opinion", "--test", "codec_damage"]))
}

pub(crate) fn documentation() -> Result {
    run(cargo("test").args(EVERYTHING).arg("--doc"))
}

/// Stores, against the real loaderx.
pub(crate) fn interop() -> Result {
    against(&[peer::LOADERX], "interop")
}

/// Tables, against both releases of the real colstore.
pub(crate) fn table_interop() -> Result {
    against(&peer::COLSTORES, "table_interop")
}

fn against(peers: &[Peer], test: &str) -> Result {
    let mut command = one(test);
    for peer in peers {
        command.env(peer.variable, peer.ensure()?);
    }
    run(&mut command)
}

/// Runs one test of `recask-tests`.
pub(crate) fn one(test: &str) -> Command {
    let mut command = if has_nextest() { cargo("nextest") } else { cargo("test") };
    if has_nextest() {
        command.arg("run");
    }
    command.args(EVERYTHING).args(["--test", test]);
    command
}

/// Builds programs as the tests have them, so that nothing is built twice: `--bin NAME`, `--example NAME`.
pub(crate) fn build(targets: &[&str]) -> Result {
    run(cargo("build").arg("--quiet").args(EVERYTHING).args(targets))
}

/// Every interruption of longer random sequences, instead of a sample.
pub(crate) fn crashes() -> Result {
    let packages = ["--package", "recask-core", "--package", "recask", "--all-features", "--tests"];
    run(cargo("test").args(packages).env("RECASK_SLOW", "1"))
}

fn has_nextest() -> bool {
    works(cargo("nextest").arg("--version"))
}
