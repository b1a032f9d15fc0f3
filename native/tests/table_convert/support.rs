//! Tables to convert, and what is in them.

use std::path::{Path, PathBuf};

use recask::convert::table::{ExportOptions, ImportOptions, Imported, export, import};
use recask::table::{ColumnInput, Table};
use recask::{DType, Error};

/// Name, type and bytes of every column.
pub(crate) type Content = Vec<(String, String, Vec<u8>)>;

pub(crate) fn content(path: &Path) -> Content {
    let columns = Table::open(path).unwrap().all().columns().unwrap();
    columns
        .into_iter()
        .map(|column| (column.name().to_owned(), column.dtype().to_string(), column.as_bytes().to_vec()))
        .collect()
}

/// A table of these columns: name, type, values.
pub(crate) fn make(path: &Path, columns: &[(&str, &str, Vec<u8>)]) -> Table {
    let inputs: Vec<_> = columns
        .iter()
        .map(|(name, dtype, bytes)| ColumnInput::new(*name, DType::parse(dtype).unwrap(), bytes))
        .collect();
    Table::create(path, &inputs).unwrap()
}

/// A folder and a file of this text in it.
pub(crate) fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// Imports into `table.cstore` beside the source.
pub(crate) fn imported(source: &Path, options: &ImportOptions) -> Result<(Imported, Content), Error> {
    let dest = source.with_file_name("table.cstore");
    let made = import(source, &dest, options, &())?;
    let content = content(&dest);
    Ok((made, content))
}

pub(crate) fn exported(table: &Table, dest: &Path) {
    export(&table.all(), dest, &ExportOptions::default(), &()).unwrap();
}

/// `<i8` values as bytes.
pub(crate) fn ticks(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Text in the width of the column.
pub(crate) fn utf32(width: usize, values: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        let end = bytes.len() + width * 4;
        bytes.extend(value.chars().flat_map(|c| u32::from(c).to_le_bytes()));
        bytes.resize(end, 0);
    }
    bytes
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
