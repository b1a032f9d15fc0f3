//! Directories as bytes, so that a fuzzer can change them.
//!
//! A directory is a list of files, each one byte for its name, two bytes (little-endian) for its length, and the content. A
//! length behind the end of the input means all that is left.

use recask_core::storage::memory::MemoryStorage;

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
