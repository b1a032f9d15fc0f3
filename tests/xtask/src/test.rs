//! `cargo xtask test`: every check, in order.

use crate::report::{Result, Steps, fail};
use crate::{
    bare_metal, bench, conformance, deny, dependencies, examples, flights, fuzz, interleavings, lint, node,
    sanitizer, setup, suites, webassembly,
};

/// How much to check.
#[derive(Default, clap::Args)]
pub(crate) struct Options {
    /// Only formatting, lints and tests
    #[arg(long, conflicts_with = "slow")]
    quick: bool,
    /// Also what takes long: all interruptions, long fuzzing, the thread sanitizer, the dependencies' licenses
    #[arg(long)]
    slow: bool,
    /// Only the steps of these names
    #[arg(long, value_name = "STEP", num_args = 1..)]
    only: Vec<String>,
    /// Print the names of the steps, and run none
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    Quick,
    Usual,
    Slow,
}

type Step = (&'static str, Effort, fn() -> Result);

const STEPS: &[Step] = &[
    ("setup", Effort::Usual, || setup::run(None)),
    ("lock file", Effort::Quick, lint::lock_file),
    ("format", Effort::Quick, lint::format),
    ("clippy", Effort::Quick, lint::clippy),
    ("documentation", Effort::Usual, lint::documentation),
    ("light dependencies", Effort::Usual, dependencies::check),
    ("no operating system, 32 bits", Effort::Usual, bare_metal::build),
    ("WebAssembly build", Effort::Usual, webassembly::build_all),
    ("WebAssembly size", Effort::Usual, webassembly::check_sizes),
    ("WebAssembly lints", Effort::Usual, webassembly::clippy),
    ("tests", Effort::Quick, suites::unit_and_integration),
    ("codecs, every encoder", Effort::Usual, suites::uncompacted_codecs),
    ("documentation tests", Effort::Usual, suites::documentation),
    ("loader interleavings", Effort::Usual, interleavings::check),
    ("conformance", Effort::Usual, conformance::check),
    ("interop with loaderx", Effort::Usual, suites::interop),
    ("interop with colstore", Effort::Usual, suites::table_interop),
    ("WASI", Effort::Usual, webassembly::in_sandboxes),
    ("TypeScript", Effort::Usual, webassembly::types_and_tests),
    ("conformance in Node.js", Effort::Usual, webassembly::conformance),
    ("browser", Effort::Usual, || webassembly::in_browser(false)),
    ("npm package", Effort::Usual, webassembly::installed),
    ("Node.js", Effort::Usual, node::types_and_tests),
    ("conformance in Node.js, native", Effort::Usual, node::conformance),
    ("interop with Node.js", Effort::Usual, node::interop),
    ("examples in Node.js", Effort::Usual, node::examples),
    ("npm package recask", Effort::Usual, node::installed),
    ("fuzz, briefly", Effort::Usual, fuzz::smoke),
    ("examples", Effort::Usual, examples::run_all),
    ("demo", Effort::Usual, examples::demo),
    ("all interruptions", Effort::Slow, suites::crashes),
    ("three million flights", Effort::Slow, flights::check),
    ("browser, every case", Effort::Slow, || webassembly::in_browser(true)),
    ("thread sanitizer", Effort::Slow, sanitizer::run_tests),
    ("fuzz, at length", Effort::Slow, fuzz::at_length),
    ("benchmarks run", Effort::Slow, bench::smoke),
    ("licenses and sources", Effort::Slow, deny::check),
];

pub(crate) fn run(options: &Options) -> Result {
    if let Some(unknown) = options.only.iter().find(|only| !STEPS.iter().any(|step| step.0 == *only)) {
        return fail(format!("there is no step '{unknown}'; see cargo xtask test --list"));
    }
    let chosen: Vec<&Step> = STEPS.iter().filter(|step| options.choose(step)).collect();
    if options.list {
        chosen.iter().for_each(|(name, _, _)| println!("{name}"));
        return Ok(());
    }
    let mut steps = Steps::default();
    for (name, _, step) in chosen {
        steps.run(name, step)?;
    }
    steps.print();
    Ok(())
}

impl Options {
    fn choose(&self, (name, effort, _): &Step) -> bool {
        if !self.only.is_empty() {
            return self.only.iter().any(|only| only == name);
        }
        let most = match (self.quick, self.slow) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Slow,
            _ => Effort::Usual,
        };
        *effort <= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_effort_means_more_steps() {
        let count = |options: Options| STEPS.iter().filter(|step| options.choose(step)).count();
        let quick = count(Options { quick: true, ..Options::default() });
        let usual = count(Options::default());
        let slow = count(Options { slow: true, ..Options::default() });
        assert!(0 < quick && quick < usual && usual < slow && slow == STEPS.len());
    }

    #[test]
    fn single_steps_can_be_chosen_whatever_their_effort() {
        let options = Options { only: vec!["thread sanitizer".into()], ..Options::default() };
        let chosen: Vec<_> = STEPS.iter().filter(|step| options.choose(step)).map(|step| step.0).collect();
        assert_eq!(chosen, ["thread sanitizer"]);
    }
}
