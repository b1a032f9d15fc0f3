//! Packages of Debian, where this is one.

use std::process::Command;

use crate::process::{capture, run, works};
use crate::report::{Result, fail, say};

/// Installs what is missing, if this is Debian and we may; else says what to install.
pub(crate) fn ensure(packages: &[&str]) -> Result {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !works(Command::new("apt-get").arg("--version")) {
        return fail(format!("this system has no apt-get; install the equivalent of Debian's {list}"));
    }
    if capture(Command::new("id").arg("-u"))?.trim() != "0" {
        return fail(format!("run as root: apt-get install --no-install-recommends {list}"));
    }
    say(format!("installing {list} from Debian"));
    if run(apt_get().arg("install").args(&missing)).is_err() {
        // The list of packages may be missing or old.
        run(apt_get().arg("update"))?;
        run(apt_get().arg("install").args(&missing))?;
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let status =
        Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]).output();
    status.is_ok_and(|output| output.stdout == b"installed")
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.args(["--yes", "--quiet", "--no-install-recommends"]).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
