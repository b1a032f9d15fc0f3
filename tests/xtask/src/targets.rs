//! Compilers and standard libraries for other targets than this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::debian;
use crate::process::{capture, run, works};
use crate::report::{Failure, Result, fail, say};
use crate::workspace::{cargo, kept, program};

const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

/// Who brings the standard library for a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// `rustup target add`
    Rustup,
    /// Debian's own compiler, which builds the library from its sources
    Debian,
}

/// What is built for, and what that takes.
pub(crate) struct Platform {
    /// Under which its source is recorded, and its target folders are kept.
    pub(crate) name: &'static str,
    pub(crate) triples: &'static [&'static str],
    /// The crates of the standard library.
    pub(crate) library: &'static str,
    /// Whether the flags are other than those of rustup's library, so that it is built from its sources there too.
    pub(crate) rebuilt: bool,
    /// Beside the compiler, where Debian is the source.
    pub(crate) debian: &'static [&'static str],
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Rustup => "rustup",
            Source::Debian => "debian",
        }
    }
}

impl Platform {
    /// Finds or installs a source: the wanted one, else Debian where it served the last time, else whichever can be had.
    pub(crate) fn ensure(&self, wanted: Option<Source>) -> Result<Source> {
        let record = kept(&format!("{}-source", self.name));
        let last = || Source::from_str(fs::read_to_string(&record).ok()?.trim(), false).ok();
        let source = match wanted {
            Some(Source::Rustup) => self.rustup()?,
            Some(Source::Debian) => self.debian()?,
            None if last() == Some(Source::Debian) => self.debian()?,
            None => self.rustup().or_else(|Failure(reason)| {
                let targets = self.triples.join(" and ");
                say(format!("rustup cannot provide {targets} ({reason}); taking Debian's compiler"));
                self.debian()
            })?,
        };
        fs::create_dir_all(kept(""))?;
        fs::write(&record, source.name())?;
        Ok(source)
    }

    fn rustup(&self) -> Result<Source> {
        if self.rebuilt {
            if rustup_has_sources() {
                return Ok(Source::Rustup);
            }
            return fail(
                "building the standard library takes its sources: rustup component add rust-src failed",
            );
        }
        let installed = capture(program("rustup").args(["target", "list", "--installed"]))?;
        let missing = self.triples.iter().filter(|target| !installed.lines().any(|line| line == **target));
        let missing: Vec<_> = missing.collect();
        if !missing.is_empty() {
            say(format!("adding targets with rustup: {missing:?}"));
            run(program("rustup").args(["target", "add"]).args(missing))?;
        }
        Ok(Source::Rustup)
    }

    fn debian(&self) -> Result<Source> {
        ensure_debian()?;
        debian::ensure(self.debian)?;
        Ok(Source::Debian)
    }

    /// `cargo TASK` with a source that is there, in a target folder of its own: other flags would build everything anew.
    pub(crate) fn cargo(&self, source: Source, task: &str) -> Command {
        let mut command = match source {
            Source::Rustup => cargo(task),
            // Else cargo would find the lints of rustup's compiler.
            Source::Debian if task == "clippy" => debian_program("/usr/bin/cargo-clippy", task),
            Source::Debian => debian_program("/usr/bin/cargo", task),
        };
        if self.rebuilt || source == Source::Debian {
            command.env("RUSTC_BOOTSTRAP", "1").arg(format!("-Zbuild-std={}", self.library));
        }
        command.arg("--target-dir").arg(self.folder(source));
        command
    }

    /// Where [`Platform::cargo`] builds.
    pub(crate) fn folder(&self, source: Source) -> PathBuf {
        kept(self.name).join(source.name())
    }
}

/// Debian's compiler with the sources of the standard library.
pub(crate) fn ensure_debian() -> Result {
    debian::ensure(&DEBIAN_PACKAGES)?;
    if works(program("/usr/bin/cargo").arg("--version")) {
        return Ok(());
    }
    fail("Debian's /usr/bin/cargo does not work, although its package is installed")
}

/// `cargo TASK` of Debian, which may build the standard library from source.
pub(crate) fn debian_cargo(task: &str) -> Command {
    debian_program("/usr/bin/cargo", task)
}

fn debian_program(name: &str, task: &str) -> Command {
    let mut command = program(name);
    command.env("CARGO", "/usr/bin/cargo").env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
    command.arg(task);
    command
}

/// Whether rustup's compiler can build the standard library, once its sources were added where they were missing.
pub(crate) fn rustup_has_sources() -> bool {
    let found = || {
        capture(program("rustc").args(["--print", "sysroot"])).is_ok_and(|root| {
            Path::new(root.trim()).join("lib/rustlib/src/rust/library/std/Cargo.toml").is_file()
        })
    };
    if found() {
        return true;
    }
    say("adding the sources of the standard library with rustup");
    works(program("rustup").args(["component", "add", "rust-src"])) && found()
}
