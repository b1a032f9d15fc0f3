//! The modules for sandboxes, run in them.

use crate::process::run;
use crate::report::Result;
use crate::webassembly::module::{COMMAND, CONFORMANCE, EVALUATE};
use crate::workspace::target;
use crate::{npm, peer, suites};

/// Under `node:wasi` and wasmtime, beside the native command.
pub(crate) fn check() -> Result {
    for module in [&COMMAND, &EVALUATE, &CONFORMANCE] {
        module.build()?;
    }
    suites::build(&["--bin", "recask", "--example", "digits"])?;
    let mut test = suites::one("wasi");
    test.env("RECASK_COMMAND", target().join("debug/recask"));
    test.env("RECASK_DIGITS_EXAMPLE", target().join("debug/examples/digits"));
    test.env("RECASK_WASI_COMMAND", COMMAND.path());
    test.env("RECASK_WASI_EVALUATE", EVALUATE.path());
    test.env("RECASK_WASI_CONFORMANCE", CONFORMANCE.path());
    test.env("RECASK_NODE", npm::node()?.join("node"));
    test.env(peer::WASMTIME.variable, peer::WASMTIME.ensure()?);
    run(&mut test)
}
