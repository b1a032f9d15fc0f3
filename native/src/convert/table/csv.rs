//! CSV: text between delimiters.

mod cell;
mod infer;
mod read;
mod write;

pub(super) use read::open;
pub(super) use write::write;

use std::path::Path;

use super::options::Csv;

impl Csv {
    fn delimiter_of(&self, path: &Path) -> u8 {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let is_tabbed = name.strip_suffix(".gz").unwrap_or(&name).ends_with(".tsv");
        self.delimiter.unwrap_or(if is_tabbed { b'\t' } else { b',' })
    }
}
