//! Lints of the browser door for its own target, where other code is compiled than on this machine.

use crate::debian;
use crate::process::run;
use crate::report::Result;
use crate::targets::Source;
use crate::webassembly::toolchain::SINGLE;

pub(crate) fn check() -> Result {
    let source = SINGLE.platform.ensure(None)?;
    if source == Source::Debian {
        debian::ensure(&["rust-web-clippy"])?;
    }
    run(SINGLE.cargo(source, "clippy")?.args([
        "--quiet",
        "--package",
        "recask-wasm",
        "--lib",
        "--",
        "-Dwarnings",
    ]))
}
