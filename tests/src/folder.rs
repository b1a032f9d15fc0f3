//! Where the golden data and the cases are, and reading whole folders.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// The folder `tests` of the checkout that this was built from, unless the variable `RECASK_TESTS` says where it is now: a sandbox
/// has names of its own.
#[must_use]
pub fn tests() -> &'static Path {
    static TESTS: OnceLock<PathBuf> = OnceLock::new();
    TESTS.get_or_init(|| std::env::var_os("RECASK_TESTS").unwrap_or(env!("CARGO_MANIFEST_DIR").into()).into())
}

/// A path inside of `tests/golden`.
#[must_use]
pub fn golden(path: &str) -> PathBuf {
    tests().join("golden").join(path)
}

/// The files of a folder by name. The file `.keep`, which only keeps an empty folder in the repository, is left out.
///
/// # Errors
/// What the file system says.
pub fn read(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != ".keep" {
            files.insert(name, std::fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// Puts files into a new folder.
///
/// # Errors
/// What the file system says.
pub fn write(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, content)| std::fs::write(folder.join(name), content))
}

/// SHA-256 in lower-case hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
