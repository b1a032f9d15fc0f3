//! The core on targets without an operating system, of which one has 32 bits.

use std::fs;
use std::process::Command;

use clap::ValueEnum;

use crate::debian;
use crate::process::{capture, run, works};
use crate::report::{Failure, Result, fail, say};
use crate::workspace::{cargo, kept, program};

/// 64 bits without an operating system, and 32.
const TARGETS: [&str; 2] = ["x86_64-unknown-none", "wasm32v1-none"];
/// The core alone, and with its pure Rust decoder.
const FEATURES: [&str; 2] = ["", "ruzstd"];
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
const RECORD: &str = "bare-metal-source";

/// Who brings the standard library for these targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// `rustup target add`
    Rustup,
    /// Debian's own compiler, which builds the library from its sources
    Debian,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Rustup => "rustup",
            Source::Debian => "debian",
        }
    }
}

/// Finds or installs a source: the wanted one, else Debian where it served the last time, else whichever can be had.
pub(crate) fn ensure(wanted: Option<Source>) -> Result<Source> {
    let source = match wanted {
        Some(Source::Rustup) => rustup()?,
        Some(Source::Debian) => ensure_debian()?,
        None if last_source() == Some(Source::Debian) => ensure_debian()?,
        None => rustup().or_else(|Failure(reason)| {
            say(format!("rustup cannot provide the targets ({reason}); taking Debian's compiler"));
            ensure_debian()
        })?,
    };
    fs::create_dir_all(kept(""))?;
    fs::write(kept(RECORD), source.name())?;
    Ok(source)
}

fn last_source() -> Option<Source> {
    Source::from_str(fs::read_to_string(kept(RECORD)).ok()?.trim(), false).ok()
}

fn rustup() -> Result<Source> {
    let installed = capture(program("rustup").args(["target", "list", "--installed"]))?;
    let missing: Vec<&str> =
        TARGETS.into_iter().filter(|target| !installed.lines().any(|line| line == *target)).collect();
    if !missing.is_empty() {
        say(format!("adding {} with rustup", missing.join(" and ")));
        run(program("rustup").args(["target", "add"]).args(missing))?;
    }
    Ok(Source::Rustup)
}

/// Debian's compiler with the sources of the standard library.
pub(crate) fn ensure_debian() -> Result<Source> {
    debian::ensure(&DEBIAN_PACKAGES)?;
    if works(debian_cargo().arg("--version")) {
        return Ok(Source::Debian);
    }
    fail("Debian's /usr/bin/cargo does not work, although its package is installed")
}

/// Debian's cargo and compiler, which may build the standard library from source.
pub(crate) fn debian_cargo() -> Command {
    let mut command = program("/usr/bin/cargo");
    command.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
    command
}

/// Builds the core for every target.
pub(crate) fn build() -> Result {
    let source = ensure(None)?;
    for target in TARGETS {
        for features in FEATURES {
            let mut command = match source {
                Source::Rustup => cargo("build"),
                Source::Debian => {
                    let mut command = debian_cargo();
                    command.args(["build", "-Zbuild-std=core,alloc"]);
                    command
                }
            };
            command.args(["--package", "recask-core", "--features", features, "--target", target]);
            let folder = kept("bare-metal").join(source.name());
            run(command.arg("--target-dir").arg(folder))?;
        }
    }
    Ok(())
}
