//! What the libraries bring into a user's build.

use crate::process::capture;
use crate::report::{Result, fail, say};
use crate::workspace::cargo;

/// A package with its default features, and what must not come with it.
const LIMITS: [(&str, &[&str]); 2] = [
    ("recask-core", &["zstd-sys", "zstd-safe", "serde", "serde_json", "clap", "arrow", "std"]),
    ("recask", &["clap", "arrow", "serde", "serde_json", "zip", "flate2", "ndarray"]),
];

/// With default features the libraries stay light.
pub(crate) fn check() -> Result {
    for (package, unwanted) in LIMITS {
        let list = ["--package", package, "--edges", "normal", "--prefix", "none", "--no-dedupe"];
        let tree = capture(cargo("tree").args(list))?;
        let mut names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        names.sort_unstable();
        names.dedup();
        if let Some(found) = unwanted.iter().find(|unwanted| names.contains(unwanted)) {
            return fail(format!("{package} with default features depends on {found}"));
        }
        say(format!("{package}: {} packages: {}", names.len(), names.join(" ")));
    }
    Ok(())
}
