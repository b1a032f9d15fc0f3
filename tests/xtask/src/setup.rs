//! Finding or installing what the tests need.

use std::process::Command;

use crate::bare_metal::{self, Source};
use crate::process::{self, works};
use crate::report::{Result, say};
use crate::{debian, peer};

pub(crate) fn run(targets_from: Option<Source>) -> Result {
    compiler()?;
    let source = bare_metal::ensure(targets_from)?;
    say(format!("targets without an operating system: from {source:?}"));
    for peer in [&peer::LOADERX].into_iter().chain(&peer::COLSTORES) {
        say(format!("Python peer {}: {}", peer.name, peer.ensure()?.display()));
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
