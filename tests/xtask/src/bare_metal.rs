//! The core on targets without an operating system, of which one has 32 bits.

use crate::process::run;
use crate::report::Result;
use crate::targets::Platform;

/// 64 bits without an operating system, and 32.
pub(crate) const PLATFORM: Platform = Platform {
    name: "bare-metal",
    triples: &["x86_64-unknown-none", "wasm32v1-none"],
    library: "core,alloc",
    rebuilt: false,
    debian: &[],
};
/// The core alone, and with its pure Rust codecs.
const FEATURES: [&str; 3] = ["", "ruzstd", "structured-zstd"];

/// Builds the core for every target.
pub(crate) fn build() -> Result {
    let source = PLATFORM.ensure(None)?;
    for target in PLATFORM.triples {
        for features in FEATURES {
            let package = ["--package", "recask-core", "--features", features, "--target", target];
            run(PLATFORM.cargo(source, "build").args(package))?;
        }
    }
    Ok(())
}
