//! Formatting, lints and documentation.

use crate::process::{capture, run};
use crate::report::Result;
use crate::workspace::cargo;

/// The committed `Cargo.lock` fits the manifests.
pub(crate) fn lock_file() -> Result {
    capture(cargo("metadata").args(["--locked", "--format-version=1"])).map(drop)
}

pub(crate) fn format() -> Result {
    run(cargo("fmt").args(["--all", "--check"]))
}

pub(crate) fn clippy() -> Result {
    run(cargo("clippy").args(["--workspace", "--all-targets", "--all-features", "--", "-Dwarnings"]))?;
    // What is behind a feature must not be missed where the feature is off.
    for features in ["", "ruzstd", "structured-zstd"] {
        let core = ["--package", "recask-core", "--features", features, "--", "-Dwarnings"];
        run(cargo("clippy").args(core))?;
    }
    run(cargo("clippy").args(["--package", "recask", "--", "-Dwarnings"]))?;
    // As for sandboxes.
    for (package, features) in [("recask", "structured-zstd,convert,csv"), ("recask-cli", "structured-zstd")]
    {
        let package =
            ["--package", package, "--no-default-features", "--features", features, "--", "-Dwarnings"];
        run(cargo("clippy").args(package))?;
    }
    Ok(())
}

pub(crate) fn documentation() -> Result {
    let packages = ["--package", "recask-core", "--package", "recask"];
    run(cargo("doc").args(packages).args(["--all-features", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}
