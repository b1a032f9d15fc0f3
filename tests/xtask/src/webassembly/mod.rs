//! `cargo xtask build`: the modules for browsers and sandboxes, and the npm package.

use clap::ValueEnum;

use crate::node;
use crate::report::{Result, say};
use crate::targets::Source;
use crate::webassembly::module::{BROWSER, BROWSER_THREADS, COMMAND, EVALUATE, Module};

mod javascript;
mod lint;
mod module;
mod package;
mod sandbox;
mod sizes;
mod toolchain;

pub(crate) use javascript::{conformance, in_browser, installed, measure, types_and_tests};
pub(crate) use lint::check as clippy;
pub(crate) use sandbox::check as in_sandboxes;
pub(crate) use sizes::check as check_sizes;

/// What can be built by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The module for pages and workers without shared memory
    Single,
    /// The module for isolated pages
    Threads,
    /// target/dist/recask.wasm
    Command,
    /// target/dist/evaluate.wasm
    Evaluate,
    /// What the npm package recask-wasm has beside its modules
    Package,
    /// node/pkg: the npm package recask, with the addon for this machine
    Node,
}

impl Part {
    fn build(self) -> Result {
        match self {
            Part::Package => package::build(),
            Part::Node => node::build(),
            _ => self.module().map_or(Ok(()), Module::build),
        }
    }

    fn module(self) -> Option<&'static Module> {
        match self {
            Part::Single => Some(&BROWSER),
            Part::Threads => Some(&BROWSER_THREADS),
            Part::Command => Some(&COMMAND),
            Part::Evaluate => Some(&EVALUATE),
            Part::Package | Part::Node => None,
        }
    }
}

/// Builds these parts, or all, and prints their sizes.
pub(crate) fn build(parts: &[Part]) -> Result {
    let parts = if parts.is_empty() { Part::value_variants() } else { parts };
    make(parts)?;
    sizes::print(parts.iter().filter_map(|part| part.module()))
}

/// Builds everything of WebAssembly.
pub(crate) fn build_all() -> Result {
    make(&[Part::Single, Part::Threads, Part::Command, Part::Evaluate, Part::Package])
}

pub(crate) fn make(parts: &[Part]) -> Result {
    parts.iter().try_for_each(|part| part.build())
}

/// Finds or installs the compilers.
pub(crate) fn setup(wanted: Option<Source>) -> Result {
    for toolchain in [&toolchain::SINGLE, &toolchain::THREADS, &toolchain::WASI] {
        let platform = &toolchain.platform;
        say(format!("{}: from {:?}", platform.name, platform.ensure(wanted)?));
    }
    Ok(())
}
