//! The benchmarks. Not part of the tests: their numbers need a quiet machine.

use crate::measured::{self, Measured};
use crate::peer::{self, Peer};
use crate::process::{self, capture};
use crate::report::{Failure, Result, fail, say};
use crate::workspace::{cargo, program, root, target, targets_in};
use crate::{node, webassembly};

const FOLDER: &str = "native/benches";
/// What the names of the benchmarks of tables start with.
const TABLES: &str = "table/";
/// And those of the loader.
const LOADERS: &str = "loader/";
/// What stands before the names of the benchmarks of the npm package for browsers.
const WEBASSEMBLY: &str = "wasm/";
/// And before those of the npm package for Node.js.
const NODE: &str = "node/";

/// Runs every benchmark, or those whose name contains `filter`, then others on the same files, and prints tables.
pub(crate) fn run(filter: Option<&str>) -> Result {
    if let Some(filter) = filter.and_then(|filter| filter.strip_prefix(WEBASSEMBLY)) {
        return webassembly::measure(&["--only", filter]);
    }
    if let Some(filter) = filter.and_then(|filter| filter.strip_prefix(NODE)) {
        return node::measure(&["--only", filter]);
    }
    natively(filter)?;
    if filter.is_some() {
        return Ok(());
    }
    webassembly::measure(&[])?;
    node::measure(&[])
}

/// Those in Rust, then the Python packages, in one table.
fn natively(filter: Option<&str>) -> Result {
    let results = target().join("criterion");
    // Results of other runs would be taken for new ones.
    let _ = std::fs::remove_dir_all(&results);
    rust_benchmarks(filter.as_slice())?;
    let mut found = Measured::of_criterion(&results)?;
    if found.is_empty() {
        return fail("no benchmark has this in its name");
    }
    let [older, newer] = &peer::COLSTORES;
    if found.any(|name| !name.starts_with(TABLES) && !name.starts_with(LOADERS)) {
        found.add_peers(&python(&peer::LOADERX, "peer_loaderx.py", &[])?)?;
    }
    if found.any(|name| name.starts_with(LOADERS)) {
        found.add_peers(&python(&peer::LOADERX, "peer_loader.py", &[])?)?;
        // Not every system has it in a small form; the rest of the table is worth having without.
        match peer::TORCH.ensure() {
            Ok(_) => found.add_peers(&python(&peer::TORCH, "peer_torch.py", &[])?)?,
            Err(Failure(reason)) => say(format!("PyTorch is left out: {reason}")),
        }
    }
    if found.any(|name| name.starts_with(TABLES)) {
        found.add_peers(&python(older, "peer_colstore.py", &[])?)?;
        found.add_peers(&python(newer, "peer_colstore.py", &["--numpy"])?)?;
    }
    print!("\n{}", measured::table(&found));
    Ok(())
}

fn python(peer: &Peer, script: &str, arguments: &[&str]) -> Result<String> {
    say(format!("{} on the same files", peer.name));
    let script = root().join(FOLDER).join(script);
    // `-B`: what is compiled of a script that others import is not left beside it.
    capture(program(peer.ensure()?).arg("-B").arg(script).arg(target().join("bench")).args(arguments))
}

/// Every benchmark runs once, without measuring.
pub(crate) fn smoke() -> Result {
    rust_benchmarks(&["--test"])?;
    webassembly::measure(&["--seconds", "0", "--rounds", "1"])?;
    node::measure(&["--small", "--seconds", "0", "--rounds", "1", "--passes", "1"])
}

fn rust_benchmarks(arguments: &[&str]) -> Result {
    for name in targets_in(FOLDER)? {
        process::run(cargo("bench").args(["--package", "recask", "--bench", &name, "--"]).args(arguments))?;
    }
    Ok(())
}
