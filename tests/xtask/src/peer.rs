//! The Python peer: a virtual environment with the package that Recask is compatible with.

use std::path::PathBuf;

use crate::debian;
use crate::process::{capture, works};
use crate::report::{Result, fail, say};
use crate::workspace::{kept, program, root};

/// The variable that tells the tests which interpreter to start.
pub(crate) const VARIABLE: &str = "RECASK_PEER_PYTHON";

/// The interpreter of the environment, which is made where it is missing.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(python) = std::env::var_os(VARIABLE) {
        if !works(program(&python).args(["-c", "import loaderx, numpy"])) {
            return fail(format!("{VARIABLE} names {}, which cannot import loaderx", python.display()));
        }
        return Ok(python.into());
    }
    let can_make_environments = || works(program("python3").args(["-c", "import venv, ensurepip"]));
    if !can_make_environments() {
        say("python3 is missing, or cannot make virtual environments");
        debian::ensure(&["python3", "python3-venv"])?;
    }
    if !can_make_environments() {
        return fail("python3 cannot make virtual environments: its modules venv or ensurepip are missing");
    }
    let script = root().join("tests/interop/make_peer.py");
    let made = capture(program("python3").arg(script).arg(kept("loaderx-1.7.2")))?;
    Ok(made.trim_end().into())
}
