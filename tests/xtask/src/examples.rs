//! The examples of the library, and the command's demonstration.

use crate::process::run;
use crate::report::{Result, fail};
use crate::workspace::{cargo, program, target, targets_in};

/// Builds and runs every example.
pub(crate) fn run_all() -> Result {
    let names = targets_in("native/examples")?;
    if names.is_empty() {
        return fail("native/examples holds no example");
    }
    // With the features of all other steps, so that nothing is built twice.
    run(cargo("build").args(["--workspace", "--all-features", "--examples"]))?;
    for name in names {
        run(&mut program(target().join("debug/examples").join(name)))?;
    }
    Ok(())
}

/// The first command of the README.
pub(crate) fn demo() -> Result {
    run(cargo("run").args(["--release", "--", "demo"]))
}
