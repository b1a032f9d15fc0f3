//! The Python peers: virtual environments with the packages that Recask is compatible with.

use std::path::PathBuf;

use crate::debian;
use crate::process::{capture, works};
use crate::report::{Result, fail, say};
use crate::workspace::{kept, program, root};

/// One package in one release.
pub(crate) struct Peer {
    /// As `tests/interop/requirements` names it.
    pub(crate) name: &'static str,
    /// The variable that tells the tests which interpreter to start.
    pub(crate) variable: &'static str,
}

pub(crate) const LOADERX: Peer = Peer { name: "loaderx-1.7.2", variable: "RECASK_PEER_PYTHON" };
/// Both releases of which Recask reads and writes tables, the older one first.
pub(crate) const COLSTORES: [Peer; 2] = [
    Peer { name: "colstore-0.3.0", variable: "RECASK_COLSTORE_030_PYTHON" },
    Peer { name: "colstore-0.5.1", variable: "RECASK_COLSTORE_051_PYTHON" },
];
/// Which Recask's Parquet and Arrow files are compared with.
pub(crate) const PYARROW: Peer = Peer { name: "pyarrow", variable: "RECASK_PYARROW_PYTHON" };

impl Peer {
    /// The interpreter of the environment, which is made where it is missing.
    pub(crate) fn ensure(&self) -> Result<PathBuf> {
        if let Some(python) = std::env::var_os(self.variable) {
            let package = self.name.split_once('-').map_or(self.name, |(package, _)| package);
            if !works(program(&python).args(["-c", &format!("import {package}, numpy")])) {
                return fail(format!(
                    "{} names {}, which cannot import {package}",
                    self.variable,
                    python.display()
                ));
            }
            return Ok(python.into());
        }
        let can_make_environments = || works(program("python3").args(["-c", "import venv, ensurepip"]));
        if !can_make_environments() {
            say("python3 is missing, or cannot make virtual environments");
            debian::ensure(&["python3", "python3-venv"])?;
        }
        if !can_make_environments() {
            return fail(
                "python3 cannot make virtual environments: its modules venv or ensurepip are missing",
            );
        }
        let script = root().join("tests/interop/make_peer.py");
        let made = capture(program("python3").arg(script).arg(kept(self.name)))?;
        Ok(made.trim_end().into())
    }
}
