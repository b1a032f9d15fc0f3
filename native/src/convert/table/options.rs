//! What conversions are asked for.

use recask_core::table::WriteOptions;

use super::format::Format;
use super::nulls::Nulls;
use super::width::TextAs;

/// How values become columns, where there is a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What is stored for missing values.
    pub nulls: Nulls,
    /// The width of text and byte strings of any length: characters of `U`, bytes of `S`. `None` measures the longest
    /// one, which reads the source once more.
    pub width: Option<u32>,
    /// How text is stored.
    pub text: TextAs,
    /// Whether decimals become the nearest floats; they are an error otherwise.
    pub decimals_as_floats: bool,
}

/// What an import does with a table that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Refuses it.
    #[default]
    Create,
    /// Replaces it, in one step when the import is complete.
    Recreate,
    /// Adds rows to it, which have to be of its columns.
    Append,
}

/// How CSV is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Csv {
    /// The byte between fields: by default a comma, or a tab where the file is named `.tsv`.
    pub delimiter: Option<u8>,
    /// Whether the first line has the names of the columns; they are `column0`, `column1`, … otherwise.
    pub header: bool,
}

impl Default for Csv {
    fn default() -> Self {
        Csv { delimiter: None, header: true }
    }
}

/// How to import. The default takes all columns, refuses nulls, and makes a new table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// What the source is; `None` looks at its first bytes and its extension.
    pub format: Option<Format>,
    /// The columns to take, in this order; all where `None`.
    pub columns: Option<Vec<String>>,
    /// How values become columns.
    pub rules: Rules,
    /// How CSV is read.
    pub csv: Csv,
    /// What is done with a table that is there already.
    pub mode: Mode,
    /// How a new table is laid out.
    pub layout: WriteOptions,
}

/// How Parquet is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// Snappy, which every reader has.
    #[default]
    Snappy,
    /// Zstandard, which makes smaller files.
    Zstd,
}

/// How to export. The default takes the format from the extension, and refuses to replace a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// What is written; `None` looks at the extension.
    pub format: Option<Format>,
    /// Whether a file that is there already is replaced.
    pub replace: bool,
    /// How CSV is written.
    pub csv: Csv,
    /// How Parquet is compressed; the other formats are not.
    pub compression: Compression,
}
