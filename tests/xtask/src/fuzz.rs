//! The fuzz targets in `tests/fuzz`, each for a while.
//!
//! libFuzzer and the address sanitizer need flags that only cargo-fuzz and a nightly compiler are known for; the
//! compiler that is here takes them as well, so that neither has to be installed.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::process;
use crate::report::{Result, fail, say};
use crate::workspace::{cargo, kept, program, root, targets_in};

const FLAGS: &str = "-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg=fuzzing";
/// All memory of a target; what one allocation may take is told by `tests/fuzz/README.md`.
const MEMORY: &str = "-rss_limit_mb=2048";
const SMOKE_SECONDS: u64 = 5;
const LONG_SECONDS: u64 = 120;

pub(crate) fn smoke() -> Result {
    run(SMOKE_SECONDS)
}

pub(crate) fn at_length() -> Result {
    run(LONG_SECONDS)
}

/// Runs every target for so long, from the golden data and what earlier runs found.
pub(crate) fn run(seconds: u64) -> Result {
    let targets = targets_in("tests/fuzz/fuzz_targets")?;
    if targets.is_empty() {
        return fail("tests/fuzz holds no target");
    }
    let folder = root().join("tests/fuzz");
    let machine = machine()?;
    let built = kept("fuzz");
    let mut build = cargo("build");
    build.current_dir(&folder).args(["--release", "--bins", "--target", machine, "--target-dir"]).arg(&built);
    // The flags are unstable ones.
    process::run(build.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS))?;
    let programs = built.join(machine).join("release");
    process::run(&mut program(programs.join("seed_corpus")))?;
    for target in &targets {
        fuzz(&programs.join(target), &folder, target, seconds)?;
    }
    Ok(())
}

fn fuzz(program_file: &Path, folder: &Path, target: &str, seconds: u64) -> Result {
    let corpus = folder.join("corpus").join(target);
    let artifacts = folder.join("artifacts").join(target);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let mut fuzz = program(program_file);
    let (input, allocation) = match target {
        "open_directory" => (16 << 10, 512),
        "table_open" | "table_update" => (16 << 10, 64),
        _ => (4 << 10, 64),
    };
    fuzz.args([MEMORY, "-verbosity=0", "-print_final_stats=1"]);
    fuzz.arg(format!("-max_len={input}")).arg(format!("-malloc_limit_mb={allocation}"));
    fuzz.arg(format!("-max_total_time={seconds}"));
    fuzz.arg(format!("-artifact_prefix={}/", artifacts.display()));
    let output = fuzz.arg(corpus).stdin(Stdio::null()).output()?;
    let talk = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        eprint!("{talk}");
        return fail(format!("{target} found a fault; its input is in {}", artifacts.display()));
    }
    let runs = talk.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    say(format!("{target}: {} inputs in {seconds} s, no fault", runs.unwrap_or("?").trim()));
    Ok(())
}

fn machine() -> Result<&'static str> {
    if cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
        Ok("x86_64-unknown-linux-gnu")
    } else if cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "aarch64")) {
        Ok("aarch64-unknown-linux-gnu")
    } else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
        Ok("aarch64-apple-darwin")
    } else {
        fail("the fuzz targets run on x86-64 and ARM Linux with glibc, and on macOS only")
    }
}
