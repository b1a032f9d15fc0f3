//! Where things are, and cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(chosen)
}

/// What tasks keep between runs, and target folders for other flags than the usual ones.
pub(crate) fn kept(name: &str) -> PathBuf {
    target().join("xtask").join(name)
}

/// A program that runs in the root.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// `cargo TASK`, in the root.
pub(crate) fn cargo(task: &str) -> Command {
    let mut command = program("cargo");
    command.arg(task);
    command
}

/// The names of the Rust files in a folder of the workspace, sorted; folders with a `main.rs` count as well. None where
/// there is no folder.
pub(crate) fn targets_in(folder: &str) -> std::io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(root().join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file() {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}
