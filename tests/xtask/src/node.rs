//! The npm package `recask`: the addon for this machine, the JavaScript around it, and what checks both.

use std::path::PathBuf;

use crate::process::{capture, run};
use crate::report::Result;
use crate::webassembly::{Part, make};
use crate::workspace::{cargo, root, target};
use crate::{npm, peer, suites};

/// How the addon is compiled.
#[derive(Clone, Copy)]
enum Profile {
    /// As everything else in tests.
    Debug,
    /// As it is published.
    Release,
}

/// Builds the package as it is published: `node/pkg/recask`, and the package of this platform beside it.
pub(crate) fn build() -> Result {
    package(Profile::Release)
}

fn package(profile: Profile) -> Result {
    addon(profile)?;
    npm::script(&sources(), "build")?;
    run(npm::command("node", &sources())?.arg("build/package.js"))
}

/// Types, those that are checked in, and all tests, also of what stands in for the addon.
pub(crate) fn types_and_tests() -> Result {
    npm::script(&sources(), "check")?;
    npm::script(&sources(), "types")?;
    make(&[Part::Single, Part::Package])?;
    addon(Profile::Debug)?;
    npm::script(&sources(), "build")?;
    npm::script(&sources(), "test")
}

/// The conformance cases through the addon.
pub(crate) fn conformance() -> Result {
    addon(Profile::Debug)?;
    npm::ensure(&sources())?;
    // The runner looks into the sources, beside which there is no addon.
    let file = capture(npm::command("node", &sources())?.args(["build/binary.js", "--name"]))?;
    let mut runner = npm::command("npm", &sources())?;
    runner.args(["run", "--silent", "conformance"]).env("RECASK_NATIVE", sources().join(file.trim()));
    run(&mut runner)
}

/// What Node.js wrote, in the packages of Python, and the other way round.
pub(crate) fn interop() -> Result {
    addon(Profile::Debug)?;
    npm::script(&sources(), "build")?;
    let mut tests = npm::command("npm", &sources())?;
    tests.args(["run", "--silent", "interop"]);
    for peer in std::iter::once(&peer::LOADERX).chain(&peer::COLSTORES) {
        tests.env(peer.variable, peer.ensure()?);
    }
    run(&mut tests)
}

/// The scripts of `node/examples`, and what they make.
pub(crate) fn examples() -> Result {
    addon(Profile::Debug)?;
    npm::script(&sources(), "build")?;
    npm::ensure(&sources().join("examples"))?;
    npm::script(&sources(), "examples")
}

/// The benchmarks, with these arguments.
pub(crate) fn measure(arguments: &[&str]) -> Result {
    run(cargo("build").args(["--quiet", "--release", "--package", "recask-cli"]))?;
    addon(Profile::Release)?;
    npm::script(&sources(), "build")?;
    let bench = sources().join("bench");
    npm::script(&bench, "build")?;
    let mut measuring = npm::command("node", &bench)?;
    measuring.arg("target/built/node/bench/bench.js").args(arguments);
    run(measuring.env("RECASK_COMMAND", target().join("release/recask")))
}

/// Packed, installed into empty folders, and used as users do.
pub(crate) fn installed() -> Result {
    make(&[Part::Single, Part::Threads, Part::Package])?;
    package(Profile::Debug)?;
    npm::script(&sources(), "package")
}

/// Compiles the addon and puts it beside the package.
fn addon(profile: Profile) -> Result {
    let folder = match profile {
        Profile::Debug => {
            suites::build(&["--lib"])?;
            "debug"
        }
        Profile::Release => {
            run(cargo("build").args(["--quiet", "--release", "--package", "recask-node"]))?;
            "release"
        }
    };
    run(npm::command("node", &sources())?.arg("build/binary.js").arg(target().join(folder)))
}

fn sources() -> PathBuf {
    root().join("node")
}
