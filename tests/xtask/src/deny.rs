//! Licenses, sources, duplicates and known faults of the dependencies, by cargo-deny.

use crate::process::{run, works};
use crate::report::{Result, say};
use crate::workspace::{cargo, kept, program};

pub(crate) fn check() -> Result {
    let installed = kept("tools");
    let own = installed.join("bin/cargo-deny");
    let deny = if works(program("cargo-deny").arg("--version")) { "cargo-deny".into() } else { own };
    if !works(program(&deny).arg("--version")) {
        say("installing cargo-deny, which takes minutes");
        run(cargo("install").args(["cargo-deny", "--locked", "--debug", "--root"]).arg(installed))?;
    }
    let check = || program(&deny);
    run(check().args(["--all-features", "check", "bans", "licenses", "sources"]))?;
    // The list of known faults is a repository on GitHub, which not every machine reaches.
    if !works(program("git").args(["ls-remote", "https://github.com/rustsec/advisory-db", "HEAD"])) {
        say("advisories are NOT checked: github.com/rustsec/advisory-db cannot be reached from here");
        return Ok(());
    }
    run(check().args(["--all-features", "check", "advisories"]))
}
