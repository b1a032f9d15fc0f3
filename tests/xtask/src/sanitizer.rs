//! Tests with threads under the thread sanitizer, the standard library included, so that its locks are understood.

use std::path::Path;
use std::process::Command;

use crate::debian;
use crate::process::run;
use crate::report::{Result, fail, say};
use crate::targets::{debian_cargo, ensure_debian, rustup_has_sources};
use crate::workspace::{cargo, kept, targets_in};

const TARGET: &str = "x86_64-unknown-linux-gnu";
const DEBIAN_RUNTIME_PACKAGE: &str = "libclang-rt-19-dev";
const DEBIAN_RUNTIME: &str = "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a";

/// Readers beside writers, the storage's own tests, and the loader.
pub(crate) fn run_tests() -> Result {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        say("NOT run: the thread sanitizer is set up for x86-64 Linux only");
        return Ok(());
    }
    let sharing: Vec<String> =
        targets_in("core/tests")?.into_iter().filter(|name| name.starts_with("sharing")).collect();
    if sharing.is_empty() {
        return fail("core/tests holds no test of sharing");
    }
    let mut core = vec!["--package".into(), "recask-core".into(), "--all-features".into()];
    core.extend(sharing.into_iter().flat_map(|name| ["--test".into(), name]));
    let native =
        ["--package", "recask", "--lib", "--test", "storage", "--test", "loader", "--test", "loader_drop"];
    let native = native.map(String::from);
    for tests in [&core[..], &native[..]] {
        let folder = kept("sanitizer");
        let arguments = ["-Zbuild-std", "--target", TARGET, "--target-dir"];
        run(instrumented()?.args(arguments).arg(folder).args(tests))?;
    }
    Ok(())
}

/// `cargo test` with a compiler that may build the standard library: rustup's with its sources, else Debian's.
fn instrumented() -> Result<Command> {
    if rustup_has_sources() {
        let mut command = cargo("test");
        command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=thread");
        return Ok(command);
    }
    ensure_debian()?;
    debian::ensure(&[DEBIAN_RUNTIME_PACKAGE])?;
    if !Path::new(DEBIAN_RUNTIME).is_file() {
        return fail(format!("{DEBIAN_RUNTIME_PACKAGE} is installed, but has no {DEBIAN_RUNTIME}"));
    }
    // Debian's compiler comes without the sanitizer's library; LLVM's own fits.
    let flags = format!(
        "-Zsanitizer=thread -Zexternal-clangrt -Zpre-link-args=-Wl,--whole-archive,{DEBIAN_RUNTIME},--no-whole-archive"
    );
    let mut command = debian_cargo("test");
    command.env("RUSTFLAGS", flags);
    Ok(command)
}
