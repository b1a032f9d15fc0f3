//! Finding or installing what the tests need.

use std::process::Command;

use crate::process::{self, works};
use crate::report::{Result, say};
use crate::targets::Source;
use crate::{bare_metal, browser, debian, npm, peer, webassembly};

pub(crate) fn run(targets_from: Option<Source>) -> Result {
    compiler()?;
    let source = bare_metal::PLATFORM.ensure(targets_from)?;
    say(format!("targets without an operating system: from {source:?}"));
    webassembly::setup(targets_from)?;
    say(format!("Node.js: {}", npm::node()?.display()));
    say(format!("Chromium: {}", browser::ensure()?.display()));
    for peer in [&peer::LOADERX, &peer::WASMTIME].into_iter().chain(&peer::COLSTORES) {
        say(format!("Python with {}: {}", peer.name, peer.ensure()?.display()));
    }
    Ok(())
}

fn compiler() -> Result {
    for (tool, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        if !works(Command::new(tool).arg("--version")) {
            say(format!("adding {component} with rustup"));
            process::run(Command::new("rustup").args(["component", "add", component]))?;
        }
        say(format!("{component}: found"));
    }
    // The zstd library is C.
    if !works(Command::new("cc").arg("--version")) {
        debian::ensure(&["gcc", "libc6-dev"])?;
    }
    say("C compiler: found");
    Ok(())
}
