//! Node.js, and packages of npm.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::process::{capture, run, works};
use crate::report::{Failure, Result, fail, say};
use crate::workspace::{program, root};
use crate::{debian, peer};

const OLDEST: u32 = 20;

/// The folder with `node` and `npm`: of a version that serves, from the `PATH`, else Debian, else PyPI.
pub(crate) fn node() -> Result<PathBuf> {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let found = on_path().or_else(|Failure(reason)| {
        say(format!("{reason}; taking the one of PyPI"));
        let python = peer::NODE.ensure()?;
        folder_of(&python.with_file_name("node"))
    })?;
    Ok(FOUND.get_or_init(|| found).clone())
}

/// A program of Node.js itself (`node`, `npm`), in this folder of the workspace.
pub(crate) fn command(name: &str, folder: &Path) -> Result<Command> {
    let node = node()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut command = program(node.join(name));
    command.current_dir(folder);
    // npm looks for node, and scripts for both.
    if !folders.contains(&node) {
        let folders = std::iter::once(node).chain(folders);
        let path = std::env::join_paths(folders).map_err(|error| Failure(error.to_string()))?;
        command.env("PATH", path);
    }
    Ok(command)
}

/// Installs what the lock file in `folder` says, unless it is there.
pub(crate) fn ensure(folder: &Path) -> Result {
    if works(command("npm", folder)?.args(["ls", "--all"])) {
        return Ok(());
    }
    say(format!("installing the packages of {} from npm", shown(folder)));
    run(command("npm", folder)?.args(["ci", "--no-audit", "--no-fund"]))
}

/// A script of the `package.json` in `folder`.
pub(crate) fn script(folder: &Path, name: &str) -> Result {
    ensure(folder)?;
    run(command("npm", folder)?.args(["run", "--silent", name]))
}

fn on_path() -> Result<PathBuf> {
    let find = || {
        let folders: Vec<OsString> = std::env::var_os("PATH").into_iter().collect();
        let folders = folders.iter().flat_map(std::env::split_paths);
        let mut both = folders.filter(|folder| folder.join("node").exists() && folder.join("npm").exists());
        both.next().map_or_else(|| fail("node and npm are missing"), |folder| folder_of(&folder.join("node")))
    };
    find().or_else(|Failure(reason)| {
        say(format!("{reason}; asking Debian"));
        debian::ensure(&["nodejs", "npm"])?;
        find()
    })
}

fn folder_of(node: &Path) -> Result<PathBuf> {
    let version = capture(program(node).arg("--version"))?;
    if !serves(version.trim()) {
        return fail(format!("{} is of version {}, not {OLDEST} or later", node.display(), version.trim()));
    }
    Ok(node.parent().unwrap_or(root()).into())
}

fn serves(version: &str) -> bool {
    let major = version.strip_prefix('v').and_then(|rest| rest.split('.').next());
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= OLDEST)
}

fn shown(folder: &Path) -> String {
    folder.strip_prefix(root()).unwrap_or(folder).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(serves("v20.0.0") && serves("v100.1.2"));
        assert!(!serves("v18.20.4") && !serves("v2.100.0") && !serves("20") && !serves(""));
    }
}
