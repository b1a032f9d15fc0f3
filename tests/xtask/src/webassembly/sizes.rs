//! How much is downloaded.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::report::{Result, fail};
use crate::webassembly::module::{BROWSER, BROWSER_THREADS, COMMAND, EVALUATE, Module};

/// What a page without threads may have to load, by brotli.
const LIMIT: usize = 300_000;

/// One file, as it is and as servers send it.
struct Sizes {
    raw: usize,
    gzip: usize,
    /// Where it is sent at all: brotli takes its time.
    brotli: Option<usize>,
}

impl Sizes {
    fn of(file: &Path, is_sent: bool) -> Result<Sizes> {
        let bytes = fs::read(file)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        let brotli = is_sent.then(|| brotli_len(&bytes)).transpose()?;
        Ok(Sizes { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli })
    }
}

fn brotli_len(bytes: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    let best = brotli::enc::BrotliEncoderParams { quality: 11, ..Default::default() };
    brotli::BrotliCompress(&mut { bytes }, &mut compressed, &best)?;
    Ok(compressed.len())
}

/// The sizes of all modules, which are built; fails where the one for every page is too large.
pub(crate) fn check() -> Result {
    print([&BROWSER, &BROWSER_THREADS, &COMMAND, &EVALUATE])?;
    let brotli = brotli_len(&fs::read(BROWSER.path())?)?;
    if brotli >= LIMIT {
        return fail(format!("the single-threaded module has {brotli} bytes by brotli, not below {LIMIT}"));
    }
    Ok(())
}

/// A table of modules that are built, and of the JavaScript beside them.
pub(super) fn print<'a>(modules: impl IntoIterator<Item = &'a Module>) -> Result {
    let mut modules = modules.into_iter().peekable();
    if modules.peek().is_some() {
        println!("{:28}{:>11}{:>11}{:>11}", "bytes", "raw", "gzip", "brotli");
    }
    for module in modules {
        let javascript = module.javascript();
        print_row(module.name, &module.path(), javascript.is_some())?;
        if let Some(javascript) = javascript {
            print_row("  its JavaScript", &javascript, true)?;
        }
    }
    Ok(())
}

fn print_row(name: &str, file: &Path, is_sent: bool) -> Result {
    let Sizes { raw, gzip, brotli } = Sizes::of(file, is_sent)?;
    let brotli = brotli.map_or_else(|| "-".into(), |brotli| brotli.to_string());
    println!("{name:28}{raw:>11}{gzip:>11}{brotli:>11}");
    Ok(())
}
