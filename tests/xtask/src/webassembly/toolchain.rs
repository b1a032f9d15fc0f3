//! The compilers of WebAssembly: flags, linkers and where their output lies.

use std::path::PathBuf;
use std::process::Command;

use crate::process::capture;
use crate::report::Result;
use crate::targets::{Platform, Source};
use crate::workspace::program;

const LIBRARY: &str = "std,panic_abort";
/// As in `[profile.wasm]` of the workspace.
const PROFILE: &str = "wasm";
const DEBIAN_LINKER: &str = "wasm-ld-19";
const DEBIAN_WASI: &str = "/usr/lib/wasm32-wasi";

/// A platform with its flags.
pub(super) struct Toolchain {
    pub(super) platform: Platform,
    flags: &'static [&'static str],
    /// Optimised for its size rather than its speed.
    small: bool,
    /// Without a word about panics, which nobody could read: JavaScript sees a trap either way. Takes a rebuilt library.
    silent: bool,
}

/// Pages, workers and Node without shared memory. Every browser that is kept up to date has SIMD.
pub(super) const SINGLE: Toolchain = Toolchain {
    platform: Platform {
        name: "wasm-single",
        triples: &["wasm32-unknown-unknown"],
        library: LIBRARY,
        rebuilt: true,
        debian: &[],
    },
    flags: &["-Ctarget-feature=+simd128"],
    small: true,
    silent: true,
};

/// Isolated pages, whose workers share one memory.
pub(super) const THREADS: Toolchain = Toolchain {
    platform: Platform {
        name: "wasm-threads",
        triples: &["wasm32-unknown-unknown"],
        library: LIBRARY,
        rebuilt: true,
        debian: &[],
    },
    flags: &[
        "-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals,+simd128",
        "-Clink-arg=--shared-memory",
        "-Clink-arg=--max-memory=1073741824",
        "-Clink-arg=--import-memory",
        "-Clink-arg=--export=__wasm_init_tls",
        "-Clink-arg=--export=__tls_size",
        "-Clink-arg=--export=__tls_align",
        "-Clink-arg=--export=__tls_base",
    ],
    small: false,
    silent: true,
};

/// Programs in a sandbox.
pub(super) const WASI: Toolchain = Toolchain {
    platform: Platform {
        name: "wasm-wasi",
        triples: &["wasm32-wasip1"],
        library: LIBRARY,
        rebuilt: false,
        debian: &["wasi-libc"],
    },
    flags: &["-Ctarget-feature=+simd128"],
    small: false,
    silent: false,
};

impl Toolchain {
    /// `cargo TASK` in the profile of what is shipped.
    pub(super) fn cargo(&self, source: Source, task: &str) -> Result<Command> {
        let mut command = self.platform.cargo(source, task);
        let triple = self.triple();
        command.args(["--target", triple, "--profile", PROFILE]);
        let variable = format!("CARGO_TARGET_{}", triple.to_uppercase().replace('-', "_"));
        if source == Source::Debian {
            command.env(format!("{variable}_LINKER"), DEBIAN_LINKER);
        }
        if self.small {
            command.env("CARGO_PROFILE_WASM_OPT_LEVEL", "z").arg("-Zbuild-std-features=optimize_for_size");
            // Most of the time is spent here, and "s" is as fast as 3.
            command.args(["--config", "profile.wasm.package.structured-zstd.opt-level='s'"]);
        }
        if self.silent {
            command.env("CARGO_PROFILE_WASM_PANIC", "immediate-abort").arg("-Zpanic-immediate-abort");
        }
        // Those would be taken instead of the flags of the target.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        command.env(format!("{variable}_RUSTFLAGS"), self.flags(source)?.join(" "));
        Ok(command)
    }

    /// What comes behind `cargo rustc … --` for a program, which is finished and has an entry: a library is and has neither.
    pub(super) fn program_flags(&self, source: Source) -> Vec<String> {
        let mut flags = vec!["-Cstrip=symbols".into()];
        if source == Source::Debian && self.is_wasi() {
            flags.push(format!("-Clink-arg={DEBIAN_WASI}/crt1-command.o"));
        }
        flags
    }

    /// Where a build leaves its files.
    pub(super) fn output(&self, source: Source) -> PathBuf {
        self.platform.folder(source).join(self.triple()).join(PROFILE)
    }

    fn flags(&self, source: Source) -> Result<Vec<String>> {
        let mut flags: Vec<String> = self.flags.iter().map(ToString::to_string).collect();
        if self.silent {
            let unstable = ["-Zunstable-options", "-Zlocation-detail=none", "-Zfmt-debug=none"];
            flags.extend(unstable.map(String::from));
        }
        if source == Source::Debian && self.is_wasi() {
            flags.extend([format!("-Lnative={DEBIAN_WASI}"), "-Clink-self-contained=no".into()]);
        }
        for (folder, name) in [(crates(), "crates"), (Some(sysroot(source)?), "rust")] {
            // Panics tell places in sources; nobody needs to know where those lay here.
            let folder = folder.map(|folder| folder.display().to_string());
            if let Some(folder) = folder.filter(|folder| !folder.contains(char::is_whitespace)) {
                flags.push(format!("--remap-path-prefix={folder}={name}"));
            }
        }
        Ok(flags)
    }

    fn triple(&self) -> &'static str {
        self.platform.triples[0]
    }

    fn is_wasi(&self) -> bool {
        self.triple().contains("wasi")
    }
}

/// Where cargo keeps the sources of dependencies.
fn crates() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    Some(home?.join("registry/src"))
}

/// Where a compiler keeps the sources of the standard library, among others.
fn sysroot(source: Source) -> Result<PathBuf> {
    let compiler = if source == Source::Debian { "/usr/bin/rustc" } else { "rustc" };
    let root = PathBuf::from(capture(program(compiler).args(["--print", "sysroot"]))?.trim());
    let sources = root.join("lib/rustlib/src/rust");
    Ok(std::fs::canonicalize(&sources).unwrap_or(sources))
}
