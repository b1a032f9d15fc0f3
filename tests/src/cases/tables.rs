//! Cases of column tables.

use serde::Deserialize;

use super::{Expect, Picks};

/// Something done to one golden table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableCase<T> {
    /// Its file below `golden`.
    pub table: String,
    /// Which columns; all where they are missing.
    pub columns: Option<Vec<String>>,
    /// Which rows; all where they are missing.
    pub index: Option<Picks>,
    /// The layout of what is written.
    pub layout: Option<String>,
    /// Whether statistics are written.
    #[serde(default)]
    pub statistics: bool,
    /// For people.
    pub note: Option<String>,
    /// The answer.
    pub expect: Expect<T>,
}

/// What a table holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableContents {
    /// Rows of the table.
    pub rows: u64,
    /// Records of the table.
    pub records: u64,
    /// The columns that were read.
    pub columns: Option<Vec<TableColumn>>,
}

/// The values of one column.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TableColumn {
    /// Its name, as it is shown.
    pub name: String,
    /// Its type, as it is read, little-endian.
    pub dtype: String,
    /// Of its values.
    pub sha256: String,
}

/// A table as a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableFile {
    /// Of all its bytes.
    pub sha256: String,
}
