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
    brotli: usize,
}

impl Sizes {
    fn of(file: &Path) -> Result<Sizes> {
        let bytes = fs::read(file)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        let mut brotli = Vec::new();
        let best = brotli::enc::BrotliEncoderParams { quality: 11, ..Default::default() };
        brotli::BrotliCompress(&mut bytes.as_slice(), &mut brotli, &best)?;
        Ok(Sizes { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli.len() })
    }
}

/// The sizes of all modules, which are built; fails where the one for every page is too large.
pub(crate) fn check() -> Result {
    print([&BROWSER, &BROWSER_THREADS, &COMMAND, &EVALUATE])?;
    let brotli = Sizes::of(&BROWSER.path())?.brotli;
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
        print_row(module.name, &module.path())?;
        if let Some(javascript) = module.javascript() {
            print_row("  its JavaScript", &javascript)?;
        }
    }
    Ok(())
}

fn print_row(name: &str, file: &Path) -> Result {
    let Sizes { raw, gzip, brotli } = Sizes::of(file)?;
    println!("{name:28}{raw:>11}{gzip:>11}{brotli:>11}");
    Ok(())
}
