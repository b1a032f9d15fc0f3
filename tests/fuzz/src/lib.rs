//! Directories and tables as bytes, so that a fuzzer can change them.
//!
//! A directory is a list of files, each one byte for its name, two bytes (little-endian) for its length, and the content. A
//! length behind the end of the input means all that is left.

use recask_core::storage::FileId;
use recask_core::storage::memory::{MemoryPlace, MemoryStorage};

const NAMES: [&str; 9] =
    ["meta.zr", "store.zr", "dict.zr", "0.loc", "0.chunk", "1.loc", "1.chunk", "2.chunk", "recask.journal"];

/// The files that `bytes` describe. A name that comes twice keeps its last content.
#[must_use]
pub fn unpack(mut bytes: &[u8]) -> MemoryStorage {
    let mut files = Vec::new();
    while let [name, low, high, rest @ ..] = bytes {
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (content, behind) = rest.split_at(len);
        files.push((NAMES[usize::from(*name) % NAMES.len()].to_owned(), content.to_vec()));
        bytes = behind;
    }
    MemoryStorage::from_files(files)
}

/// The bytes of a directory; `None` where a file is too large. Files with other names are left out.
#[must_use]
pub fn pack(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for (name, content) in files {
        let Some(number) = NAMES.iter().position(|known| *known == name) else { continue };
        out.push(u8::try_from(number).ok()?);
        out.extend_from_slice(&u16::try_from(content.len()).ok()?.to_le_bytes());
        out.extend_from_slice(&content);
    }
    Some(out)
}

/// The bytes of a table with right checksums wherever it has any, so that a fuzzer gets behind them. The manifest has none
/// afterwards.
#[must_use]
pub fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // The older layout has the length of the manifest where the newer one has zeros.
    let is_old = bytes.get(40..48).is_some_and(|len| len.iter().any(|&byte| byte != 0));
    let sum_at = if is_old { 24 } else { 32 };
    seal(&mut bytes, 8, sum_at);
    for at in find(&bytes, b"manifest_crc32") {
        bytes[at] = b'M';
    }
    for at in find(&bytes, b"REC\x01") {
        seal(&mut bytes, at, at + 28);
    }
    bytes
}

/// Writes the checksum of `from..to` behind it, where it has room.
fn seal(bytes: &mut [u8], from: usize, to: usize) {
    let Some((covered, behind)) = bytes.split_at_mut_checked(to) else { return };
    if let (Some(covered), Some(sum)) = (covered.get(from..), behind.first_chunk_mut::<4>()) {
        *sum = crc32fast::hash(covered).to_le_bytes();
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    let places = bytes.windows(wanted.len()).enumerate();
    places.filter(|(_, found)| *found == wanted).map(|(at, _)| at).collect()
}

/// A table of any bytes, in memory.
#[derive(Debug)]
pub struct TableFile(MemoryStorage);

impl TableFile {
    /// The file of these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        TableFile(MemoryStorage::from_files([(FileId::Table.to_string(), bytes.to_vec())]))
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> MemoryPlace {
        MemoryPlace::holding(&self.0)
    }

    /// What it is in.
    #[must_use]
    pub fn storage(&self) -> &MemoryStorage {
        &self.0
    }

    /// What it is now.
    ///
    /// # Panics
    /// Where there is anything else beside it, or it is gone.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut files = self.0.files();
        assert_eq!(files.len(), 1, "only the table is left");
        files.remove(0).1
    }
}
