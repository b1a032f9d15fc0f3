//! The four modules that are shipped and the one of the tests, and the JavaScript beside those for browsers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::run;
use crate::report::{Result, fail};
use crate::webassembly::toolchain::{SINGLE, THREADS, Toolchain, WASI};
use crate::workspace::{cargo, kept, root, target};

/// One `.wasm` file.
pub(super) struct Module {
    /// In tables.
    pub(super) name: &'static str,
    toolchain: &'static Toolchain,
    kind: Kind,
    package: &'static str,
    features: &'static [&'static str],
}

enum Kind {
    /// A library for JavaScript, in this folder of the npm package.
    Browser(&'static str),
    /// A program of this name.
    Program(&'static str),
    /// A program of this name that only tests run.
    Test(&'static str),
}

pub(super) const BROWSER: Module = Module {
    name: "browser, single-threaded",
    toolchain: &SINGLE,
    kind: Kind::Browser("single"),
    package: "recask-wasm",
    features: &[],
};
pub(super) const BROWSER_THREADS: Module = Module {
    name: "browser, threads",
    toolchain: &THREADS,
    kind: Kind::Browser("threads"),
    package: "recask-wasm",
    features: &["threads"],
};
pub(super) const COMMAND: Module = Module {
    name: "command",
    toolchain: &WASI,
    kind: Kind::Program("recask"),
    package: "recask-cli",
    features: &["structured-zstd"],
};
pub(super) const EVALUATE: Module = Module {
    name: "evaluate",
    toolchain: &WASI,
    kind: Kind::Program("evaluate"),
    package: "recask-evaluate",
    features: &["structured-zstd"],
};

/// The conformance runner.
pub(super) const CONFORMANCE: Module = Module {
    name: "conformance",
    toolchain: &WASI,
    kind: Kind::Test("conformance"),
    package: "recask-tests",
    features: &["sandbox"],
};

/// The npm package as it is put together.
pub(super) fn package_folder() -> PathBuf {
    root().join("wasm/pkg")
}

/// Whether a module for browsers and its JavaScript are here.
pub(super) fn is_module_folder(path: &Path) -> bool {
    [&BROWSER, &BROWSER_THREADS].iter().any(|module| module.path().parent() == Some(path))
}

impl Module {
    /// Builds it where [`Module::path`] says.
    pub(super) fn build(&self) -> Result {
        let built = self.compile()?;
        let path = self.path();
        let folder = path.parent().unwrap_or(root());
        match self.kind {
            Kind::Browser(_) => {
                if folder.exists() {
                    fs::remove_dir_all(folder)?;
                }
                fs::create_dir_all(folder)?;
                let generator = ["--quiet", "--package", "xtask-bindgen", "--"];
                run(cargo("run").args(generator).arg(&built).arg(folder))?;
                complete_imports(folder)?;
            }
            Kind::Program(_) | Kind::Test(_) => {
                fs::create_dir_all(folder)?;
                fs::copy(&built, &path)?;
            }
        }
        if path.is_file() { Ok(()) } else { fail(format!("{} was not made", path.display())) }
    }

    /// The finished module.
    pub(super) fn path(&self) -> PathBuf {
        match self.kind {
            Kind::Browser(folder) => package_folder().join(folder).join("recask_wasm_bg.wasm"),
            Kind::Program(name) => target().join("dist").join(name).with_extension("wasm"),
            Kind::Test(name) => kept(name).with_extension("wasm"),
        }
    }

    /// The JavaScript that starts a module for browsers.
    pub(super) fn javascript(&self) -> Option<PathBuf> {
        match self.kind {
            Kind::Browser(_) => Some(self.path().with_file_name("recask_wasm.js")),
            Kind::Program(_) | Kind::Test(_) => None,
        }
    }

    fn compile(&self) -> Result<PathBuf> {
        let source = self.toolchain.platform.ensure(None)?;
        let built = self.toolchain.output(source).join(self.file());
        // A file of an earlier build must not pass for a new one.
        remove(&built)?;
        remove(&self.path())?;
        // Not `build`: a library that is also linked by Rust programs would not be optimised as a whole.
        let mut command = self.toolchain.cargo(source, "rustc")?;
        command.args(["--quiet", "--package", self.package, "--no-default-features"]);
        command.args(["--features", &self.features.join(",")]);
        match self.kind {
            Kind::Browser(_) => command.args(["--lib", "--crate-type", "cdylib"]),
            Kind::Program(name) | Kind::Test(name) => {
                command.args(["--bin", name, "--"]).args(self.toolchain.program_flags(source))
            }
        };
        run(&mut command)?;
        if built.is_file() { Ok(built) } else { fail(format!("cargo left no {}", built.display())) }
    }

    fn file(&self) -> String {
        match self.kind {
            Kind::Browser(_) => format!("{}.wasm", self.package.replace('-', "_")),
            Kind::Program(name) | Kind::Test(name) => format!("{name}.wasm"),
        }
    }
}

/// wasm-bindgen-rayon imports the module by its folder, which bundlers understand and browsers do not. The name of the file
/// suits both.
fn complete_imports(folder: &Path) -> Result {
    let Ok(snippets) = fs::read_dir(folder.join("snippets")) else { return Ok(()) };
    for snippet in snippets {
        let helpers = snippet?.path().join("src/workerHelpers.js");
        if helpers.is_file() {
            let text = fs::read_to_string(&helpers)?;
            let completed = text.replace("import('../../..')", "import('../../../recask_wasm.js')");
            if completed == text {
                return fail(format!("{} imports the module in another way than before", helpers.display()));
            }
            fs::write(&helpers, completed)?;
        }
    }
    Ok(())
}

fn remove(file: &Path) -> Result {
    if file.exists() {
        fs::remove_file(file)?;
    }
    Ok(())
}
