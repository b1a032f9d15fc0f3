//! The npm package, checked from JavaScript: in Node.js, in a browser, and as users install it.

use std::path::PathBuf;

use crate::process::run;
use crate::report::Result;
use crate::webassembly::{Part, make};
use crate::workspace::{cargo, root, target};
use crate::{browser, npm, peer, suites};

/// The names of the doors as the conformance runner in Node.js has them.
const DOORS: [&str; 3] = ["memory", "url", "listed"];

/// Types, and the tests that need no browser.
pub(crate) fn types_and_tests() -> Result {
    npm::script(&sources(), "check")?;
    npm::script(&sources(), "test")
}

/// The conformance cases in Node.js, single-threaded.
pub(crate) fn conformance() -> Result {
    make(&[Part::Single, Part::Package])?;
    compile()?;
    for door in DOORS {
        let runner = ["target/tests/tests/conformance/node/run.js", "--door", door];
        run(npm::command("node", &sources())?.args(runner))?;
    }
    Ok(())
}

/// The conformance cases and all else that takes a browser; on pages some of the cases or `all`, in workers all of them.
pub(crate) fn in_browser(all: bool) -> Result {
    make(&[Part::Single, Part::Threads, Part::Package])?;
    compile()?;
    suites::build(&["--bin", "recask"])?;
    let mut runner = npm::command("node", &sources())?;
    runner.arg("target/tests/tests/browser/run.js");
    if !all {
        runner.arg("--quick");
    }
    runner.env("RECASK_COMMAND", target().join("debug/recask")).env(browser::VARIABLE, browser::ensure()?);
    for peer in [&peer::LOADERX, &peer::COLSTORES[0]] {
        runner.env(peer.variable, peer.ensure()?);
    }
    run(&mut runner)
}

/// The benchmarks, in Node.js and in a browser, beside the command and packages of npm.
pub(crate) fn measure(arguments: &[&str]) -> Result {
    make(&[Part::Single, Part::Threads, Part::Package])?;
    run(cargo("build").args(["--quiet", "--release", "--package", "recask-cli"]))?;
    let (sources, bench) = (sources(), sources().join("bench"));
    npm::ensure(&sources)?;
    npm::script(&bench, "build")?;
    let mut bench = npm::command("node", &bench)?;
    bench.arg("target/built/bench/bench.js").args(arguments);
    bench.env("RECASK_COMMAND", target().join("release/recask"));
    run(bench.env(browser::VARIABLE, browser::ensure()?))
}

/// Packed, installed into an empty folder, used from Node.js and from a bundler's build.
pub(crate) fn installed() -> Result {
    make(&[Part::Single, Part::Threads, Part::Package])?;
    compile()?;
    npm::ensure(&sources())?;
    let mut check = npm::command("npm", &sources())?;
    check.args(["run", "--silent", "package"]).env(browser::VARIABLE, browser::ensure()?);
    run(&mut check)
}

/// The tests as JavaScript.
fn compile() -> Result {
    npm::ensure(&sources())?;
    run(npm::command("npm", &sources())?.args(["exec", "--no", "--", "tsc", "-p", "tsconfig.tests.json"]))
}

fn sources() -> PathBuf {
    root().join("wasm")
}
