//! A browser without a screen.

use std::path::PathBuf;

use crate::debian;
use crate::process::works;
use crate::report::{Result, fail};
use crate::workspace::program;

/// Names another Chromium or Chrome.
pub(crate) const VARIABLE: &str = "RECASK_CHROMIUM";
const DEBIAN: &str = "/usr/bin/chromium";

/// Chromium, installed where it is missing.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        if !works(program(&chosen).arg("--version")) {
            return fail(format!("{VARIABLE} names {}, which does not start", chosen.display()));
        }
        return Ok(chosen.into());
    }
    if !works(program(DEBIAN).arg("--version")) {
        debian::ensure(&["chromium"])?;
    }
    if !works(program(DEBIAN).arg("--version")) {
        return fail(format!("{DEBIAN} does not start; set {VARIABLE} to a Chromium that does"));
    }
    Ok(DEBIAN.into())
}
